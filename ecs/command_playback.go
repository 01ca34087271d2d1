package ecs

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
)

// link is one chain of a parallel buffer at playback.
type link struct {
	key      sortKey
	writer   *Commands
	place    int // index of the writer among all writers
	from, to int // the chain is its commands [from, to)
}

// Playback applies the recorded changes to w. First it completes the jobs that may still record.
// Then it plays the commands of jobs in the order of their chunks, and then the commands that the
// buffer recorded itself. A buffer without commands changes nothing, so that views stay valid.
//
// Playback stops at the first command that fails. The failed command has changed nothing, but the
// commands before it stay done. The error names the buffer, the system that recorded, the command's
// index and the entity. An id that earlier commands have stored, and whose entity was not created
// because of the failure, refers to no entity, as if the entity had been destroyed. A buffer can be
// played once, or several times after SetMultiPlayback. After a failure it must be Reset.
func (c *Commands) Playback(w *World) error {
	const op = "Playback"
	switch {
	case c == nil || c.world == nil:
		return fault(ErrState, op, "the buffer is the zero Commands: make it with World.NewCommands")
	case c.owner != nil:
		return c.fault(ErrState, op, "this is the writer of one chunk: play the buffer that Parallel was asked of")
	case c.broken:
		return c.fault(ErrState, op, "the buffer has failed half-way: Reset it and record again")
	case c.played && !c.replay:
		return c.fault(ErrState, op, "the buffer was played already: Reset it and record again, or call SetMultiPlayback before")
	case w == nil:
		return c.fault(ErrArgument, op, "the world is nil: make one with NewWorld")
	case w.tables.original == c.world.tables.original:
	case !c.replay:
		return c.fault(ErrArgument, op, "the buffer was recorded for another world: SetMultiPlayback lets it be played in any")
	case c.world.tables.original.gate.elsewhere():
		return c.fault(ErrState, op, "the world that the buffer was recorded for is lent to a transaction: play the buffer when that has ended")
	case !c.world.holder().gate.alive:
		return c.fault(ErrDisposed, op, "the world that the buffer was recorded for is closed")
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	defer w.gate.idle()
	if err := w.complete(op); err != nil { // because jobs may still record
		return err
	}
	if c.restores != c.world.hooks.restores {
		outdate(c)
	}
	c.played = true
	if c.skip || c.Len() == 0 {
		return nil
	}
	outer := w.gate.recorder
	w.gate.recorder = c.by()
	defer func() { w.gate.recorder = outer }()
	if err := w.change(op); err != nil {
		return err
	}
	c.broken = true // until all commands are done, because a method of a shared value may panic
	defer w.cancelReserved(len(w.reserved.list))
	done := 0
	for _, l := range c.order() {
		if err := w.playAll(l.writer, l.from, l.to, done); err != nil {
			return err
		}
		done += l.to - l.from
	}
	if err := w.playAll(c, 0, len(c.list), done); err != nil {
		return err
	}
	c.broken = false
	return nil
}

// order returns the chains that jobs have recorded, in playback order.
func (c *Commands) order() []link {
	c.chains = c.chains[:0]
	place := 0
	c.made = resize(c.made, int(c.promised))
	for _, p := range c.parallel[:c.spare] {
		for ws := range p.workers.all() {
			for _, w := range ws.list {
				w.made = resize(w.made, int(w.promised))
				for k, part := range w.parts {
					end := len(w.list)
					if k+1 < len(w.parts) {
						end = w.parts[k+1].start
					}
					if part.start < end {
						c.chains = append(c.chains, link{part.key, w, place, part.start, end})
					}
				}
				place++
			}
		}
	}
	slices.SortFunc(c.chains, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.key.order, b.key.order), cmp.Compare(a.key.index, b.key.index),
			cmp.Compare(a.place, b.place), cmp.Compare(a.from, b.from))
	})
	return c.chains
}

