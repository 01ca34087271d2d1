package ecs

// SetActive records that e is activated or deactivated: it removes or adds Inactive, as
// World.SetActive does. The error is of category ErrState if e is the null entity or the buffer was
// played. If e does not exist, playback returns an error.
func (c *Commands) SetActive(e Entity, active bool) error {
	if err := c.checkEntity("Commands.SetActive", e); err != nil {
		return err
	}
	cmd := command{opcode: opSetActive, entity: e}
	if active {
		cmd.valueCount = 1
	}
	c.commands = append(c.commands, cmd)
	return nil
}

// SetArchetype records that e moves to archetype a, as World.SetArchetype does. The error is of
// category ErrArgument if a is the zero Archetype or belongs to another world. It is of category
// ErrState if e is the null entity or the buffer was played back. If e does not exist, playback
// returns an error.
func (c *Commands) SetArchetype(e Entity, a Archetype) error {
	const op = "Commands.SetArchetype"
	if err := c.checkEntity(op, e); err != nil {
		return err
	}
	arch, err := c.world.tables.checkArchetype(op, a)
	if err != nil {
		return err
	}
	cmd := c.appendCommand(opSetArchetype)
	cmd.entity, cmd.valueIndex = e, storeArchetype(c, arch)
	return nil
}

// checkTarget returns an error if the buffer cannot record a command for a target.
func (c *Commands) checkTarget(op string, at Target) error {
	if at.kind == targetOne || at.kind == targetLinked {
		if err := c.checkEntity(op, at.entity); err != nil {
			return err
		}
	} else if err := c.checkCanRecord(op); err != nil {
		return err
	}
	for i, e := range at.ids {
		if e.IsZero() {
			return c.fault(ErrState, op, "target %d of %d is the null entity", i, len(at.ids))
		}
	}
	if at.kind == targetMatching || at.query != nil {
		return c.world.checkOwnQuery(op, at.query)
	}
	return nil
}

// appendTargeted appends a command for a target that checkTarget has accepted. If the target is a
// list, appendTargeted copies the list, because the caller may change it before playback.
func (c *Commands) appendTargeted(cmd command, at Target) {
	cmd.targetKind, cmd.entity = at.kind, at.entity
	switch at.kind {
	case targetList:
		cmd.targetIndex, cmd.targetCount = int32(len(c.targetIDs)), int32(len(at.ids))
		c.targetIDs = append(c.targetIDs, at.ids...)
	case targetMatching, targetLinked:
		cmd.targetIndex = int32(len(c.targetQueries))
		c.targetQueries = append(c.targetQueries, at.query)
	}
	c.commands = append(c.commands, cmd)
}

// recordValueTo records a command with a value for a target.
func recordValueTo[T any](op string, c *Commands, code opcode, at Target, v *T) error {
	if err := c.checkTarget(op, at); err != nil {
		return err
	}
	cmd, err := newValueCommand(op, c, code, v)
	if err != nil {
		return err
	}
	c.appendTargeted(cmd, at)
	return nil
}

// recordExchange records that the entities of a target get component New in place of component Old.
func recordExchange[Old, New any](op string, c *Commands, at Target, v *New) error {
	if err := c.checkTarget(op, at); err != nil {
		return err
	}
	old, err := recordedComponent[Old](c, op)
	if err != nil {
		return err
	}
	comp, err := recordedComponent[New](c, op)
	if err != nil {
		return err
	}
	if err := whyNotExchangeable(old, comp); err != "" {
		return c.fault(ErrArgument, op, "%s", err).forComponent(comp)
	}
	cmd, err := newValueCommand(op, c, opExchange, v)
	if err != nil {
		return err
	}
	cmd.createdIndex = int32(old.index)
	c.appendTargeted(cmd, at)
	return nil
}

// playTarget plays a command whose target may be several entities, or an exchange.
func (w *World) playTarget(c *Commands, cmd *command) error {
	const op = "Playback"
	at, err := c.targetOf(cmd)
	if err != nil {
		return err
	}
	switch cmd.opcode {
	case opDestroy:
		return w.destroyTarget(op, at)
	case opSetEnabled:
		return w.setEnabledTarget(op, at, c.componentAt(cmd.componentIndex), cmd.valueCount != 0)
	case opAddTypes, opRemoveTypes:
		set, err := w.typesOfCommand(c, cmd)
		if err != nil {
			return err
		}
		if cmd.opcode == opAddTypes {
			return w.changeTarget(op, at, true, set, nil)
		}
		return w.changeTarget(op, at, false, nil, set)
	}
	return w.playValues(c, cmd, at)
}

