package ecs

// SetActive takes Inactive from e at playback, or adds it, as World.SetActive does.
func (c *Commands) SetActive(e Entity, active bool) error {
	if err := c.target("Commands.SetActive", e); err != nil {
		return err
	}
	cmd := command{op: opSetActive, entity: e}
	if active {
		cmd.n = 1
	}
	c.list = append(c.list, cmd)
	return nil
}

// SetArchetype moves e to archetype a at playback, as World.SetArchetype does.
func (c *Commands) SetArchetype(e Entity, a Archetype) error {
	const op = "Commands.SetArchetype"
	if err := c.target(op, e); err != nil {
		return err
	}
	arch, err := c.world.archetypeKnown(op, a)
	if err != nil {
		return err
	}
	cmd := c.next(opSetArchetype)
	cmd.entity, cmd.at = e, keepArchetype(c, arch)
	return nil
}

// DestroyAll ends the entities ids at playback; those that have ended by then are
// ignored.
func (c *Commands) DestroyAll(ids []Entity) error {
	return c.recordAll("Commands.DestroyAll", ids, command{op: opDestroyAll})
}

// DestroyMatching ends all entities that q matches at playback, filters heeded.
func (c *Commands) DestroyMatching(q *Query) error {
	return c.recordMatching("Commands.DestroyMatching", q, command{op: opDestroyMatching})
}

// AddTypesAll adds the types of the terms to all entities ids at playback.
func (c *Commands) AddTypesAll(ids []Entity, terms ...Term) error {
	return c.recordTypesAll("Commands.AddTypesAll", opAddTypesAll, ids, terms)
}

// RemoveTypesAll takes the types of the terms from all entities ids at playback.
func (c *Commands) RemoveTypesAll(ids []Entity, terms ...Term) error {
	return c.recordTypesAll("Commands.RemoveTypesAll", opRemoveTypesAll, ids, terms)
}

// AddTypesMatching adds the types of the terms to all entities that q matches at
// playback.
func (c *Commands) AddTypesMatching(q *Query, terms ...Term) error {
	return c.recordTypesMatching("Commands.AddTypesMatching", opAddTypesMatching, q, terms)
}

// RemoveTypesMatching takes the types of the terms from all entities that q
// matches at playback.
func (c *Commands) RemoveTypesMatching(q *Query, terms ...Term) error {
	return c.recordTypesMatching("Commands.RemoveTypesMatching", opRemoveTypesMatching, q, terms)
}

func (c *Commands) recordTypesAll(op string, code opcode, ids []Entity, terms []Term) error {
	if err := c.targets(op, ids); err != nil {
		return err
	}
	cmd, err := c.typesOf(op, code, terms)
	if err != nil {
		return err
	}
	return c.recordAll(op, ids, cmd)
}

func (c *Commands) recordTypesMatching(op string, code opcode, q *Query, terms []Term) error {
	if err := c.query(op, q); err != nil {
		return err
	}
	cmd, err := c.typesOf(op, code, terms)
	if err != nil {
		return err
	}
	return c.recordMatching(op, q, cmd)
}

// recordAll records a command of some entities, whose ids it keeps.
func (c *Commands) recordAll(op string, ids []Entity, cmd command) error {
	if err := c.targets(op, ids); err != nil {
		return err
	}
	cmd.many, cmd.count = int32(len(c.ids)), int32(len(ids))
	c.ids = append(c.ids, ids...)
	c.list = append(c.list, cmd)
	return nil
}

// recordMatching records a command of what a query matches at playback.
func (c *Commands) recordMatching(op string, q *Query, cmd command) error {
	if err := c.query(op, q); err != nil {
		return err
	}
	cmd.many = int32(len(c.queries))
	c.queries = append(c.queries, q)
	c.list = append(c.list, cmd)
	return nil
}

// targets returns an error if nothing can be recorded for the entities ids.
func (c *Commands) targets(op string, ids []Entity) error {
	if err := c.open(op); err != nil {
		return err
	}
	for i, e := range ids {
		if e.Null() {
			return c.fault(ErrState, op, "target %d of %d is the null entity", i, len(ids))
		}
	}
	return nil
}

// query returns an error if nothing can be recorded for what q matches.
func (c *Commands) query(op string, q *Query) error {
	if err := c.open(op); err != nil {
		return err
	}
	return c.world.own(op, q)
}