// playAll plays the commands [from, to). done is the number of commands that were played before;
// errors count from it.
func (w *World) playAll(c *Commands, from, to, done int) error {
	c.all = components()
	w.gate.recorder = c.by()
	var known editCache
	for i := from; i < to; i++ {
		var err error
		if c.list[i].op == opDestroy && c.list[i].to == toOne {
			i, err = w.playDestroys(c, i, to)
		} else if next := w.playRows(c, &known, i, to); next > i {
			i = next - 1
		} else {
			err = w.play(c, &c.list[i])
		}
		if err != nil {
			return c.failed(&c.list[i], done+i-from, err)
		}
		w.reserved.made = len(w.reserved.list)
	}
	return nil
}

// failed returns the error for a command that could not be played.
func (c *Commands) failed(cmd *command, at int, err error) error {
	category := ErrState
	if e := (*Error)(nil); errors.As(err, &e) {
		category = e.Category
	}
	e := c.fault(category, "Playback", "command %d, %s, failed: it and those after it were not done", at, opNames[cmd.op]+targetNames[cmd.to]).because(err)
	e.System = c.world.gate.running
	switch cmd.op {
	case opAdd, opSet, opAppend, opEnsure, opRemove, opSetEnabled, opExchange: // commands with one component
		e = e.on(components()[cmd.comp])
	}
	if !cmd.entity.IsZero() {
		e = e.of(cmd.entity)
	}
	return e
}

// play plays one command.
func (w *World) play(c *Commands, cmd *command) error {
	const op = "Playback"
	if cmd.to != toOne || cmd.op == opExchange {
		return w.playTarget(c, cmd)
	}
	e, err := c.resolve(cmd.entity)
	if err != nil {
		return err
	}
	switch cmd.op {
	case opCreate, opSpawn, opInstantiate:
		return w.playMaking(c, cmd, e)
	case opDestroy:
		return w.Destroy(e)
	case opAdd, opSet, opAppend:
		return w.playValue(c, cmd, e)
	case opEnsure:
		comp := c.comp(cmd.comp)
		if s := w.tables.entities.find(e); s != nil && w.tables.records[s.record].arch.has(comp) {
			return nil
		}
		_, err := w.addOne(op, e, comp)
		return err
	case opSetEnabled:
		return w.setEnabled(op, e, c.comp(cmd.comp), cmd.n != 0)
	case opRemove:
		_, err := w.removeOne(op, e, c.comp(cmd.comp))
		return err
	case opAddTypes, opRemoveTypes:
		return w.playTarget(c, cmd)
	case opSetActive:
		return w.SetActive(e, cmd.n != 0)
	case opSetArchetype:
		a, err := w.tables.counterpart(op, c.boxes[cmd.at].(*archetype))
		if err != nil {
			return err
		}
		return w.SetArchetype(e, Archetype{a})
	}
	return nil
}

// playMaking creates an entity. If an earlier command has referred to it, the entity gets the id
// that was reserved then.
func (w *World) playMaking(c *Commands, cmd *command, e Entity) error {
	const op = "Playback"
	if id := c.made[cmd.made]; id.Index < 0 {
		w.tables.entities.offer(^id.Index)
	}
	switch cmd.op {
	case opSpawn:
		return w.playSpawn(c, cmd)
	case opInstantiate:
		return w.instantiate(op, e, c.made[cmd.made:][:1])
	}
	a, err := w.tables.counterpart(op, c.boxes[cmd.at].(*archetype))
	if err != nil {
		return err
	}
	return w.createRows(op, a, 1, false, c.made[cmd.made:][:1], nil)
}

// counterpart returns the archetype of w with the components of a, because a may belong to another
// world.
func (t *tables) counterpart(op string, a *archetype) (*archetype, error) {
	if a.world == t.original && a.index != unlisted {
		return a, nil
	}
	return t.archetypeOf(op, a.components())
}

// comp returns the component with an index. It is for playback.
func (c *playing) comp(index int32) *component { return c.all[index] }

