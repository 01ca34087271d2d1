package ecs

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs/access"
)

// queryList holds the queries of a world. A new archetype is offered to each of them.
type queryList struct {
	list    []*Query
	byID    map[string]*Query
	byOwner map[string][]*Query // the queries of each system
	free    []*Chunk            // for loops of the owner
	wholes  []*match            // by archetype: a match that writes all columns, for Create; nil before the first Create
	fit     archetypeSet        // scratch of candidates
	runs    []span              // scratch: the rows of an operation on many entities
}

// matchNew lets every query look at an archetype that is new.
func (l *queryList) matchNew(a *archetype) {
	for _, q := range l.list {
		q.consider(a)
	}
}

// forgetMemory has the Chunks that are not shown let go of the memory that they showed last, of
// which each would keep a slab.
func (l *queryList) forgetMemory() {
	for _, c := range l.free {
		c.forget()
	}
	for _, q := range l.list {
		for _, c := range q.free {
			c.forget()
		}
		for s := range q.workers.all() {
			for c := s.chunk; c != nil; c = c.inner {
				c.forget()
			}
		}
	}
}

// disown removes a closed query from the lists of w. It searches from the end, because systems end in
// reverse order.
func (l *queryList) disown(q *Query) {
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

// wholeMatch returns a match that writes all columns, for new rows.
func (l *queryList) wholeMatch(a *archetype) *match {
	l.wholes = slices.Grow(l.wholes, max(0, a.index+1-len(l.wholes)))[:max(len(l.wholes), a.index+1)]
	if m := l.wholes[a.index]; m != nil {
		return m
	}
	m := &match{arch: a, bound: true}
	view := 0
	for i := range a.columns {
		c := a.columns[i].comp
		if c.kind.has(isShared) {
			continue
		}
		m.binds = append(m.binds, newBind(a, data{comp: c, write: true, view: view}, len(m.binds)))
		view += max(1, len(c.view))
	}
	m.join()
	l.wholes[a.index], a.headers = m, view
	return m
}

// matching is the terms of a query and the archetypes that match them. It uses archetypes and their rows;
// the loops over them are built on it.
type matching struct {
	world *World
	signature
	excluded []*component                 // components that hide their entities from the query
	needs    []*component                 // every matching archetype has them
	bars     []*component                 // and none of these
	access   access.Access                // of jobs over the query
	members  atomic.Pointer[[]*component] // members of write groups whose bits decide about rows: jobs read it; the owner stores a new list before it schedules jobs over a new match
	metas    bool                         // a match involves meta entities
	matches  []*match
	shown    atomic.Pointer[found] // matches by archetype: lookups in jobs read it, and see at least the matches from before their scheduling; the owner stores it
	pool     []match               // not yet used
	rest     []bind                // not yet used
}

// ask reads the terms, and returns an error if they do not fit together. It matches nothing yet.
func (q *matching) ask(w *World, op string, terms []Term) error {
	q.world, q.terms = w, slices.Clone(terms)
	p := termReader{w, op, &q.signature}
	for _, t := range terms {
		if err := p.add(t); err != nil {
			return err
		}
	}
	if err := p.validate(); err != nil {
		return err
	}
	q.exclude()
	q.findRules()
	q.finish()
	return nil
}

// finish computes the consequences of the terms.
func (q *matching) finish() {
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

// hold finds the values of the WithShared terms and increments their counts. It comes last, when nothing
// else can refuse the query.
func (q *matching) hold(op string) error {
	w := q.world
	err := w.shared.interning(func() (err error) {
		i := 0
		for _, t := range q.terms {
			if t.mode == modeOnly && err == nil {
				q.only[i].value, err = w.shared.intern(op, w.shared.storeOf(q.only[i].comp), t.value)
				i++
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range q.only {
		w.shared.storeOf(f.comp).retain(f.value)
	}
	return nil
}

// release forgets the query's values and matches.
func (q *matching) release() {
	for _, f := range q.only {
		q.world.shared.storeOf(f.comp).release(f.value)
	}
	for _, m := range q.matches {
		m.uncount()
	}
	q.matches, q.pool, q.rest = nil, nil, nil
	q.shown.Store(nil)
}

// candidates returns the archetypes that have all required components and no excluded one. For these fits
// is true. The set is valid until the next call.
func (q *matching) candidates() archetypeSet {
	w := q.world
	set := w.queries.fit[:0]
	for range (len(w.tables.archetypes) + 63) >> 6 {
		set = append(set, ^uint64(0))
	}
	w.queries.fit = set
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
	for _, c := range q.needs {
		need(c)
	}
	for _, c := range q.bars {
		forbid(c)
	}
	return set
}

// findRules lists the components that every archetype of the query must have, and those that none may
// have.
func (q *matching) findRules() {
	for _, d := range q.data {
		if !d.optional {
			q.needs = append(q.needs, d.comp)
		}
	}
	q.needs = append(append(q.needs, q.with...), q.present...)
	for _, c := range q.without {
		if !c.kind.has(isEnableable) {
			q.bars = append(q.bars, c)
		}
	}
	q.bars = append(q.bars, q.absent...)
	if len(q.choices) == 0 { // otherwise an alternative may ask for a hidden component
		q.bars = append(q.bars, q.excluded...)
	}
}

// fits reports whether archetype a has all required components and no excluded one.
func (q *matching) fits(a *archetype) bool {
	for _, c := range q.needs {
		if !a.has(c) {
			return false
		}
	}
	for _, c := range q.bars {
		if a.has(c) {
			return false
		}
	}
	return true
}

// considerAll is consider for all existing archetypes.
func (q *matching) considerAll() {
	set := q.candidates()
	n := 0
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	if n == 0 {
		return
	}
	q.pool = make([]match, n)
	q.shown.Store(newFound(len(q.world.tables.archetypes), n))
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			q.admit(q.world.tables.archetypes[i<<6+bits.TrailingZeros64(word)])
		}
	}
}

// exclude finds the components that hide their entities from the query, because no term mentions them.
func (q *matching) exclude() {
	w := q.world
	mentions := func(c *component) bool {
		return slices.Contains(q.with, c) || slices.Contains(q.present, c) ||
			slices.ContainsFunc(q.data, func(d data) bool { return d.comp == c }) ||
			slices.ContainsFunc(q.anyOf, func(set []*component) bool { return slices.Contains(set, c) })
	}
	if !mentions(w.types.header) {
		q.excluded = append(q.excluded, w.types.header)
	}
	for i, c := range [...]*component{w.types.prefab, w.types.inactive, w.types.ghost} {
		if q.include&(1<<i) == 0 && !mentions(c) {
			q.excluded = append(q.excluded, c)
		}
	}
}

// note adds members of write groups whose bits decide about rows of the query. It makes a new list,
// because jobs may be reading the old one.
func (q *matching) note(members []*component) {
	if len(members) == 0 {
		return
	}
	list := slices.Clone(q.switched())
	for _, c := range members {
		if slices.Contains(list, c) {
			continue
		}
		list = append(list, c)
		if !q.access.Write.Has(c.index) {
			q.access.Read.Add(c.index)
		}
	}
	q.members.Store(&list)
}

// switched returns the enableable members of write groups that archetypes had so far.
func (q *matching) switched() []*component {
	if list := q.members.Load(); list != nil {
		return *list
	}
	return nil
}

// signature is the terms of a query, as components of its world.
type signature struct {
	terms    []Term
	data     []data
	headers  int // number of slices in the views of a chunk
	with     []*component
	without  []*component
	anyOf    [][]*component
	choices  []alternatives // AnyOf with AllOf
	present  []*component   // with those that must be off
	absent   []*component
	disabled []*component
	ignore   bool         // IgnoreEnabled
	bits     []*component // enableable components that decide about rows
	include  kinds        // kinds that are hidden by default, and that this query matches
	changed  []*component
	watched  []*component // of ChangedAny
	ordered  bool         // OrderChanged
	grouped  bool         // FilterWriteGroup
	only     []only
	reach    []data // Anywhere, Elsewhere, and Worldwide types
}

// data is a component whose column the query reads or writes.
type data struct {
	comp     *component
	write    bool
	optional bool
	chosen   bool // inside an AllOf
	apart    bool // inside an Elsewhere
	view     int  // index of the first slice of its view
}

// only is a filter by shared value.
type only struct {
	comp  *component
	value int32
}

// maxFilters is the largest number of Changed terms, and of WithShared terms, in a query.
const maxFilters = 2

// watches reports whether the query has a term that looks at versions.
func (s *signature) watches() bool { return len(s.changed)+len(s.watched) > 0 || s.ordered }

// asks reports whether all entities that q matches have c, and whether q declares that it writes c.
func (s *signature) asks(c *component) (asked, writes bool) {
	for _, d := range s.data {
		if d.comp == c && !d.optional {
			return true, d.write
		}
	}
	return slices.Contains(s.with, c) || slices.Contains(s.present, c), false
}

// worldwides returns the number of Worldwide types that the query declares access to.
func (s *signature) worldwides() (n int) {
	for _, d := range s.reach {
		if d.comp.worldwide {
			n++
		}
	}
	return n
}

// alternatives is an AnyOf with AllOf terms: one of them must hold.
type alternatives []*alternative

// alternative is the conditions of one AllOf.
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

// names reports whether a term of the alternative is for c.
func (o *alternative) names(c *component) (found bool) {
	o.eachNamed(func(own *component) { found = found || own == c })
	return found
}

// mentions reports whether the alternative requires c to be present, on or off.
func (o *alternative) mentions(c *component) bool {
	return slices.Contains(o.with, c) || slices.Contains(o.present, c) || slices.Contains(o.disabled, c)
}

// takes reports whether the alternative can hold for entities of a.
func (o *alternative) takes(a *archetype) bool {
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

// way is the conditions of an alternative on the bits of an archetype's rows: all must hold.
type way []test

// test requires one bit to be on, or off if flip is all ones.
type test struct {
	bit  int
	flip uint64
}

// waysOf returns the conditions of the alternatives of a choice on bits; nil if one of them has none.
func (ch alternatives) waysOf(bit func(*component) int) []way {
	var ways []way
	for _, o := range ch {
		var v way
		for _, c := range o.with {
			if i := bit(c); i >= 0 {
				v = append(v, test{i, 0})
			}
		}
		for _, c := range slices.Concat(o.without, o.disabled) {
			if i := bit(c); i >= 0 {
				v = append(v, test{i, ^uint64(0)})
			}
		}
		if len(v) == 0 {
			return nil
		}
		ways = append(ways, v)
	}
	return ways
}

// fillWays sets in mask the rows of r that one of the ways lets pass. It may also set bits after the last
// row.
func fillWays(mask []uint64, ways []way, r *record) {
	clear(mask)
	for _, v := range ways {
		v.add(mask, r)
	}
}

// add sets in mask the rows of r that the way lets pass. One or two conditions are combined word by word
// in one loop.
func (v way) add(mask []uint64, r *record) {
	a, b := v[0], v[len(v)-1]
	x, y := r.switches[a.bit].words[:len(mask)], r.switches[b.bit].words[:len(mask)]
	if len(v) <= 2 {
		for i := range mask {
			mask[i] |= (x[i] ^ a.flip) & (y[i] ^ b.flip)
		}
		return
	}
	for i := range mask {
		all := (x[i] ^ a.flip) & (y[i] ^ b.flip)
		for _, t := range v[1 : len(v)-1] {
			all &= r.switches[t.bit].words[i] ^ t.flip
		}
		mask[i] |= all
	}
}

// passes reports whether the way lets one row pass.
func (v way) passes(r *record, row int) bool {
	for _, t := range v {
		if r.switches[t.bit].on(row) != (t.flip == 0) {
			return false
		}
	}
	return true
}
