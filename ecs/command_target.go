package ecs

// SetActive records that e is activated or deactivated: it removes or adds Inactive, as
// World.SetActive does. The error is of category ErrState if e is the null entity or the buffer was
// played. A missing entity is an error at playback.
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

// SetArchetype records that e moves to archetype a, as World.SetArchetype does. The error is of
// category ErrArgument if a is the zero Archetype or belongs to another world, and ErrState if e is
// the null entity or the buffer was played. A missing entity is an error at playback.
func (c *Commands) SetArchetype(e Entity, a Archetype) error {
	const op = "Commands.SetArchetype"
	if err := c.target(op, e); err != nil {
		return err
	}
	arch, err := c.world.tables.archetypeKnown(op, a)
	if err != nil {
		return err
	}
	cmd := c.next(opSetArchetype)
	cmd.entity, cmd.at = e, keepArchetype(c, arch)
	return nil
}

// aim returns an error if the buffer cannot record a command for a target.
func (c *Commands) aim(op string, at Target) error {
	if at.kind == toOne || at.kind == toLinked {
		if err := c.target(op, at.entity); err != nil {
			return err
		}
	} else if err := c.open(op); err != nil {
		return err
	}
	for i, e := range at.ids {
		if e.IsZero() {
			return c.fault(ErrState, op, "target %d of %d is the null entity", i, len(at.ids))
		}
	}
	if at.kind == toMatching || at.query != nil {
		return c.world.own(op, at.query)
	}
	return nil
}

// record appends a command for a target that aim has checked. It copies the list of a target,
// because the caller may change the list before playback.
func (c *Commands) record(cmd command, at Target) {
	cmd.to, cmd.entity = at.kind, at.entity
	switch at.kind {
	case toList:
		cmd.many, cmd.count = int32(len(c.ids)), int32(len(at.ids))
		c.ids = append(c.ids, at.ids...)
	case toMatching, toLinked:
		cmd.many = int32(len(c.queries))
		c.queries = append(c.queries, at.query)
	}
	c.list = append(c.list, cmd)
}

// recordValueTo records a command with a value for a target.
func recordValueTo[T any](op string, c *Commands, code opcode, at Target, v *T) error {
	if err := c.aim(op, at); err != nil {
		return err
	}
	cmd, err := commandOf(op, c, code, v)
	if err != nil {
		return err
	}
	c.record(cmd, at)
	return nil
}

// recordExchange records that a target gets component New in place of component Old.
func recordExchange[Old, New any](op string, c *Commands, at Target, v *New) error {
	if err := c.aim(op, at); err != nil {
		return err
	}
	old, err := recorded[Old](c, op)
	if err != nil {
		return err
	}
	comp, err := recorded[New](c, op)
	if err != nil {
		return err
	}
	if err := exchangeable(old, comp); err != "" {
		return c.fault(ErrArgument, op, "%s", err).on(comp)
	}
	cmd, err := commandOf(op, c, opExchange, v)
	if err != nil {
		return err
	}
	cmd.made = int32(old.index)
	c.record(cmd, at)
	return nil
}

// playTarget plays a command whose target may be several entities, or an exchange.
func (w *World) playTarget(c *Commands, cmd *command) error {
	const op = "Playback"
	at, err := c.targetOf(cmd)
	if err != nil {
		return err
	}
	switch cmd.op {
	case opDestroy:
		return w.destroyTarget(op, at)
	case opSetEnabled:
		return w.switchTarget(op, at, c.comp(cmd.comp), cmd.n != 0)
	case opAddTypes, opRemoveTypes:
		set, err := w.playedSet(c, cmd)
		if err != nil {
			return err
		}
		if cmd.op == opAddTypes {
			return w.changeTarget(op, at, true, set, nil)
		}
		return w.changeTarget(op, at, false, nil, set)
	}
	return w.playValues(c, cmd, at)
}

// targetOf returns the target of a command, with the final ids of created entities. It is valid
// until the next command.
func (c *Commands) targetOf(cmd *command) (at Target, err error) {
	at.kind = cmd.to
	switch cmd.to {
	case toOne:
		at.entity, err = c.resolve(cmd.entity)
	case toList:
		at.ids, err = c.targetsOf(cmd)
	case toMatching:
		at.query = c.queries[cmd.many]
	case toLinked:
		at.query = c.queries[cmd.many]
		at.entity, err = c.resolve(cmd.entity)
	}
	return at, err
}

// targetsOf returns the target entities of a command for a list. They are valid until the next
// command.
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