// playedSet returns the types of a command, sorted.
func (w *World) playedSet(c *Commands, cmd *command) ([]*component, error) {
	set := w.types.set[:0]
	for _, i := range c.types[cmd.at : cmd.at+int(cmd.n)] {
		set = append(set, c.comp(i))
	}
	w.types.set = set
	return w.types.sortSet("Playback", set)
}

// playSpawn creates an entity with the given components.
func (w *World) playSpawn(c *Commands, cmd *command) error {
	given := c.boxes[cmd.at : cmd.at+int(cmd.n)]
	if p := w.recipeFor(given); p != nil && !p.arch.refs {
		e, err := w.spawnBy("Playback", p, given)
		if err != nil {
			return err
		}
		c.made[cmd.made] = e
		w.finish()
		return nil
	}
	values := append(c.spawned[:0], given...)
	c.spawned = values
	for i, v := range values {
		if err := c.known(w, v); err != nil {
			return err
		}
		comp, err := componentOf("Playback", reflect.TypeOf(v))
		if err != nil {
			return err
		}
		if values[i], err = c.shared(w, comp, v); err != nil {
			return err
		}
	}
	e, err := w.spawn("Playback", values)
	if err != nil {
		return err
	}
	c.made[cmd.made] = e
	s := w.tables.entities.find(e)
	r := w.tables.records[s.record]
	for i := range r.arch.columns {
		if col := &r.arch.columns[i]; len(col.comp.refs) > 0 {
			col.eachRef(r, int(s.row), func(id *Entity) { *id, _ = c.refer(w, *id) }) // never fails, because known has resolved the same ids before
		}
	}
	w.finish()
	return nil
}

// playValue adds or sets one component of one entity.
func (w *World) playValue(c *Commands, cmd *command, e Entity) error {
	const op = "Playback"
	comp := c.comp(cmd.comp)
	s := w.tables.entities.find(e)
	if s == nil {
		return w.entityError(op, e)
	}
	var value []byte
	var box any
	var err error
	if comp.kind&(isShared|isManaged) != 0 {
		box, err = c.shared(w, comp, c.boxes[cmd.at])
	} else {
		value, err = c.valueOf(w, cmd, comp)
	}
	if err != nil {
		return err
	}
	r, row := w.tables.records[s.record], int(s.row)
	i := r.arch.find(comp.key)
	switch {
	case i < 0 && cmd.op == opAppend:
		return w.gate.fault(ErrState, op, "the entity has no such buffer: Add it first").of(e).on(comp)
	case i < 0 && cmd.op == opSet:
		return w.gate.fault(ErrArgument, op, "the entity has no such component: use Add").of(e).on(comp)
	case comp.kind.has(isShared): // the entity changes its archetype and its chunk group in one move
		return w.setShared(op, span{r, row, 1}, comp, box)
	case i < 0:
		at, err := w.extend(op, r, row, comp)
		if err != nil {
			return err
		}
		r, row = at.rec, at.first
		i = r.arch.find(comp.key)
	}
	col := &r.arch.columns[i]
	if comp.kind.has(isTag) {
		if cmd.op == opSet {
			return w.gate.fault(ErrArgument, op, "a tag has no data: use Add and Remove").of(e).on(comp)
		}
		return nil
	}
	r.mark(i, w.gate.version)
	switch {
	case comp.per != nil:
		w.tables.scatterChunk(r, i, value, w.gate.version)
	case comp.kind.has(isManaged):
		w.tables.scatterBox(r, row, box)
	case comp.kind.has(isBuffer):
		s, keep := bufferAt(r, col, row), 0
		if cmd.op == opAppend {
			keep = int(s.head()[0])
		}
		s.fill(keep, value, int(cmd.n))
	default:
		col.scatter(&r.Place, row, value)
	}
	return nil
}

