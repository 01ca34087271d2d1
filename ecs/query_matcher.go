package ecs

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs/access"
)

// queryList holds the queries of a world. Each new archetype is matched against all of them.
type queryList struct {
	list             []*Query
	byID             map[string]*Query
	byOwner          map[string][]*Query // the queries of each system
	freeChunks       []*Chunk            // for loops of the owner
	writeAllMatches  []*match            // by archetype: a match that writes all columns, for Create; nil before the first Create
	candidateScratch archetypeSet        // scratch of candidates
	selectedRows     []rowRange          // scratch: the rows of an operation on many entities
	keyScratch       []byte              // scratch of queryKey
}

// matchNew matches a new archetype against every query.
func (l *queryList) matchNew(a *archetype) {
	for _, q := range l.list {
		q.addIfMatching(a)
	}
}

// forgetMemory visits all Chunks that are not in use, and drops their pointers to the memory
// that they showed last. Each such pointer would keep a slab alive.
func (l *queryList) forgetMemory() {
	for _, c := range l.freeChunks {
		c.dropRefs()
	}
	for _, q := range l.list {
		for _, c := range q.freeChunks {
			c.dropRefs()
		}
		for s := range allWorkers(&q.workers) {
			for c := s.firstChunk; c != nil; c = c.nestedChunk {
				c.dropRefs()
			}
		}
	}
}

// removeQuery removes a closed query from the lists of w. It searches from the end, because systems are
// closed in reverse order.
func (l *queryList) removeQuery(q *Query) {
	for i, o := range slices.Backward(l.list) {
		if o == q {
			l.list = slices.Delete(l.list, i, i+1)
			break
		}
	}
	if q.owner == "" {
		return
	}
	if own := slices.DeleteFunc(l.byOwner[q.owner], func(o *Query) bool { return o == q }); len(own) > 0 {
		l.byOwner[q.owner] = own
	} else {
		delete(l.byOwner, q.owner)
	}
}

// writeAllMatch returns a match with write access to all columns of a, for newly created rows.
func (l *queryList) writeAllMatch(a *archetype) *match {
	l.writeAllMatches = slices.Grow(l.writeAllMatches, max(0, a.index+1-len(l.writeAllMatches)))[:max(len(l.writeAllMatches), a.index+1)]
	if m := l.writeAllMatches[a.index]; m != nil {
		return m
	}
	m := &match{arch: a, isBound: true, chunkFilters: &noChunkFilters}
	view := 0
	for i := range a.columns {
		c := a.columns[i].comp
		if c.kind.has(isShared) {
			continue
		}
		m.bindings = append(m.bindings, newColumnBinding(a, columnTerm{comp: c, write: true, viewIndex: view}, len(m.bindings)))
		view += max(1, len(c.viewLanes))
	}
	m.linkBindings()
	l.writeAllMatches[a.index], a.headerCount = m, view
	return m
}

// queryMatcher holds the terms of a query and the archetypes that match them. A queryMatcher uses the
// archetypes and rows of the world. Loops over rows use the queryMatcher.
type queryMatcher struct {
	world *World
	signature
	excluded            []*component                 // components that hide their entities from the query
	required            []*component                 // every matching archetype has them
	forbidden           []*component                 // and none of these
	access              access.Access                // of jobs over the query
	writeGroupMembers   atomic.Pointer[[]*component] // members of write groups whose bits decide about rows: jobs read it; the owner stores a new list before it schedules jobs over a new match
	involvesMeta        bool                         // a match involves meta entities
	filtersMatches      bool                         // a match has mayFilter
	filtersChunks       bool                         // a Changed, OrderChanged or WithShared term may skip chunks
	matchesSimply       bool                         // all archetypes that fit match, and only enableable components filter rows
	matches             []*match
	published           atomic.Pointer[matchIndex] // matches by archetype: lookups in jobs read it, and see at least the matches from before their scheduling; the owner stores it
	freeMatches         []match                    // not yet used
	freeFilteredMatches []filteredMatch            // the same, if filtersChunks
	freeBindings        []columnBinding            // not yet used
}

// allocLists allocates several lists in one block of memory, with capacities that suffice for most queries of n
// terms. A list that becomes longer is reallocated separately.
func (q *queryMatcher) allocLists(n int) {
	const hidden = 4 // components that findExcluded knows
	memory := make([]*component, 3*n+2*hidden)
	next := func(n int) []*component {
		list := memory[:0:n]
		memory = memory[n:]
		return list
	}
	q.with, q.required, q.excluded, q.forbidden = next(n), next(n), next(hidden), next(n+hidden)
	q.columnTerms = make([]columnTerm, 0, n)
}

