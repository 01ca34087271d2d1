package host

import (
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// WriteGroups says that LocalToWorld comes from the object.
func (CopyTransformFrom) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[transform.LocalToWorld](), ecs.With[transform.LocalToWorld64]()}
}

// The systems in float32.
type (
	CopyInitial = CopyInitialOf[float32]
	CopyFrom    = CopyFromOf[float32]
	CopyTo      = CopyToOf[float32]
)

// The systems in float64.
type (
	CopyInitial64 = CopyInitialOf[float64]
	CopyFrom64    = CopyFromOf[float64]
	CopyTo64      = CopyToOf[float64]
)

// Whoever imports the package has its systems in every default world.
func init() {
	register[float32]()
	register[float64]()
}

func register[T kernels.Float]() {
	system.Register[CopyInitialOf[T]]()
	system.Register[CopyFromOf[T]]()
	system.Register[CopyToOf[T]]()
}

// copier is what the three systems have in common.
type copier[T kernels.Float] struct {
	table *table[T]
	gone  []ecs.Entity // found in this update
}

// report returns an error that tells of the objects found gone, if there are any.
func (c *copier[T]) report() error {
	if len(c.gone) == 0 {
		return nil
	}
	err := &GoneError{slices.Clone(c.gone)}
	c.gone = c.gone[:0]
	return err
}

// CopyInitialOf takes the matrices of objects to the entities that have the tag
// [CopyInitialTransform], and the tag from these. It also lets go the objects of
// entities that have ended.
type CopyInitialOf[T kernels.Float] struct {
	_ system.In[system.Initialization]

	bound  *ecs.Query
	tagged *ecs.Query
	copier copier[T]
	taken  []ecs.Entity // whose tag is to go
}

// Create makes the queries.
func (s *CopyInitialOf[T]) Create(u *system.Setup) error {
	s.copier.table = tableOf[T](u.World())
	s.bound = u.Query(ecs.With[Bound](), ecs.IncludeInactive(), ecs.IncludePrefabs()) // they end too
	s.tagged = u.Query(ecs.Write[transform.LocalToWorldOf[T]](), ecs.With[CopyInitialTransform](), ecs.With[Bound](),
		ecs.Optional(ecs.Write[transform.TranslationOf[T]](), ecs.Write[transform.RotationOf[T]](), ecs.Write[transform.NonUniformScaleOf[T]](),
			ecs.Read[transform.Parent]()))
	return nil
}

// Update copies, here and now.
func (s *CopyInitialOf[T]) Update(f *system.Frame) error {
	s.copier.table.sweep(f.World(), s.bound)
	if s.tagged.EmptyUnfiltered() {
		return nil
	}
	s.taken = s.taken[:0]
	if err := f.Each(s.tagged, s); err != nil {
		return err
	}
	if err := f.World().RemoveTypesAll(s.taken, ecs.With[CopyInitialTransform]()); err != nil {
		return err
	}
	return s.copier.report()
}

// inTable reports whether an entity has an object of either width.
func (s *CopyInitialOf[T]) inTable(e ecs.Entity) bool {
	w := s.bound.World()
	return tableOf[float32](w).find(e) != nil || tableOf[float64](w).find(e) != nil
}

// Chunk copies to the rows of one chunk.
func (s *CopyInitialOf[T]) Chunk(c *ecs.Chunk) {
	world := ecs.Column[transform.LocalToWorldOf[T]](c).M
	both := ecs.Has[transform.LocalToWorld](c) && ecs.Has[transform.LocalToWorld64](c)
	for i, e := range c.Entities() {
		if both && s.copier.table.find(e) == nil && s.inTable(e) {
			continue // the system of the other width takes it
		}
		s.taken = append(s.taken, e)
		o := s.copier.table.living(e, &s.copier.gone)
		if o == nil {
			continue
		}
		world[i] = o.WorldMatrix()
		if !ecs.Has[transform.Parent](c) {
			takeApart(c, i, transform.LocalToWorldOf[T]{M: world[i]})
		}
	}
}

// takeApart sets what the world matrix of row i will be composed of.
func takeApart[T kernels.Float](c *ecs.Chunk, i int, l transform.LocalToWorldOf[T]) {
	t, r, s := l.Decompose()
	if ecs.Has[transform.TranslationOf[T]](c) {
		v := ecs.Column[transform.TranslationOf[T]](c)
		v.X[i], v.Y[i], v.Z[i] = t.X, t.Y, t.Z
	}
	if ecs.Has[transform.RotationOf[T]](c) {
		q := ecs.Column[transform.RotationOf[T]](c)
		q.X[i], q.Y[i], q.Z[i], q.W[i] = r.X, r.Y, r.Z, r.W
	}
	if ecs.Has[transform.NonUniformScaleOf[T]](c) {
		v := ecs.Column[transform.NonUniformScaleOf[T]](c)
		v.X[i], v.Y[i], v.Z[i] = s.X, s.Y, s.Z
	}
}