// targetOf returns the target of a command, with the final ids of created entities. The result is
// valid until the next command.
func (c *Commands) targetOf(cmd *command) (at Target, err error) {
	at.kind = cmd.targetKind
	switch cmd.targetKind {
	case targetOne:
		at.entity, err = c.resolveTarget(cmd.entity)
	case targetList:
		at.ids, err = c.targetEntities(cmd)
	case targetMatching:
		at.query = c.targetQueries[cmd.targetIndex]
	case targetLinked:
		at.query = c.targetQueries[cmd.targetIndex]
		at.entity, err = c.resolveTarget(cmd.entity)
	}
	return at, err
}

// targetEntities returns the target entities of a command whose target is a list. The result is
// valid until the next command.
func (c *Commands) targetEntities(cmd *command) ([]Entity, error) {
	c.targetScratch = c.targetScratch[:0]
	for _, e := range c.targetIDs[cmd.targetIndex:][:cmd.targetCount] {
		made, err := c.resolveTarget(e)
		if err != nil {
			return nil, err
		}
		c.targetScratch = append(c.targetScratch, made)
	}
	return c.targetScratch, nil
}

// playValues sets the value of a command for its target.
func (w *World) playValues(c *Commands, cmd *command, at Target) error {
	const op = "Playback"
	comp := c.componentAt(cmd.componentIndex)
	if cmd.opcode == opSet && at.kind != targetLinked {
		if err := w.checkAllHave(op, at, comp); err != nil {
			return err
		}
	}
	if at.kind == targetMatching || at.query != nil {
		if err := w.checkOwnQuery(op, at.query); err != nil {
			return err
		}
	}
	ids, err := w.valueTargets(c, cmd, at)
	if err != nil {
		return err
	}
	if comp.kind.has(isShared) {
		return w.playShared(c, cmd, at, ids)
	}
	return w.playRowValues(c, cmd, at, ids)
}

// valueTargets returns the entities that get the value of a command. For a shared value and a query
// it returns no entities, because the value is then set for whole chunks. The slice is valid until
// the next command.
func (w *World) valueTargets(c *Commands, cmd *command, at Target) (ids []Entity, err error) {
	const op = "Playback"
	comp := c.componentAt(cmd.componentIndex)
	switch at.kind {
	case targetList:
		return at.ids, w.checkAllExist(op, at.ids)
	case targetMatching:
		if !comp.kind.has(isShared) {
			c.targetScratch = at.query.AppendEntities(c.targetScratch[:0])
			ids = c.targetScratch
		}
		return ids, nil
	}
	if cmd.opcode != opSet {
		comp = nil // the value is also for entities that lack the component
	}
	c.targetScratch, err = w.targetIDs(op, at, comp, c.targetScratch[:0])
	return c.targetScratch, err
}

// playShared sets the shared value of a command for its target. The target is either the given
// entities or all matches of a query.
func (w *World) playShared(c *Commands, cmd *command, at Target, ids []Entity) error {
	const op = "Playback"
	comp := c.componentAt(cmd.componentIndex)
	v, err := c.resolveBoxed(w, comp, c.boxedValues[cmd.valueIndex])
	if err != nil {
		return err
	}
	if at.kind == targetMatching {
		return w.setSharedMatching(op, at.query, comp, v)
	}
	return w.setSharedAll(op, ids, comp, v)
}

