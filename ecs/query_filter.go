package ecs

import (
	"math/bits"
	"slices"
)

// rowFilter holds the conditions of a query on the enabled bits of an archetype's rows.
type rowFilter struct {
	mustBeOn      []int             // must be on
	mustBeOff     []int             // must be off
	anyOn         [][]int           // one of each list must be on
	anyConditions [][]bitConditions // one of each list must hold
}

// newRowFilter returns the conditions of q on the bits of archetype a, or nil if there are none. One of
// the conditions is that the members of write groups are off.
func newRowFilter(q *signature, a *archetype, chosen []alternatives, members []*component) *rowFilter {
	if q.ignoreEnabled || a.enableableCount == 0 {
		return nil
	}
	bit := func(c *component) int {
		if i := a.findColumn(c.key); i >= 0 {
			return a.columns[i].enabledIndex
		}
		return -1
	}
	f := &rowFilter{}
	for _, d := range q.columnTerms {
		if i := bit(d.comp); i >= 0 && !d.optional {
			f.mustBeOn = append(f.mustBeOn, i)
		}
	}
	f.mustBeOn = appendBits(f.mustBeOn, bit, q.with)
	f.mustBeOff = appendBits(f.mustBeOff, bit, q.without)
	f.mustBeOff = appendBits(f.mustBeOff, bit, q.disabled)
	f.mustBeOff = appendBits(f.mustBeOff, bit, members)
	for _, set := range q.anyOf {
		always := slices.ContainsFunc(set, func(c *component) bool { return a.has(c) && bit(c) < 0 }) // one cannot be off
		if !always {
			f.anyOn = append(f.anyOn, appendBits(nil, bit, set))
		}
	}
	for _, ch := range chosen {
		if ways := ch.bitConditionsOf(bit); ways != nil {
			f.anyConditions = append(f.anyConditions, ways)
		}
	}
	if len(f.mustBeOn)+len(f.mustBeOff)+len(f.anyOn)+len(f.anyConditions) == 0 {
		return nil
	}
	return f
}

// appendBits appends the index of the enabled bits of each component that has enabled bits.
func appendBits(bits []int, bit func(*component) int, comps []*component) []int {
	for _, c := range comps {
		if i := bit(c); i >= 0 {
			bits = append(bits, i)
		}
	}
	return bits
}

// passingRows returns a mask, in buf, with the bits of those rows of r that pass. It also returns the number
// of these rows. The mask is nil if all rows pass.
func (f *rowFilter) passingRows(r *chunkData, buf []uint64) (mask []uint64, n int) {
	if f.allPass(r) {
		return nil, r.count
	}
	mask = buf[:wordsFor(r.count)]
	if n = f.fillMask(r, mask); n == r.count {
		return nil, n
	}
	return mask, n
}

// fillMask sets the bits of the rows of r that pass, and returns their number. It combines the bits of whole
// words, for one condition after the other, and never looks at single rows.
func (f *rowFilter) fillMask(r *chunkData, mask []uint64) (n int) {
	on, ways := f.mustBeOn, f.anyConditions
	switch {
	case len(on) > 0:
		copy(mask, r.enabledBits[on[0]].words)
		on = on[1:]
	case len(ways) > 0:
		fillAnyOf(mask, ways[0], r)
		clearTail(mask, r.count)
		ways = ways[1:]
	default:
		for i := range mask {
			mask[i] = ^uint64(0)
		}
		clearTail(mask, r.count)
	}
	for _, k := range on {
		words := r.enabledBits[k].words[:len(mask)]
		for i := range mask {
			mask[i] &= words[i]
		}
	}
	for _, k := range f.mustBeOff {
		words := r.enabledBits[k].words[:len(mask)]
		for i := range mask {
			mask[i] &^= words[i]
		}
	}
	if len(f.anyOn)+len(ways) > 0 {
		f.clearFailing(r, mask, ways)
	}
	for _, v := range mask {
		n += bits.OnesCount64(v)
	}
	return n
}

// countPassing returns the number of rows of r that pass. A nil filter passes all rows.
func (f *rowFilter) countPassing(r *chunkData) int {
	switch {
	case f == nil:
		return r.count
	case len(f.anyOn)+len(f.anyConditions) > 0:
	case len(f.mustBeOn) == 1 && len(f.mustBeOff) == 0:
		return int(r.enabledBits[f.mustBeOn[0]].onCount)
	case len(f.mustBeOn) == 0 && len(f.mustBeOff) == 1:
		return r.count - int(r.enabledBits[f.mustBeOff[0]].onCount)
	}
	if f.allPass(r) {
		return r.count
	}
	var mask [maskWords]uint64
	return f.fillMask(r, mask[:wordsFor(r.count)])
}

