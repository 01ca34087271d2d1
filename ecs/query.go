package ecs

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/jobs/access"
)

// Query is a filter for entities that is built from terms (QueryBuilder and Filter in other libraries).
// It finds the chunks of all archetypes that match its terms, including archetypes that are created
// later. Create a query once and keep it. World.Query returns the same Query for the same terms in any
// order. Only the owner of the world may use a Query; jobs get the chunks of ParallelFor.
type Query struct {
	cacheKey string // the owner and the sorted terms
	owner    string // the system that the query was made for
	closed   bool
	since    uint32
	queryMatcher
	loopState
}

// loopState is the state of a query for loops over its chunks, on this goroutine or in jobs.
type loopState struct {
	allChunks    []queryChunk   // all chunks in one list, for jobs
	listEpoch    uint32         // the world's listEpoch when allChunks was made; 0: never
	loopEpoch    uint32         // listEpoch at the last loop of the owner that did not use the list
	freeChunks   []*Chunk       // for loops on the owner's goroutine
	maskScratch  []uint64       // scratch of matchingRows
	lookups      []refresher    // lookups made from the query
	parallelRuns []*parallelRun // all runs of ParallelFor, done or not
	workers      perWorker[workerChunks]
}

// Close removes the query from its world. The world then no longer matches new archetypes with it. Close
// first completes all jobs. Using the query afterwards is an error of category [ErrDisposed]. A query of a
// system is closed with the system. Calling Close for such a query returns an error of category
// [ErrState].
func (q *Query) Close() error {
	const op = "Query.Close"
	if err := checkOpenQuery(q, op); err != nil {
		return err
	}
	if q.owner != "" {
		return q.world.gate.fault(ErrState, op, "the query belongs to system %s and ends with it", q.owner)
	}
	return q.remove(op)
}

// remove removes the query from its world.
func (q *Query) remove(op string) error {
	w := q.world
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	defer w.gate.endUnchanged()
	if err := w.completeJobs(op); err != nil {
		return err
	}
	q.releaseShared()
	w.queries.removeQuery(q)
	if w.queries.byID[q.cacheKey] == q {
		delete(w.queries.byID, q.cacheKey)
	}
	q.closed, q.allChunks = true, nil
	w.shared.notify()
	return nil
}

// SetSince sets the version for [Changed] and [OrderChanged]: chunks that changed after it pass. The
// version is 0 at first, and then every chunk passes.
func (q *Query) SetSince(version uint32) { q.since = version }

// String returns the terms as they are written in a program.
func (q *Query) String() string {
	parts := make([]string, len(q.terms))
	for i, t := range q.terms {
		parts[i] = t.String()
	}
	return "Query(" + strings.Join(parts, ", ") + ")"
}

// queryKey returns the key of a query. Equal terms give the same key, in any order. The key has the index of
// each type and of each value of WithShared. A query stores its shared values, so that their indices do not
// change. A value that the world does not have yet gets the index -1, which no chunk uses. known is the list
// of values, if the caller has looked them up already. The bytes are scratch memory: the next call overwrites
// them.
func (w *World) queryKey(op, owner string, terms []Term, known []sharedFilter) ([]byte, error) {
	out := append(w.queries.keyScratch[:0], owner...)
	w.queries.keyScratch = nil // a method of a shared value may ask for a query
	out, err := w.appendTermKeys(append(out, 0), op, terms, known)
	w.queries.keyScratch = out[:0]
	return out, err
}

// termKey distinguishes the terms of a query. It consists of the mode, the type, the index of the shared
// value, and the key of the terms inside the term.
type termKey struct {
	mode             mode
	typeIndex, value int32
	inner            string
}

// appendTermKeys appends the keys of terms to out, in an order that does not depend on the order of the terms.
func (w *World) appendTermKeys(out []byte, op string, terms []Term, known []sharedFilter) ([]byte, error) {
	var few [8]termKey
	keys := few[:0]
	for _, t := range terms {
		k := termKey{mode: t.mode, typeIndex: -1}
		switch {
		case t.typ != nil:
			c, err := w.types.declaredOf(op, t)
			if err != nil {
				return out, err
			}
			k.typeIndex = int32(c.index)
			if t.mode != modeWithShared || !c.kind.has(isShared) {
				break
			}
			if len(known) > 0 {
				k.value, known = known[0].valueIndex, known[1:]
			} else if k.value, _, err = w.shared.lookup(op, w.shared.storeOf(c), t.value); err != nil {
				return out, err
			}
		case len(t.terms) > 0:
			inner, err := w.appendTermKeys(nil, op, t.terms, nil)
			if err != nil {
				return out, err
			}
			k.inner = string(inner)
		}
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b termKey) int {
		return cmp.Or(cmp.Compare(a.mode, b.mode), cmp.Compare(a.typeIndex, b.typeIndex), cmp.Compare(a.value, b.value), cmp.Compare(a.inner, b.inner))
	})
	for _, k := range keys {
		out = append(out, byte(k.mode))
		out = binary.LittleEndian.AppendUint32(out, uint32(k.typeIndex))
		out = binary.LittleEndian.AppendUint32(out, uint32(k.value))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(k.inner)))
		out = append(out, k.inner...)
	}
	return out, nil
}

