package ecs

import "slices"

// A command may refer to an entity that a later one of the same buffer makes: in a
// component, an element, a shared value. Jobs record in any order, and what they
// record is played in the order of their keys. Such an entity is promised: it gets its
// id when the first reference to it is played, and the command that makes it uses that
// id. All others get their ids when they are made, as ever.
//
// While it is promised the entity does not exist: its slot is free, but not in the
// list of those to be used again, and has the version that the entity will have.

// promise is an entity of which a command has written the id before it is made.
type promise struct {
	by    *Commands
	k     int32 // its place in by.made, which holds ^index and version until then
	fresh bool  // the slot is a new one
}

// maker returns the buffer that makes a deferred entity, and its place in made: c, or
// another one of those that belong together; nil if none of them does.
func (c *Commands) maker(e Entity) (*Commands, int) {
	k := -1 - int(e.Index)
	if e.Version == c.id {
		return c.holds(k), k
	}
	root := c
	if c.owner != nil {
		root = c.owner
	}
	if e.Version == root.id {
		return root.holds(k), k
	}
	for _, p := range root.parallel[:root.spare] {
		for ws := range p.workers.all() {
			for _, w := range ws.list {
				if e.Version == w.id {
					return w.holds(k), k
				}
			}
		}
	}
	return nil, 0
}

// holds returns c if it makes so many entities.
func (c *Commands) holds(k int) *Commands {
	if k < len(c.made) {
		return c
	}
	return nil
}

// resolve returns the entity that a command is for: e itself, or what the buffer has
// made for it.
func (c *Commands) resolve(e Entity) (Entity, error) {
	if e.Index >= 0 {
		return e, nil
	}
	by, k := c.maker(e)
	if by == nil {
		return Entity{}, c.unknown(e)
	}
	if made := by.made[k]; made.Index >= 0 && !made.Null() {
		return made, nil
	}
	return Entity{}, c.fault(ErrState, "Playback", "the entity is made by a later command of this buffer: a reference to it may come first, but not a command for it, so record that behind, or under a later sort key").of(e)
}

// refer returns the entity that a reference in a value leads to: e itself, what the
// buffer has made for it, or will make.
func (c *Commands) refer(w *World, e Entity) (Entity, error) {
	if e.Index >= 0 {
		return e, nil
	}
	by, k := c.maker(e)
	if by == nil {
		return Entity{}, c.unknown(e)
	}
	made := &by.made[k]
	switch {
	case made.Null():
		var id [1]Entity
		w.promises = append(w.promises, promise{by, int32(k), len(w.entities.free) == 0})
		w.entities.take(id[:], free, 0)
		*made = Entity{^id[0].Index, id[0].Version}
		return id[0], nil
	case made.Index < 0:
		return Entity{^made.Index, made.Version}, nil
	}
	return *made, nil
}

// unknown says that no buffer that takes part makes e.
func (c *Commands) unknown(e Entity) error {
	return c.fault(ErrState, "Playback", "the entity is one that another buffer was still to make, or this one before it was Reset").of(e)
}

// breakPromises ends the promises from a place on: playback is over, or was stopped.
// What the command has promised that has failed was never taken; what others have
// promised, and nothing has made, does not exist any more.
func (w *World) breakPromises(from int) {
	t := &w.entities
	t.withdraw()
	for last := len(w.promises) - 1; last >= max(from, w.kept); last-- {
		p := w.promises[last]
		t.untake(^p.by.made[p.k].Index, p.fresh)
		p.by.made[p.k] = Entity{}
		w.promises = w.promises[:last]
	}
	for _, p := range w.promises[from:] {
		if id := p.by.made[p.k]; id.Index < 0 {
			t.release([]Entity{{^id.Index, id.Version}})
			p.by.made[p.k] = Entity{}
		}
	}
	clear(w.promises[from:])
	w.promises = w.promises[:from]
	w.kept = min(w.kept, from)
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

// promised reports whether e, which does not exist, is to be made by the playback
// that is going on.
func (w *World) promised(e Entity) bool {
	return slices.ContainsFunc(w.promises, func(p promise) bool {
		return p.by.made[p.k] == Entity{^e.Index, e.Version}
	})
}
