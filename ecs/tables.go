package ecs

import "slices"

// directory is which entity is in which row: what of tables is lent to a transaction.
type directory struct {
	entities entities
	metas    int       // meta entities
	records  []*record // by id; those in spare have no place
	spare    []*record
	fresh    []record // to be handed out
	listing  uint32   // counts changes of chunk lists
	guardWorld
}

// tables is the rows of all archetypes: which entity is where, and how rows come, go and
// move. It knows nothing of queries and commands.
type tables struct {
	catalog
	directory

	switches []switches   // scratch of relabelSwitches
	edited   []*component // scratch of edit
	borrower *tables      // those of a transaction, while the rows are lent to it
	late     late         // chunks that playRows has emptied
	promises []promise    // of the playback that is going on
	kept     int          // how many of them commands have made that are done
}

// finish ends a structural change, which is whole.
func (w *tables) finish() {
	g := &w.gate
	g.owner.changing = 0
	if guard || g.concludes {
		w.conclude()
	}
}

// conclude is what some changes have at their end.
func (w *tables) conclude() {
	w.kept = len(w.promises)
	if guard {
		w.resettle()
	}
	w.notify()
}

// noEntity says that an entity does not exist, and why that may be.
func (w *tables) noEntity(op string, e Entity) *Error {
	switch {
	case e.Index < 0:
		return w.fault(ErrArgument, op, "the entity is only deferred: a Commands buffer has still to make it, use it in later commands of that buffer").of(e)
	case e.IsZero():
		return w.fault(ErrArgument, op, "the null entity does not exist")
	case int(e.Index) >= len(w.entities.slots):
		return w.fault(ErrArgument, op, "the entity does not exist: this world never had one of this index").of(e)
	case w.promised(e):
		return w.fault(ErrArgument, op, "the entity does not exist yet: a later command of the buffer that is being played makes it").of(e)
	}
	return w.fault(ErrArgument, op, "the entity does not exist: it was destroyed").of(e)
}

// absent returns nil for entities that Destroy ignores when they do not exist:
// the null entity and those that once existed.
func (w *tables) absent(op string, e Entity) error {
	if err := w.open(op); err != nil {
		return err
	}
	if e.Index < 0 || int(e.Index) >= len(w.entities.slots) && !e.IsZero() {
		return w.noEntity(op, e)
	}
	return nil
}

// holder returns the tables that have the rows of w now.
func (w *tables) holder() *tables {
	switch {
	case w.borrower != nil:
		return w.borrower
	case w.home != w && w.entities.slots == nil && w.archetypes == nil: // given back
		return w.home.holder()
	}
	return w
}

// give hands all that there is to other tables, which have nothing.
func (w *tables) give(to *tables) {
	to.labels, w.labels = w.labels, nil
	to.concludes = w.concludes
	to.sharedValues, w.sharedValues = w.sharedValues, sharedValues{}
	to.listings, w.listings = w.listings, listings{}
	to.directory, w.directory = w.directory, directory{}
}

// label gives an entity that exists a name.
func (w *tables) label(e Entity, name string) {
	l := w.labels
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(e, name)
}

// exists is World.Exists.
func (w *tables) exists(e Entity) bool { return w.entities.find(e) != nil || w.refuseLent("Exists") }

// entityError says that an operation on e is not possible because it does not exist.
func (w *tables) entityError(op string, e Entity) error {
	if err := w.open(op); err != nil {
		return err
	}
	return w.noEntity(op, e)
}

// promise is an entity of which a command has written the id before it is made.
type promise struct {
	made  *[]Entity // of the buffer that makes it
	k     int32     // its place in made, which holds ^index and version until then
	fresh bool      // the slot is a new one
}

// promised reports whether e, which does not exist, is to be made by the playback
// that is going on.
func (w *tables) promised(e Entity) bool {
	return slices.ContainsFunc(w.promises, func(p promise) bool {
		return (*p.made)[p.k] == Entity{^e.Index, e.Version}
	})
}

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

// run returns the rows of the first entities of ids that follow one another in
// one chunk, and how many ids that are. The chunk is nil if the first does not
// exist.
func (w *directory) run(ids []Entity) (span, int) {
	s := w.entities.find(ids[0])
	if s == nil {
		return span{}, 1
	}
	r, first := s.record, s.row
	n := 1
	for n < len(ids) {
		next := w.entities.find(ids[n])
		if next == nil || next.record != r || next.row != first+int32(n) {
			break
		}
		n++
	}
	return span{w.records[r], int(first), n}, n
}
