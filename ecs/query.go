package ecs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/jobs/access"
)

// Query is a filter for entities, built from terms (QueryBuilder and Filter elsewhere). It finds the
// chunks of all archetypes that match its terms, also of archetypes that are made later. Ask for it once
// and keep it. World.Query returns the same Query for the same terms in any order. It is for the owner of
// the world; jobs get the chunks of ParallelFor.
type Query struct {
	id     string // the owner and the sorted terms
	owner  string // the system that the query was made for
	closed bool
	since  uint32
	matching
	loops
}

// loops is the state of a query for loops over its chunks, on this goroutine or in jobs.
type loops struct {
	list    []listed    // all chunks in one list, for jobs
	listing uint32      // the world's listing when list was made; 0: never
	free    []*Chunk    // for loops on the owner's goroutine
	mask    []uint64    // scratch of rowsOf
	lookups []refresher // lookups made from the query
	runs    []*chunkRun // all runs of ParallelFor, done or not
	workers perWorker[workerChunks]
}

// Close removes the query from its world, which then no longer matches new archetypes with it. Close first
// completes all jobs. Using the query afterwards is an error of category [ErrDisposed]. A query of a
// system is closed with the system; for it Close returns an error of category [ErrState].
func (q *Query) Close() error {
	const op = "Query.Close"
	if err := asked(q, op); err != nil {
		return err
	}
	if q.owner != "" {
		return q.world.gate.fault(ErrState, op, "the query belongs to system %s and ends with it", q.owner)
	}
	return q.end(op)
}

// end removes the query from its world.
func (q *Query) end(op string) error {
	w := q.world
	if err := w.canChange(op); err != nil {
		return err
	}
	defer w.gate.idle()
	if err := w.complete(op); err != nil {
		return err
	}
	q.release()
	w.queries.disown(q)
	if w.queries.byID[q.id] == q {
		delete(w.queries.byID, q.id)
	}
	q.closed, q.list = true, nil
	w.shared.notify()
	return nil
}

// SetSince sets the version that [Changed] and [OrderChanged] compare with: chunks that changed later
// pass. It is 0 at first, and every chunk passes then.
func (q *Query) SetSince(version uint32) { q.since = version }

// String returns the terms as they are written in a program.
func (q *Query) String() string {
	parts := make([]string, len(q.terms))
	for i, t := range q.terms {
		parts[i] = t.String()
	}
	return "Query(" + strings.Join(parts, ", ") + ")"
}

