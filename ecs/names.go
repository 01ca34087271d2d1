package ecs

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// labels is the names of the entities of a world: what people call them, not what they
// are. They are outside of the hash, and nothing that the library computes depends on them.
type labels struct {
	mu   sync.RWMutex // jobs that fail ask for names
	of   map[Entity]string
	next int // how many names there are when those of the dead are looked for again
}

// SetNameOf gives e a name for people: errors and tools show it beside the id. The name
// belongs to the entity and not to its components; it is no part of the world's hash, ends
// with the entity, and comes along when that moves to another world or is copied from one.
// An empty name takes the name away. Two entities may have the same. The error is of
// category ErrArgument if e does not exist.
func (w *World) SetNameOf(e Entity, name string) error {
	const op = "SetNameOf"
	if err := w.may(op); err != nil {
		return err
	}
	if w.entities.find(e) == nil {
		return w.lost(op, e)
	}
	w.label(e, name)
	return nil
}

// NameOf returns the name that SetNameOf has given e; "" if there is none, or e does not
// exist.
func (w *World) NameOf(e Entity) string {
	if w.entities.find(e) == nil {
		w.away("NameOf")
		return ""
	}
	return w.labels.name(e)
}

// label gives an entity that exists a name.
func (w *World) label(e Entity, name string) {
	l := w.labels
	l.mu.Lock()
	defer l.mu.Unlock()
	if name == "" {
		delete(l.of, e)
		return
	}
	if l.of == nil {
		l.of = map[Entity]string{}
	}
	l.of[e] = name
	if len(l.of) > l.next {
		maps.DeleteFunc(l.of, func(e Entity, _ string) bool { return w.entities.find(e) == nil })
		l.next = 2*len(l.of) + 16
	}
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

// carry gives what came from src under other ids the names that it had there.
func (m *Moved) carry(w, src *World) {
	if !src.labels.any() {
		return
	}
	named := slices.SortedFunc(maps.Keys(src.labels.of), Entity.Compare)
	for _, old := range named {
		if id := m.Of(old); w.entities.find(id) != nil {
			w.label(id, src.labels.name(old))
		}
	}
}

// named is how texts show an entity: its id, and its name if it has one.
func named(e Entity, name string) string {
	if name == "" {
		return e.String()
	}
	return fmt.Sprintf("%v %q", e, name)
}