// checkOpenQuery returns an error unless q is an open query.
func checkOpenQuery(q *Query, op string) error {
	if q == nil || q.world == nil {
		return noQueryError(op)
	}
	return q.world.checkOwnQuery(op, q)
}

// noQueryError returns the error of an operation whose query is nil.
func noQueryError(op string) *Error {
	return fault(ErrArgument, op, "the query is nil, or the zero Query: make one with World.Query")
}

// checkOwnQuery returns an error unless q is an open query of w.
func (w *World) checkOwnQuery(op string, q *Query) error {
	switch {
	case w == nil:
		return noWorldError(op)
	case !w.gate.usable:
		return w.gate.unavailableError(op)
	case q == nil:
		return w.gate.fault(ErrArgument, op, "the query is nil: make one with World.Query")
	case q.world != w:
		if q.world == nil {
			return noQueryError(op)
		}
		return w.gate.fault(ErrArgument, op, "the query belongs to world %q", q.world.gate.name)
	case q.closed:
		return w.gate.fault(ErrDisposed, op, "the query is closed")
	}
	return nil
}

// selectRows puts the rows that q matches into selectedRows. The caller then makes a structural change of all
// these rows, and begins it with beginAllowedChange. selectRows completes all jobs, because filters depend on
// the changes that jobs make. It has changed nothing itself. An archetype is checked only if some of its rows
// match.
func (w *World) selectRows(op string, q *Query) error {
	if err := w.checkOwnQuery(op, q); err != nil {
		return err
	}
	if err := w.checkCanChange(op); err != nil {
		return err
	}
	if err := w.completeJobs(op); err != nil {
		return err
	}
	w.queries.selectedRows = w.queries.selectedRows[:0]
	for _, m := range q.matches {
		first := len(w.queries.selectedRows)
		for _, r := range m.candidateChunks(&w.tables) {
			switch {
			case !m.chunkPasses(r, q.since):
			case m.rowFilter == nil:
				w.queries.selectedRows = append(w.queries.selectedRows, rowRange{r, 0, r.count})
			default:
				w.queries.selectedRows = q.appendRuns(w.queries.selectedRows, m, r)
			}
		}
		if len(w.queries.selectedRows) > first {
			if err := w.tables.checkNotMeta(op, m.arch); err != nil {
				return err
			}
		}
	}
	return nil
}

// findOrMakeQuery returns the query with the given owner and terms, and creates it if there is
// none.
func (w *World) findOrMakeQuery(op, owner string, terms []Term) *Query {
	id, err := w.queryKey(op, owner, terms, nil)
	if err != nil {
		panic(err)
	}
	if q := w.queries.byID[string(id)]; q != nil {
		return q
	}
	q := &Query{owner: owner, cacheKey: string(id)}
	if err := q.readTerms(w, op, terms); err != nil {
		panic(err)
	}
	if err := q.retainShared(op); err != nil {
		panic(err)
	}
	if len(q.sharedFilters) > 0 { // their values are in the world only now
		if id, err = w.queryKey(op, owner, terms, q.sharedFilters); err != nil {
			panic(err)
		}
		q.cacheKey = string(id)
	}
	q.addExisting()
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
	w.queries.byID[q.cacheKey] = q
	w.shared.notify()
	return q
}

