package ecs

import (
	"math/bits"
	"slices"
)

// rowFilter is the conditions of a query on the enabled bits of an archetype's rows.
type rowFilter struct {
	on    []int   // must be on
	off   []int   // must be off
	anyOn [][]int // one of each list must be on
	ways  [][]way // one of each list must hold
}

// newRowFilter returns the conditions of q on the bits of archetype a, including that the members of write
// groups are off; nil if there are none.
func newRowFilter(q *signature, a *archetype, chosen []alternatives, members []*component) *rowFilter {
	if q.ignore || a.switches == 0 {
		return nil
	}
	bit := func(c *component) int {
		if i := a.find(c.key); i >= 0 {
			return a.columns[i].bit
		}
		return -1
	}
	f := &rowFilter{}
	for _, d := range q.data {
		if i := bit(d.comp); i >= 0 && !d.optional {
			f.on = append(f.on, i)
		}
	}
	f.on = appendBits(f.on, bit, q.with)
	f.off = appendBits(f.off, bit, q.without)
	f.off = appendBits(f.off, bit, q.disabled)
	f.off = appendBits(f.off, bit, members)
	for _, set := range q.anyOf {
		always := slices.ContainsFunc(set, func(c *component) bool { return a.has(c) && bit(c) < 0 }) // one cannot be off
		if !always {
			f.anyOn = append(f.anyOn, appendBits(nil, bit, set))
		}
	}
	for _, ch := range chosen {
		if ways := ch.waysOf(bit); ways != nil {
			f.ways = append(f.ways, ways)
		}
	}
	if len(f.on)+len(f.off)+len(f.anyOn)+len(f.ways) == 0 {
		return nil
	}
	return f
}

// appendBits appends the bits of the components that have one.
func appendBits(bits []int, bit func(*component) int, comps []*component) []int {
	for _, c := range comps {
		if i := bit(c); i >= 0 {
			bits = append(bits, i)
		}
	}
	return bits
}

// rows returns the rows of r that pass, as bits in buf, and their number. The mask is nil if all rows
// pass.
func (f *rowFilter) rows(r *record, buf []uint64) (mask []uint64, n int) {
	if f.certain(r) {
		return nil, r.n
	}
	mask = buf[:wordsFor(r.n)]
	if n = f.fill(r, mask); n == r.n {
		return nil, n
	}
	return mask, n
}

// fill sets the bits of the rows of r that pass, and returns their number. It combines whole words of one
// bit list after the other, and never looks at single rows.
func (f *rowFilter) fill(r *record, mask []uint64) (n int) {
	on, ways := f.on, f.ways
	switch {
	case len(on) > 0:
		copy(mask, r.switches[on[0]].words)
		on = on[1:]
	case len(ways) > 0:
		fillWays(mask, ways[0], r)
		trim(mask, r.n)
		ways = ways[1:]
	default:
		for i := range mask {
			mask[i] = ^uint64(0)
		}
		trim(mask, r.n)
	}
	for _, k := range on {
		words := r.switches[k].words[:len(mask)]
		for i := range mask {
			mask[i] &= words[i]
		}
	}
	for _, k := range f.off {
		words := r.switches[k].words[:len(mask)]
		for i := range mask {
			mask[i] &^= words[i]
		}
	}
	if len(f.anyOn)+len(ways) > 0 {
		f.fillAny(r, mask, ways)
	}
	for _, v := range mask {
		n += bits.OnesCount64(v)
	}
	return n
}

// count returns how many rows of r pass; a nil filter passes all.
func (f *rowFilter) count(r *record) int {
	switch {
	case f == nil:
		return r.n
	case len(f.anyOn)+len(f.ways) > 0:
	case len(f.on) == 1 && len(f.off) == 0:
		return int(r.switches[f.on[0]].count)
	case len(f.on) == 0 && len(f.off) == 1:
		return r.n - int(r.switches[f.off[0]].count)
	}
	if f.certain(r) {
		return r.n
	}
	var mask [maskWords]uint64
	return f.fill(r, mask[:wordsFor(r.n)])
}

// trim clears the bits after those of n rows.
func trim(mask []uint64, n int) {
	if last := len(mask) - 1; last >= 0 {
		mask[last] &= lowBits(n - 64*last)
	}
}

// fillAny clears the rows in mask that fail a condition with alternatives; left are the alternatives to
// check.
func (f *rowFilter) fillAny(r *record, mask []uint64, left [][]way) {
	var room [maskWords]uint64
	any := room[:len(mask)]
	for _, set := range f.anyOn {
		clear(any)
		for _, k := range set {
			words := r.switches[k].words[:len(any)]
			for i := range any {
				any[i] |= words[i]
			}
		}
		and(mask, any)
	}
	for _, ways := range left {
		fillWays(any, ways, r)
		and(mask, any)
	}
}

// and clears the rows in mask that are not in o, which has the same length.
func and(mask, o []uint64) {
	o = o[:len(mask)]
	for i := range mask {
		mask[i] &= o[i]
	}
}

// certain reports whether the counts of bits already show that all rows pass.
func (f *rowFilter) certain(r *record) bool {
	all := int32(r.n)
	for _, k := range f.on {
		if r.switches[k].count != all {
			return false
		}
	}
	for _, k := range f.off {
		if r.switches[k].count != 0 {
			return false
		}
	}
	for _, set := range f.anyOn {
		full := false
		for _, k := range set {
			full = full || r.switches[k].count == all
		}
		if !full {
			return false
		}
	}
	return len(f.ways) == 0
}

