package ecs

import (
	"iter"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/table"
)

// match is an archetype that a query matches, with the places of the query's columns in it.
type match struct {
	arch     *archetype
	binds    []bind  // set when a row is shown for the first time
	bound    bool    // binds are set
	long     bool    // the binds can show rows of neighbouring chunks as one view
	changed  []int   // columns of the Changed terms
	newest   *uint32 // version of the last change in the archetype; nil if it does not cover all terms
	ordered  bool    // there is an OrderChanged term
	watches  bool    // there is a term that looks at versions
	metas    bool    // such a term involves meta entities
	filtered bool    // passes may be false, or rows is set
	first    int32   // index of its first chunk in the query's list
	chunks   int32   // number of its chunks
	only     []onlyAt
	tally    *tally     // nil without WithShared
	rows     *rowFilter // nil: all rows of a chunk match
}

// onlyAt is a filter by shared value in an archetype.
type onlyAt struct {
	at    int // index in the group's values
	value int32
}

// bind is one component of a query in one archetype.
type bind struct {
	key    key    // zero if the archetype does not have it
	next   *bind  // the next one
	column int16  // in the archetype, or -1
	self   int16  // its index in the binds
	view   int32  // index of the first slice of the view
	lane   uint32 // the first lane, for shapes of neighbouring lanes
	size   uint32 // bytes of a row
	shape  uint8  // how the view is filled
	write  bool
	shared bool         // other workers may write it, through a Lookup
	lanes  []table.Lane // one for each slice of the view
	comp   *component
}

// Shapes of a view. For one, three and four neighbouring lanes in order, the view is filled without a loop
// over the lanes.
const (
	shapeNone uint8 = iota
	shapeOne
	shapeThree
	shapeFour
	shapeAny
	shapeBuffers
	shapeObjects
)

// newBind finds a component in an archetype.
func newBind(a *archetype, d data, self int) bind {
	c := d.comp
	b := bind{key: c.key, column: int16(a.find(c.key)), self: int16(self), view: int32(d.view), write: d.write, comp: c}
	if b.column < 0 {
		b.key = key{} // so that no lookup finds it
		return b
	}
	col := &a.columns[b.column]
	if c.viewsAll() {
		b.lanes = col.lanes
	} else {
		for _, i := range c.view {
			b.lanes = append(b.lanes, col.lanes[i])
		}
	}
	switch {
	case c.kind.has(isBuffer):
		b.shape = shapeBuffers
	case c.kind.has(isManaged):
		b.shape = shapeObjects
	case len(b.lanes) > 0:
		b.shape = shapeAny
		b.lane, b.size = b.lanes[0].Index, b.lanes[0].Size
		for i, l := range b.lanes {
			if l.Size != b.size || l.Index != b.lane+uint32(i) {
				return b
			}
		}
		switch len(b.lanes) {
		case 1:
			b.shape = shapeOne
		case 3:
			b.shape = shapeThree
		case 4:
			b.shape = shapeFour
		}
	}
	return b
}

// viewsAll reports whether the slices of the view are all lanes in order.
func (c *component) viewsAll() bool {
	for i, l := range c.view {
		if l != i {
			return false
		}
	}
	return len(c.view) == len(c.lanes)
}

// join links the binds into a list when all are set.
func (m *match) join() {
	for i := 1; i < len(m.binds); i++ {
		m.binds[i-1].next = &m.binds[i]
	}
}

// consider adds archetype a to the query if it matches. A world never removes archetypes, and makes them
// in the order of their numbers. Therefore a query only appends matches, and they stay in that order;
// counts of chunks over them stay right.
func (q *matching) consider(a *archetype) {
	if q.fits(a) {
		q.admit(a)
	}
}

// admit is consider for an archetype that fits.
func (q *matching) admit(a *archetype) {
	m := q.examine(a)
	if m == nil {
		return
	}
	q.place(m)
	if len(q.reach) == 0 {
		q.access.Where.Add(a.index)
		if a.meta != nil {
			q.access.Where.Add(a.meta.index)
		}
	}
}

