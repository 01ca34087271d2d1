package ecs

// A command may refer to an entity that a later one of the same buffer makes: in a
// component, an element, a shared value. Jobs record in any order, and what they
// record is played in the order of their keys. Such an entity is promised: it gets its
// id when the first reference to it is played, and the command that makes it uses that
// id. All others get their ids when they are made, as ever.
//
// While it is promised the entity does not exist: its slot is free, but not in the
// list of those to be used again, and has the version that the entity will have.

// offer makes the next take begin with the id of a slot that was promised.
func (t *entities) offer(index int32) {
	t.free = append(t.free, index)
	t.offered = true
}

// withdraw ends an offer that nothing has taken, and returns what was offered; -1 if
// there is nothing.
func (t *entities) withdraw() (index int32) {
	if !t.offered {
		return -1
	}
	t.offered = false
	last := len(t.free) - 1
	index, t.free = t.free[last], t.free[:last]
	return index
}

// untake makes the last take undone, of one id.
func (t *entities) untake(index int32, fresh bool) {
	if fresh {
		t.slots = t.slots[:index]
		return
	}
	t.free = append(t.free, index)
}
