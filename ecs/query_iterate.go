package ecs

import (
	"iter"
	"slices"

	"github.com/lanewise/lanewise/soa"
)

// ChunkJob processes one chunk per call. ParallelFor uses the given value without a copy, so its
// fields must not change until the job is done. Several workers call Chunk at the same time, each with
// a different chunk.
type ChunkJob interface{ Chunk(*Chunk) }

// Chunks yields the matching chunks on this goroutine. It visits archetypes in the order in which they
// were created, and the chunks of each in order. It first completes jobs that conflict with the query.
// It does not allocate.
//
// Until the loop ends, structural changes of the world are an error of category [ErrState]. Record them
// with [Commands]. The yielded Chunk is valid until the next step of the loop, which reuses the same
// object.
func (q *Query) Chunks() iter.Seq[*Chunk] {
	return func(yield func(*Chunk) bool) { q.eachChunk("Query.Chunks", yield) }
}

// Run calls the job for each matching chunk on this goroutine, in the order of Chunks. If jobs had to be
// completed first and one of them has failed, Run returns the error and visits nothing.
func (q *Query) Run(job ChunkJob) error {
	const op = "Query.Run"
	switch {
	case q == nil || q.world == nil:
		return noQueryError(op)
	case job == nil:
		return q.world.gate.fault(ErrArgument, op, "the job is nil")
	}
	if err := q.world.gate.checkRead(op); err != nil {
		return err
	}
	if err := q.awaitConflicts(op); err != nil {
		return err
	}
	q.loopChunks(func(c *Chunk) bool { job.Chunk(c); return true })
	return nil
}

// eachChunk yields the matching chunks.
func (q *Query) eachChunk(op string, yield func(*Chunk) bool) {
	if err := q.awaitConflicts(op); err != nil {
		panic(err)
	}
	q.loopChunks(yield)
}

// awaitConflicts completes the jobs that conflict with the query.
func (q *Query) awaitConflicts(op string) error {
	w := q.world
	if !w.gate.usable || q.closed {
		if err := w.checkOwnQuery(op, q); err != nil {
			return err
		}
	}
	if err := w.gate.checkNotInJob(op); err != nil {
		return err
	}
	if w.gate.owner.changingG != 0 {
		if err := w.gate.checkNotChanging(op); err != nil {
			return err
		}
	}
	q.refreshLookups()
	if w.gate.jobs.jobsPending {
		return w.awaitAccess(op, &q.access)
	}
	return nil
}

// loopChunks yields the matching chunks after awaitConflicts.
func (q *Query) loopChunks(yield func(*Chunk) bool) {
	w := q.world
	c := q.takeChunk(w, q.headers)
	w.gate.activeLoops++
	defer func() {
		w.gate.activeLoops--
		q.giveChunk(c)
	}()
	if list := q.currentList(); list != nil {
		c.loopList(list, yield)
		return
	}
	base, end := 0, 0 // range of the chunks of an archetype among all
	for _, m := range q.matches {
		base, end = end, end+len(m.arch.chunks)
		if base == end || m.unchangedSince(q.since) {
			continue
		}
		m.bindColumnsOnce(&q.queryMatcher)
		c.rowMask, c.bindings = nil, firstBinding(m.bindings)
		for i, r := range m.selectedChunks(w.tables.listEpoch) {
			if m.checksVersions && !m.passesVersions(r, q.since) {
				continue
			}
			if m.mayFilter { // only some of them are in the list
				i = r.archetypeIndex
			}
			c.pointTo(rowRange{r, 0, r.count}, base+i)
			if m.rowFilter != nil && !c.filterRows(m) {
				continue
			}
			if !c.yieldChecked(yield) {
				return
			}
		}
	}
}

// currentList returns the list of all chunks for a loop of the owner. It returns nil if a filter may skip chunks or
// rows. It also returns nil in the first loop after the world got or lost chunks, because making the list takes
// about as long as one loop that has no list. So a program that creates chunks between all loops never makes the list.
func (q *Query) currentList() []queryChunk {
	epoch := q.world.tables.listEpoch
	switch {
	case q.filtersMatches:
	case q.listEpoch == epoch && epoch != 0:
		return q.allChunks
	case q.loopEpoch == epoch:
		return q.chunksInOrder()
	default:
		q.loopEpoch = epoch
	}
	return nil
}

