package ecs

import "slices"

// posts are the groups of an archetype by their value of one shared column: only where a
// query asks for some of several shared columns, and since it did for the first time.
type posts struct {
	byValue map[int32][]*group
}

// post makes the archetype keep its groups by their values of a shared column.
func (g *groups) post(at int) {
	for len(g.posted) <= at {
		g.posted = append(g.posted, posts{})
	}
	if g.posted[at].byValue != nil {
		return
	}
	g.posted[at].byValue = map[int32][]*group{}
	for _, own := range g.byKey { //lanewise:inexact lists of groups have no order
		g.posted[at].add(own, at)
	}
}

// add puts a group on the list of its value.
func (p *posts) add(own *group, at int) {
	if p.byValue == nil {
		return
	}
	for len(own.places) <= at {
		own.places = append(own.places, 0)
	}
	value := own.values[at]
	own.places[at] = int32(len(p.byValue[value]))
	p.byValue[value] = append(p.byValue[value], own)
}

// drop takes a group off the list of its value; the last one takes its place.
func (p *posts) drop(own *group, at int) {
	if p.byValue == nil {
		return
	}
	value := own.values[at]
	list := p.byValue[value]
	last := len(list) - 1
	if last == 0 {
		delete(p.byValue, value)
		return
	}
	list[own.places[at]] = list[last]
	list[last].places[at] = own.places[at]
	list[last] = nil
	p.byValue[value] = list[:last]
}

// join makes r one of the chunks of its group that are found by way of it.
func (g *group) join(r *record) {
	r.member = len(g.list)
	g.list = append(g.list, r)
}

// leave undoes join; the last one takes the place of r.
func (g *group) leave(r *record) {
	last := len(g.list) - 1
	g.list[r.member] = g.list[last]
	g.list[r.member].member = r.member
	g.list[last] = nil
	g.list = g.list[:last]
}

// exact reports whether the Only terms decide about all shared columns, so that one group
// has their values.
func (m *match) exact() bool { return len(m.only) == m.arch.shared }

// group returns the one group that has the values of the Only terms, which are exact; nil
// if there is none.
func (m *match) group() *group {
	var values [maxShared]int32
	for _, f := range m.only {
		values[f.at] = f.value
	}
	return m.arch.groups.find(values[:m.arch.shared])
}

// posted returns the groups that have one of the values of the Only terms, that which
// fewer of them have.
func (m *match) posted() []*group {
	least := m.arch.groups.posted[m.only[0].at].byValue[m.only[0].value]
	for _, f := range m.only[1:] {
		if list := m.arch.groups.posted[f.at].byValue[f.value]; len(list) < len(least) {
			least = list
		}
	}
	return least
}

// chosen returns the chunks that have the values of the Only terms, in order: all of them
// if there are no such terms. It is for the owner, as it remembers them until chunks come
// or go.
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

// choose appends the chunks that have the values of the Only terms, in order.
func (m *match) choose(list []*record) []*record {
	if m.exact() {
		if g := m.group(); g != nil {
			list = append(list, g.list...)
		}
	} else {
		for _, g := range m.posted() {
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

// look returns the chunks among which those are that pass the filters, in order. Jobs may
// call it: while there are some, nothing is remembered.
func (m *match) look(w *World) []*record {
	if m.tally == nil || w.jobs.pending {
		return m.arch.chunks
	}
	return m.chosen(w.listing)
}