// clearTail clears the bits of mask from bit n on.
func clearTail(mask []uint64, n int) {
	if last := len(mask) - 1; last >= 0 {
		mask[last] &= lowBits(n - 64*last)
	}
}

// clearFailing clears the rows in mask that fail a condition with alternatives. left holds the alternatives
// to check.
func (f *rowFilter) clearFailing(r *chunkData, mask []uint64, left [][]bitConditions) {
	var room [maskWords]uint64
	any := room[:len(mask)]
	for _, set := range f.anyOn {
		clear(any)
		for _, k := range set {
			words := r.enabledBits[k].words[:len(any)]
			for i := range any {
				any[i] |= words[i]
			}
		}
		andMask(mask, any)
	}
	for _, ways := range left {
		fillAnyOf(any, ways, r)
		andMask(mask, any)
	}
}

// andMask clears the bits of mask that are not set in o, which has the same length.
func andMask(mask, o []uint64) {
	o = o[:len(mask)]
	for i := range mask {
		mask[i] &= o[i]
	}
}

// allPass reports whether the counts of bits already show that all rows pass.
func (f *rowFilter) allPass(r *chunkData) bool {
	all := int32(r.count)
	for _, k := range f.mustBeOn {
		if r.enabledBits[k].onCount != all {
			return false
		}
	}
	for _, k := range f.mustBeOff {
		if r.enabledBits[k].onCount != 0 {
			return false
		}
	}
	for _, set := range f.anyOn {
		full := false
		for _, k := range set {
			full = full || r.enabledBits[k].onCount == all
		}
		if !full {
			return false
		}
	}
	return len(f.anyConditions) == 0
}

// passesRow reports whether one row passes.
func (f *rowFilter) passesRow(r *chunkData, row int) bool {
	for _, k := range f.mustBeOn {
		if !r.enabledBits[k].isOn(row) {
			return false
		}
	}
	for _, k := range f.mustBeOff {
		if r.enabledBits[k].isOn(row) {
			return false
		}
	}
	for _, set := range f.anyOn {
		one := false
		for _, k := range set {
			one = one || r.enabledBits[k].isOn(row)
		}
		if !one {
			return false
		}
	}
	for _, ways := range f.anyConditions {
		if !slices.ContainsFunc(ways, func(v bitConditions) bool { return v.passesRow(r, row) }) {
			return false
		}
	}
	return true
}

// maskWords is the number of words of a mask with a bit for each row of the largest chunk.
const maskWords = maxRows / 64

// nextRun returns the first range [lo, hi) of rows whose bits are set, where lo is at least from.
// If there is none, lo is n.
func nextRun(mask []uint64, from, n int) (lo, hi int) {
	lo = nextBit(mask, from, n, 0)
	return lo, nextBit(mask, lo, n, ^uint64(0))
}

// nextBit returns the index of the next bit that is set if flip is 0, or clear if flip is all ones. The
// search begins at index from. If there is none, it returns n.
func nextBit(mask []uint64, from, n int, flip uint64) int {
	if from >= n {
		return n
	}
	i := from >> 6
	v := (mask[i] ^ flip) >> (from & 63) << (from & 63)
	for v == 0 {
		if i++; i == len(mask) {
			return n
		}
		v = mask[i] ^ flip
	}
	return min(n, i<<6+bits.TrailingZeros64(v))
}

// hasExactGroup reports whether the WithShared terms specify a value for each shared component, so that at most
// one group matches.
func (m *match) hasExactGroup() bool { return len(m.sharedFilters) == m.arch.sharedCount }

// exactGroup returns the group with the values of the WithShared terms, or nil if there is none.
func (m *match) exactGroup() *chunkGroup {
	var values [maxShared]int32
	for _, f := range m.sharedFilters {
		values[f.sharedColumn] = f.valueIndex
	}
	return m.arch.groups.find(values[:m.arch.sharedCount])
}

// fewestGroups looks at each WithShared term, and at the groups that have its value. It returns the
// groups for the term with the fewest groups.
func (m *match) fewestGroups() []*chunkGroup {
	all := m.arch.groups.sharedIndexes()
	least := all[m.sharedFilters[0].sharedColumn].byValue[m.sharedFilters[0].valueIndex]
	for _, f := range m.sharedFilters[1:] {
		if list := all[f.sharedColumn].byValue[f.valueIndex]; len(list) < len(least) {
			least = list
		}
	}
	return least
}