// loopList yields the chunks of a list without filters. It does not access the archetypes, because in a world of
// many small archetypes each access would be a cache miss.
func (c *Chunk) loopList(list []queryChunk, yield func(*Chunk) bool) {
	c.rowMask, c.firstRow = nil, 0
	for i := range list {
		l := &list[i]
		r := l.chunk
		c.bindings, c.chunk, c.base, c.versions = firstBinding(l.match.bindings), r, r.Base, firstVersion(r.versions)
		c.count, c.index = r.count, l.index
		if guard {
			c.takeChecksums()
		}
		if !yield(c) {
			return
		}
		if guard {
			c.verifyChecksums()
		}
	}
}

// yieldChecked yields c. The guard build checks c before and after.
func (c *Chunk) yieldChecked(yield func(*Chunk) bool) bool {
	if guard {
		c.takeChecksums()
	}
	more := yield(c)
	if guard {
		c.verifyChecksums()
	}
	return more
}

// takeChunk returns a Chunk for a loop of the owner.
func (l *loopState) takeChunk(w *World, headers int) *Chunk {
	var c *Chunk
	if last := len(l.freeChunks) - 1; last >= 0 {
		c = l.freeChunks[last]
		l.freeChunks = l.freeChunks[:last]
	} else {
		c = newChunk(headers)
	}
	g := &w.gate
	c.world, c.structuralVersion, c.changeVersion, c.worker, c.jobOrder = w, g.structuralVersion, g.changeVersion, -1, g.jobs.jobCount
	return c
}

// giveChunk takes back a Chunk for reuse.
func (l *loopState) giveChunk(c *Chunk) {
	c.endTask()
	c.hide()
	l.freeChunks = append(l.freeChunks, c)
}

// newChunk returns a new Chunk that is not in use. It has memory for views with the given number of
// slices.
func newChunk(headers int) *Chunk {
	return &Chunk{cursor: cursor{viewHeaders: make([]soa.Header, headers), count: -1}}
}

// Created holds the rows that [World.Create] has created, so that the caller can fill them. A
// Created is valid until the next structural change. The zero Created has no rows.
type Created struct { // those in tables.createdRowsRows
	world             *World
	structuralVersion uint32
}

// Chunks yields the new rows chunk by chunk. The values of the new rows are zero. The views show only the
// new rows, which may be at the end of a chunk with older rows. Chunks panics with an *Error if a
// structural change came after the rows were created.
func (m Created) Chunks() iter.Seq[*Chunk] { // small, so that it is inlined into the loop, which then allocates nothing
	return func(yield func(*Chunk) bool) { m.eachChunk(yield) }
}

func (m Created) eachChunk(yield func(*Chunk) bool) {
	w := m.world
	if w == nil {
		return
	}
	if m.structuralVersion != w.gate.structuralVersion {
		panic(w.gate.fault(ErrDisposed, "Create", "a structural change came between making the rows and visiting them: visit them at once"))
	}
	var c *Chunk
	if last := len(w.queries.freeChunks) - 1; last >= 0 {
		c = w.queries.freeChunks[last]
		w.queries.freeChunks = w.queries.freeChunks[:last]
	} else {
		c = newChunk(0)
	}
	c.world, c.structuralVersion, c.changeVersion, c.worker, c.jobOrder = w, w.gate.structuralVersion, w.gate.changeVersion, -1, w.gate.jobs.jobCount
	w.gate.activeLoops++
	defer func() {
		w.gate.activeLoops--
		c.endTask()
		c.hide()
		w.queries.freeChunks = append(w.queries.freeChunks, c)
	}()
	for i, s := range w.tables.createdRows {
		a := s.chunk.arch
		m := w.queries.writeAllMatch(a)
		if len(c.viewHeaders) < a.headerCount {
			c.viewHeaders = make([]soa.Header, a.headerCount)
		}
		c.showRows(m, s, i)
		if !yield(c) {
			return
		}
	}
}

