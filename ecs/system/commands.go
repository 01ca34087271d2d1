package system

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// CommandBuffers is embedded by command-buffer systems: places of the frame
// where other systems have their structural changes made. Its update plays
// back the buffers that were taken since the last, in the order in which they
// were taken; one that fails does not keep the others from being played, and
// those behind one that ends the goroutine are played at the next update.
//
//	type AfterPhysics struct {
//		system.CommandBuffers
//		_ system.After[Physics]
//	}
type CommandBuffers struct {
	taken []taken
	free  []*ecs.Commands // played and reset
}

// taken is a buffer and the system that records into it.
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

// Commands takes a buffer that command-buffer system S of the frame's world
// plays back at its next update, and then takes back: it is not to be used
// after that. It panics if the world has no system S, and in a block of a parallel job: take
// the buffer in the update, and keep its Parallel() in the job.
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

// Update plays back what was taken. Its error wraps [ecs.ErrArgument] and, for
// each buffer that failed, names the system that recorded it.
func (b *CommandBuffers) Update(f *Frame) error {
	var errs []error
	count, done := len(b.taken), 0
	defer func() { b.taken = slices.Delete(b.taken, 0, done) }() // also if a test fails in a buffer and so ends the goroutine
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

// play plays back a buffer and makes it ready to be taken again. In guard builds
// every buffer is used once, so that recording into a played one is found. A
// panic, in a method of a shared value, is that buffer's failure alone.
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

// drop forgets what was taken without playing it.
func (b *CommandBuffers) drop() { *b = CommandBuffers{} }