// AppendValues appends the T of the entities that q matches to list, in the order of a loop. The result is
// a copy, row by row, which is useful for tests and files. It allocates only if list has too little
// capacity. It first completes jobs that write T. The error is of category [ErrState] if q does not
// require T, and of category [ErrArgument] if T is a tag or a shared component.
func AppendValues[T any](q *Query, list []T) ([]T, error) {
	const op = "AppendValues"
	c, err := componentForValues[T](q, op, false)
	if err != nil {
		return list, err
	}
	q.eachPassing(op, func(r *chunkData, mask []uint64, n int) bool {
		i := r.arch.findColumn(c.key)
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

// SetValues sets component T of the entities that q matches to the values of list, in the order of a
// loop, and marks T as changed in their chunks. SetValues first completes jobs that access T. The errors
// are the same as for [AppendValues]. In addition, if len(list) is not the number of entities, the error
// is of category [ErrArgument] and nothing is changed.
func SetValues[T any](q *Query, list []T) error {
	const op = "SetValues"
	c, err := componentForValues[T](q, op, true)
	if err != nil {
		return err
	}
	if n := q.Count(); n != len(list) {
		return q.world.gate.fault(ErrArgument, op, "there are %d values for %d entities", len(list), n).forComponent(c)
	}
	if guard {
		q.world.tables.noteOwnerWrite()
	}
	q.eachPassing(op, func(r *chunkData, mask []uint64, _ int) bool {
		i := r.arch.findColumn(c.key)
		r.mark(i, q.world.gate.changeVersion)
		eachRow(r, mask, func(row int) {
			writeRow(r, i, row, &list[0])
			list = list[1:]
		})
		return true
	})
	return nil
}

// componentForValues returns the component T of a query for reading or writing its rows, and completes the
// conflicting jobs.
func componentForValues[T any](q *Query, op string, write bool) (*component, error) {
	if err := checkOpenQuery(q, op); err != nil {
		return nil, err
	}
	w := q.world
	c, err := cachedComponentIn[T](w, op)
	if err != nil {
		return nil, err
	}
	if c.kind&(isTag|isShared|isBuffer|isPerChunk) != 0 {
		return nil, w.gate.fault(ErrArgument, op, "the component has no values in rows: it is a tag, a buffer, shared or of chunks").forComponent(c)
	}
	if asked, _ := q.requiresComponent(c); !asked {
		return nil, w.gate.fault(ErrState, op, "the query does not ask for the component: add Read, Write or With").forComponent(c)
	}
	return c, w.awaitComponent(op, c, write)
}

// eachRow calls f with each row of r whose bit in mask is set. If mask is nil, it calls f with all
// rows.
func eachRow(r *chunkData, mask []uint64, f func(row int)) {
	for row := range r.count {
		if mask == nil || mask[row>>6]>>(row&63)&1 != 0 {
			f(row)
		}
	}
}

// Mismatch explains in a sentence why q does not match e, for debugging. It names the first term that e
// does not satisfy. It returns "" if q matches e and e passes the filters. For a nil or zero Query it
// returns the text of an error.
func (q *Query) Mismatch(e Entity) string {
	const op = "Query.Mismatch"
	if err := checkOpenQuery(q, op); err != nil {
		return err.Error()
	}
	w := q.world
	s := w.tables.entities.find(e)
	if s == nil {
		return "it does not exist"
	}
	r := w.tables.chunks[s.chunk]
	m := q.matchOf(r.arch)
	if m == nil {
		return q.mismatch(r.arch)
	}
	w.awaitFilters(op, &q.queryMatcher)
	if !m.chunkPasses(r, q.since) {
		if !m.matchesGroup(r.group) {
			return "it has another shared value"
		}
		return "nothing has changed in its chunk since"
	}
	if m.rowFilter != nil && !m.rowFilter.passesRow(r, int(s.row)) {
		return q.mismatchRow(r, int(s.row))
	}
	return ""
}

// mismatch explains why q does not match archetype a.
func (q *queryMatcher) mismatch(a *archetype) string {
	lacks := func(c *component) string {
		if a.has(c) {
			return ""
		}
		return "it lacks " + c.typ.String()
	}
	for _, d := range q.columnTerms {
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
	for _, hidden := range []*component{q.world.types.prefab, q.world.types.inactive, q.world.types.ghost, q.world.types.chunkHeader, q.world.types.cleanupTag} {
		if hidden != nil && a.has(hidden) {
			return fmt.Sprintf("it has %v, which the query does not ask for", hidden.typ)
		}
	}
	return "it does not fit its terms"
}

// mismatchRow names the enableable component whose bit excludes a row from q.
func (s *signature) mismatchRow(r *chunkData, row int) string {
	for _, c := range s.enableables {
		i := r.arch.findColumn(c.key)
		if i < 0 || r.arch.columns[i].enabledIndex < 0 {
			continue
		}
		on := r.enabledBits[r.arch.columns[i].enabledIndex].isOn(row)
		if wanted := !slices.Contains(s.without, c) && !slices.Contains(s.disabled, c); on != wanted {
			return fmt.Sprintf("its %v is %s", c.typ, map[bool]string{false: "off", true: "on"}[on])
		}
	}
	return "what it has on and off does not fit"
}

// Access returns the components that jobs over q read and write, for an access.Tracker. The set grows when
// archetypes are created. The caller must not change it.
func (q *Query) Access() *access.Access { return &q.access }

// OrderCount returns a counter for the archetypes that the query matches. It increases when rows come or
// go, or when chunks get another shared value. If two counts are equal, no row came or went between them.
//
// OrderCount counts batches. Creating or destroying any number of entities counts once. Adding or removing
// a component counts twice: once for the archetype that the rows leave, and once for the archetype that they enter. For a
// query with [WithShared], only rows with the shared values of these terms count. Other filters are ignored. The count
// never decreases, and each [Restore] increases it by a large number, so that a count from before the Restore never
// equals a later count.
func (q *Query) OrderCount() uint32 {
	q.world.gate.mustNotBeLent("Query.OrderCount")
	n := q.world.hooks.orderCountBase()
	for _, m := range q.matches {
		n += m.orderCount()
	}
	return n
}

// MoveCount returns how many rows of the archetypes that the query matches were moved to or from another
// world, by MoveEntities, MoveMatching, [Excerpt.Insert] or [Excerpt.DestroySource]. The count never
// decreases. If two counts are equal, no move between worlds has cut a reference between such entities
// in the meantime.
func (q *Query) MoveCount() uint32 {
	n := q.world.hooks.orderCountBase()
	for _, m := range q.matches {
		n += m.arch.worldMoveCount
	}
	return n
}

// MatchesArchetype reports whether the query matches the entities of an archetype. It ignores the filters,
// and jobs may call it.
func (q *Query) MatchesArchetype(a Archetype) bool { return q.matchOf(a.arch) != nil }

// FiltersRows reports whether q may match some entities of an archetype and not others, because components
// are on for some rows and off for others.
func (q *Query) FiltersRows(a Archetype) bool {
	m := q.matchOf(a.arch)
	return m != nil && m.rowFilter != nil
}

// Unchanged reports whether a job over the query would find nothing to do. Unchanged is true if no
// chunk passes the query's Changed terms, and no scheduled job could make a chunk pass. Unchanged
// never waits. If it would have to wait for an answer, it returns false. It looks at archetypes and
// not at each chunk, so it costs little.
func (q *Query) Unchanged() bool {
	w := q.world
	w.gate.mustNotBeLent("Query.Unchanged")
	if q.closed || !q.checksVersions() || w.gate.inJob() {
		return false
	}
	if w.gate.jobs.jobsPending {
		w.gate.jobs.afterScratch = w.gate.jobs.tracker.Before(&q.access, w.gate.jobs.afterScratch[:0])
		if !allDone(w.gate.jobs.afterScratch) {
			return false
		}
	}
	return q.unchangedSince(q.since)
}

// Declares reports whether the query of the chunk declares that it reads, or writes, a [Worldwide] type.
// The type is given by its index in the accesses of world w. A query that writes the type reads it too.
// Jobs may call it.
func (c *Chunk) Declares(w *World, index int) (reads, writes bool) {
	c.mustBeShown("Chunk.Declares")
	if c.world.tables.archetypeWorld != w {
		return false, false
	}
	for b := c.bindings; b != nil; b = b.next {
		if b.comp.worldwide && b.comp.index == index {
			return true, b.write
		}
	}
	return false, false
}

// ID returns a small number that no other chunk of the world has. For example, a program can use it as an
// index into a slice of data about chunks. A chunk keeps its number as long as it exists, even if other
// chunks are created or freed, or if all of its rows become rows of another archetype without being
// copied. A later chunk may get the same number. [Chunk.OrderChangedSince] reports whether rows of the
// chunk came or went.
func (c *Chunk) ID() int {
	c.mustBeShown("Chunk.ID")
	return int(c.chunk.id)
}

// World returns the world that q belongs to.
func (q *Query) World() *World { return q.world }

// Query returns the query (a filter for entities) with the given terms. The same terms in any order
// return the same Query, so a program should call this once and keep the result. Query panics with an
// *Error if a type is not a component or occurs twice, or if a filter is for a type that no other term
// names.
func (w *World) Query(terms ...Term) *Query {
	const op = "Query"
	w.mustBeOpen(op)
	return w.findOrMakeQuery(op, "", terms)
}