// playRowValues sets the value of a command for the entities ids, row by row. The component must
// not be shared.
func (w *World) playRowValues(c *Commands, cmd *command, at Target, ids []Entity) error {
	const op = "Playback"
	comp := c.componentAt(cmd.componentIndex)
	if err := c.checkValueRefs(w, cmd, comp); err != nil {
		return err
	}
	w.types.setScratch = append(w.types.setScratch[:0], comp)
	if cmd.opcode == opExchange {
		w.types.setScratch = append(w.types.setScratch, c.componentAt(cmd.createdIndex))
	}
	add, remove := w.types.setScratch[:1], w.types.setScratch[1:]
	w.shared.holdNotices()
	defer w.shared.releaseNotices()
	var err error
	if at.kind == targetMatching {
		err = w.changeTypesMatching(op, at.query, add, remove)
	} else if err = w.checkAllExist(op, ids); err == nil {
		err = w.changeTypesOfAll(op, ids, add, remove)
	}
	if err != nil || comp.kind.has(isTag) {
		return err
	}
	one := *cmd
	one.opcode, one.targetKind = opAdd, targetOne
	for _, e := range ids {
		if err := w.playValue(c, &one, e); err != nil {
			return err
		}
	}
	return nil
}

// checkValueRefs returns an error if the value of a command contains an id that no part of the buffer
// creates.
func (c *Commands) checkValueRefs(w *World, cmd *command, comp *component) (err error) {
	if comp.kind.has(isManaged) {
		_, err = c.resolveBoxed(w, comp, c.boxedValues[cmd.valueIndex])
	} else {
		_, err = c.resolveValue(w, cmd, comp)
	}
	return err
}

// creatorOf returns the buffer that creates the entity with a deferred id, and the entity's index in
// createdIDs. It searches c, the buffer for which c is a writer, and the other writers of that
// buffer. It returns nil if none of them creates the entity.
func (c *Commands) creatorOf(e Entity) (*Commands, int) {
	k := -1 - int(e.Index)
	if e.Version == c.bufferID {
		return c.selfIfCreates(k), k
	}
	root := c
	if c.buffer != nil {
		root = c.buffer
	}
	if e.Version == root.bufferID {
		return root.selfIfCreates(k), k
	}
	for _, p := range root.writerSets[:root.writerSetsUsed] {
		for ws := range allWorkers(&p.workers) {
			for _, w := range ws.buffers {
				if e.Version == w.bufferID {
					return w.selfIfCreates(k), k
				}
			}
		}
	}
	return nil, 0
}

// selfIfCreates returns c if k is the index of an entity that c creates, and nil otherwise.
func (c *Commands) selfIfCreates(k int) *Commands {
	if k < len(c.createdIDs) {
		return c
	}
	return nil
}

// resolveTarget returns the target of a command: e itself, or the created entity if e is a deferred id.
func (c *Commands) resolveTarget(e Entity) (Entity, error) {
	if e.Index >= 0 {
		return e, nil
	}
	by, k := c.creatorOf(e)
	if by == nil {
		return Entity{}, c.unknownIDError(e)
	}
	if made := by.createdIDs[k]; made.Index >= 0 && !made.IsZero() {
		return made, nil
	}
	return Entity{}, c.fault(ErrState, "Playback", "the entity is made by a later command of this buffer: a reference to it may come first, but not a command for it, so record that behind, or under a later sort key").forEntity(e)
}

// resolveRef returns the entity for an id inside a value. The result is e itself, or the final id
// if e is deferred. If the entity is not created yet, resolveRef reserves an id for it.
func (c *Commands) resolveRef(w *World, e Entity) (Entity, error) {
	if e.Index >= 0 {
		return e, nil
	}
	by, k := c.creatorOf(e)
	if by == nil {
		return Entity{}, c.unknownIDError(e)
	}
	made := &by.createdIDs[k]
	switch {
	case made.IsZero():
		var id [1]Entity
		w.gate.endWorkPending = true
		w.reservedIDs.list = append(w.reservedIDs.list, reservedID{&by.createdIDs, int32(k), len(w.tables.entities.freeSlots) == 0})
		w.tables.entities.assignIDs(id[:], freeSlot, 0)
		*made = Entity{^id[0].Index, id[0].Version}
		return id[0], nil
	case made.Index < 0:
		return Entity{^made.Index, made.Version}, nil
	}
	return *made, nil
}

// unknownIDError returns the error for a deferred id that no part of the buffer creates.
func (c *Commands) unknownIDError(e Entity) error {
	return c.fault(ErrState, "Playback", "the entity is one that another buffer was still to make, or this one before it was Reset").forEntity(e)
}
