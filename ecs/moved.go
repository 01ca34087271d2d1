package ecs

// carry gives what came from src under other ids the names that it had there.
func (m *Moved) carry(w, src *tables) {
	if !src.labels.any() {
		return
	}
	eachName(src.labels.pages, func(old Entity, name string) {
		if id := m.Of(old); w.entities.find(id) != nil {
			w.label(id, name)
		}
	})
}
