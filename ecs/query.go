package ecs

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs"
)

// Query finds the chunks of the archetypes that its terms match. Archetypes that
// are made later are matched as they come. Ask for it once and keep it: the same
// terms, in any order, give the same Query.
type Query struct {
	world    *matcher
	id       string // the owner and the terms, sorted
	terms    []Term
	owner    string // the system it was made for
	closed   bool
	since    uint32
	data     []data
	with     []*component
	without  []*component
	anyOf    [][]*component
	choices  []choice     // AnyOf with AllOf
	present  []*component // also those that must be off
	absent   []*component
	disabled []*component
	ignore   bool         // IgnoreEnabled
	bits     []*component // enableable ones that decide about rows
	mask     []uint64     // scratch
	hidden   []*component // whose entities it does not match
	include  kinds        // those that it matches all the same
	changed  []*component
	watched  []*component                 // of ChangedAny
	ordered  bool                         // OrderChanged
	metas    bool                         // some match has to do with meta entities
	grouped  bool                         // FilterWriteGroup
	members  atomic.Pointer[[]*component] // of write groups, whose bits decide about rows too
	only     []only
	reach    []data // Anywhere, and Worldwide types
	access   jobs.Access
	needs    []*component // every archetype that it matches has them
	bars     []*component // and none of these
	matches  []*match
	shown    atomic.Pointer[found] // the same by their archetypes, for jobs too
	pool     []match               // to be handed out
	rest     []bind                // the same
	headers  int                   // slices that the views of a chunk take

	list    []listed    // all chunks, flat, for jobs
	listing uint32      // the world's listing at that time; 0: never listed
	free    []*Chunk    // for loops on the owner's goroutine
	lookups []refresher // made from q
	runs    []*chunkRun // of ParallelFor, done or not
	workers perWorker[workerChunks]
}

// data is a component whose column is looked at.
type data struct {
	comp     *component
	write    bool
	optional bool
	chosen   bool // of an AllOf
	view     int  // first slice of its view
}

// only is a filter by shared value.
type only struct {
	comp  *component
	value int32
}

// maxFilters is how many Changed, and how many Only, a query may have.
const maxFilters = 2

// finish computes what follows from the terms.
func (q *Query) finish() {
	note := func(d data) {
		switch {
		case d.comp.kind.has(isTag) && !d.comp.kind.has(isEnableable):
		case d.write:
			q.access.Write.Add(d.comp.index)
		default:
			q.access.Read.Add(d.comp.index)
		}
	}
	values := func(d data) { // of chunks
		if d.comp.per != nil {
			note(data{comp: d.comp.per, write: d.write})
		}
	}
	for i := range q.data {
		q.data[i].view = q.headers
		q.headers += max(1, len(q.data[i].comp.view))
		note(q.data[i])
		values(q.data[i])
	}
	for _, d := range q.reach {
		note(d)
	}
	for _, c := range slices.Concat(q.changed, q.watched, q.bits) {
		if !q.access.Write.Has(c.index) {
			q.access.Read.Add(c.index)
		}
		if c.per != nil && !q.access.Write.Has(c.per.index) {
			q.access.Read.Add(c.per.index)
		}
	}
}

