package system

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// CommandBuffers is the base of a command-buffer system. A type that embeds CommandBuffers is a
// system that makes the structural changes that other systems have recorded. Each update of a
// command-buffer system plays back the buffers that were requested since its last update, in the
// order of the requests. If a buffer fails, the others are still played back. If the playback of
// a buffer ends the goroutine, as a failed test does, the next update plays back the buffers
// after it.
//
//	type AfterPhysics struct {
//		system.CommandBuffers
//		_ system.After[Physics]
//	}
type CommandBuffers struct {
	inUse       []takenBuffer
	freeBuffers []*ecs.Commands // buffers that were played back and reset, and that can be used again
}

// takenBuffer is a command buffer, together with the system that records into it. Errors name that
// system.
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

// Commands returns an empty command buffer. The command-buffer system S of the frame's world plays
// it back in its next update. The buffer must not be used after that update, because S reuses it.
// Commands panics if the world has no system S. Commands also panics in a block of a parallel job.
// Call it in Update, and use the buffer's Parallel() in the job.
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

// Update plays back the buffers that other systems have requested. The error wraps
// [ecs.ErrArgument]. For each buffer that failed, it names the system that recorded the buffer.
func (b *CommandBuffers) Update(f *Frame) error {
	var errs []error
	count, done := len(b.inUse), 0
	defer func() { b.inUse = slices.Delete(b.inUse, 0, done) }() // deferred, because a test that fails inside of a buffer ends the goroutine
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

// playBuffer plays back a buffer, and then makes the buffer available again. Guard builds never reuse a
// buffer, so that recording into a buffer that was played back is detected. If the playback of a buffer
// panics, for example in a method of a shared value, the error is reported for this buffer only.
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

// drop discards the buffers without playing them back.
func (b *CommandBuffers) drop() { *b = CommandBuffers{} }