// Count returns the number of entities that match and pass the filters. Count adds up the lengths of
// chunks. It looks at single rows only if components can be off. Count first completes the jobs whose
// writes affect the filters. It panics with an *Error if the query is closed, or if it is called in a job
// and would have to wait.
func (q *Query) Count() int {
	const op = "Query.Count"
	if q == nil || q.world == nil {
		panic(noQueryError(op))
	}
	if err := q.world.checkOwnQuery(op, q); err != nil {
		panic(err)
	}
	q.world.awaitFilters(op, &q.queryMatcher)
	n := 0
	for _, m := range q.matches {
		switch {
		case !m.mayFilter:
			n += m.arch.rowCount
		case !m.unchangedSince(q.since):
			for _, r := range m.candidateChunks(&q.world.tables) {
				if m.chunkPasses(r, q.since) {
					n += m.rowFilter.countPassing(r)
				}
			}
		}
	}
	return n
}

// ChunkCount returns the number of chunks with rows that match and pass the filters. ChunkCount waits
// and panics as Count does.
func (q *Query) ChunkCount() int {
	n := 0
	q.eachPassing("Query.ChunkCount", func(*chunkData, []uint64, int) bool { n++; return true })
	return n
}

// Empty reports whether no entity matches and passes the filters. It stops at the first match, and waits
// and panics as Count does.
func (q *Query) Empty() bool {
	empty := true
	q.eachPassing("Query.Empty", func(*chunkData, []uint64, int) bool { empty = false; return false })
	return empty
}

// CountUnfiltered returns the number of matching entities. It ignores the filters and whether components
// are on or off, so it waits for no job.
func (q *Query) CountUnfiltered() int {
	if q == nil || q.world == nil {
		panic(noQueryError("Query.CountUnfiltered"))
	}
	if err := q.world.gate.checkOpen("Query.CountUnfiltered"); err != nil {
		panic(err)
	}
	q.world.gate.mustBeReadable("Query.CountUnfiltered")
	n := 0
	for _, m := range q.matches {
		n += m.arch.rowCount
	}
	return n
}

// EmptyUnfiltered reports whether no entity matches. It ignores the filters and whether components are on
// or off.
func (q *Query) EmptyUnfiltered() bool {
	if q == nil || q.world == nil {
		panic(noQueryError("Query.EmptyUnfiltered"))
	}
	if err := q.world.gate.checkOpen("Query.EmptyUnfiltered"); err != nil {
		panic(err)
	}
	q.world.gate.mustBeReadable("Query.EmptyUnfiltered")
	for _, m := range q.matches {
		if len(m.arch.chunks) > 0 {
			return false
		}
	}
	return true
}

// Matches reports whether e exists, matches, and passes the filters. If the query has filters, Matches
// first completes the jobs whose writes affect them. It panics with an *Error while the world is
// lent to a transaction.
func (q *Query) Matches(e Entity) bool {
	s := q.world.tables.entities.find(e)
	if s == nil {
		return q.world.gate.mustNotBeLent("Query.Matches")
	}
	r := q.world.tables.chunks[s.chunk]
	m := q.matchOf(r.arch)
	if m == nil || !m.mayFilter {
		return m != nil
	}
	q.world.awaitFilters("Query.Matches", &q.queryMatcher)
	return m.chunkPasses(r, q.since) && (m.rowFilter == nil || m.rowFilter.passesRow(r, int(s.row)))
}

// MatchesUnfiltered reports whether e exists and matches. It ignores the filters and whether components
// are on or off, because it checks only the archetype. So it waits for no job and takes a few
// nanoseconds.
func (q *Query) MatchesUnfiltered(e Entity) bool {
	s := q.world.tables.entities.find(e)
	if s == nil {
		return q.world.gate.mustNotBeLent("Query.MatchesUnfiltered")
	}
	return q.matchOf(q.world.tables.chunks[s.chunk].arch) != nil
}