// CopyFromOf takes the matrices of objects to the entities that have the tag
// [CopyTransformFrom]. A chunk is marked as changed only if a matrix is another
// than before.
type CopyFromOf[T kernels.Float] struct {
	_ system.In[transform.Group]
	_ system.After[transform.Parents]
	_ system.Before[transform.TRSToLocalToWorldOf[T]]
	_ system.Before[transform.LocalTransformToWorldOf[T]]
	_ system.MatchingOnly

	tagged *ecs.Query
	copier copier[T]
}

// Create makes the query.
func (s *CopyFromOf[T]) Create(u *system.Setup) error {
	s.copier.table = tableOf[T](u.World())
	s.tagged = u.Query(ecs.Write[transform.LocalToWorldOf[T]](), ecs.With[CopyTransformFrom](), ecs.With[Bound]())
	return nil
}

// Update copies, here and now.
func (s *CopyFromOf[T]) Update(f *system.Frame) error {
	if err := f.Each(s.tagged, s); err != nil {
		return err
	}
	return s.copier.report()
}

// Chunk copies to the rows of one chunk.
func (s *CopyFromOf[T]) Chunk(c *ecs.Chunk) {
	world, written := ecs.Peek[transform.LocalToWorldOf[T]](c).M, false
	for i, e := range c.Entities() {
		o := s.copier.table.living(e, &s.copier.gone)
		if o == nil {
			continue
		}
		m := o.WorldMatrix()
		if world[i] == m {
			continue
		}
		if !written {
			world, written = ecs.Column[transform.LocalToWorldOf[T]](c).M, true
		}
		world[i] = m
	}
}

// CopyToOf takes LocalToWorld to the objects of entities that have the tag
// [CopyTransformTo], chunk by chunk where it was written, and once to an object
// that was injected in the place of another.
type CopyToOf[T kernels.Float] struct {
	_ system.In[transform.Group]
	_ system.After[transform.HierarchyOf[T]]
	_ system.MatchingOnly

	moved  *ecs.Query
	tagged *ecs.Query // moved or not
	copier copier[T]
	behind bool // the last update has failed, or this one is not at its end
}

// Create makes the queries.
func (s *CopyToOf[T]) Create(u *system.Setup) error {
	s.copier.table = tableOf[T](u.World())
	s.tagged = u.Query(ecs.Read[transform.LocalToWorldOf[T]](), ecs.With[CopyTransformTo](), ecs.With[Bound]())
	s.moved = u.Query(ecs.Read[transform.LocalToWorldOf[T]](), ecs.With[CopyTransformTo](), ecs.With[Bound](),
		ecs.Changed[transform.LocalToWorldOf[T]](), ecs.OrderChanged())
	return nil
}

// Update copies, here and now. What an update has not come to, because of an
// error or a panic, the next one makes up for.
func (s *CopyToOf[T]) Update(f *system.Frame) error {
	if s.behind {
		s.moved.Since(0)
	}
	s.behind = true
	if err := f.Each(s.moved, s); err != nil {
		return err
	}
	if t := s.copier.table; t.late {
		if err := f.Each(s.tagged, &copyLate[T]{&s.copier}); err != nil {
			return err
		}
		t.late = false // those of other entities are told when these come into the query
	}
	s.behind = false
	return s.copier.report()
}

// Chunk copies from the rows of one chunk.
func (s *CopyToOf[T]) Chunk(c *ecs.Chunk) {
	world := ecs.Column[transform.LocalToWorldOf[T]](c).M
	for i, e := range c.Entities() {
		if o := s.copier.table.living(e, &s.copier.gone); o != nil {
			o.SetWorldMatrix(world[i])
			s.copier.table.bindings[e.Index].late = false
		}
	}
}

// copyLate copies to the objects that came in the place of others.
type copyLate[T kernels.Float] struct{ copier *copier[T] }

// Chunk copies from the rows of one chunk.
func (l *copyLate[T]) Chunk(c *ecs.Chunk) {
	world := ecs.Column[transform.LocalToWorldOf[T]](c).M
	for i, e := range c.Entities() {
		b := l.copier.table.find(e)
		if b == nil || !b.late {
			continue
		}
		if o := l.copier.table.living(e, &l.copier.gone); o != nil {
			o.SetWorldMatrix(world[i])
		}
		b.late = false
	}
}
