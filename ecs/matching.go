package ecs

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/lanewise/lanewise/jobs/access"
)

// matching is what a query asks for, and the archetypes that have it. It knows of archetypes
// and their rows, but nothing of what loops over them.
type matching struct {
	in *catalog
	signature
	excluded []*component                 // whose entities it passes over
	needs    []*component                 // every archetype that it matches has them
	bars     []*component                 // and none of these
	access   access.Access                // of jobs over it
	members  atomic.Pointer[[]*component] // of write groups, whose bits decide about rows too: stored by the owner where it matches, before jobs over what it found are scheduled; read by them
	metas    bool                         // some match has to do with meta entities
	matches  []*match
	shown    atomic.Pointer[found] // the same by their archetypes: stored by the owner where it matches, read by look-ups in jobs, which see at least what was there when they were scheduled
	pool     []match               // to be handed out
	rest     []bind                // the same
}

// ask reads the terms, and refuses what does not fit together. It matches nothing yet.
func (q *matching) ask(in *catalog, op string, terms []Term) error {
	q.in, q.terms = in, slices.Clone(terms)
	p := termReader{in, op, &q.signature}
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

// finish computes what follows from the terms.
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

// hold finds the values of the WithShared terms, and keeps them. That comes after all that
// a query can be refused for.
func (q *matching) hold(op string) error {
	w := q.in
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

// release forgets the query's values and matches.
func (q *matching) release() {
	for _, f := range q.only {
		q.in.storeOf(f.comp).release(f.value)
	}
	for _, m := range q.matches {
		m.uncount()
	}
	q.matches, q.pool, q.rest = nil, nil, nil
	q.shown.Store(nil)
}

// candidates returns the archetypes that have all that the query needs and nothing
// that it forbids, as far as that is the same for all of them: for those fits is
// true. The set is good until the next call.
func (q *matching) candidates() archetypeSet {
	w := q.in
	set := w.fit[:0]
	for range (len(w.archetypes) + 63) >> 6 {
		set = append(set, ^uint64(0))
	}
	w.fit = set
	if odd := len(w.archetypes) & 63; odd > 0 {
		set[len(set)-1] = 1<<odd - 1
	}
	need := func(c *component) {
		own := w.archetypesOf(c)
		set = set[:min(len(set), len(own))]
		for i := range set {
			set[i] &= own[i]
		}
	}
	forbid := func(c *component) {
		own := w.archetypesOf(c)
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

// findRules lists the components that every archetype of the query must have, and those
// that none may have.
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
	if len(q.choices) == 0 { // else an alternative may ask for what is hidden
		q.bars = append(q.bars, q.excluded...)
	}
}

// fits reports whether archetype a has all that the query needs and nothing that it
// forbids.
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

// considerAll is consider for all archetypes that there are.
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
	q.shown.Store(newFound(len(q.in.archetypes), n))
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			q.admit(q.in.archetypes[i<<6+bits.TrailingZeros64(word)])
		}
	}
}

// exclude finds the components whose entities the query does not match: those that
// it does not mention.
func (q *matching) exclude() {
	w := q.in
	mentions := func(c *component) bool {
		return slices.Contains(q.with, c) || slices.Contains(q.present, c) ||
			slices.ContainsFunc(q.data, func(d data) bool { return d.comp == c }) ||
			slices.ContainsFunc(q.anyOf, func(set []*component) bool { return slices.Contains(set, c) })
	}
	if !mentions(w.header) {
		q.excluded = append(q.excluded, w.header)
	}
	for i, c := range [...]*component{w.prefab, w.inactive, w.ghost} {
		if q.include&(1<<i) == 0 && !mentions(c) {
			q.excluded = append(q.excluded, c)
		}
	}
}

// note remembers the members of write groups whose switches decide about rows of
// the query, in a new list: jobs may look at the old one.
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

// switched returns the enableable members of write groups that were met so far.
func (q *matching) switched() []*component {
	if list := q.members.Load(); list != nil {
		return *list
	}
	return nil
}