// selectedChunks returns the chunks with the values of the WithShared terms, in order. Without such terms, it
// returns all chunks. Only the owner may call it, because it caches the chunks until chunks are added or removed.
func (m *match) selectedChunks(listing uint32) []*chunkData {
	t := m.sharedCount
	if t == nil {
		return m.arch.chunks
	}
	if t.listEpoch != listing {
		t.listEpoch = listing
		clear(t.selectedChunks)
		t.selectedChunks = m.appendSelected(t.selectedChunks[:0])
	}
	return t.selectedChunks
}

// appendSelected appends the chunks with the values of the WithShared terms, in order.
func (m *match) appendSelected(list []*chunkData) []*chunkData {
	if m.hasExactGroup() {
		if g := m.exactGroup(); g != nil {
			list = append(list, g.allChunks...)
		}
	} else {
		for _, g := range m.fewestGroups() {
			if m.matchesGroup(g) {
				list = append(list, g.allChunks...)
			}
		}
	}
	order := func(a, b *chunkData) int { return a.archetypeIndex - b.archetypeIndex }
	if !slices.IsSortedFunc(list, order) {
		slices.SortFunc(list, order)
	}
	return list
}

// candidateChunks returns chunks that may pass the filters, in order. All chunks that pass are among them.
// Jobs may call it, because it writes no cache while jobs are pending.
func (m *match) candidateChunks(w *tables) []*chunkData {
	if m.sharedCount == nil || w.gate.jobs.jobsPending {
		return m.arch.chunks
	}
	return m.selectedChunks(w.listEpoch)
}

// sharedFilterCount is for a query with WithShared. It stores the order counts of groups that were deleted,
// so that the query's order count never decreases.
type sharedFilterCount struct {
	match          *match
	orderCount     uint32
	selectedChunks []*chunkData // the chunks with the values, in order
	listEpoch      uint32       // the world's listEpoch when selectedChunks was made; 0: never
}

// sharedFilterCounts holds the sharedFilterCounts of an archetype. The key is the value of the query's first
// WithShared term. So when a group is deleted, the counts to which it contributes are found without a search.
type sharedFilterCounts map[sharedFilterAt][]*sharedFilterCount

// startCounting is called for a match with WithShared. It makes the archetype report each group
// that is deleted.
func (m *match) startCounting() {
	if len(m.sharedFilters) == 0 {
		return
	}
	m.sharedCount = &sharedFilterCount{match: m}
	if !m.hasExactGroup() {
		for _, f := range m.sharedFilters {
			m.arch.groups.addIndex(f.sharedColumn)
		}
	}
	all, _ := m.arch.groupObserver.(sharedFilterCounts)
	if all == nil {
		all = sharedFilterCounts{}
		m.arch.groupObserver = all
	}
	all[m.sharedFilters[0]] = append(all[m.sharedFilters[0]], m.sharedCount)
}

// stopCounting undoes startCounting when the query is closed.
func (m *match) stopCounting() {
	if m.sharedCount == nil {
		return
	}
	at := m.sharedFilters[0]
	all := m.arch.groupObserver.(sharedFilterCounts)
	rest := slices.DeleteFunc(all[at], func(t *sharedFilterCount) bool { return t == m.sharedCount })
	if all[at] = rest; len(rest) == 0 {
		delete(all, at)
	}
}

// groupDeleted adds the order count of a group that has lost its last chunk to the counts of
// queries.
func (all sharedFilterCounts) groupDeleted(g *chunkGroup) {
	for at, value := range g.valueIndices {
		for _, t := range all[sharedFilterAt{at, value}] {
			if t.match.matchesGroup(g) {
				t.orderCount += g.orderCount
			}
		}
	}
}

// orderCount counts the changes in which rows with the shared values of the match came or went.
func (m *match) orderCount() uint32 {
	a := m.arch
	if m.sharedCount == nil {
		return a.orderCount
	}
	n := m.sharedCount.orderCount
	if m.hasExactGroup() {
		if g := m.exactGroup(); g != nil {
			n += g.orderCount
		}
		return n
	}
	for _, g := range m.fewestGroups() {
		if m.matchesGroup(g) {
			n += g.orderCount
		}
	}
	return n
}
