package ecs

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
)

// link is one chain of a parallel buffer, ready to be played.
type link struct {
	key      sortKey
	writer   *Commands
	place    int // of the writer among all
	from, to int // commands of it
}

// Playback makes the changes that were recorded: those of jobs in the order of
// their chunks, then the others. A buffer without commands does nothing and ends
// no views.
//
// At the first command that fails playback stops: that one has changed nothing,
// those before it stay, and the error names the buffer, what recorded it, the
// command's place and the entity. What they have referred to, and was not made, does
// not exist, as if it had been destroyed. A buffer that was played cannot be played again,
// unless SetMultiPlayback was called; one that has failed cannot in any case.
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
	if err := w.complete(op); err != nil { // jobs may still be recording
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
	c.broken = true // until all is done: a command may panic, in a method of a shared value
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

// order returns what jobs have recorded in the order of their chunks.
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

// playAll makes the changes of commands [from, to); done were played before.
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

// failed says which command could not be played.
func (c *Commands) failed(cmd *command, at int, err error) error {
	category := ErrState
	if e := (*Error)(nil); errors.As(err, &e) {
		category = e.Category
	}
	e := c.fault(category, "Playback", "command %d, %s, failed: it and those after it were not done", at, opNames[cmd.op]+targetNames[cmd.to]).because(err)
	e.System = c.world.gate.running
	switch cmd.op {
	case opAdd, opSet, opAppend, opEnsure, opRemove, opSetEnabled, opExchange: // those of one component
		e = e.on(components()[cmd.comp])
	}
	if !cmd.entity.IsZero() {
		e = e.of(cmd.entity)
	}
	return e
}

// play makes one change.
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

// playMaking makes an entity, with the id that it was promised if it was.
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

// counterpart returns the archetype of w that has the components of a, which may
// be one of another world.
func (t *tables) counterpart(op string, a *archetype) (*archetype, error) {
	if a.world == t.original && a.index != unlisted {
		return a, nil
	}
	return t.archetypeOf(op, a.components())
}

// comp returns the component of an index, at playback.
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

// playSpawn makes an entity of components.
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
			col.eachRef(r, int(s.row), func(id *Entity) { *id, _ = c.refer(w, *id) }) // known has found them
		}
	}
	w.finish()
	return nil
}

// playValue adds or sets a component.
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
	case comp.kind.has(isShared): // in one move
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

// valueOf returns the recorded value of a command; ids of entities that were still
// to be made are replaced by those of the entities, in a copy that is good until
// the next call.
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

// shared returns a shared or managed value in which the ids of entities that were still to
// be made are replaced by those of the entities. The value given stays as it is.
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

// known returns an error if a component in an interface refers to an entity that
// this buffer has not made.
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

// Neighbouring commands of a buffer that are for one entity each are played as one
// structural change where it cannot be told: where no method of the user's is called and
// rows come to lie as they do one by one. What a command asks of an archetype is looked
// up once for all that ask the same.

// cachedEdit is what commands with one component do to rows of one archetype.
type cachedEdit struct {
	arch    *archetype
	comp    *component
	column  int   // of the component in the archetype, or -1
	simple  bool  // the commands can be played here
	adds    *move // to the archetype with the component, once it is known
	into    int   // the column there
	removes *move // to the one without it, once it is known
}

// editCache finds what commands do, those that were asked for last.
type editCache [8]cachedEdit

// of returns what is done with a component in an archetype.
func (l *editCache) of(a *archetype, comp *component) *cachedEdit {
	t := &l[uint(a.index+comp.index)%uint(len(l))]
	if t.arch != a || t.comp != comp {
		*t = cachedEdit{arch: a, comp: comp, column: a.find(comp.key), simple: a.plainRows() && comp.plainValue()}
	}
	return t
}

// plainRows reports whether rows of a can come and go, and nothing happens but that.
func (a *archetype) plainRows() bool {
	return a.plain && a.shared == 0 && a.meta == nil && !a.isMeta && !a.awaitsCleanup && a.kinds&(isCleanup|isLinked) == 0
}

// plainValue reports whether a value of c is bytes in lanes, and refers to nothing.
func (c *component) plainValue() bool {
	return c.kind&(isShared|isManaged|isBuffer|isCleanup|isLinked|isEnableable|isPerChunk) == 0 && len(c.refs) == 0
}

// adding returns the way to the archetype with the component, and its column there; nil
// if none has gone it.
func (t *cachedEdit) adding() (*move, int) {
	if t.adds == nil {
		if m := edgeTo(t.arch.adds, t.comp); m != nil && m.plain {
			t.adds, t.into = m, m.to.find(t.comp.key)
		}
	}
	return t.adds, t.into
}

// removing returns the way to the archetype without the component; nil if none has
// gone it.
func (t *cachedEdit) removing() *move {
	if t.removes == nil {
		if m := edgeTo(t.arch.removes, t.comp); m != nil && m.plain {
			t.removes = m
		}
	}
	return t.removes
}

// way returns the way that a row goes with op, and the place of the component at its end.
func (t *cachedEdit) way(op opcode) (*move, int) {
	if op == opRemove {
		return t.removing(), t.column
	}
	return t.adding()
}

// takes reports whether op can be done to single rows.
func (t *cachedEdit) takes(op opcode) bool {
	return t.simple && (op != opSet || t.column >= 0 && !t.comp.kind.has(isTag))
}

// endLate ends the chunks that are still empty.
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

// playRows plays the neighbouring commands from i on that add, set or remove a plain
// component of one entity each, as one change. It returns the place of the first that is
// none of these, or that cannot be played so.
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
		if (column < 0) == (cmd.op != opRemove) { // the row moves
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

// ofOneRow reports whether the command adds, sets or removes a component of one entity that was there before.
func (c *command) ofOneRow() bool {
	return (c.op == opAdd || c.op == opSet || c.op == opRemove) && c.to == toOne && c.entity.Index >= 0
}

// playDestroys plays the neighbouring commands from i on that end one entity each, as one
// change where that makes no difference to rows and ids: one after the other. It returns
// the place of the last command that it has played, or of the one that failed.
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
			if begun { // a method of the user's may be called
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
