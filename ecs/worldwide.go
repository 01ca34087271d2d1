package ecs

// Worldwide makes the type that embeds it the name of something that a world has
// once, and that is no part of entities: Read and Write declare access to it, beside
// the components of a query or in [Plumbing.AddAccess], and jobs are ordered by it as by
// a component. A query matches what it matches without it. No archetype has it, and
// no other term. It is for packages that build on worlds: system.Resource is one.
type Worldwide struct{}

func (Worldwide) worldwide() {}

// addWorldwide takes the term for a Worldwide type into the query, whose jobs look
// everywhere from now on: those of other archetypes touch the same thing.
func (q *Query) addWorldwide(op string, c *component, write bool) error {
	if err := q.world.admit(op, c); err != nil {
		return err
	}
	for _, d := range q.reach {
		switch {
		case d.comp != c:
		case d.write != write:
			return q.world.fault(ErrState, op, "one job declares both to read and to write it: who writes may read").on(c)
		default:
			return q.world.fault(ErrArgument, op, "the type comes twice in the query").on(c)
		}
	}
	q.reach = append(q.reach, data{comp: c, write: write})
	return nil
}

// worldwideBinds appends what the query declares of Worldwide types to the binds of
// an archetype: they are found by [Chunk.Declares] only.
func (q *Query) worldwideBinds(m *match) {
	for _, d := range q.reach {
		if d.comp.worldwide {
			m.binds = append(m.binds, newBind(m.arch, d, len(m.binds)))
		}
	}
}

// worldwides returns how many Worldwide types the query declares access to.
func (q *Query) worldwides() (n int) {
	for _, d := range q.reach {
		if d.comp.worldwide {
			n++
		}
	}
	return n
}
