package ecs

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
func (w player) endLate() {
	w.late.on = false
	for _, r := range w.late.list {
		if r.arch != nil && r.n == 0 {
			w.freeRecord(r)
		}
	}
	clear(w.late.list)
	w.late.list = w.late.list[:0]
}

// playRows plays the neighbouring commands from i on that add, set or remove a plain
// component of one entity each, as one change. It returns the place of the first that is
// none of these, or that cannot be played so.
func (w player) playRows(c *Commands, known *editCache, i, to int) (next int) {
	begun := false
	for ; i < to; i++ {
		cmd := &c.list[i]
		if !cmd.ofOneRow() {
			break
		}
		s := w.entities.find(cmd.entity)
		if s == nil {
			break
		}
		r, row := w.records[s.record], int(s.row)
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
			begun, w.late.on = true, true
			at := w.moveRow(m, r, row, &m.to.groups.only)
			r, row = at.rec, at.first
		}
		if cmd.op != opRemove && !t.comp.kind.has(isTag) {
			r.mark(column, w.version)
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
func (w player) playDestroys(c *Commands, i, to int) (last int, err error) {
	begun := false
	for ; err == nil && i < to && c.list[i].op == opDestroy && c.list[i].to == toOne; i++ {
		last = i
		var e Entity
		if e, err = c.resolve(c.list[i].entity); err != nil {
			break
		}
		s := w.entities.find(e)
		if s == nil {
			err = w.absent("Destroy", e)
			continue
		}
		r := w.records[s.record]
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
		w.endRows(span{r, int(s.row), 1})
	}
	if begun {
		w.finish()
	}
	return last, err
}
