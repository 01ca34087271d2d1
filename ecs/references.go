package ecs

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
	if made := by.made[k]; made.Index >= 0 && !made.IsZero() {
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
	case made.IsZero():
		var id [1]Entity
		w.concludes = true
		w.promises = append(w.promises, promise{&by.made, int32(k), len(w.entities.free) == 0})
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
