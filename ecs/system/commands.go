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
	inUse       []takenBuffer
	freeBuffers []*ecs.Commands // played back, reset and ready to be taken again
}

// takenBuffer is a command buffer together with the system that records into it, which errors name.
type takenBuffer struct {
	commands *ecs.Commands
	recorder *Type
}

// commandBufferSystem is implemented by every type that embeds CommandBuffers.
type commandBufferSystem interface {
	System
	commandBuffers() *CommandBuffers
}

func (b *CommandBuffers) commandBuffers() *CommandBuffers { return b }

// Commands returns an empty command buffer that command-buffer system S of the frame's world plays
// back at its next update. The buffer must not be used after that update, because S reuses it. It
// panics if the world has no system S. It also panics in a block of a parallel job: take the buffer
// in Update, and use its Parallel() in the job.
func Commands[S any, P interface {
	*S
	commandBufferSystem
}](f *Frame) *ecs.Commands {
	f.in.world.Scheduler().As("system.Commands").CheckCommands()
	f.in.mustBeCalled("Commands", "record commands")
	t := typeFor[S]()
	in := f.in.roster.findType(t)
	if in == nil {
		panic(fmt.Errorf("system: Commands: world %q has no %s; create it, or make the world with NewWorld: %w", f.in.world.Name(), t.name, ecs.ErrState))
	}
	return in.system.(commandBufferSystem).commandBuffers().takeFor(f.in)
}

func (b *CommandBuffers) takeFor(by *Instance) *ecs.Commands {
	var c *ecs.Commands
	if n := len(b.freeBuffers); n > 0 {
		c, b.freeBuffers = b.freeBuffers[n-1], b.freeBuffers[:n-1]
		c.SetRecorder()
	} else {
		c = by.world.NewCommands()
	}
	b.inUse = append(b.inUse, takenBuffer{c, by.typ})
	return c
}

// Update plays back the buffers that were taken. Its error wraps [ecs.ErrArgument] and names, for
// each buffer that failed, the system that recorded it.
func (b *CommandBuffers) Update(f *Frame) error {
	var errs []error
	count, done := len(b.inUse), 0
	defer func() { b.inUse = slices.Delete(b.inUse, 0, done) }() // runs also when a test fails inside of a buffer, which ends the goroutine
	for i, t := range b.inUse {
		done++
		if err := b.playBuffer(t.commands, f.in.world); err != nil {
			errs = append(errs, fmt.Errorf("buffer %d, recorded by %s: %w", i, t.recorder.name, err))
		}
	}
	if errs == nil {
		return nil
	}
	return fmt.Errorf("%w: %d of %d command buffers failed:\n%w", ecs.ErrArgument, len(errs), count, errors.Join(errs...))
}

// playBuffer plays back a buffer and makes it ready to be taken again. In guard builds a buffer is never
// reused, so that recording into a buffer that was played back is found. A panic, for example in a
// method of a shared value, becomes the error of that buffer alone.
func (b *CommandBuffers) playBuffer(c *ecs.Commands, w *ecs.World) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Method: "Update", Value: v, Stack: debug.Stack()}
		}
	}()
	err = c.Playback(w)
	if !guard {
		c.Reset()
		b.freeBuffers = append(b.freeBuffers, c)
	}
	return err
}

// drop discards the buffers that were taken without playing them back.
func (b *CommandBuffers) drop() { *b = CommandBuffers{} }
