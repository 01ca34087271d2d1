package ecs

// tally counts for a query with Only what groups of an archetype have counted that
// have ended since, so that its count never runs back.
type tally struct {
	query  *Query
	match  *match
	orders uint32
}

// count makes the archetype of a match with Only tell of groups that end.
func (m *match) count(q *Query) {
	if len(m.only) == 0 {
		return
	}
	m.tally = &tally{query: q, match: m}
	list := m.arch.counting[:0]
	for _, t := range m.arch.counting {
		if !t.query.closed {
			list = append(list, t)
		}
	}
	clear(m.arch.counting[len(list):])
	m.arch.counting = append(list, m.tally)
}

// ended notes that a group has lost its last chunk.
func (a *archetype) ended(g *group) {
	for _, t := range a.counting {
		if t.match.shares(g) {
			t.orders += g.orders
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
	if len(m.only) == a.shared { // there is one group at most
		var values [maxShared]int32
		for _, f := range m.only {
			values[f.at] = f.value
		}
		if g := a.groups.find(values[:a.shared]); g != nil {
			n += g.orders
		}
		return n
	}
	for _, g := range a.groups.byKey {
		if m.shares(g) {
			n += g.orders
		}
	}
	return n
}
