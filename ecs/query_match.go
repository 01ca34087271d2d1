package ecs

import (
	"iter"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// match is an archetype that a query matches, together with the positions of the query's columns in
// it.
type match struct {
	arch           *archetype
	bindings       []columnBinding // set when a row is shown for the first time
	isBound        bool            // bindings are set
	joinsChunks    bool            // the bindings can show rows of neighbouring chunks as one view
	orderChanged   bool            // there is an OrderChanged term
	checksVersions bool            // there is a term that looks at versions
	involvesMeta   bool            // such a term involves meta entities
	mayFilter      bool            // chunkPasses may be false, or rowFilter is set
	firstChunk     int32           // index of its first chunk in the query's list
	chunkCount     int32           // number of its chunks
	rowFilter      *rowFilter      // nil: all rows of a chunk match
	*chunkFilters
}

// chunkFilters holds those filters of a match that can skip whole chunks.
type chunkFilters struct {
	changedColumns []int   // columns of the Changed terms
	newestVersion  *uint32 // version of the last change in the archetype; nil if it does not cover all terms
	sharedFilters  []sharedFilterAt
	sharedCount    *sharedFilterCount // nil without WithShared
}

// noChunkFilters is shared by the matches of all queries without such filters, and never written. So these
// matches have half the size, which matters because a query has a match for each archetype.
var noChunkFilters chunkFilters

// filteredMatch is a match of a query with filters that skip chunks.
type filteredMatch struct {
	match
	chunkFilters
}

// sharedFilterAt is a filter by shared value in an archetype.
type sharedFilterAt struct {
	sharedColumn int // index in the group's values
	valueIndex   int32
}

// columnBinding describes where a match finds the column of one component of the query.
type columnBinding struct {
	key             key            // zero if the archetype does not have it
	next            *columnBinding // the next one
	column          int16          // in the archetype, or -1
	index           int16          // its index in the bindings
	viewIndex       int32          // index of the first slice of the view
	firstLane       uint32         // the first lane, for shapes of neighbouring lanes
	rowBytes        uint32         // bytes of a row
	viewKind        uint8          // how the view is filled
	write           bool
	concurrentWrite bool         // other workers may write it, through a Lookup
	lanes           []table.Lane // one for each slice of the view
	comp            *component
}

// These are the shapes of a view. For views of one, three or four neighbouring lanes, no loop over the
// lanes is needed.
const (
	viewNone uint8 = iota
	viewOneLane
	viewThreeLanes
	viewFourLanes
	viewAnyLanes
	viewBuffers
	viewManaged
)

// newColumnBinding finds a component in an archetype.
func newColumnBinding(a *archetype, d columnTerm, self int) columnBinding {
	c := d.comp
	b := columnBinding{key: c.key, column: int16(a.findColumn(c.key)), index: int16(self), viewIndex: int32(d.viewIndex), write: d.write, comp: c}
	if b.column < 0 {
		b.key = key{} // so that no lookup finds it
		return b
	}
	col := &a.columns[b.column]
	if c.viewHasAllLanes() {
		b.lanes = col.lanes
	} else {
		for _, i := range c.viewLanes {
			b.lanes = append(b.lanes, col.lanes[i])
		}
	}
	switch {
	case c.kind.has(isBuffer):
		b.viewKind = viewBuffers
	case c.kind.has(isManaged):
		b.viewKind = viewManaged
	case len(b.lanes) > 0:
		b.viewKind = viewAnyLanes
		b.firstLane, b.rowBytes = b.lanes[0].Index, b.lanes[0].Size
		for i, l := range b.lanes {
			if l.Size != b.rowBytes || l.Index != b.firstLane+uint32(i) {
				return b
			}
		}
		switch len(b.lanes) {
		case 1:
			b.viewKind = viewOneLane
		case 3:
			b.viewKind = viewThreeLanes
		case 4:
			b.viewKind = viewFourLanes
		}
	}
	return b
}

// viewHasAllLanes reports whether the slices of the view are all lanes in order.
func (c *component) viewHasAllLanes() bool {
	for i, l := range c.viewLanes {
		if l != i {
			return false
		}
	}
	return len(c.viewLanes) == len(c.lanes)
}

// linkBindings links the bindings into a list, after all of them are set.
func (m *match) linkBindings() {
	for i := 1; i < len(m.bindings); i++ {
		m.bindings[i-1].next = &m.bindings[i]
	}
}

// addIfMatching adds archetype a to the query if it matches. A world never removes archetypes, and numbers
// them in the order of creation. So a query only appends matches, and its matches stay in that order. The
// numbers of chunks in earlier matches also stay correct.
func (q *queryMatcher) addIfMatching(a *archetype) {
	if q.matchesArchetype(a) {
		q.addFitting(a)
	}
}

// addFitting does the work of addIfMatching for an archetype for which matchesArchetype returns
// true.
func (q *queryMatcher) addFitting(a *archetype) {
	m := q.matchArchetype(a)
	if m == nil {
		return
	}
	q.appendMatch(m)
	q.noteMatched(a)
}

// noteMatched adds an archetype that the query matches to the set of archetypes that the query's
// jobs access.
func (q *queryMatcher) noteMatched(a *archetype) {
	if len(q.reachTerms) == 0 {
		q.access.Where.Add(a.index)
		if a.meta != nil {
			q.access.Where.Add(a.meta.index)
		}
	}
}

// matchArchetype returns the match for an archetype for which matchesArchetype returns true, or nil if the
// query does not match it for another reason. The result depends only on the archetype and the query, which
// never change, so it stays valid permanently. The match does not depend on rows, values or versions. For
// these it has filters. The columns are found later, when rows are shown for the first time, because most
// archetypes in a large set are empty.
func (q *queryMatcher) matchArchetype(a *archetype) *match {
	if q.matchesSimply && a.enableableCount == 0 {
		m := q.newMatch()
		m.arch = a
		return m
	}
	for _, set := range q.anyOf {
		if !slices.ContainsFunc(set, a.has) {
			return nil
		}
	}
	var chosen []alternatives
	if len(q.choices) > 0 {
		ok := false
		if chosen, ok = q.possibleAlternatives(a); !ok {
			return nil
		}
	}
	taken, switched := q.isOverridden(a)
	if taken {
		return nil
	}
	m := q.newMatch()
	m.arch, m.orderChanged, m.checksVersions = a, q.orderChanged, q.checksVersions()
	q.findChangedColumns(m, switched)
	for _, f := range q.sharedFilters {
		m.sharedFilters = append(m.sharedFilters, sharedFilterAt{a.columns[a.findColumn(f.comp.key)].sharedIndex, f.valueIndex})
	}
	m.startCounting()
	q.addWriteGroupMembers(switched)
	if m.checksVersions && !m.involvesMeta {
		m.newestVersion = &a.changeSummary.versions[a.index&63]
	}
	q.involvesMeta = q.involvesMeta || m.involvesMeta
	m.rowFilter = newRowFilter(&q.signature, a, chosen, switched)
	m.mayFilter = len(m.sharedFilters) > 0 || m.checksVersions || m.rowFilter != nil
	q.filtersMatches = q.filtersMatches || m.mayFilter
	return m
}

// findChangedColumns finds the columns whose versions decide whether a chunk of m passes. These are the
// columns of the Changed terms. If there are any, the columns of enableable members of write groups are
// added.
func (q *queryMatcher) findChangedColumns(m *match, switched []*component) {
	if len(q.changedComponents)+len(q.changedAnyComponents) == 0 {
		return
	}
	for _, c := range slices.Concat(q.changedComponents, q.changedAnyComponents, switched) {
		if i := m.arch.findColumn(c.key); i >= 0 {
			m.changedColumns = append(m.changedColumns, i)
			m.involvesMeta = m.involvesMeta || m.arch.isMeta || c.perChunkValue != nil
		}
	}
}

// possibleAlternatives returns, for each AnyOf with alternatives, those that can hold for entities of a. ok
// is false if one AnyOf cannot hold, or if a hidden component excludes a. For example, a prefab matches only
// through alternatives that ask for prefabs.
func (q *queryMatcher) possibleAlternatives(a *archetype) (chosen []alternatives, ok bool) {
	var hidden []*component
	for _, c := range q.excluded {
		if a.has(c) {
			hidden = append(hidden, c)
		}
	}
	for _, ch := range q.choices {
		var own alternatives
		for _, o := range ch {
			if o.canMatch(a) {
				own = append(own, o)
			}
		}
		if len(own) == 0 {
			return nil, false
		}
		chosen = append(chosen, own)
	}
	for _, c := range hidden {
		lifted := false
		for i, ch := range chosen {
			lifts := slices.DeleteFunc(slices.Clone(ch), func(o *alternative) bool { return !o.requiresPresent(c) })
			if len(lifts) > 0 {
				chosen[i], lifted = lifts, true
				break
			}
		}
		if !lifted {
			return nil, false
		}
	}
	return chosen, true
}

// newMatch returns an empty match.
func (q *queryMatcher) newMatch() *match {
	if len(q.freeMatches)+len(q.freeFilteredMatches) == 0 {
		q.allocMatches(min(max(len(q.matches), 1), 32))
	}
	if !q.filtersChunks {
		m := &q.freeMatches[0]
		q.freeMatches = q.freeMatches[1:]
		m.chunkFilters = &noChunkFilters
		return m
	}
	m := &q.freeFilteredMatches[0]
	q.freeFilteredMatches = q.freeFilteredMatches[1:]
	m.match.chunkFilters = &m.chunkFilters
	return &m.match
}

// allocMatches allocates n matches.
func (q *queryMatcher) allocMatches(n int) {
	if q.filtersChunks {
		q.freeFilteredMatches = make([]filteredMatch, n)
	} else {
		q.freeMatches = make([]match, n)
	}
}

// bindColumnsOnce finds the columns of the query in the archetype before its rows are shown for the first time.
// The owner calls it before jobs get the chunks, so jobs only read bindings.
func (m *match) bindColumnsOnce(q *queryMatcher) {
	if !m.isBound {
		m.bindColumns(q)
	}
}

func (m *match) bindColumns(q *queryMatcher) {
	n := len(q.columnTerms) + q.countWorldwides()
	if len(q.freeBindings) < n {
		q.freeBindings = make([]columnBinding, n*min(max(len(q.matches), 1), 32))
	}
	m.bindings, q.freeBindings = q.freeBindings[:0:n], q.freeBindings[n:]
	for _, d := range q.columnTerms {
		b := newColumnBinding(m.arch, d, len(m.bindings))
		for _, r := range q.reachTerms {
			b.concurrentWrite = b.concurrentWrite || r.comp == d.comp && r.write
		}
		m.bindings = append(m.bindings, b)
	}
	q.appendWorldwideBindings(m)
	m.linkBindings()
	m.isBound, m.joinsChunks = true, m.columnsContinue()
}

// allRowsPass reports whether all rows of r pass the conditions on enabled bits.
func (m *match) allRowsPass(r *chunkData) bool { return m.rowFilter == nil || m.rowFilter.allPass(r) }

// columnsContinue reports whether neighbouring chunks can be shown as one view, because the columns of the
// query continue from a full chunk to the next chunk of its region.
func (m *match) columnsContinue() bool {
	s := m.arch.shape
	if !s.Dense(0) {
		return false
	}
	for i := range m.bindings {
		b := &m.bindings[i]
		switch {
		case b.column < 0:
			continue
		case b.comp.perChunkValue != nil, b.viewKind == viewBuffers, b.viewKind == viewManaged:
			return false
		}
		for _, l := range m.arch.columns[b.column].lanes {
			if !s.Dense(l.Index) {
				return false
			}
		}
	}
	return true
}

// appendWorldwideBindings appends the query's Worldwide types to the bindings of an archetype. Only
// Chunk.Declares finds them there.
func (q *queryMatcher) appendWorldwideBindings(m *match) {
	for _, d := range q.reachTerms {
		if d.comp.worldwide {
			m.bindings = append(m.bindings, newColumnBinding(m.arch, d, len(m.bindings)))
		}
	}
}

// unchangedSince reports whether the versions of archetypes show that no chunk can pass the filters.
func (q *queryMatcher) unchangedSince(since uint32) bool {
	for range q.changedMatches(since) {
		return false
	}
	return true
}

// changedMatches yields the matches whose chunks may pass the filters, according to the versions of archetypes.
func (q *queryMatcher) changedMatches(since uint32) iter.Seq[*match] {
	return func(yield func(*match) bool) {
		f := q.published.Load()
		if f == nil {
			return
		}
		for i := range f.words {
			all := f.words[i].bits.Load()
			if all == 0 || !q.involvesMeta && !changedSince(loadVersion(&q.world.tables.changeSummaries[i].newest), since) {
				continue
			}
			for at := int(f.words[i].matchesBefore); all != 0; all &= all - 1 {
				if m := f.matches[at]; !m.unchangedSince(since) && !yield(m) {
					return
				}
				at++
			}
		}
	}
}

// unchangedSince reports whether the versions of the archetype show that none of its chunks can pass the filters.
func (m *match) unchangedSince(since uint32) bool {
	switch {
	case !m.checksVersions:
		return false
	case m.newestVersion != nil && !changedSince(loadVersion(m.newestVersion), since):
		return true
	}
	return m.arch.unchangedSince(m.changedColumns, since) && !(m.involvesMeta && m.metaChangedSince(since))
}

// metaChangedSince reports whether a chunk component of the archetype may have been written directly in the
// meta entities.
func (m *match) metaChangedSince(since uint32) bool {
	a := m.arch
	for _, i := range m.changedColumns {
		if per := a.columns[i].comp.perChunkValue; per != nil && changedSince(loadVersion(&a.meta.newestVersions[a.meta.findColumn(per.key)]), since) {
			return true
		}
	}
	return false
}

// admitsChunk reports whether the chunk r passes the filters. It checks the archetype first, because the
// archetype's versions are in the cache after its first chunk. For an archetype with one chunk it skips this check,
// because the versions of the chunk give the same answer without another cache miss.
func (m *match) admitsChunk(r *chunkData, since uint32) bool {
	return (m.chunkCount == 1 || !m.unchangedSince(since)) && m.chunkPasses(r, since)
}

// chunkPasses reports whether the chunk r passes the filters.
func (m *match) chunkPasses(r *chunkData, since uint32) bool {
	return (len(m.sharedFilters) == 0 || m.matchesGroup(r.group)) && (!m.checksVersions || m.passesVersions(r, since))
}

// matchesGroup reports whether chunks of group g have the values of the WithShared terms.
func (m *match) matchesGroup(g *chunkGroup) bool {
	for _, f := range m.sharedFilters {
		if g.valueIndices[f.sharedColumn] != f.valueIndex {
			return false
		}
	}
	return true
}

// passesVersions reports whether the chunk r passes the filters that look at versions.
func (m *match) passesVersions(r *chunkData, since uint32) bool {
	for _, i := range m.changedColumns {
		v := loadVersion(&r.versions[i])
		if m.involvesMeta {
			if r.metaChangedSince(i, since) {
				return true
			}
			v = r.changedAt(i)
		}
		if changedSince(v, since) {
			return true
		}
	}
	return m.orderChanged && changedSince(r.orderVersion, since)
}

// matchIndex maps each archetype to its match, for one query. Jobs read it while the owner creates
// archetypes. Therefore the owner stores the match first and sets the bit of the archetype last. It
// changes no other data that jobs read.
type matchIndex struct {
	words   []matchIndexWord
	matches []*match // in the order of archetypes; nil beyond the last one
}

// matchIndexWord holds the matches of 64 archetypes.
type matchIndexWord struct {
	bits          atomic.Uint64 // the matching ones; written by the owner, read by any goroutine
	matchesBefore uint32        // number of matches in earlier words; set if bits is not 0
}

// newMatchIndex returns a matchIndex for the given numbers of archetypes and matches.
func newMatchIndex(archetypes, matches int) *matchIndex {
	return &matchIndex{make([]matchIndexWord, (archetypes+63)>>6), make([]*match, matches)}
}

// matchAt returns the match of an archetype, or nil.
func (f *matchIndex) matchAt(index int) *match {
	if index>>6 >= len(f.words) {
		return nil
	}
	word := &f.words[index>>6]
	all, own := word.bits.Load(), uint64(1)<<(index&63)
	if all&own == 0 {
		return nil
	}
	return f.matches[int(word.matchesBefore)+bits.OnesCount64(all&(own-1))]
}

// appendMatch appends a match to the matches of the query. All archetypes of earlier matches must
// be older.
func (q *queryMatcher) appendMatch(m *match) {
	f, n, at := q.published.Load(), len(q.matches), m.arch.index
	if f == nil || at>>6 >= len(f.words) || n == len(f.matches) {
		more := newMatchIndex(max(2*at, 64), max(2*n, 4))
		for i := range q.matches {
			more.appendMatch(q.matches[i], i)
		}
		f = more
		f.appendMatch(m, n)
		q.published.Store(f)
	} else {
		f.appendMatch(m, n)
	}
	q.matches = f.matches[:n+1]
}

// appendMatch appends a match to the index, which has n matches so far.
func (f *matchIndex) appendMatch(m *match, n int) {
	word := &f.words[m.arch.index>>6]
	all := word.bits.Load()
	if all == 0 {
		word.matchesBefore = uint32(n)
	}
	f.matches[n] = m
	word.bits.Store(all | 1<<(m.arch.index&63))
}

// matchOf returns the match of archetype a, or nil if the query does not match it. Jobs may call
// it.
func (q *queryMatcher) matchOf(a *archetype) *match {
	f := q.published.Load()
	if f == nil || a == nil || a.world != q.world.tables.archetypeWorld {
		return nil
	}
	return f.matchAt(a.index)
}