// playValues gives the value of a command to its target.
func (w *World) playValues(c *Commands, cmd *command, at Target) error {
	const op = "Playback"
	comp := c.comp(cmd.comp)
	if cmd.op == opSet && at.kind != toLinked {
		if err := w.allHave(op, at, comp); err != nil {
			return err
		}
	}
	if at.kind == toMatching || at.query != nil {
		if err := w.own(op, at.query); err != nil {
			return err
		}
	}
	ids, err := w.idsOfValue(c, cmd, at)
	if err != nil {
		return err
	}
	if comp.kind.has(isShared) {
		return w.playShared(c, cmd, at, ids)
	}
	return w.playRowValues(c, cmd, at, ids)
}

// idsOfValue returns the entities that get the value of a command. For a shared value and a query
// it returns none, because whole chunks change. The slice is valid until the next command.
func (w *World) idsOfValue(c *Commands, cmd *command, at Target) (ids []Entity, err error) {
	const op = "Playback"
	comp := c.comp(cmd.comp)
	switch at.kind {
	case toList:
		return at.ids, w.allExist(op, at.ids)
	case toMatching:
		if !comp.kind.has(isShared) {
			c.meant = at.query.AppendEntities(c.meant[:0])
			ids = c.meant
		}
		return ids, nil
	}
	if cmd.op != opSet {
		comp = nil // the value is also for entities that lack the component
	}
	c.meant, err = w.idsOf(op, at, comp, c.meant[:0])
	return c.meant, err
}

// playShared gives the shared value of a command to its target: to the entities ids, or to all
// matches if the target is a query.
func (w *World) playShared(c *Commands, cmd *command, at Target, ids []Entity) error {
	const op = "Playback"
	comp := c.comp(cmd.comp)
	v, err := c.shared(w, comp, c.boxes[cmd.at])
	if err != nil {
		return err
	}
	if at.kind == toMatching {
		return w.shareMatching(op, at.query, comp, v)
	}
	return w.shareAll(op, ids, comp, v)
}

// playRowValues gives the value of a command to the entities ids, row by row. The component is not
// shared.
func (w *World) playRowValues(c *Commands, cmd *command, at Target, ids []Entity) error {
	const op = "Playback"
	comp := c.comp(cmd.comp)
	if err := c.knows(w, cmd, comp); err != nil {
		return err
	}
	w.types.set = append(w.types.set[:0], comp)
	if cmd.op == opExchange {
		w.types.set = append(w.types.set, c.comp(cmd.made))
	}
	add, remove := w.types.set[:1], w.types.set[1:]
	w.shared.holdNotices()
	defer w.shared.letNotices()
	var err error
	if at.kind == toMatching {
		err = w.changeMatching(op, at.query, add, remove)
	} else if err = w.allExist(op, ids); err == nil {
		err = w.changeAll(op, ids, add, remove)
	}
	if err != nil || comp.kind.has(isTag) {
		return err
	}
	one := *cmd
	one.op, one.to = opAdd, toOne
	for _, e := range ids {
		if err := w.playValue(c, &one, e); err != nil {
			return err
		}
	}
	return nil
}

// knows returns an error if the value of a command contains an id that no part of the buffer
// creates.
func (c *Commands) knows(w *World, cmd *command, comp *component) (err error) {
	if comp.kind.has(isManaged) {
		_, err = c.shared(w, comp, c.boxes[cmd.at])
	} else {
		_, err = c.valueOf(w, cmd, comp)
	}
	return err
}

// maker returns the buffer that creates the entity with a deferred id, and the entity's index in
// made. It searches c, the buffer that c writes for, and that buffer's other writers. It returns
// nil if none of them creates the entity.
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

// holds returns c if k is one of the entities that c creates, and nil otherwise.
func (c *Commands) holds(k int) *Commands {
	if k < len(c.made) {
		return c
	}
	return nil
}

// resolve returns the target of a command: e itself, or the created entity if e is a deferred id.
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

// refer returns the entity for an id inside a value: e itself, or the final id if e is deferred. If
// the entity is not created yet, refer reserves an id for it.
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
		w.gate.concludes = true
		w.reserved.list = append(w.reserved.list, reservedID{&by.made, int32(k), len(w.tables.entities.free) == 0})
		w.tables.entities.take(id[:], free, 0)
		*made = Entity{^id[0].Index, id[0].Version}
		return id[0], nil
	case made.Index < 0:
		return Entity{^made.Index, made.Version}, nil
	}
	return *made, nil
}

// unknown returns the error for a deferred id that no part of the buffer creates.
func (c *Commands) unknown(e Entity) error {
	return c.fault(ErrState, "Playback", "the entity is one that another buffer was still to make, or this one before it was Reset").of(e)
}
