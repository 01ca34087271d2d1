package ecs

import "slices"

// exact reports whether the WithShared terms decide about all shared columns, so that one group
// has their values.
func (m *match) exact() bool { return len(m.only) == m.arch.shared }

// group returns the one group that has the values of the WithShared terms, which are exact; nil
// if there is none.
func (m *match) group() *group {
	var values [maxShared]int32
	for _, f := range m.only {
		values[f.at] = f.value
	}
	return m.arch.groups.find(values[:m.arch.shared])
}

// groupsOfOnly returns the groups that have one of the values of the WithShared terms, that which
// fewer of them have.
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

// chosen returns the chunks that have the values of the WithShared terms, in order: all of them
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

// choose appends the chunks that have the values of the WithShared terms, in order.
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

// look returns the chunks among which those are that pass the filters, in order. Jobs may
// call it: while there are some, nothing is remembered.
func (m *match) look(w *tables) []*record {
	if m.tally == nil || w.jobs.pending {
		return m.arch.chunks
	}
	return m.chosen(w.listing)
}