// idOf returns the key of a query: equal for equal terms in any order. The key has the index of each type
// and of each value of WithShared. A query holds its values, so that their indices stay; a value that is
// not in the world yet has index -1, which no query has. known are the values if the caller has found them
// already.
func (w *World) idOf(op, owner string, terms []Term, known []only) (string, error) {
	parts := make([]string, len(terms))
	for i, t := range terms {
		parts[i] = modeNames[t.mode]
		switch {
		case t.typ != nil:
			c, err := w.types.declaredOf(op, t)
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
			} else if value, _, err = w.shared.seek(op, w.shared.storeOf(c), t.value); err != nil {
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

// asked returns an error unless q is an open query.
func asked(q *Query, op string) error {
	if q == nil || q.world == nil {
		return noQuery(op)
	}
	return q.world.own(op, q)
}

// noQuery returns the error of an operation that got no query.
func noQuery(op string) *Error {
	return fault(ErrArgument, op, "the query is nil, or the zero Query: make one with World.Query")
}

// own returns an error unless q is an open query of w.
func (w *World) own(op string, q *Query) error {
	switch {
	case w == nil:
		return noWorld(op)
	case !w.gate.alive:
		return w.gate.unavailable(op)
	case q == nil:
		return w.gate.fault(ErrArgument, op, "the query is nil: make one with World.Query")
	case q.world != w:
		if q.world == nil {
			return noQuery(op)
		}
		return w.gate.fault(ErrArgument, op, "the query belongs to world %q", q.world.gate.name)
	case q.closed:
		return w.gate.fault(ErrDisposed, op, "the query is closed")
	}
	return nil
}

// choose puts the rows that q matches into w.runs, for a structural change of all of them that commit
// begins. It completes the jobs, because filters look at the changes that they make, and has changed
// nothing. An archetype is checked only if some of its rows match.
func (w *World) choose(op string, q *Query) error {
	if err := w.own(op, q); err != nil {
		return err
	}
	if err := w.canChange(op); err != nil {
		return err
	}
	if err := w.complete(op); err != nil {
		return err
	}
	w.queries.runs = w.queries.runs[:0]
	for _, m := range q.matches {
		first := len(w.queries.runs)
		for _, r := range m.look(&w.tables) {
			switch {
			case !m.passes(r, q.since):
			case m.rows == nil:
				w.queries.runs = append(w.queries.runs, span{r, 0, r.n})
			default:
				w.queries.runs = q.appendRuns(w.queries.runs, m, r)
			}
		}
		if len(w.queries.runs) > first {
			if err := w.tables.mayEdit(op, m.arch); err != nil {
				return err
			}
		}
	}
	return nil
}

// queryFor returns the query of an owner, and makes it if it is new.
func (w *World) queryFor(op, owner string, terms []Term) *Query {
	id, err := w.idOf(op, owner, terms, nil)
	if err != nil {
		panic(err)
	}
	if q := w.queries.byID[id]; q != nil {
		return q
	}
	q := &Query{owner: owner}
	if err := q.ask(w, op, terms); err != nil {
		panic(err)
	}
	if err := q.hold(op); err != nil {
		panic(err)
	}
	if q.id, err = w.idOf(op, owner, terms, q.only); err != nil { // its values are known now
		panic(err)
	}
	q.considerAll()
	w.queries.list = append(w.queries.list, q)
	if owner != "" {
		if w.queries.byOwner == nil {
			w.queries.byOwner = map[string][]*Query{}
		}
		w.queries.byOwner[owner] = append(w.queries.byOwner[owner], q)
	}
	if w.queries.byID == nil {
		w.queries.byID = map[string]*Query{}
	}
	w.queries.byID[q.id] = q
	w.shared.notify()
	return q
}

// AppendValues appends the T of the entities that q matches to list, in the order of a loop. The result is
// a copy in rows, for tests and files. It allocates only if list has too little capacity. It first
// completes jobs that write T. The error is of category [ErrState] if q does not require T, and of
// category [ErrArgument] if T is a tag or a shared component.
func AppendValues[T any](q *Query, list []T) ([]T, error) {
	const op = "AppendValues"
	c, err := valuesOf[T](q, op, false)
	if err != nil {
		return list, err
	}
	q.passing(op, func(r *record, mask []uint64, n int) bool {
		i := r.arch.find(c.key)
		list = slices.Grow(list, n)
		eachRow(r, mask, func(row int) {
			var v T
			readRow(r, i, row, &v)
			list = append(list, v)
		})
		return true
	})
	return list, nil
}

// SetValues sets the T of the entities that q matches to the values of list, in the order of a loop, and
// marks T as changed in their chunks. It first completes jobs that touch T. The errors are those of
// [AppendValues], and one of category [ErrArgument] if len(list) is not the number of entities; nothing is
// changed then.
func SetValues[T any](q *Query, list []T) error {
	const op = "SetValues"
	c, err := valuesOf[T](q, op, true)
	if err != nil {
		return err
	}
	if n := q.Count(); n != len(list) {
		return q.world.gate.fault(ErrArgument, op, "there are %d values for %d entities", len(list), n).on(c)
	}
	if guard {
		q.world.tables.wrote()
	}
	q.passing(op, func(r *record, mask []uint64, _ int) bool {
		i := r.arch.find(c.key)
		r.mark(i, q.world.gate.version)
		eachRow(r, mask, func(row int) {
			writeRow(r, i, row, &list[0])
			list = list[1:]
		})
		return true
	})
	return nil
}

// valuesOf returns the component T of a query for reading or writing its rows, and completes the
// conflicting jobs.
func valuesOf[T any](q *Query, op string, write bool) (*component, error) {
	if err := asked(q, op); err != nil {
		return nil, err
	}
	w := q.world
	c, err := cachedComponentIn[T](w, op)
	if err != nil {
		return nil, err
	}
	if c.kind&(isTag|isShared|isBuffer|isPerChunk) != 0 {
		return nil, w.gate.fault(ErrArgument, op, "the component has no values in rows: it is a tag, a buffer, shared or of chunks").on(c)
	}
	if asked, _ := q.asks(c); !asked {
		return nil, w.gate.fault(ErrState, op, "the query does not ask for the component: add Read, Write or With").on(c)
	}
	return c, w.await(op, c, write)
}

// eachRow calls f with the rows of r that are in mask; a nil mask has all rows.
func eachRow(r *record, mask []uint64, f func(row int)) {
	for row := range r.n {
		if mask == nil || mask[row>>6]>>(row&63)&1 != 0 {
			f(row)
		}
	}
}

// Mismatch explains in a sentence why q does not match e, for debugging: it names the first term that e
// does not meet. It returns "" if q matches e and e passes the filters. For a nil or zero Query it returns
// the text of an error.
func (q *Query) Mismatch(e Entity) string {
	const op = "Query.Mismatch"
	if err := asked(q, op); err != nil {
		return err.Error()
	}
	w := q.world
	s := w.tables.entities.find(e)
	if s == nil {
		return "it does not exist"
	}
	r := w.tables.records[s.record]
	m := q.matchOf(r.arch)
	if m == nil {
		return q.mismatch(r.arch)
	}
	w.completeFilters(op, &q.matching)
	if !m.passes(r, q.since) {
		if !m.shares(r.group) {
			return "it has another shared value"
		}
		return "nothing has changed in its chunk since"
	}
	if m.rows != nil && !m.rows.passes(r, int(s.row)) {
		return q.mismatchRow(r, int(s.row))
	}
	return ""
}

// mismatch explains why q does not match archetype a.
func (q *matching) mismatch(a *archetype) string {
	lacks := func(c *component) string {
		if a.has(c) {
			return ""
		}
		return "it lacks " + c.typ.String()
	}
	for _, d := range q.data {
		if why := lacks(d.comp); why != "" && !d.optional {
			return why
		}
	}
	for _, c := range slices.Concat(q.with, q.present) {
		if why := lacks(c); why != "" {
			return why
		}
	}
	for _, c := range slices.Concat(q.without, q.absent) {
		if a.has(c) {
			return "it has " + c.typ.String()
		}
	}
	for _, set := range q.anyOf {
		if !slices.ContainsFunc(set, a.has) {
			return fmt.Sprintf("it has none of %s", setString(set))
		}
	}
	for _, hidden := range []*component{q.world.types.prefab, q.world.types.inactive, q.world.types.ghost, q.world.types.header, q.world.types.cleanupTag} {
		if hidden != nil && a.has(hidden) {
			return fmt.Sprintf("it has %v, which the query does not ask for", hidden.typ)
		}
	}
	return "it does not fit its terms"
}

// mismatchRow names the enableable component whose bit excludes a row from q.
func (s *signature) mismatchRow(r *record, row int) string {
	for _, c := range s.bits {
		i := r.arch.find(c.key)
		if i < 0 || r.arch.columns[i].bit < 0 {
			continue
		}
		on := r.switches[r.arch.columns[i].bit].on(row)
		if wanted := !slices.Contains(s.without, c) && !slices.Contains(s.disabled, c); on != wanted {
			return fmt.Sprintf("its %v is %s", c.typ, map[bool]string{false: "off", true: "on"}[on])
		}
	}
	return "what it has on and off does not fit"
}

// Access returns the components that jobs over q read and write, for an access.Tracker. The set grows when
// archetypes are made. The caller must not change it.
func (q *Query) Access() *access.Access { return &q.access }

// OrderCount returns how often rows of the archetypes that the query matches came or went, or their chunks
// got another shared value. Compare two counts: as long as they are equal, no row came or went.
//
// It counts batches: creating or destroying any number of entities counts once; adding or removing a
// component counts in the archetype that the rows leave, and in the one that they enter. For a query with
// [WithShared] only rows with that value count; other filters are ignored. The count never decreases, and
// each [Restore] moves it far ahead, so that a count from before the Restore does not equal one from after
// it.
func (q *Query) OrderCount() uint32 {
	q.world.gate.refuseLent("Query.OrderCount")
	n := q.world.hooks.passed()
	for _, m := range q.matches {
		n += m.orders()
	}
	return n
}

// MoveCount returns how many rows of the archetypes that the query matches have come from another world,
// or gone to one, by MoveEntities, MoveMatching, [Excerpt.Insert] or [Excerpt.DestroySource]. It never
// decreases. As long as two counts are equal, no move between worlds has cut a reference between such
// entities.
func (q *Query) MoveCount() uint32 {
	n := q.world.hooks.passed()
	for _, m := range q.matches {
		n += m.arch.crossings
	}
	return n
}

// MatchesArchetype reports whether the query matches the entities of an archetype. It ignores the filters,
// and jobs may call it.
func (q *Query) MatchesArchetype(a Archetype) bool { return q.matchOf(a.a) != nil }

// FiltersRows reports whether q may match some entities of an archetype and not others, because components
// are on for some rows and off for others.
func (q *Query) FiltersRows(a Archetype) bool {
	m := q.matchOf(a.a)
	return m != nil && m.rows != nil
}

// Unchanged reports whether a job over the query would find nothing to do: no chunk passes its Changed
// terms, and no scheduled job could change that. It never waits, and returns false if only a wait could
// tell. It looks at archetypes and not at each chunk, so that it costs little.
func (q *Query) Unchanged() bool {
	w := q.world
	w.gate.refuseLent("Query.Unchanged")
	if q.closed || !q.watches() || w.gate.inJob() {
		return false
	}
	if w.gate.jobs.pending {
		w.gate.jobs.after = w.gate.jobs.tracker.Before(&q.access, w.gate.jobs.after[:0])
		if !done(w.gate.jobs.after) {
			return false
		}
	}
	return q.still(q.since)
}

// Declares reports whether the query of the chunk declares that it reads, or writes, the [Worldwide] type
// with the given index in the accesses of world w. A query that writes it reads it too. Jobs may call it.
func (c *Chunk) Declares(w *World, index int) (reads, writes bool) {
	c.check("Chunk.Declares")
	if c.world.tables.original != w {
		return false, false
	}
	for i := range c.binds {
		if b := &c.binds[i]; b.comp.worldwide && b.comp.index == index {
			return true, b.write
		}
	}
	return false, false
}

// ID returns a small number that no other chunk of the world has. For example, it is the index into a
// slice of facts about chunks. A chunk keeps its number as long as it exists, even if other chunks come or
// go, or if all of its rows move to another archetype in place. A later chunk may get the same number.
// [Chunk.OrderChangedSince] reports whether rows of the chunk came or went.
func (c *Chunk) ID() int {
	c.check("Chunk.ID")
	return int(c.rec.id)
}

// World returns the world that q belongs to.
func (q *Query) World() *World { return q.world }

// Query returns the query with the given terms, a filter for entities. The same terms in any order give
// the same Query, so that a program asks once and keeps it. It panics with an *Error if a type is no
// component or comes twice, or if a filter is for a type that no other term names.
func (w *World) Query(terms ...Term) *Query {
	const op = "Query"
	w.mustBeOpen(op)
	return w.queryFor(op, "", terms)
}