// recordAddAll records a value for some entities.
func recordAddAll[T any](c *Commands, ids []Entity, v *T) error {
	op := opNames[opAddAll]
	if err := c.targets(op, ids); err != nil {
		return err
	}
	cmd, err := commandOf(c, opAddAll, v)
	if err != nil {
		return err
	}
	return c.recordAll(op, ids, cmd)
}

// recordAddMatching records a value for what a query matches at playback.
func recordAddMatching[T any](c *Commands, q *Query, v *T) error {
	op := opNames[opAddMatching]
	if err := c.query(op, q); err != nil {
		return err
	}
	cmd, err := commandOf(c, opAddMatching, v)
	if err != nil {
		return err
	}
	return c.recordMatching(op, q, cmd)
}

// playMany makes a change of many entities.
func (w player) playMany(c *Commands, cmd *command) error {
	const op = "Playback"
	switch cmd.op {
	case opDestroyMatching:
		return w.DestroyMatching(c.queries[cmd.many])
	case opSetEnabledMatching:
		return w.setEnabledMatching(op, c.queries[cmd.many], c.comp(cmd.comp), cmd.n != 0)
	case opAddTypesMatching, opRemoveTypesMatching:
		set, err := w.playedSet(c, cmd)
		if err != nil {
			return err
		}
		if cmd.op == opAddTypesMatching {
			return w.changeMatching(op, c.queries[cmd.many], set, nil)
		}
		return w.changeMatching(op, c.queries[cmd.many], nil, set)
	case opAddMatching:
		return w.playAddMatching(c, cmd)
	}
	ids, err := c.targetsOf(cmd)
	if err != nil {
		return err
	}
	switch cmd.op {
	case opDestroyAll:
		return w.DestroyAll(ids)
	case opAddAll:
		if err := w.allExist(op, ids); err != nil {
			return err
		}
		return w.playAddAll(c, cmd, ids, nil)
	}
	set, err := w.playedSet(c, cmd)
	if err != nil {
		return err
	}
	if cmd.op == opRemoveTypesAll {
		return w.changeAll(op, ids, nil, set)
	}
	if err := w.allExist(op, ids); err != nil {
		return err
	}
	return w.changeAll(op, ids, set, nil)
}

// targetsOf returns the entities that a command of a slice is for. They are good
// until the next such command.
func (c *Commands) targetsOf(cmd *command) ([]Entity, error) {
	c.meant = c.meant[:0]
	for _, e := range c.ids[cmd.many:][:cmd.count] {
		made, err := c.resolve(e)
		if err != nil {
			return nil, err
		}
		c.meant = append(c.meant, made)
	}
	return c.meant, nil
}

// playAddAll gives entities, which all exist, the value of a command; they are what
// q matches, if there is one.
func (w player) playAddAll(c *Commands, cmd *command, ids []Entity, q *Query) error {
	const op = "Playback"
	comp := c.comp(cmd.comp)
	if comp.kind.has(isShared) {
		v, err := c.shared(w.World, comp, c.boxes[cmd.at])
		if err != nil {
			return err
		}
		return w.shareAll(op, ids, comp, v)
	}
	if err := c.knows(w.World, cmd, comp); err != nil {
		return err
	}
	w.types = append(w.types[:0], comp)
	var err error
	if q != nil {
		err = w.changeMatching(op, q, w.types, nil)
	} else {
		err = w.changeAll(op, ids, w.types, nil)
	}
	if err != nil || comp.kind.has(isTag) {
		return err
	}
	one := *cmd
	one.op = opAdd
	for _, e := range ids {
		if err := w.playValue(c, &one, e); err != nil {
			return err
		}
	}
	return nil
}

// playAddMatching gives what a query matches the value of a command.
func (w player) playAddMatching(c *Commands, cmd *command) error {
	const op = "Playback"
	q, comp := c.queries[cmd.many], c.comp(cmd.comp)
	if !comp.kind.has(isShared) {
		if err := w.own(op, q); err != nil {
			return err
		}
		c.meant = q.AppendEntities(c.meant[:0])
		return w.playAddAll(c, cmd, c.meant, q)
	}
	v, err := c.shared(w.World, comp, c.boxes[cmd.at])
	if err != nil {
		return err
	}
	return w.shareMatching(op, q, comp, v)
}

// knows returns an error if the value of a command refers to an entity that the
// buffer has not made.
func (c *Commands) knows(w *World, cmd *command, comp *component) (err error) {
	if comp.kind.has(isManaged) {
		_, err = c.shared(w, comp, c.boxes[cmd.at])
	} else {
		_, err = c.valueOf(w, cmd, comp)
	}
	return err
}
