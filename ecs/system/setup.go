package system

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
	"github.com/lanewise/lanewise/jobs/access"
)

// inner is what package plumbing is made of, for functions that errors name as users call them.
var inner = ecs.Dynamic(sister.Key{}).Plumbing()

// Setup is what a system sees of its world while it is created or destroyed.
type Setup struct {
	in *Instance
}

// World returns the system's world.
func (s *Setup) World() *ecs.World { return s.in.world }

// Instance returns the system as its world keeps it.
func (s *Setup) Instance() *Instance { return s.in }

// Query returns the query of the given terms. Its Changed terms compare with
// the system's previous update. Asked for the same terms again it returns the
// same query. It panics if the terms are no query, which in Create becomes the
// error of the creation.
func (s *Setup) Query(terms ...ecs.Term) *ecs.Query {
	return s.in.query(terms)
}

// Access returns what a job that is not over a query reads and writes, for
// Frame.Schedule: its terms are Read and Write. It panics on other terms, which
// in Create becomes the error of the creation.
func (s *Setup) Access(terms ...ecs.Term) *access.Access {
	a := new(access.Access)
	if err := inner.AddAccessAs("system.Setup.Access", s.in.world, a, terms); err != nil {
		panic(err)
	}
	if s.in.phase == creating { // later ones would add up
		s.in.accesses = append(s.in.accesses, a)
	}
	return a
}

// Require lets the system update only while each of the queries has entities,
// whatever its filters and enabled bits say. Further calls add to it.
func (s *Setup) Require(queries ...*ecs.Query) {
	for _, q := range queries {
		s.in.required = append(s.in.required, []*ecs.Query{q})
	}
}

// RequireAny lets the system update only while at least one of the queries has
// entities, whatever its filters and enabled bits say.
func (s *Setup) RequireAny(queries ...*ecs.Query) {
	s.in.required = append(s.in.required, append([]*ecs.Query(nil), queries...))
}