// readTerms reads the terms, and returns an error if they do not fit together. It matches nothing yet.
func (q *queryMatcher) readTerms(w *World, op string, terms []Term) error {
	q.world, q.terms = w, slices.Clone(terms)
	q.allocLists(len(terms))
	p := termReader{w, op, &q.signature}
	for _, t := range terms {
		if err := p.add(t); err != nil {
			return err
		}
	}
	if err := p.validate(); err != nil {
		return err
	}
	q.filtersChunks = len(q.sharedFilters) > 0 || q.checksVersions()
	q.matchesSimply = len(q.anyOf)+len(q.choices) == 0 && !q.filtersChunks && !q.filterWriteGroup
	q.findExcluded()
	q.findRequired()
	q.resolveTerms()
	return nil
}

// resolveTerms derives the lists and sets that the query needs from its terms.
func (q *queryMatcher) resolveTerms() {
	note := func(d columnTerm) {
		switch {
		case d.comp.kind.has(isTag) && !d.comp.kind.has(isEnableable):
		case d.write:
			q.access.Write.Add(d.comp.index)
		default:
			q.access.Read.Add(d.comp.index)
		}
	}
	values := func(d columnTerm) { // of chunks
		if d.comp.perChunkValue != nil {
			note(columnTerm{comp: d.comp.perChunkValue, write: d.write})
		}
	}
	for i := range q.columnTerms {
		q.columnTerms[i].viewIndex = q.headers
		q.headers += max(1, len(q.columnTerms[i].comp.viewLanes))
		note(q.columnTerms[i])
		values(q.columnTerms[i])
	}
	for _, d := range q.reachTerms {
		note(d)
	}
	for _, c := range slices.Concat(q.changedComponents, q.changedAnyComponents, q.enableables) {
		if !q.access.Write.Has(c.index) {
			q.access.Read.Add(c.index)
		}
		if c.perChunkValue != nil && !q.access.Write.Has(c.perChunkValue.index) {
			q.access.Read.Add(c.perChunkValue.index)
		}
	}
}