// valueOf returns the value of a command, as bytes. If the value contains ids of entities that did
// not exist at recording, valueOf returns a copy with the final ids. The copy is valid until the
// next call.
func (c *Commands) valueOf(w *World, cmd *command, comp *component) ([]byte, error) {
	size, n := int(comp.size), 1
	if comp.kind.has(isBuffer) {
		size, n = comp.buffer.size, int(cmd.n)
	}
	value := c.data[cmd.at:][:size*n]
	if len(comp.refs) == 0 {
		return value, nil
	}
	if c.value == nil {
		c.value = make([]byte, 0, minData)
	}
	c.value = append(c.value[:0], value...)
	value = c.value
	for k := range n {
		for _, at := range comp.refs {
			id := entityAt(value[k*size:(k+1)*size], at)
			made, err := c.refer(w, *id)
			if err != nil {
				return nil, err
			}
			*id = made
		}
	}
	return value, nil
}

// shared returns a shared or managed value with the final ids of entities that did not exist at
// recording. It changes a copy, because the buffer may be played again.
func (c *Commands) shared(w *World, comp *component, v any) (any, error) {
	if len(comp.boxed) == 0 {
		return v, nil
	}
	box := reflect.New(comp.typ)
	box.Elem().Set(reflect.ValueOf(v))
	for _, at := range comp.boxed {
		id := entityIn(box, at)
		made, err := c.refer(w, *id)
		if err != nil {
			return nil, err
		}
		*id = made
	}
	return box.Elem().Interface(), nil
}