// AppendEntities appends the entities that match and pass the filters to list, in the order of a loop.
func (q *Query) AppendEntities(list []Entity) []Entity {
	q.eachPassing("Query.AppendEntities", func(r *chunkData, mask []uint64, _ int) bool {
		own := r.ids()[:r.count]
		if mask == nil {
			list = append(list, own...)
			return true
		}
		for lo, hi := nextRun(mask, 0, r.count); lo < r.count; lo, hi = nextRun(mask, hi, r.count) {
			list = append(list, own[lo:hi]...)
		}
		return true
	})
	return list
}

// AppendOffsets appends one number for each chunk that a loop without filters would visit: the number of
// matching entities in earlier chunks. At the end it appends the number of all matching entities. The
// numbers count entities that pass the filters. For example, a job may write the i-th matching entity to
// element i of a slice. Its first element for a chunk c is list[c.Index()]; see [Chunk.Index].
func (q *Query) AppendOffsets(list []int) []int {
	const op = "Query.AppendOffsets"
	if err := checkOpenQuery(q, op); err != nil {
		panic(err)
	}
	q.world.awaitFilters(op, &q.queryMatcher)
	n := 0
	for _, m := range q.matches {
		for _, r := range m.arch.chunks {
			list = append(list, n)
			if !m.mayFilter {
				n += r.count
			} else if m.admitsChunk(r, q.since) {
				n += m.rowFilter.countPassing(r)
			}
		}
	}
	return append(list, n)
}

// eachPassing calls f with each chunk that has passing rows, until f returns false. The other arguments
// of f are the bits of these rows (nil if all rows pass) and their number.
func (q *Query) eachPassing(op string, f func(r *chunkData, mask []uint64, n int) bool) {
	if err := checkOpenQuery(q, op); err != nil {
		panic(err)
	}
	q.world.awaitFilters(op, &q.queryMatcher)
	for _, m := range q.matches {
		if m.unchangedSince(q.since) {
			continue
		}
		for _, r := range m.candidateChunks(&q.world.tables) {
			if !m.chunkPasses(r, q.since) {
				continue
			}
			if mask, n := q.matchingRows(m, r); n > 0 && !f(r, mask, n) {
				return
			}
		}
	}
}

// awaitFilters waits for jobs that write components of Changed terms, or enabled bits that affect
// which rows match.
func (w *World) awaitFilters(op string, q *queryMatcher) {
	w.gate.mustBeReadable(op)
	members := q.enableableMembers()
	if !w.gate.jobs.jobsPending || len(q.changedComponents)+len(q.changedAnyComponents)+len(q.enableables)+len(members) == 0 {
		return
	}
	if err := w.gate.checkNotInJob(op); err != nil {
		panic(err)
	}
	for _, list := range [...][]*component{q.changedComponents, q.changedAnyComponents, q.enableables, members} {
		for _, c := range list {
			if err := w.awaitComponent(op, c, false); err != nil {
				w.gate.addJobError(err)
			}
		}
	}
}

// appendRuns appends the ranges of matching rows of r, in descending order. So a caller may remove a
// range and fill the gap with later rows: the ranges of the later rows have been processed already.
func (l *loopState) appendRuns(runs []rowRange, m *match, r *chunkData) []rowRange {
	mask, n := l.matchingRows(m, r)
	if mask == nil {
		return append(runs, rowRange{r, 0, n})
	}
	first := len(runs)
	for lo, hi := nextRun(mask, 0, r.count); lo < r.count; lo, hi = nextRun(mask, hi, r.count) {
		runs = append(runs, rowRange{r, lo, hi - lo})
	}
	slices.Reverse(runs[first:])
	return runs
}

// matchingRows returns the bits of the matching rows of r and their number. The bits are nil if all rows match.
// The bits are valid until the next call.
func (l *loopState) matchingRows(m *match, r *chunkData) ([]uint64, int) {
	if m.rowFilter == nil {
		return nil, r.count
	}
	if l.maskScratch == nil {
		l.maskScratch = make([]uint64, maskWords)
	}
	return m.rowFilter.passingRows(r, l.maskScratch)
}
