package ecs

// Worldwide makes the type that embeds it the name of something that a world has
// once, and that is no part of entities: Read and Write declare access to it, beside
// the components of a query or in [Plumbing.AddAccess], and jobs are ordered by it as by
// a component. A query matches what it matches without it. No archetype has it, and
// no other term. It is for packages that build on worlds: system.Resource is one.
type Worldwide struct{}

func (Worldwide) worldwide() {}
