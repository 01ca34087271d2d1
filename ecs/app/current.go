package app

import (
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
)

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
		if err := driver.Of(w).Open("be the default world"); err != nil {
			panic(err)
		} // and we hear of its end
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
	return current.loop.clone()
}

// SetCurrentLoop makes a copy of l the process's loop, from the next frame on;
// nil stands for that of [NewLoop].
func SetCurrentLoop(l *Loop) {
	current.Lock()
	defer current.Unlock()
	if current.loop = nil; l != nil {
		current.loop = l.clone()
	}
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

func init() { driver.Ended = forget }

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
		l := current.loop.clone()
		l.Remove(w)
		current.loop = l
	}
}
