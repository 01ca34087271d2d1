package ecs

import (
	"math/bits"
	"slices"
)

// candidates returns the archetypes that have all that the query needs and nothing
// that it forbids, as far as that is the same for all of them: for those fits is
// true. The set is good until the next call.
func (q *Query) candidates() archetypeSet {
	w := q.world
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
func (q *Query) findRules() {
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
		q.bars = append(q.bars, q.hidden...)
	}
}

// fits reports whether archetype a has all that the query needs and nothing that it
// forbids.
func (q *Query) fits(a *archetype) bool {
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
func (q *Query) considerAll() {
	set := q.candidates()
	n := 0
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	if n == 0 {
		return
	}
	q.pool = make([]match, n)
	q.shown.Store(newFound(len(q.world.archetypes), n))
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			q.admit(q.world.archetypes[i<<6+bits.TrailingZeros64(word)])
		}
	}
}

// hide finds the components whose entities the query does not match: those that
// it does not mention.
func (q *Query) hide() {
	w := q.world
	mentions := func(c *component) bool {
		return slices.Contains(q.with, c) || slices.Contains(q.present, c) ||
			slices.ContainsFunc(q.data, func(d data) bool { return d.comp == c }) ||
			slices.ContainsFunc(q.anyOf, func(set []*component) bool { return slices.Contains(set, c) })
	}
	if !mentions(w.header) {
		q.hidden = append(q.hidden, w.header)
	}
	for i, c := range [...]*component{w.prefab, w.inactive, w.ghost} {
		if q.include&(1<<i) == 0 && !mentions(c) {
			q.hidden = append(q.hidden, c)
		}
	}
}
