package system

import (
	"context"
	"errors"
	"slices"
	"sync"
	"weak"

	"github.com/lanewise/lanewise/ecs"
)

// worlds are the worlds with systems, in the order of their creation. It does
// not keep a world alive that nobody else knows.
var worlds worldList

type worldList struct {
	mu   sync.Mutex
	list []weak.Pointer[roster]
	made uint64 // sequence number of the last
}

func (l *worldList) add(r *roster) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made++
	r.sequence = l.made
	l.list = append(l.list, weak.Make(r))
}

func (l *worldList) remove(r *roster) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(p weak.Pointer[roster]) bool {
		other := p.Value()
		return other == nil || other == r
	})
}

func (l *worldList) all() (rs []*roster) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.list {
		if r := p.Value(); r != nil {
			rs = append(rs, r)
		}
	}
	return rs
}

// Worlds returns the worlds that have systems and are not closed, in the order
// of their creation.
func Worlds() []*ecs.World {
	var ws []*ecs.World
	for _, r := range worlds.all() {
		ws = append(ws, r.world)
	}
	return ws
}

// CloseAll closes all [Worlds], the first made first.
func CloseAll() error {
	var errs []error
	for _, w := range Worlds() {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// Sequence returns the number of w among all worlds with systems that the
// process has ever had. No two have the same; later ones have larger ones. Of an open
// world any goroutine may ask.
func Sequence(w *ecs.World) uint64 {
	for _, r := range worlds.all() {
		if r.world == w {
			return r.sequence
		}
	}
	return rosterFor("Sequence", w).sequence
}

// FlagsOf returns what w is for.
func FlagsOf(w *ecs.World) Flags { return rosterFor("FlagsOf", w).flags }

// current is what the process has one of.
var current struct {
	sync.Mutex
	world, editor *ecs.World
	loop          *Loop
}

// Default returns the default world; nil when there is none.
func Default() *ecs.World {
	current.Lock()
	defer current.Unlock()
	return current.world
}

// SetDefault makes w the default world, which it is until it is closed. A
// bootstrap that makes its own worlds calls it; nil takes the default away. It
// panics if w is closed.
func SetDefault(w *ecs.World) {
	if w != nil {
		rosterOf(w).mustBeOpen("be the default world") // and we hear of its end
	}
	current.Lock()
	defer current.Unlock()
	current.world = w
}

// CurrentLoop returns a copy of the process's loop, which [RunCurrent] runs and
// which the default world is in. At first it is that of [NewLoop].
func CurrentLoop() *Loop {
	current.Lock()
	defer current.Unlock()
	if current.loop == nil {
		return NewLoop()
	}
	return current.loop.Clone()
}

// SetCurrentLoop makes a copy of l the process's loop, from the next frame on;
// nil stands for that of [NewLoop].
func SetCurrentLoop(l *Loop) {
	current.Lock()
	defer current.Unlock()
	if current.loop = nil; l != nil {
		current.loop = l.Clone()
	}
}

// RunCurrent runs the process's loop as [Loop.Run] does. What [SetCurrentLoop]
// sets meanwhile runs from the next frame on.
func RunCurrent(ctx context.Context, opts ...RunOption) error {
	return newPace(opts).run(ctx, func() *Loop {
		current.Lock()
		defer current.Unlock()
		if current.loop == nil {
			current.loop = NewLoop()
		}
		return current.loop
	})
}

// appendCurrent puts w into the process's loop.
func appendCurrent(w *ecs.World) error {
	l := CurrentLoop()
	if err := l.Append(w); err != nil {
		return err
	}
	SetCurrentLoop(l)
	return nil
}

// forget lets go of a world that was closed.
func forget(w *ecs.World) {
	current.Lock()
	defer current.Unlock()
	if current.world == w {
		current.world = nil
	}
	if current.editor == w {
		current.editor = nil
	}
	if current.loop != nil {
		l := current.loop.Clone()
		l.Remove(w)
		current.loop = l
	}
}