// passes reports whether one row passes.
func (f *rowFilter) passes(r *record, row int) bool {
	for _, k := range f.on {
		if !r.switches[k].on(row) {
			return false
		}
	}
	for _, k := range f.off {
		if r.switches[k].on(row) {
			return false
		}
	}
	for _, set := range f.anyOn {
		one := false
		for _, k := range set {
			one = one || r.switches[k].on(row)
		}
		if !one {
			return false
		}
	}
	for _, ways := range f.ways {
		if !slices.ContainsFunc(ways, func(v way) bool { return v.passes(r, row) }) {
			return false
		}
	}
	return true
}

// maskWords is the number of words for the bits of a full chunk with the smallest rows.
const maskWords = maxRows / 64

// nextRun returns the first range [lo, hi) of rows in mask at or after row from; lo is n if there is none.
func nextRun(mask []uint64, from, n int) (lo, hi int) {
	lo = scan(mask, from, n, 0)
	return lo, scan(mask, lo, n, ^uint64(0))
}

// scan returns the first row at or after from whose bit is set if flip is 0, or clear if flip is all ones;
// n if there is none.
func scan(mask []uint64, from, n int, flip uint64) int {
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

// exact reports whether the WithShared terms give a value for each shared component, so that at most one
// group matches.
func (m *match) exact() bool { return len(m.only) == m.arch.shared }

// group returns the group with the values of exact WithShared terms; nil if there is none.
func (m *match) group() *group {
	var values [maxShared]int32
	for _, f := range m.only {
		values[f.at] = f.value
	}
	return m.arch.groups.find(values[:m.arch.shared])
}

// groupsOfOnly returns the groups that have the value of one WithShared term: of the term with the fewest
// groups.
func (m *match) groupsOfOnly() []*group {
	all := m.arch.groups.sharedIndexes()
	least := all[m.only[0].at].byValue[m.only[0].value]
	for _, f := range m.only[1:] {
		if list := all[f.at].byValue[f.value]; len(list) < len(least) {
			least = list
		}
	}
	return least
}

// chosen returns the chunks with the values of the WithShared terms, in order, or all chunks without such
// terms. Only the owner may call it, because it caches them until chunks come or go.
func (m *match) chosen(listing uint32) []*record {
	t := m.tally
	if t == nil {
		return m.arch.chunks
	}
	if t.listing != listing {
		t.listing = listing
		clear(t.chosen)
		t.chosen = m.choose(t.chosen[:0])
	}
	return t.chosen
}

// choose appends the chunks with the values of the WithShared terms, in order.
func (m *match) choose(list []*record) []*record {
	if m.exact() {
		if g := m.group(); g != nil {
			list = append(list, g.list...)
		}
	} else {
		for _, g := range m.groupsOfOnly() {
			if m.shares(g) {
				list = append(list, g.list...)
			}
		}
	}
	order := func(a, b *record) int { return a.index - b.index }
	if !slices.IsSortedFunc(list, order) {
		slices.SortFunc(list, order)
	}
	return list
}

// look returns chunks, in order, that include all those that pass the filters. Jobs may call it, because
// it writes no cache while jobs are pending.
func (m *match) look(w *tables) []*record {
	if m.tally == nil || w.gate.jobs.pending {
		return m.arch.chunks
	}
	return m.chosen(w.listing)
}

// tally keeps, for a query with WithShared, the counts of groups that have ended, so that the query's
// count never decreases.
type tally struct {
	match   *match
	orders  uint32
	chosen  []*record // the chunks with the values, in order
	listing uint32    // the world's listing when chosen was made; 0: never
}

// tallies is the tallies of an archetype by the first value that each query asks for. A group that ends
// finds its tallies without a search.
type tallies map[onlyAt][]*tally

// count makes the archetype of a match with WithShared report groups that end.
func (m *match) count() {
	if len(m.only) == 0 {
		return
	}
	m.tally = &tally{match: m}
	if !m.exact() {
		for _, f := range m.only {
			m.arch.groups.indexBy(f.at)
		}
	}
	all, _ := m.arch.counting.(tallies)
	if all == nil {
		all = tallies{}
		m.arch.counting = all
	}
	all[m.only[0]] = append(all[m.only[0]], m.tally)
}

// uncount undoes count when the query is closed.
func (m *match) uncount() {
	if m.tally == nil {
		return
	}
	at := m.only[0]
	all := m.arch.counting.(tallies)
	rest := slices.DeleteFunc(all[at], func(t *tally) bool { return t == m.tally })
	if all[at] = rest; len(rest) == 0 {
		delete(all, at)
	}
}

// ended adds the counts of a group that has lost its last chunk.
func (all tallies) ended(g *group) {
	for at, value := range g.values {
		for _, t := range all[onlyAt{at, value}] {
			if t.match.shares(g) {
				t.orders += g.orders
			}
		}
	}
}

// orders returns how often rows with the shared values of the match came or went.
func (m *match) orders() uint32 {
	a := m.arch
	if m.tally == nil {
		return a.orders
	}
	n := m.tally.orders
	if m.exact() {
		if g := m.group(); g != nil {
			n += g.orders
		}
		return n
	}
	for _, g := range m.groupsOfOnly() {
		if m.shares(g) {
			n += g.orders
		}
	}
	return n
}
