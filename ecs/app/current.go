package app

import (
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/driver"
)

// current holds the default world, the editor world and the loop of the process.
var current struct {
	sync.Mutex
	world, editor *ecs.World
	loop          *Loop
}

// Default returns the default world, or nil if there is none. Default is safe for concurrent use.
func Default() *ecs.World {
	current.Lock()
	defer current.Unlock()
	return current.world
}

// SetDefault makes w the default world until it is closed; nil removes the default world. A
// bootstrap that creates its own worlds calls SetDefault. SetDefault panics if w is closed.
func SetDefault(w *ecs.World) {
	if w != nil {
		if err := driver.Of(w).Open("be the default world"); err != nil {
			panic(err)
		} // the attachment removes the world from this package when the world is closed
	}
	current.Lock()
	defer current.Unlock()
	current.world = w
}

// CurrentLoop returns a copy of the loop of the process. [RunCurrent] runs this loop, and it
// contains the default world. At first the loop of the process is the loop that [NewLoop] returns.
func CurrentLoop() *Loop {
	current.Lock()
	defer current.Unlock()
	if current.loop == nil {
		return NewLoop()
	}
	return current.loop.clone()
}

// SetCurrentLoop makes a copy of l the loop of the process, from the next frame on. If l is nil,
// the loop of the process becomes the loop that [NewLoop] returns.
func SetCurrentLoop(l *Loop) {
	current.Lock()
	defer current.Unlock()
	if current.loop = nil; l != nil {
		current.loop = l.clone()
	}
}

// appendCurrent adds w to the loop of the process.
func appendCurrent(w *ecs.World) error {
	l := CurrentLoop()
	if err := l.Append(w); err != nil {
		return err
	}
	SetCurrentLoop(l)
	return nil
}

func init() { driver.Ended = forgetWorld }

// forgetWorld removes a closed world from the state of the process.
func forgetWorld(w *ecs.World) {
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