// hold finds the values of the Only terms, and keeps them. That comes after all that
// a query can be refused for.
func (q *Query) hold(op string) error {
	w := q.world
	err := w.interning(func() (err error) {
		i := 0
		for _, t := range q.terms {
			if t.mode == modeOnly && err == nil {
				q.only[i].value, err = w.intern(op, w.storeOf(q.only[i].comp), t.value)
				i++
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range q.only {
		w.storeOf(f.comp).retain(f.value)
	}
	return nil
}

// Close forgets the query: it is no longer told of new archetypes, and using it
// is an error. Queries of systems are closed with their system.
func (q *Query) Close() error {
	const op = "Query.Close"
	w := q.world
	if err := w.own(op, q); err != nil {
		return err
	}
	if q.owner != "" {
		return w.fault(ErrState, op, "the query belongs to system %s and ends with it", q.owner)
	}
	return q.end(op)
}

// end forgets the query.
func (q *Query) end(op string) error {
	w := q.world
	if err := w.settled(op); err != nil {
		return err
	}
	defer w.idle()
	if err := w.complete(op); err != nil {
		return err
	}
	for _, f := range q.only {
		w.storeOf(f.comp).release(f.value)
	}
	w.disown(q)
	if w.cached[q.id] == q {
		delete(w.cached, q.id)
	}
	for _, m := range q.matches {
		m.uncount()
	}
	q.closed, q.matches, q.pool, q.rest, q.list = true, nil, nil, nil, nil
	q.shown.Store(nil)
	w.notify()
	return nil
}

// Since sets the version that Changed and OrderChanged compare with: chunks that
// changed later pass. It is 0 at first, which everything passes.
func (q *Query) Since(version uint32) { q.since = version }

// Access returns what jobs over q read and write, to be passed to a
// jobs.Tracker. It grows as archetypes are made; it must not be changed.
func (q *Query) Access() *jobs.Access { return &q.access }

// String lists the terms.
func (q *Query) String() string {
	parts := make([]string, len(q.terms))
	for i, t := range q.terms {
		parts[i] = t.String()
	}
	return "Query(" + strings.Join(parts, ", ") + ")"
}

// idOf returns what two requests for one query have in common, whatever the
// order of their terms. Types are told apart by their index, and so are values of
// Only: a query keeps its own, and no query has the -1 of one that is new. They are
// found among the world's, unless they are known already.
func (w *matcher) idOf(op, owner string, terms []Term, known []only) (string, error) {
	parts := make([]string, len(terms))
	for i, t := range terms {
		parts[i] = modeNames[t.mode]
		switch {
		case t.typ != nil:
			c, err := w.declaredOf(op, t)
			if err != nil {
				return "", err
			}
			parts[i] += fmt.Sprint(c.index)
			if t.mode != modeOnly || !c.kind.has(isShared) {
				continue
			}
			value := int32(0)
			if len(known) > 0 {
				value, known = known[0].value, known[1:]
			} else if value, _, err = w.seek(op, w.storeOf(c), t.value); err != nil {
				return "", err
			}
			parts[i] += fmt.Sprint("=", value)
		case len(t.terms) > 0:
			inner, err := w.idOf(op, "", t.terms, nil)
			if err != nil {
				return "", err
			}
			parts[i] += inner
		}
	}
	slices.Sort(parts)
	return owner + "(" + strings.Join(parts, ",") + ")", nil
}

// own returns an error unless q is an open query of w.
func (w *matcher) own(op string, q *Query) error {
	switch {
	case w.closed:
		return w.shut(op)
	case q == nil:
		return w.fault(ErrArgument, op, "the query is nil")
	case q.world != w:
		return w.fault(ErrArgument, op, "the query belongs to world %q", q.world.name)
	case q.closed:
		return w.fault(ErrDisposed, op, "the query is closed")
	}
	return nil
}

// choose leaves the rows that q matches in w.runs, for a structural change of all of
// them that commit begins. It has completed the jobs, whose changes filters look at,
// and has changed nothing. What an archetype must allow is for its rows that match:
// one without such rows is not asked.
func (w *matcher) choose(op string, q *Query) error {
	if err := w.own(op, q); err != nil {
		return err
	}
	if err := w.settled(op); err != nil {
		return err
	}
	if err := w.complete(op); err != nil {
		return err
	}
	w.runs = w.runs[:0]
	for _, m := range q.matches {
		first := len(w.runs)
		for _, r := range m.look(&w.tables) {
			switch {
			case !m.passes(r, q.since):
			case m.rows == nil:
				w.runs = append(w.runs, span{r, 0, r.n})
			default:
				w.runs = q.appendRuns(w.runs, m, r)
			}
		}
		if len(w.runs) > first {
			if err := w.mayEdit(op, m.arch); err != nil {
				return err
			}
		}
	}
	return nil
}

// asks reports whether all entities that q matches have c, and whether it says
// that it writes c.
func (q *Query) asks(c *component) (asked, writes bool) {
	for _, d := range q.data {
		if d.comp == c && !d.optional {
			return true, d.write
		}
	}
	return slices.Contains(q.with, c) || slices.Contains(q.present, c), false
}

// queryFor returns the query of an owner, making it when it is new.
func (w *matcher) queryFor(op, owner string, terms []Term) *Query {
	id, err := w.idOf(op, owner, terms, nil)
	if err != nil {
		panic(err)
	}
	if q := w.cached[id]; q != nil {
		return q
	}
	q := &Query{world: w, owner: owner, terms: slices.Clone(terms)}
	for _, t := range terms {
		if err := q.add(op, t); err != nil {
			panic(err)
		}
	}
	if err := q.validate(op); err != nil {
		panic(err)
	}
	if err := q.hold(op); err != nil {
		panic(err)
	}
	if q.id, err = w.idOf(op, owner, terms, q.only); err != nil { // its values are known now
		panic(err)
	}
	q.hide()
	q.findRules()
	q.finish()
	q.considerAll()
	w.queries = append(w.queries, q)
	if owner != "" {
		if w.owned == nil {
			w.owned = map[string][]*Query{}
		}
		w.owned[owner] = append(w.owned[owner], q)
	}
	if w.cached == nil {
		w.cached = map[string]*Query{}
	}
	w.cached[q.id] = q
	w.notify()
	return q
}
