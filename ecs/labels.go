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
	late []*lateLabels
}

// lateLabels is the names of many entities that came at once, which nobody has asked for yet: to put
// them into the map takes longer than to make the rows.
type lateLabels struct {
	ids   []Entity
	names []string
}

// settle puts the names that came late into the map.
func (l *labels) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, late := range l.late {
		for i, e := range late.ids {
			if name := late.names[i]; name != "" {
				if l.of == nil {
					l.of = map[Entity]string{}
				}
				l.of[e] = name
			}
		}
		*late = lateLabels{}
	}
	clear(l.late)
	l.late = l.late[:0]
}

// add says that entities have names, for later; own is what was added for their neighbours before, or a new one.
func (l *labels) add(own *lateLabels, ids []Entity, names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if own.ids == nil {
		l.late = append(l.late, own)
		own.ids, own.names = ids, names
		return
	}
	own.ids, own.names = own.ids[:len(own.ids)+len(ids)], own.names[:len(own.names)+len(names)]
}

// prune forgets the names of the dead, if there may be many.
func (l *labels) prune(alive *entities) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.of) > l.next {
		maps.DeleteFunc(l.of, func(e Entity, _ string) bool { return alive.find(e) == nil })
		l.next = 2*len(l.of) + 16
	}
}

// drop forgets what was added and nobody has asked for.
func (l *labels) drop(own *lateLabels) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late = slices.DeleteFunc(l.late, func(o *lateLabels) bool { return o == own })
	*own = lateLabels{}
}

// name returns what an entity was named last, whether it exists or not.
func (l *labels) name(e Entity) string {
	if l == nil {
		return ""
	}
	l.mu.RLock()
	if len(l.late) > 0 {
		l.mu.RUnlock()
		l.settle()
		l.mu.RLock()
	}
	defer l.mu.RUnlock()
	return l.of[e]
}

// any reports whether there are names.
func (l *labels) any() bool { return len(l.of)+len(l.late) > 0 }

// named is how texts show an entity: its id, and its name if it has one.
func named(e Entity, name string) string {
	if name == "" {
		return e.String()
	}
	return fmt.Sprintf("%v %q", e, name)
}