// retainShared finds the values of the WithShared terms and increments their counts. It is called last, when
// nothing else can refuse the query.
func (q *queryMatcher) retainShared(op string) error {
	w := q.world
	err := w.shared.internTogether(func() (err error) {
		i := 0
		for _, t := range q.terms {
			if t.mode == modeWithShared && err == nil {
				q.sharedFilters[i].valueIndex, err = w.shared.intern(op, w.shared.storeOf(q.sharedFilters[i].comp), t.value)
				i++
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range q.sharedFilters {
		w.shared.storeOf(f.comp).retain(f.valueIndex)
	}
	return nil
}

// releaseShared drops the query's values and matches.
func (q *queryMatcher) releaseShared() {
	for _, f := range q.sharedFilters {
		q.world.shared.storeOf(f.comp).release(f.valueIndex)
	}
	for _, m := range q.matches {
		m.stopCounting()
	}
	q.matches, q.freeMatches, q.freeFilteredMatches, q.freeBindings = nil, nil, nil, nil
	q.published.Store(nil)
}

// candidates returns the archetypes that have all required components and none of the forbidden
// components. These are the archetypes for which matchesArchetype returns true. The set is valid
// until the next call.
func (q *queryMatcher) candidates() archetypeSet {
	w := q.world
	set := w.queries.candidateScratch[:0]
	for range (len(w.tables.archetypes) + 63) >> 6 {
		set = append(set, ^uint64(0))
	}
	w.queries.candidateScratch = set
	if odd := len(w.tables.archetypes) & 63; odd > 0 {
		set[len(set)-1] = 1<<odd - 1
	}
	need := func(c *component) {
		own := w.tables.archetypesOf(c)
		set = set[:min(len(set), len(own))]
		for i := range set {
			set[i] &= own[i]
		}
	}
	forbid := func(c *component) {
		own := w.tables.archetypesOf(c)
		own = own[:min(len(set), len(own))]
		for i := range own {
			set[i] &^= own[i]
		}
	}
	for _, c := range q.required {
		need(c)
	}
	for _, c := range q.forbidden {
		forbid(c)
	}
	return set
}

// findRequired lists the components that every archetype of the query must have, and the components that
// none may have.
func (q *queryMatcher) findRequired() {
	for _, d := range q.columnTerms {
		if !d.optional {
			q.required = append(q.required, d.comp)
		}
	}
	q.required = append(append(q.required, q.with...), q.present...)
	for _, c := range q.without {
		if !c.kind.has(isEnableable) {
			q.forbidden = append(q.forbidden, c)
		}
	}
	q.forbidden = append(q.forbidden, q.absent...)
	if len(q.choices) == 0 { // otherwise an alternative may ask for a hidden component
		q.forbidden = append(q.forbidden, q.excluded...)
	}
}

// matchesArchetype reports whether archetype a has all required components and none of the
// forbidden components.
func (q *queryMatcher) matchesArchetype(a *archetype) bool {
	for _, c := range q.required {
		if !a.has(c) {
			return false
		}
	}
	for _, c := range q.forbidden {
		if a.has(c) {
			return false
		}
	}
	return true
}

// addExisting calls addFitting for all existing archetypes that can match. The query is new, so no job reads it
// yet.
func (q *queryMatcher) addExisting() {
	set := q.candidates()
	n := 0
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	if n == 0 {
		return
	}
	q.allocMatches(n)
	archetypes := q.world.tables.archetypes
	f := newMatchIndex(len(archetypes), n)
	n = 0
	for i, word := range set {
		before, matching := n, uint64(0)
		for ; word != 0; word &= word - 1 {
			a := archetypes[i<<6+bits.TrailingZeros64(word)]
			if m := q.matchArchetype(a); m != nil {
				f.matches[n] = m
				n++
				matching |= word & -word
				q.noteMatched(a)
			}
		}
		if matching != 0 { // one store for 64 archetypes, because it is atomic
			f.words[i].matchesBefore = uint32(before)
			f.words[i].bits.Store(matching)
		}
	}
	q.matches = f.matches[:n]
	q.published.Store(f)
}

// findExcluded finds the components that hide entities from the query. A component such as
// Prefab does so if no term mentions it.
func (q *queryMatcher) findExcluded() {
	w := q.world
	mentions := func(c *component) bool {
		return slices.Contains(q.with, c) || slices.Contains(q.present, c) ||
			slices.ContainsFunc(q.columnTerms, func(d columnTerm) bool { return d.comp == c }) ||
			slices.ContainsFunc(q.anyOf, func(set []*component) bool { return slices.Contains(set, c) })
	}
	if !mentions(w.types.chunkHeader) {
		q.excluded = append(q.excluded, w.types.chunkHeader)
	}
	for i, c := range [...]*component{w.types.prefab, w.types.inactive, w.types.ghost} {
		if q.includedKinds&(1<<i) == 0 && !mentions(c) {
			q.excluded = append(q.excluded, c)
		}
	}
}

// addWriteGroupMembers adds members of write groups. Their enabled bits affect which rows the query matches. It
// creates a new list, because jobs may be reading the old one.
func (q *queryMatcher) addWriteGroupMembers(members []*component) {
	if len(members) == 0 {
		return
	}
	list := slices.Clone(q.enableableMembers())
	for _, c := range members {
		if slices.Contains(list, c) {
			continue
		}
		list = append(list, c)
		if !q.access.Write.Has(c.index) {
			q.access.Read.Add(c.index)
		}
	}
	q.writeGroupMembers.Store(&list)
}

// enableableMembers returns the members of write groups that are enableable and occur in an
// archetype.
func (q *queryMatcher) enableableMembers() []*component {
	if list := q.writeGroupMembers.Load(); list != nil {
		return *list
	}
	return nil
}

// signature holds the terms of a query, as components of its world.
type signature struct {
	terms                []Term
	columnTerms          []columnTerm
	headers              int // number of slices in the views of a chunk
	with                 []*component
	without              []*component
	anyOf                [][]*component
	choices              []alternatives // AnyOf with AllOf
	present              []*component   // with those that must be off
	absent               []*component
	disabled             []*component
	ignoreEnabled        bool         // IgnoreEnabled
	enableables          []*component // enableable components that decide about rows
	includedKinds        hiddenKinds  // kinds that are hidden by default, and that this query matches
	changedComponents    []*component
	changedAnyComponents []*component // of ChangedAny
	orderChanged         bool         // OrderChanged
	filterWriteGroup     bool         // FilterWriteGroup
	sharedFilters        []sharedFilter
	reachTerms           []columnTerm // Anywhere, Elsewhere, and Worldwide types
}

// columnTerm describes a component whose column the query reads or writes.
type columnTerm struct {
	comp            *component
	write           bool
	optional        bool
	insideAllOf     bool // inside an AllOf
	insideElsewhere bool // inside an Elsewhere
	viewIndex       int  // index of the first slice of its view
}

// sharedFilter is a filter by shared value.
type sharedFilter struct {
	comp       *component
	valueIndex int32
}

// maxFilters is the largest number of Changed terms in a query, and of WithShared terms.
const maxFilters = 2

// checksVersions reports whether the query has a term that looks at versions.
func (s *signature) checksVersions() bool {
	return len(s.changedComponents)+len(s.changedAnyComponents) > 0 || s.orderChanged
}

// requiresComponent reports in asked whether all entities that q matches have c, and in writes whether q
// declares that it writes c.
func (s *signature) requiresComponent(c *component) (asked, writes bool) {
	for _, d := range s.columnTerms {
		if d.comp == c && !d.optional {
			return true, d.write
		}
	}
	return slices.Contains(s.with, c) || slices.Contains(s.present, c), false
}

// countWorldwides returns the number of Worldwide types that the query declares access to.
func (s *signature) countWorldwides() (n int) {
	for _, d := range s.reachTerms {
		if d.comp.worldwide {
			n++
		}
	}
	return n
}

// alternatives represents an AnyOf term with AllOf terms inside: at least one AllOf must hold.
type alternatives []*alternative

// alternative holds the conditions of one AllOf.
type alternative struct {
	with, without, present, absent, disabled []*component
}

// eachNamed calls f with all components that an alternative names.
func (o *alternative) eachNamed(f func(*component)) {
	for _, list := range [...][]*component{o.with, o.without, o.present, o.absent, o.disabled} {
		for _, c := range list {
			f(c)
		}
	}
}

// hasTerm reports whether a term of the alternative is for c.
func (o *alternative) hasTerm(c *component) (found bool) {
	o.eachNamed(func(own *component) { found = found || own == c })
	return found
}

// requiresPresent reports whether the alternative requires c to be present, on or off.
func (o *alternative) requiresPresent(c *component) bool {
	return slices.Contains(o.with, c) || slices.Contains(o.present, c) || slices.Contains(o.disabled, c)
}

// canMatch reports whether the alternative can hold for entities of a.
func (o *alternative) canMatch(a *archetype) bool {
	for _, list := range [...][]*component{o.with, o.present, o.disabled} {
		for _, c := range list {
			if !a.has(c) {
				return false
			}
		}
	}
	for _, c := range o.without {
		if a.has(c) && !c.kind.has(isEnableable) {
			return false
		}
	}
	for _, c := range o.absent {
		if a.has(c) {
			return false
		}
	}
	return true
}

// bitConditions holds the conditions of an alternative on the bits of an archetype's rows. All of
// them must hold.
type bitConditions []bitCondition

// bitCondition requires one enabled bit to be set. If flipMask is all ones, the bit must be clear.
type bitCondition struct {
	bitColumn int
	flipMask  uint64
}

// bitConditionsOf returns, for each alternative, its conditions on enabled bits. It returns nil
// if one of the alternatives has no such condition.
func (ch alternatives) bitConditionsOf(bit func(*component) int) []bitConditions {
	var ways []bitConditions
	for _, o := range ch {
		var v bitConditions
		for _, c := range o.with {
			if i := bit(c); i >= 0 {
				v = append(v, bitCondition{i, 0})
			}
		}
		for _, c := range slices.Concat(o.without, o.disabled) {
			if i := bit(c); i >= 0 {
				v = append(v, bitCondition{i, ^uint64(0)})
			}
		}
		if len(v) == 0 {
			return nil
		}
		ways = append(ways, v)
	}
	return ways
}

// fillAnyOf sets the bit in mask of each row of r that satisfies at least one of the bitConditions. It may also
// set bits after the last row.
func fillAnyOf(mask []uint64, ways []bitConditions, r *chunkData) {
	clear(mask)
	for _, v := range ways {
		v.orInto(mask, r)
	}
}

// orInto sets the bit in mask of each row of r that satisfies all conditions. One or two conditions are combined
// word by word in one loop.
func (v bitConditions) orInto(mask []uint64, r *chunkData) {
	a, b := v[0], v[len(v)-1]
	x, y := r.enabledBits[a.bitColumn].words[:len(mask)], r.enabledBits[b.bitColumn].words[:len(mask)]
	if len(v) <= 2 {
		for i := range mask {
			mask[i] |= (x[i] ^ a.flipMask) & (y[i] ^ b.flipMask)
		}
		return
	}
	for i := range mask {
		all := (x[i] ^ a.flipMask) & (y[i] ^ b.flipMask)
		for _, t := range v[1 : len(v)-1] {
			all &= r.enabledBits[t.bitColumn].words[i] ^ t.flipMask
		}
		mask[i] |= all
	}
}

// passesRow reports whether one row satisfies the conditions.
func (v bitConditions) passesRow(r *chunkData, row int) bool {
	for _, t := range v {
		if r.enabledBits[t.bitColumn].isOn(row) != (t.flipMask == 0) {
			return false
		}
	}
	return true
}