// known returns an error if a component value contains an id that no part of this buffer creates.
// It also reserves the final ids.
func (c *Commands) known(w *World, v any) error {
	comp, err := componentOf("Playback", reflect.TypeOf(v))
	if err != nil || len(comp.refs) == 0 || comp.kind.has(isShared) {
		return err
	}
	value, size := []byte(nil), int(comp.size)
	if comp.kind.has(isBuffer) {
		size = comp.buffer.size
		value, _ = boxedContent(v, size)
	} else {
		value = boxBytes(v, comp.size)
	}
	for at := 0; at < len(value); at += size {
		for _, ref := range comp.refs {
			if _, err := c.refer(w, *entityAt(value[at:at+size], ref)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Consecutive commands for one entity each are played as one structural change, because a change
// has a fixed cost. This is possible if the result is the same: no command calls a user's method,
// and the rows end up in the places that single changes would give them. The facts that a command
// needs about an archetype are cached for the commands after it.

// cachedEdit is the effect of a command with one component on rows of one archetype.
type cachedEdit struct {
	arch    *archetype
	comp    *component
	column  int   // index of the component's column; -1 if the archetype lacks it
	simple  bool  // playRows can play the command
	adds    *move // move to the archetype with the component; nil until it is known
	into    int   // the component's column there
	removes *move // move to the archetype without it; nil until it is known
}

// editCache holds the most recently used edits, by a hash of archetype and component.
type editCache [8]cachedEdit

// of returns the edit for a component in an archetype.
func (l *editCache) of(a *archetype, comp *component) *cachedEdit {
	t := &l[uint(a.index+comp.index)%uint(len(l))]
	if t.arch != a || t.comp != comp {
		*t = cachedEdit{arch: a, comp: comp, column: a.find(comp.key), simple: a.plainRows() && comp.plainValue()}
	}
	return t
}

// plainRows reports whether adding or removing rows of a has no side effects: there are no shared
// values, chunk components, buffers, cleanup components and linked groups to update.
func (a *archetype) plainRows() bool {
	return a.plain && a.shared == 0 && a.meta == nil && !a.isMeta && !a.awaitsCleanup && a.kinds&(isCleanup|isLinked) == 0
}

// plainValue reports whether a value of c is only bytes in lanes, without entity ids.
func (c *component) plainValue() bool {
	return c.kind&(isShared|isManaged|isBuffer|isCleanup|isLinked|isEnableable|isPerChunk) == 0 && len(c.refs) == 0
}

// adding returns the move to the archetype with the component and the component's column there. It
// returns nil if no entity has made this move yet.
func (t *cachedEdit) adding() (*move, int) {
	if t.adds == nil {
		if m := edgeTo(t.arch.adds, t.comp); m != nil && m.plain {
			t.adds, t.into = m, m.to.find(t.comp.key)
		}
	}
	return t.adds, t.into
}

// removing returns the move to the archetype without the component, or nil if no entity has made
// this move yet.
func (t *cachedEdit) removing() *move {
	if t.removes == nil {
		if m := edgeTo(t.arch.removes, t.comp); m != nil && m.plain {
			t.removes = m
		}
	}
	return t.removes
}

// way returns the move that op makes, and the component's column.
func (t *cachedEdit) way(op opcode) (*move, int) {
	if op == opRemove {
		return t.removing(), t.column
	}
	return t.adding()
}

// takes reports whether playRows can play op.
func (t *cachedEdit) takes(op opcode) bool {
	return t.simple && (op != opSet || t.column >= 0 && !t.comp.kind.has(isTag))
}

// endLate frees the chunks that are still empty.
func (w *World) endLate() {
	w.tables.late.on = false
	for _, r := range w.tables.late.list {
		if r.arch != nil && r.n == 0 {
			w.tables.freeRecord(r)
		}
	}
	clear(w.tables.late.list)
	w.tables.late.list = w.tables.late.list[:0]
}

// playRows plays consecutive commands, from i on, that add, set or remove a plain component of one
// entity each, as one structural change. It returns the index of the first command that it could
// not play.
func (w *World) playRows(c *Commands, known *editCache, i, to int) (next int) {
	begun := false
	for ; i < to; i++ {
		cmd := &c.list[i]
		if !cmd.ofOneRow() {
			break
		}
		s := w.tables.entities.find(cmd.entity)
		if s == nil {
			break
		}
		r, row := w.tables.records[s.record], int(s.row)
		t := known.of(r.arch, c.comp(cmd.comp))
		if !t.takes(cmd.op) {
			break
		}
		column := t.column
		if (column < 0) == (cmd.op != opRemove) { // the row moves to another archetype
			var m *move
			if m, column = t.way(cmd.op); m == nil || !begun && w.change("Playback") != nil {
				break
			}
			begun, w.tables.late.on = true, true
			at := w.tables.moveRow(m, r, row, &m.to.groups.only)
			r, row = at.rec, at.first
		}
		if cmd.op != opRemove && !t.comp.kind.has(isTag) {
			r.mark(column, w.gate.version)
			r.arch.columns[column].scatter(&r.Place, row, c.data[cmd.at:][:t.comp.size])
		}
	}
	if begun {
		w.endLate()
		w.finish()
	}
	return i
}

// ofOneRow reports whether the command adds, sets or removes a component of one entity that existed
// at recording.
func (c *command) ofOneRow() bool {
	return (c.op == opAdd || c.op == opSet || c.op == opRemove) && c.to == toOne && c.entity.Index >= 0
}

// playDestroys plays consecutive commands, from i on, that destroy one entity each. It joins them
// into one structural change where rows and ids are the same as with single changes. It returns the
// index of the last command that it has played, or of the one that failed.
func (w *World) playDestroys(c *Commands, i, to int) (last int, err error) {
	begun := false
	for ; err == nil && i < to && c.list[i].op == opDestroy && c.list[i].to == toOne; i++ {
		last = i
		var e Entity
		if e, err = c.resolve(c.list[i].entity); err != nil {
			break
		}
		s := w.tables.entities.find(e)
		if s == nil {
			err = w.absent("Destroy", e)
			continue
		}
		r := w.tables.records[s.record]
		if a := r.arch; a.isMeta || a.awaitsCleanup || a.shared > 0 || a.kinds&(isCleanup|isLinked) != 0 {
			if begun { // Destroy may call a user's method
				w.finish()
				begun = false
			}
			err = w.Destroy(e)
			continue
		}
		if !begun {
			if err = w.change("Destroy"); err != nil {
				break
			}
			begun = true
		}
		w.tables.endRows(span{r, int(s.row), 1})
	}
	if begun {
		w.finish()
	}
	return last, err
}
