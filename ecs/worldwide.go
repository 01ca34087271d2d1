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
func (p termReader) addWorldwide(c *component, write bool) error {
	if err := p.in.admit(p.op, c); err != nil {
		return err
	}
	for _, d := range p.reach {
		switch {
		case d.comp != c:
		case d.write != write:
			return p.in.fault(ErrState, p.op, "one job declares both to read and to write it: who writes may read").on(c)
		default:
			return p.in.fault(ErrArgument, p.op, "the type comes twice in the query").on(c)
		}
	}
	p.reach = append(p.reach, data{comp: c, write: write})
	return nil
}

// worldwides returns how many Worldwide types the query declares access to.
func (s *signature) worldwides() (n int) {
	for _, d := range s.reach {
		if d.comp.worldwide {
			n++
		}
	}
	return n
}
