package ecs

import "reflect"

// carry gives what came from src under other ids the names that it had there.
func (m *EntityMap) carry(w, src *tables) {
	if !src.labels.any() {
		return
	}
	eachName(src.labels.pages, func(old Entity, name string) {
		if id := m.NewID(old); w.entities.find(id) != nil {
			w.label(id, name)
		}
	})
}

// boxRefs returns a shared value in which f has replaced the ids.
func boxRefs(c *component, v any, f func(Entity) Entity) any {
	if len(c.boxed) == 0 {
		return v
	}
	box := reflect.New(c.typ)
	box.Elem().Set(reflect.ValueOf(v))
	for _, at := range c.boxed {
		id := entityIn(box, at)
		*id = f(*id)
	}
	return box.Elem().Interface()
}