// examine returns the match of an archetype that fits, or nil if the query does not match it. The result
// depends only on the archetype and the query, which never change, so that it stays valid permanently.
// Conditions on rows, values or versions belong to the match's filters. The columns are found later, when
// rows are shown for the first time, because most of many archetypes are empty.
func (q *matching) examine(a *archetype) *match {
	for _, set := range q.anyOf {
		if !slices.ContainsFunc(set, a.has) {
			return nil
		}
	}
	var chosen []alternatives
	if len(q.choices) > 0 {
		ok := false
		if chosen, ok = q.choose(a); !ok {
			return nil
		}
	}
	taken, switched := q.overridden(a)
	if taken {
		return nil
	}
	m := q.newMatch()
	m.arch, m.ordered, m.watches = a, q.ordered, q.watches()
	q.findChanged(m, switched)
	for _, f := range q.only {
		m.only = append(m.only, onlyAt{a.columns[a.find(f.comp.key)].shared, f.value})
	}
	m.count()
	q.note(switched)
	if m.watches && !m.metas {
		m.newest = &a.summary.own[a.index&63]
	}
	q.metas = q.metas || m.metas
	m.rows = newRowFilter(&q.signature, a, chosen, switched)
	m.filtered = len(m.only) > 0 || m.watches || m.rows != nil
	return m
}

// findChanged finds the columns whose versions decide whether a chunk of m passes: those of the Changed
// terms and, if there are any, those of switched members of write groups.
func (q *matching) findChanged(m *match, switched []*component) {
	if len(q.changed)+len(q.watched) == 0 {
		return
	}
	for _, c := range slices.Concat(q.changed, q.watched, switched) {
		if i := m.arch.find(c.key); i >= 0 {
			m.changed = append(m.changed, i)
			m.metas = m.metas || m.arch.isMeta || c.per != nil
		}
	}
}

