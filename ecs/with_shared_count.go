package ecs

import "slices"

// tally counts for a query with WithShared what groups of an archetype have counted that
// have ended since, so that its count never runs back.
type tally struct {
	match   *match
	orders  uint32
	chosen  []*record // the chunks that have the values, in order
	listing uint32    // the world's listing at that time; 0: never chosen
}

// tallies are the tallies of an archetype, by the first value that the query asks for:
// a group that ends finds those that it is for without a look at the others.
type tallies map[onlyAt][]*tally

// count makes the archetype of a match with WithShared tell of groups that end.
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

// uncount ends that: the query is closed.
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

// ended notes that a group has lost its last chunk.
func (all tallies) ended(g *group) {
	for at, value := range g.values {
		for _, t := range all[onlyAt{at, value}] {
			if t.match.shares(g) {
				t.orders += g.orders
			}
		}
	}
}

// orders returns how often rows that the match lets through by their shared values
// came or went.
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
