package ecs

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
)

// orderedChain is one chain of a parallel buffer at playback.
type orderedChain struct {
	key         sortKey
	writer      *Commands
	writerIndex int // index of the writer among all writers
	from, to    int // the chain is its commands [from, to)
}

// Playback applies the recorded changes to w. First it completes the jobs that may still be
// recording. Then it plays the commands of jobs in the order of their chunks, and after them the
// commands that the buffer recorded itself. A buffer without commands changes nothing, so views
// stay valid.
//
// Playback stops at the first command that fails. The failed command has changed nothing, but the
// changes of the commands before it remain. The error names the buffer, the system that recorded
// the command, the command's index and the entity. Earlier commands may have stored the id of an
// entity that was not created because of the failure. That id refers to no entity, as if the entity
// had been destroyed. A buffer can be played once, or several times after SetMultiPlayback. After a
// failure, the buffer must be Reset.
func (c *Commands) Playback(w *World) error {
	const op = "Playback"
	switch {
	case c == nil || c.world == nil:
		return fault(ErrState, op, "the buffer is the zero Commands: make it with World.NewCommands")
	case c.buffer != nil:
		return c.fault(ErrState, op, "this is the writer of one chunk: play the buffer that Parallel was asked of")
	case c.hasFailed:
		return c.fault(ErrState, op, "the buffer has failed half-way: Reset it and record again")
	case c.played && !c.multiPlayback:
		return c.fault(ErrState, op, "the buffer was played already: Reset it and record again, or call SetMultiPlayback before")
	case w == nil:
		return c.fault(ErrArgument, op, "the world is nil: make one with NewWorld")
	case w.tables.archetypeWorld == c.world.tables.archetypeWorld:
	case !c.multiPlayback:
		return c.fault(ErrArgument, op, "the buffer was recorded for another world: SetMultiPlayback lets it be played in any")
	case c.world.tables.archetypeWorld.gate.lentToOther():
		return c.fault(ErrState, op, "the world that the buffer was recorded for is lent to a transaction: play the buffer when that has ended")
	case !c.world.contentsWorld().gate.usable:
		return c.fault(ErrDisposed, op, "the world that the buffer was recorded for is closed")
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	defer w.gate.endUnchanged()
	if err := w.completeJobs(op); err != nil { // because jobs may still record
		return err
	}
	if c.restoreCount != c.world.hooks.restoreCount {
		dropOutdated(c)
	}
	c.played = true
	if c.skipPlayback || c.Len() == 0 {
		return nil
	}
	outer := w.gate.recorderSystem
	w.gate.recorderSystem = c.recordedBy()
	defer func() { w.gate.recorderSystem = outer }()
	if err := w.beginChange(op); err != nil {
		return err
	}
	c.hasFailed = true // until all commands are done, because a method of a shared value may panic
	defer w.cancelReserved(len(w.reservedIDs.list))
	done := 0
	for _, l := range c.chainsInOrder() {
		if err := w.playRange(l.writer, l.from, l.to, done); err != nil {
			return err
		}
		done += l.to - l.from
	}
	if err := w.playRange(c, 0, len(c.commands), done); err != nil {
		return err
	}
	c.hasFailed = false
	return nil
}

// chainsInOrder returns the chains that jobs have recorded, in playback order.
func (c *Commands) chainsInOrder() []orderedChain {
	c.orderedChains = c.orderedChains[:0]
	place := 0
	c.createdIDs = resize(c.createdIDs, int(c.deferredCount))
	for _, p := range c.writerSets[:c.writerSetsUsed] {
		for ws := range allWorkers(&p.workers) {
			for _, w := range ws.buffers {
				w.createdIDs = resize(w.createdIDs, int(w.deferredCount))
				for k, part := range w.recordedChains {
					end := len(w.commands)
					if k+1 < len(w.recordedChains) {
						end = w.recordedChains[k+1].start
					}
					if part.start < end {
						c.orderedChains = append(c.orderedChains, orderedChain{part.key, w, place, part.start, end})
					}
				}
				place++
			}
		}
	}
	slices.SortFunc(c.orderedChains, func(a, b orderedChain) int {
		return cmp.Or(cmp.Compare(a.key.jobOrder, b.key.jobOrder), cmp.Compare(a.key.index, b.key.index),
			cmp.Compare(a.writerIndex, b.writerIndex), cmp.Compare(a.from, b.from))
	})
	return c.orderedChains
}

// playRange plays the commands [from, to). done is the number of commands that were played before,
// so the first index in errors is done.
func (w *World) playRange(c *Commands, from, to, done int) error {
	c.allComponents = allComponents()
	w.gate.recorderSystem = c.recordedBy()
	var known editCache
	for i := from; i < to; i++ {
		var err error
		if c.commands[i].opcode == opDestroy && c.commands[i].targetKind == targetOne {
			i, err = w.playDestroys(c, i, to)
		} else if next := w.playRows(c, &known, i, to); next > i {
			i = next - 1
		} else {
			err = w.playCommand(c, &c.commands[i])
		}
		if err != nil {
			return c.commandError(&c.commands[i], done+i-from, err)
		}
		w.reservedIDs.doneCount = len(w.reservedIDs.list)
	}
	return nil
}

// commandError returns the error for a command that could not be played.
func (c *Commands) commandError(cmd *command, at int, err error) error {
	category := ErrState
	if e := (*Error)(nil); errors.As(err, &e) {
		category = e.Category
	}
	e := c.fault(category, "Playback", "command %d, %s, failed: it and those after it were not done", at, opNames[cmd.opcode]+targetSuffixes[cmd.targetKind]).withCause(err)
	e.System = c.world.gate.runningSystem
	switch cmd.opcode {
	case opAdd, opSet, opAppend, opEnsure, opRemove, opSetEnabled, opExchange: // commands with one component
		e = e.forComponent(allComponents()[cmd.componentIndex])
	}
	if !cmd.entity.IsZero() {
		e = e.forEntity(cmd.entity)
	}
	return e
}

// playCommand plays one command.
func (w *World) playCommand(c *Commands, cmd *command) error {
	const op = "Playback"
	if cmd.targetKind != targetOne || cmd.opcode == opExchange {
		return w.playTarget(c, cmd)
	}
	e, err := c.resolveTarget(cmd.entity)
	if err != nil {
		return err
	}
	switch cmd.opcode {
	case opCreate, opSpawn, opInstantiate:
		return w.playCreate(c, cmd, e)
	case opDestroy:
		return w.Destroy(e)
	case opAdd, opSet, opAppend:
		return w.playValue(c, cmd, e)
	case opEnsure:
		comp := c.componentAt(cmd.componentIndex)
		if s := w.tables.entities.find(e); s != nil && w.tables.chunks[s.chunk].arch.has(comp) {
			return nil
		}
		_, err := w.addComponent(op, e, comp)
		return err
	case opSetEnabled:
		return w.setEnabled(op, e, c.componentAt(cmd.componentIndex), cmd.valueCount != 0)
	case opRemove:
		_, err := w.removeComponent(op, e, c.componentAt(cmd.componentIndex))
		return err
	case opAddTypes, opRemoveTypes:
		return w.playTarget(c, cmd)
	case opSetActive:
		return w.SetActive(e, cmd.valueCount != 0)
	case opSetArchetype:
		a, err := w.tables.equivalentArchetype(op, c.boxedValues[cmd.valueIndex].(*archetype))
		if err != nil {
			return err
		}
		return w.SetArchetype(e, Archetype{a})
	}
	return nil
}

// playCreate creates an entity. If an earlier command has referred to the entity, the entity gets
// the id that was reserved then.
func (w *World) playCreate(c *Commands, cmd *command, e Entity) error {
	const op = "Playback"
	if id := c.createdIDs[cmd.createdIndex]; id.Index < 0 {
		w.tables.entities.pushReserved(^id.Index)
	}
	switch cmd.opcode {
	case opSpawn:
		return w.playSpawn(c, cmd)
	case opInstantiate:
		return w.instantiate(op, e, c.createdIDs[cmd.createdIndex:][:1])
	}
	a, err := w.tables.equivalentArchetype(op, c.boxedValues[cmd.valueIndex].(*archetype))
	if err != nil {
		return err
	}
	return w.createRows(op, a, 1, false, c.createdIDs[cmd.createdIndex:][:1], nil)
}

// equivalentArchetype returns the archetype of w that has the components of a. a itself cannot be used,
// because it may belong to another world.
func (t *tables) equivalentArchetype(op string, a *archetype) (*archetype, error) {
	if a.world == t.archetypeWorld && a.index != unlistedIndex {
		return a, nil
	}
	return t.archetypeOf(op, a.components())
}

// componentAt returns the component with the given index, for playback. It is for playback.
func (c *playbackScratch) componentAt(index int32) *component { return c.allComponents[index] }

// typesOfCommand returns the types of a command, sorted.
func (w *World) typesOfCommand(c *Commands, cmd *command) ([]*component, error) {
	set := w.types.setScratch[:0]
	for _, i := range c.typeSets[cmd.valueIndex : cmd.valueIndex+int(cmd.valueCount)] {
		set = append(set, c.componentAt(i))
	}
	w.types.setScratch = set
	return w.types.sortSet("Playback", set)
}

// playSpawn creates an entity with the given components.
func (w *World) playSpawn(c *Commands, cmd *command) error {
	given := c.boxedValues[cmd.valueIndex : cmd.valueIndex+int(cmd.valueCount)]
	if p := w.spawnPlanFor(given); p != nil && !p.arch.holdsEntityIDs {
		e, err := w.spawnFromPlan("Playback", p, given)
		if err != nil {
			return err
		}
		c.createdIDs[cmd.createdIndex] = e
		w.endChange()
		return nil
	}
	values := append(c.spawnValues[:0], given...)
	c.spawnValues = values
	for i, v := range values {
		if err := c.checkBoxedRefs(w, v); err != nil {
			return err
		}
		comp, err := componentOf("Playback", reflect.TypeOf(v))
		if err != nil {
			return err
		}
		if values[i], err = c.resolveBoxed(w, comp, v); err != nil {
			return err
		}
	}
	e, err := w.spawn("Playback", values)
	if err != nil {
		return err
	}
	c.createdIDs[cmd.createdIndex] = e
	s := w.tables.entities.find(e)
	r := w.tables.chunks[s.chunk]
	for i := range r.arch.columns {
		if col := &r.arch.columns[i]; len(col.comp.refOffsets) > 0 {
			col.eachRef(r, int(s.row), func(id *Entity) { *id, _ = c.resolveRef(w, *id) }) // never fails, because known has resolved the same ids before
		}
	}
	w.endChange()
	return nil
}

// playValue adds or sets one component of one entity.
func (w *World) playValue(c *Commands, cmd *command, e Entity) error {
	const op = "Playback"
	comp := c.componentAt(cmd.componentIndex)
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	var value []byte
	var box any
	var err error
	if comp.kind&(isShared|isManaged) != 0 {
		box, err = c.resolveBoxed(w, comp, c.boxedValues[cmd.valueIndex])
	} else {
		value, err = c.resolveValue(w, cmd, comp)
	}
	if err != nil {
		return err
	}
	r, row := w.tables.chunks[s.chunk], int(s.row)
	i := r.arch.findColumn(comp.key)
	switch {
	case i < 0 && cmd.opcode == opAppend:
		return w.gate.fault(ErrState, op, "the entity has no such buffer: Add it first").forEntity(e).forComponent(comp)
	case i < 0 && cmd.opcode == opSet:
		return w.gate.fault(ErrArgument, op, "the entity has no such component: use Add").forEntity(e).forComponent(comp)
	case comp.kind.has(isShared): // the entity changes its archetype and its chunk group in one move
		return w.setShared(op, rowRange{r, row, 1}, comp, box)
	case i < 0:
		at, err := w.addToRow(op, r, row, comp)
		if err != nil {
			return err
		}
		r, row = at.chunk, at.first
		i = r.arch.findColumn(comp.key)
	}
	col := &r.arch.columns[i]
	if comp.kind.has(isTag) {
		if cmd.opcode == opSet {
			return w.gate.fault(ErrArgument, op, "a tag has no data: use Add and Remove").forEntity(e).forComponent(comp)
		}
		return nil
	}
	r.mark(i, w.gate.changeVersion)
	switch {
	case comp.perChunkValue != nil:
		w.tables.scatterChunk(r, i, value, w.gate.changeVersion)
	case comp.kind.has(isManaged):
		w.tables.scatterBox(r, row, box)
	case comp.kind.has(isBuffer):
		s, keep := bufferAt(r, col, row), 0
		if cmd.opcode == opAppend {
			keep = int(s.head()[0])
		}
		s.replaceTail(keep, value, int(cmd.valueCount))
	default:
		col.scatter(&r.Place, row, value)
	}
	return nil
}

// resolveValue returns the value of a command, as bytes. If the value contains ids of entities that did
// not exist when it was recorded, resolveValue returns a copy with the final ids. The copy is valid
// until the next call.
func (c *Commands) resolveValue(w *World, cmd *command, comp *component) ([]byte, error) {
	size, n := int(comp.size), 1
	if comp.kind.has(isBuffer) {
		size, n = comp.buffer.elemSize, int(cmd.valueCount)
	}
	value := c.valueBytes[cmd.valueIndex:][:size*n]
	if len(comp.refOffsets) == 0 {
		return value, nil
	}
	if c.valueScratch == nil {
		c.valueScratch = make([]byte, 0, minValueBytes)
	}
	c.valueScratch = append(c.valueScratch[:0], value...)
	value = c.valueScratch
	for k := range n {
		for _, at := range comp.refOffsets {
			id := entityAt(value[k*size:(k+1)*size], at)
			made, err := c.resolveRef(w, *id)
			if err != nil {
				return nil, err
			}
			*id = made
		}
	}
	return value, nil
}

// resolveBoxed returns a shared or managed value with the final ids of entities that did not exist
// when it was recorded. It changes a copy, because the buffer may be played again.
func (c *Commands) resolveBoxed(w *World, comp *component, v any) (any, error) {
	if len(comp.boxedRefOffsets) == 0 {
		return v, nil
	}
	box := reflect.New(comp.typ)
	box.Elem().Set(reflect.ValueOf(v))
	for _, at := range comp.boxedRefOffsets {
		id := entityIn(box, at)
		made, err := c.resolveRef(w, *id)
		if err != nil {
			return nil, err
		}
		*id = made
	}
	return box.Elem().Interface(), nil
}

// checkBoxedRefs returns an error if a component value contains an id that no part of this buffer creates.
// checkBoxedRefs also reserves the final ids.
func (c *Commands) checkBoxedRefs(w *World, v any) error {
	comp, err := componentOf("Playback", reflect.TypeOf(v))
	if err != nil || len(comp.refOffsets) == 0 || comp.kind.has(isShared) {
		return err
	}
	value, size := []byte(nil), int(comp.size)
	if comp.kind.has(isBuffer) {
		size = comp.buffer.elemSize
		value, _ = boxedBufferContent(v, size)
	} else {
		value = boxBytes(v, comp.size)
	}
	for at := 0; at < len(value); at += size {
		for _, ref := range comp.refOffsets {
			if _, err := c.resolveRef(w, *entityAt(value[at:at+size], ref)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Consecutive commands that each concern one entity are played as one structural change, because a
// change has a fixed cost. Commands are joined only if the result is the same as with single
// changes. For this, no command may call a method of a user's type, and the rows must get the same
// places as with single changes. The cache keeps the data about an archetype that a command
// needed, for the commands after it.

// cachedEdit describes the effect of a command that adds, sets or removes one component, for rows
// of one archetype.
type cachedEdit struct {
	arch         *archetype
	comp         *component
	column       int            // index of the component's column; -1 if the archetype lacks it
	fitsPlayRows bool           // playRows can play the command
	addMove      *archetypeMove // move to the archetype with the component; nil until it is known
	addedColumn  int            // the component's column there
	removeMove   *archetypeMove // move to the archetype without it; nil until it is known
}

// editCache holds the most recently used edits. The index is a hash of archetype and component.
type editCache [8]cachedEdit

// entryFor returns the edit for a component in an archetype.
func (l *editCache) entryFor(a *archetype, comp *component) *cachedEdit {
	t := &l[uint(a.index+comp.index)%uint(len(l))]
	if t.arch != a || t.comp != comp {
		*t = cachedEdit{arch: a, comp: comp, column: a.findColumn(comp.key), fitsPlayRows: a.rowsHaveNoSideEffects() && comp.isPlainBytes()}
	}
	return t
}

// rowsHaveNoSideEffects reports whether adding or removing rows of a has no side effects. There are no side
// effects if the archetype has no shared values, chunk components, buffers, cleanup components or linked
// groups.
func (a *archetype) rowsHaveNoSideEffects() bool {
	return a.lanesOnly && a.sharedCount == 0 && a.meta == nil && !a.isMeta && !a.awaitsCleanup && a.kinds&(isCleanup|isLinked) == 0
}

// isPlainBytes reports whether a value of c consists only of bytes in lanes, without entity ids.
func (c *component) isPlainBytes() bool {
	return c.kind&(isShared|isManaged|isBuffer|isCleanup|isLinked|isEnableable|isPerChunk) == 0 && len(c.refOffsets) == 0
}

// findAddMove returns the move to the archetype with the component and the component's column there.
// findAddMove returns nil if no entity has made this move yet.
func (t *cachedEdit) findAddMove() (*archetypeMove, int) {
	if t.addMove == nil {
		if m := cachedMove(t.arch.addEdges, t.comp); m != nil && m.lanesOnly {
			t.addMove, t.addedColumn = m, m.to.findColumn(t.comp.key)
		}
	}
	return t.addMove, t.addedColumn
}

// findRemoveMove returns the move to the archetype without the component, or nil if no entity has made
// this move yet.
func (t *cachedEdit) findRemoveMove() *archetypeMove {
	if t.removeMove == nil {
		if m := cachedMove(t.arch.removeEdges, t.comp); m != nil && m.lanesOnly {
			t.removeMove = m
		}
	}
	return t.removeMove
}

// findMove returns the move that op makes, and the component's column.
func (t *cachedEdit) findMove(op opcode) (*archetypeMove, int) {
	if op == opRemove {
		return t.findRemoveMove(), t.column
	}
	return t.findAddMove()
}

// canPlay reports whether playRows can play op.
func (t *cachedEdit) canPlay(op opcode) bool {
	return t.fitsPlayRows && (op != opSet || t.column >= 0 && !t.comp.kind.has(isTag))
}

// freeDeferredChunks frees the chunks that are still empty.
func (w *World) freeDeferredChunks() {
	w.tables.deferredChunks.active = false
	for _, r := range w.tables.deferredChunks.chunks {
		if r.arch != nil && r.count == 0 {
			w.tables.freeChunk(r)
		}
	}
	clear(w.tables.deferredChunks.chunks)
	w.tables.deferredChunks.chunks = w.tables.deferredChunks.chunks[:0]
}

// playRows plays consecutive commands, from index i on, as one structural change. Each of these
// commands adds, sets or removes a plain component of one entity. It returns the index of the first
// command that it could not play.
func (w *World) playRows(c *Commands, known *editCache, i, to int) (next int) {
	begun := false
	for ; i < to; i++ {
		cmd := &c.commands[i]
		if !cmd.isSingleRowEdit() {
			break
		}
		s := w.tables.entities.find(cmd.entity)
		if s == nil {
			break
		}
		r, row := w.tables.chunks[s.chunk], int(s.row)
		t := known.entryFor(r.arch, c.componentAt(cmd.componentIndex))
		if !t.canPlay(cmd.opcode) {
			break
		}
		column := t.column
		if (column < 0) == (cmd.opcode != opRemove) { // the row moves to another archetype
			var m *archetypeMove
			if m, column = t.findMove(cmd.opcode); m == nil || !begun && w.beginChange("Playback") != nil {
				break
			}
			begun, w.tables.deferredChunks.active = true, true
			at := w.tables.moveRow(m, r, row, &m.to.groups.single)
			r, row = at.chunk, at.first
		}
		if cmd.opcode != opRemove && !t.comp.kind.has(isTag) {
			r.mark(column, w.gate.changeVersion)
			r.arch.columns[column].scatter(&r.Place, row, c.valueBytes[cmd.valueIndex:][:t.comp.size])
		}
	}
	if begun {
		w.freeDeferredChunks()
		w.endChange()
	}
	return i
}

// isSingleRowEdit reports whether the command adds, sets or removes a component of one entity that existed
// when the command was recorded.
func (c *command) isSingleRowEdit() bool {
	return (c.opcode == opAdd || c.opcode == opSet || c.opcode == opRemove) && c.targetKind == targetOne && c.entity.Index >= 0
}

// playDestroys plays consecutive commands, from index i on, that each destroy one entity. It joins
// the commands into one structural change if this gives the same rows and ids as single changes.
// It returns the index of the last command that it has played, or of the command that failed.
func (w *World) playDestroys(c *Commands, i, to int) (last int, err error) {
	begun := false
	for ; err == nil && i < to && c.commands[i].opcode == opDestroy && c.commands[i].targetKind == targetOne; i++ {
		last = i
		var e Entity
		if e, err = c.resolveTarget(c.commands[i].entity); err != nil {
			break
		}
		s := w.tables.entities.find(e)
		if s == nil {
			err = w.absentError("Destroy", e)
			continue
		}
		r := w.tables.chunks[s.chunk]
		if a := r.arch; a.isMeta || a.awaitsCleanup || a.sharedCount > 0 || a.kinds&(isCleanup|isLinked) != 0 {
			if begun { // Destroy may call a user's method
				w.endChange()
				begun = false
			}
			err = w.Destroy(e)
			continue
		}
		if !begun {
			if err = w.beginChange("Destroy"); err != nil {
				break
			}
			begun = true
		}
		w.tables.destroyIgnoringCleanup(rowRange{r, int(s.row), 1})
	}
	if begun {
		w.endChange()
	}
	return last, err
}