// choose returns, for each choice, the alternatives that can hold for entities of a. ok reports whether a
// satisfies the choices and has no hidden component. For example, a prefab matches only through
// alternatives that ask for prefabs.
func (q *matching) choose(a *archetype) (chosen []alternatives, ok bool) {
	var hidden []*component
	for _, c := range q.excluded {
		if a.has(c) {
			hidden = append(hidden, c)
		}
	}
	for _, ch := range q.choices {
		var own alternatives
		for _, o := range ch {
			if o.takes(a) {
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
			lifts := slices.DeleteFunc(slices.Clone(ch), func(o *alternative) bool { return !o.mentions(c) })
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
func (q *matching) newMatch() *match {
	if len(q.pool) == 0 {
		q.pool = make([]match, min(max(len(q.matches), 1), 32))
	}
	m := &q.pool[0]
	q.pool = q.pool[1:]
	return m
}

// bindOnce finds the columns of the query in the archetype before its rows are shown for the first time.
// The owner calls it before jobs get the chunks, so that jobs only read binds.
func (m *match) bindOnce(q *matching) {
	if !m.bound {
		m.bind(q)
	}
}

func (m *match) bind(q *matching) {
	n := len(q.data) + q.worldwides()
	if len(q.rest) < n {
		q.rest = make([]bind, n*min(max(len(q.matches), 1), 32))
	}
	m.binds, q.rest = q.rest[:0:n], q.rest[n:]
	for _, d := range q.data {
		b := newBind(m.arch, d, len(m.binds))
		for _, r := range q.reach {
			b.shared = b.shared || r.comp == d.comp && r.write
		}
		m.binds = append(m.binds, b)
	}
	q.worldwideBinds(m)
	m.join()
	m.bound, m.long = true, m.lengthens()
}

// certain reports whether the enabled bits let all rows of r pass.
func (m *match) certain(r *record) bool { return m.rows == nil || m.rows.certain(r) }

// lengthens reports whether the columns of the query continue in memory from a full chunk to the chunk in
// the next slot.
func (m *match) lengthens() bool {
	s := m.arch.shape
	if !s.Dense(0) {
		return false
	}
	for i := range m.binds {
		b := &m.binds[i]
		switch {
		case b.column < 0:
			continue
		case b.comp.per != nil, b.shape == shapeBuffers, b.shape == shapeObjects:
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

// worldwideBinds appends the query's Worldwide types to the binds of an archetype, where only
// Chunk.Declares finds them.
func (q *matching) worldwideBinds(m *match) {
	for _, d := range q.reach {
		if d.comp.worldwide {
			m.binds = append(m.binds, newBind(m.arch, d, len(m.binds)))
		}
	}
}

// still reports whether the versions of archetypes show that no chunk can pass the filters.
func (q *matching) still(since uint32) bool {
	for range q.changing(since) {
		return false
	}
	return true
}

// changing yields the matches whose chunks may pass the filters, according to the versions of archetypes.
func (q *matching) changing(since uint32) iter.Seq[*match] {
	return func(yield func(*match) bool) {
		f := q.shown.Load()
		if f == nil {
			return
		}
		for i := range f.words {
			all := f.words[i].bits.Load()
			if all == 0 || !q.metas && !changedSince(loadVersion(&q.world.tables.summaries[i].any), since) {
				continue
			}
			for at := int(f.words[i].before); all != 0; all &= all - 1 {
				if m := f.matches[at]; !m.still(since) && !yield(m) {
					return
				}
				at++
			}
		}
	}
}

// still reports whether the versions of the archetype show that none of its chunks can pass the filters.
func (m *match) still(since uint32) bool {
	switch {
	case !m.watches:
		return false
	case m.newest != nil && !changedSince(loadVersion(m.newest), since):
		return true
	}
	return m.arch.still(m.changed, since) && !(m.metas && m.metaChanged(since))
}

// metaChanged reports whether a chunk component of the archetype may have been written through the meta
// entities.
func (m *match) metaChanged(since uint32) bool {
	a := m.arch
	for _, i := range m.changed {
		if per := a.columns[i].comp.per; per != nil && changedSince(loadVersion(&a.meta.newest[a.meta.find(per.key)]), since) {
			return true
		}
	}
	return false
}

// admits reports whether the chunk r passes the filters. It checks the archetype first, because its
// versions are in the cache.
func (m *match) admits(r *record, since uint32) bool {
	return !m.still(since) && m.passes(r, since)
}

// passes reports whether the chunk r passes the filters.
func (m *match) passes(r *record, since uint32) bool {
	return (len(m.only) == 0 || m.shares(r.group)) && (!m.watches || m.passesVersions(r, since))
}

// shares reports whether chunks of group g have the values of the WithShared terms.
func (m *match) shares(g *group) bool {
	for _, f := range m.only {
		if g.values[f.at] != f.value {
			return false
		}
	}
	return true
}

// passesVersions reports whether the chunk r passes the filters that look at versions.
func (m *match) passesVersions(r *record, since uint32) bool {
	for _, i := range m.changed {
		v := loadVersion(&r.versions[i])
		if m.metas {
			if r.metaChanged(i, since) {
				return true
			}
			v = r.changedAt(i)
		}
		if changedSince(v, since) {
			return true
		}
	}
	return m.ordered && changedSince(r.order, since)
}

// found maps archetypes to the matches of a query. Jobs read it while the owner makes archetypes.
// Therefore the owner sets the match first and the bit of the archetype last, and changes nothing else
// that jobs read.
type found struct {
	words   []foundWord
	matches []*match // in the order of archetypes; nil beyond the last one
}

// foundWord is 64 archetypes.
type foundWord struct {
	bits   atomic.Uint64 // the matching ones; written by the owner, read by any goroutine
	before uint32        // number of matches in earlier words; set if bits is not 0
}

// newFound returns a found for the given numbers of archetypes and of matches.
func newFound(archetypes, matches int) *found {
	return &found{make([]foundWord, (archetypes+63)>>6), make([]*match, matches)}
}

// of returns the match of an archetype, or nil.
func (f *found) of(index int) *match {
	if index>>6 >= len(f.words) {
		return nil
	}
	word := &f.words[index>>6]
	all, own := word.bits.Load(), uint64(1)<<(index&63)
	if all&own == 0 {
		return nil
	}
	return f.matches[int(word.before)+bits.OnesCount64(all&(own-1))]
}

// place appends a match to those of the query, whose archetypes are all older.
func (q *matching) place(m *match) {
	f, n, at := q.shown.Load(), len(q.matches), m.arch.index
	if f == nil || at>>6 >= len(f.words) || n == len(f.matches) {
		more := newFound(max(2*at, 64), max(2*n, 4))
		for i := range q.matches {
			more.add(q.matches[i], i)
		}
		f = more
		f.add(m, n)
		q.shown.Store(f)
	} else {
		f.add(m, n)
	}
	q.matches = f.matches[:n+1]
}

// add appends a match after n others.
func (f *found) add(m *match, n int) {
	word := &f.words[m.arch.index>>6]
	all := word.bits.Load()
	if all == 0 {
		word.before = uint32(n)
	}
	f.matches[n] = m
	word.bits.Store(all | 1<<(m.arch.index&63))
}

// matchOf returns the match of archetype a; nil if the query does not match it. Jobs may call it.
func (q *matching) matchOf(a *archetype) *match {
	f := q.shown.Load()
	if f == nil || a == nil || a.world != q.world.tables.original {
		return nil
	}
	return f.of(a.index)
}
