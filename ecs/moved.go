package ecs

import (
	"maps"
	"slices"
)

// carry gives what came from src under other ids the names that it had there.
func (m *Moved) carry(w, src *tables) {
	if !src.labels.any() {
		return
	}
	src.labels.settle()
	named := slices.SortedFunc(maps.Keys(src.labels.of), Entity.Compare)
	for _, old := range named {
		if id := m.Of(old); w.entities.find(id) != nil {
			w.label(id, src.labels.name(old))
		}
	}
}
