package system

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// CommandBuffers is the base of a command-buffer system: a type that embeds it is a system at which
// other systems let their structural changes be made. Its update plays back the buffers that were
// taken since its last update, in the order in which they were taken. A buffer that fails does not
// keep the others from being played back. If one of them ends the goroutine, as a failed test does,
// the buffers after it are played back at the next update.
//
//	type AfterPhysics struct {
//		system.CommandBuffers
//		_ system.After[Physics]
//	}
type CommandBuffers struct {
	taken []taken
	free  []*ecs.Commands // played back, reset and ready to be taken again
}

// taken is a command buffer together with the system that records into it, which errors name.
type taken struct {
	commands *ecs.Commands
	by       *Type
}

// buffering is implemented by every type that embeds CommandBuffers.
type buffering interface {
	System
	buffers() *CommandBuffers
}

func (b *CommandBuffers) buffers() *CommandBuffers { return b }

// Commands returns an empty command buffer that command-buffer system S of the frame's world plays
// back at its next update. The buffer must not be used after that update, because S reuses it. It
// panics if the world has no system S. It also panics in a block of a parallel job: take the buffer
// in Update, and use its Parallel() in the job.
func Commands[S any, P interface {
	*S
	buffering
}](f *Frame) *ecs.Commands {
	f.in.world.Scheduler().As("system.Commands").CheckCommands()
	f.in.mustHaveWorld("record commands")
	t := typeFor[S]()
	in := f.in.roster.find(t)
	if in == nil {
		panic(fmt.Errorf("system: Commands: world %q has no %s; create it, or make the world with NewWorld: %w", f.in.world.Name(), t.name, ecs.ErrState))
	}
	return in.system.(buffering).buffers().take(f.in)
}

func (b *CommandBuffers) take(by *Instance) *ecs.Commands {
	var c *ecs.Commands
	if n := len(b.free); n > 0 {
		c, b.free = b.free[n-1], b.free[:n-1]
		c.SetRecorder()
	} else {
		c = by.world.NewCommands()
	}
	b.taken = append(b.taken, taken{c, by.typ})
	return c
}

// Update plays back the buffers that were taken. Its error wraps [ecs.ErrArgument] and names, for
// each buffer that failed, the system that recorded it.
func (b *CommandBuffers) Update(f *Frame) error {
	var errs []error
	count, done := len(b.taken), 0
	defer func() { b.taken = slices.Delete(b.taken, 0, done) }() // runs also when a test fails inside of a buffer, which ends the goroutine
	for i, t := range b.taken {
		done++
		if err := b.play(t.commands, f.in.world); err != nil {
			errs = append(errs, fmt.Errorf("buffer %d, recorded by %s: %w", i, t.by.name, err))
		}
	}
	if errs == nil {
		return nil
	}
	return fmt.Errorf("%w: %d of %d command buffers failed:\n%w", ecs.ErrArgument, len(errs), count, errors.Join(errs...))
}

// play plays back a buffer and makes it ready to be taken again. In guard builds a buffer is never
// reused, so that recording into a buffer that was played back is found. A panic, for example in a
// method of a shared value, becomes the error of that buffer alone.
func (b *CommandBuffers) play(c *ecs.Commands, w *ecs.World) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Method: "Update", Value: v, Stack: debug.Stack()}
		}
	}()
	err = c.Playback(w)
	if !guard {
		c.Reset()
		b.free = append(b.free, c)
	}
	return err
}

// drop discards the buffers that were taken without playing them back.
func (b *CommandBuffers) drop() { *b = CommandBuffers{} }
