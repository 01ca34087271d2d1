package ecs

import (
	"fmt"
	"sync"
)

// labels is the names of the entities of a world: what people call them, not what they
// are. They are outside of the hash, and nothing that the library computes depends on them.
type labels struct {
	mu   sync.RWMutex // jobs that fail ask for names
	of   map[Entity]string
	next int // how many names there are when those of the dead are looked for again
}

// name returns what an entity was named last, whether it exists or not.
func (l *labels) name(e Entity) string {
	if l == nil {
		return ""
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.of[e]
}

// any reports whether there are names.
func (l *labels) any() bool { return len(l.of) > 0 }

// named is how texts show an entity: its id, and its name if it has one.
func named(e Entity, name string) string {
	if name == "" {
		return e.String()
	}
	return fmt.Sprintf("%v %q", e, name)
}
