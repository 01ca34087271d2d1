package ecs

// A command may refer to an entity that a later one of the same buffer makes: in a
// component, an element, a shared value. Jobs record in any order, and what they
// record is played in the order of their keys. Such an entity is promised: it gets its
// id when the first reference to it is played, and the command that makes it uses that
// id. All others get their ids when they are made, as ever.
//
// While it is promised the entity does not exist: its slot is free, but not in the
// list of those to be used again, and has the version that the entity will have.

// breakPromises ends the promises from a place on: playback is over, or was stopped.
// What the command has promised that has failed was never taken; what others have
// promised, and nothing has made, does not exist any more.
func (w *tables) breakPromises(from int) {
	t := &w.entities
	t.withdraw()
	for last := len(w.promises) - 1; last >= max(from, w.kept); last-- {
		p := w.promises[last]
		t.untake(^(*p.made)[p.k].Index, p.fresh)
		(*p.made)[p.k] = Entity{}
		w.promises = w.promises[:last]
	}
	for _, p := range w.promises[from:] {
		if id := (*p.made)[p.k]; id.Index < 0 {
			t.release([]Entity{{^id.Index, id.Version}})
			(*p.made)[p.k] = Entity{}
		}
	}
	clear(w.promises[from:])
	w.promises = w.promises[:from]
	w.kept = min(w.kept, from)
	w.concludes = len(w.promises) > 0 || w.notices != nil
}

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
