package ecs

import "slices"

// seats is what of tables is lent to a transaction.
type seats struct {
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
	seats

	versions []uint32     // scratch of relabelChunk
	switches []switches   // the same
	edited   []*component // scratch of edit
	tenant   *tables      // those of a transaction, while the rows are lent to it
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

// dead says that an entity does not exist, and why that may be.
func (w *tables) dead(op string, e Entity) *Error {
	switch {
	case e.Index < 0:
		return w.fault(ErrArgument, op, "the entity is only deferred: a Commands buffer has still to make it, use it in later commands of that buffer").of(e)
	case e.Null():
		return w.fault(ErrArgument, op, "the null entity does not exist")
	case int(e.Index) >= len(w.entities.slots):
		return w.fault(ErrArgument, op, "the entity does not exist: this world never had one of this index").of(e)
	case w.promised(e):
		return w.fault(ErrArgument, op, "the entity does not exist yet: a later command of the buffer that is being played makes it").of(e)
	}
	return w.fault(ErrArgument, op, "the entity does not exist: it was destroyed").of(e)
}

// holder returns the tables that have the rows of w now.
func (w *tables) holder() *tables {
	switch {
	case w.tenant != nil:
		return w.tenant
	case w.home != w && w.entities.slots == nil && w.archetypes == nil: // given back
		return w.home.holder()
	}
	return w
}

// give hands all that there is to other tables, which have nothing.
func (w *tables) give(to *tables) {
	to.labels, w.labels = w.labels, nil
	to.concludes = w.concludes
	to.stock, w.stock = w.stock, stock{}
	to.listings, w.listings = w.listings, listings{}
	to.seats, w.seats = w.seats, seats{}
}

// label gives an entity that exists a name.
func (w *tables) label(e Entity, name string) {
	l := w.labels
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(e, name)
}

// exists is World.Exists.
func (w *tables) exists(e Entity) bool { return w.entities.find(e) != nil || w.away("Exists") }

// lost says that an operation on e is not possible because it does not exist.
func (w *tables) lost(op string, e Entity) error {
	if err := w.open(op); err != nil {
		return err
	}
	return w.dead(op, e)
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
