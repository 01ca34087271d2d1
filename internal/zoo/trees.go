package zoo

import (
	"errors"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// Sway moves an entity of a tree.
type Sway struct{ Rate float32 }

// Column names the lane.
func (Sway) Column() (c []float32) { return }

// Joint marks an entity whose parent changes from time to time between the two entities A and B.
type Joint struct{ A, B ecs.Entity }

// Column names the lanes.
func (Joint) Column() (c struct{ A, B []ecs.Entity }) { return }

// Stray marks an entity that loses its parent for good. It stays at its place then, while others come to its chunk and
// leave it.
type Stray struct{ Number int32 }

// Column names the lane.
func (Stray) Column() (c []int32) { return }

// Still marks a root that does not move. At times it is inactive, and a node that comes below it then has no matrix to
// follow until the root is back.
type Still struct{}

// Orbit computes the matrix of its entity in place of package transform, as long as the component is enabled.
type Orbit struct {
	ecs.Enableable
	Radius float32
}

// Column names the lane.
func (Orbit) Column() (c struct{ Radius []float32 }) { return }

// WriteGroups makes Orbit take over the matrix.
func (Orbit) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[transform.LocalToWorld]()} }

// transforms gives animals a matrix that follows their place.
var transforms = Feature{
	Name:  "transforms",
	About: "matrices of animals; a write group that is on in some rows",
	Types: listTypes(ecs.With[transform.LocalToWorld](), ecs.With[transform.Translation](), ecs.With[transform.Rotation](), ecs.With[Orbit]()),
	Give: func(k *Keeper, animal int, e []any) []any {
		e = append(e, transform.Translation{}, transform.LocalToWorld{}, Orbit{Radius: float32(animal % 9)})
		if k.Size != Large || animal%3 == 0 {
			e = append(e, transform.Identity)
		}
		return e
	},
	Link: func(k *Keeper, animal int) error {
		if e := k.Animals[animal]; animal%2 == 0 && ecs.Has[Orbit](k.World, e) {
			return ecs.SetEnabled[Orbit](k.World, e, false)
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Follow](), system.Of[Orbits]()},
	Plugins: []*system.Plugin{transform.Systems()},
}

// Follow copies places to translations.
type Follow struct {
	_       system.Before[transform.Group]
	_       system.After[Move]
	animals *ecs.Query
}

// Create makes the query.
func (s *Follow) Create(u *system.Setup) error {
	s.animals = u.Query(ecs.Write[transform.Translation](), ecs.Read[Place](), ecs.Changed[Place]())
	return nil
}

// Update schedules the job.
func (s *Follow) Update(f *system.Frame) error {
	f.ParallelFor(s.animals, s)
	return nil
}

// Chunk is the job.
func (s *Follow) Chunk(c *ecs.Chunk) {
	trigger() // so that a job with a change filter can panic
	t, p := ecs.Column[transform.Translation](c), ecs.ReadColumn[Place](c)
	copy(t.X, p.X)
	copy(t.Y, p.Y)
	copy(t.Z, p.Z)
}

// Orbits writes the matrices of the write group.
type Orbits struct {
	_ system.In[transform.Group]
	_ system.Before[transform.HierarchyOf[float32]]
	reader
	orbits *ecs.Query
}

// Create makes the query.
func (s *Orbits) Create(u *system.Setup) error {
	s.orbits = u.Query(ecs.Write[transform.LocalToWorld](), ecs.Read[Orbit]())
	return nil
}

// Update schedules the job.
func (s *Orbits) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	f.ParallelFor(s.orbits, s)
	return nil
}

// Chunk is the job.
func (s *Orbits) Chunk(c *ecs.Chunk) {
	m, r := ecs.Column[transform.LocalToWorld](c).M, ecs.ReadColumn[Orbit](c).Radius
	for lo, hi := range c.Runs() {
		for i := lo; i < hi; i++ {
			m[i] = transform.IdentityMatrix[float32]()
			m[i][12] = r[i] + float32(s.Tick%16)
		}
	}
}

// trees is the feature with hierarchies of five levels, in both widths.
var trees = Feature{
	Name:  "trees",
	About: "hierarchies of five levels in both widths, with every component of package transform; new parents; copies of trees",
	Types: listTypes(ecs.With[transform.Parent](), ecs.With[transform.PreviousParent](), ecs.With[transform.Children](), ecs.With[transform.LocalToParent](),
		ecs.With[transform.Scale](), ecs.With[transform.NonUniformScale](), ecs.With[transform.LocalTransform](), ecs.With[transform.PostTransformMatrix](),
		ecs.With[transform.LocalToWorld64](), ecs.With[transform.LocalToParent64](), ecs.With[transform.Translation64](), ecs.With[transform.Rotation64](),
		ecs.With[transform.Scale64](), ecs.With[transform.NonUniformScaleOf[float64]](), ecs.With[transform.LocalTransform64](),
		ecs.With[transform.PostTransformMatrixOf[float64]](), ecs.With[Sway](), ecs.With[Joint](), ecs.With[Stray](), ecs.With[Still](), ecs.With[Clan]()),
	Spawn: func(k *Keeper) error {
		if _, err := ecs.CreateSingleton(k.World, Clan{}); err != nil {
			return err
		}
		for i := range k.countFor(4, 40) {
			if err := spawnTree[float32](k, i); err != nil {
				return err
			}
			if err := spawnTree[float64](k, i); err != nil {
				return err
			}
			spawnStill[float32](k, i)
			spawnStill[float64](k, i)
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Bend[float32]](), system.Of[Bend[float64]](), system.Of[Graft](), system.Of[Shed](), system.Of[Plant](), system.Of[Gather]()},
	Plugins: []*system.Plugin{transform.Systems()},
}

// spawnTree makes a root with two branches, of which one is five levels deep. The sets of components
// differ between levels. The root has matrices of both widths, and every third tree is a linked
// group.
func spawnTree[T kernels.Float](k *Keeper, i int) error {
	w, at := k.World, T(i)
	root := w.Spawn(transform.TranslationOf[T]{X: at}, transform.RotationOf[T]{W: 1}, transform.NonUniformScaleOf[T]{X: 1, Y: 2, Z: 1}, Sway{1},
		transform.LocalToWorld{}, transform.LocalToWorld64{})
	list := []ecs.Entity{root}
	child := func(parent ecs.Entity, e ...any) ecs.Entity {
		list = append(list, w.Spawn(append(e, transform.Parent{Entity: parent}, transform.LocalToWorldOf[T]{})...))
		return list[len(list)-1]
	}
	a := child(root, transform.TranslationOf[T]{Y: 1}, transform.ScaleOf[T]{Value: 1.5}, transform.LocalToParentOf[T]{})
	shear := transform.PostTransformMatrixOf[T]{M: transform.IdentityMatrix[T]()}
	shear.M[4] = 0.25
	b := child(a, transform.LocalTransformOf[T]{Z: 1, Scale: 0.75, QW: 1}, shear, Sway{0.5})
	c := child(b, transform.TranslationOf[T]{X: 2}, transform.RotationOf[T]{W: 1}, transform.NonUniformScaleOf[T]{X: 2, Y: 2, Z: 1}, transform.LocalToParentOf[T]{}, Sway{0.25})
	d := child(root, transform.At[T](0, 3, at), Sway{2})
	leaf := child(c, transform.At(at, 0, 1), Joint{c, d})
	child(leaf, transform.TranslationOf[T]{Z: 1}, transform.LocalToParentOf[T]{})
	child(a, transform.At(at, 1, 1), Orbit{Radius: float32(i)})
	if i%3 == 0 {
		group := make([]ecs.Linked, len(list))
		for i, e := range list {
			group[i].Entity = e
		}
		if err := ecs.Add(w, root, ecs.BufferOf(group...)); err != nil {
			return err
		}
	}
	for n := range 3 { // are no part of the group, because they leave the tree
		child(d, transform.At(at, T(n), 2), Stray{int32(10*i + n)})
	}
	return nil
}

// spawnStill makes two trees that stand still. A node with a node below changes between them, and another node orbits
// at times. The second root is inactive at times.
func spawnStill[T kernels.Float](k *Keeper, i int) {
	w, at := k.World, T(i)
	a, b := w.Spawn(transform.At(at, 0, 9), transform.LocalToWorldOf[T]{}), w.Spawn(transform.LocalToWorldOf[T]{M: transform.At(at, 5, 9).Matrix()}, Still{})
	child := func(parent ecs.Entity, e ...any) ecs.Entity {
		return w.Spawn(append(e, transform.Parent{Entity: parent}, transform.LocalToWorldOf[T]{})...)
	}
	child(child(a, transform.At[T](1, 0, 0), Joint{a, b}), transform.At[T](0, 1, 0))
	child(b, transform.At[T](0, 2, 0), Orbit{Radius: float32(i)})
}

// Bend turns and moves the entities of trees.
type Bend[T kernels.Float] struct {
	_ system.Before[transform.Group]
	reader
	parts, whole *ecs.Query
}

// Create makes the queries.
func (s *Bend[T]) Create(u *system.Setup) error {
	s.parts = u.Query(ecs.Write[transform.TranslationOf[T]](), ecs.Write[transform.RotationOf[T]](), ecs.Read[Sway]())
	s.whole = u.Query(ecs.Write[transform.LocalTransformOf[T]](), ecs.Read[Sway]())
	return nil
}

// Update schedules the jobs. In two of four ticks it schedules only one of them, so that nodes move while their root
// stays, and roots while their nodes do.
func (s *Bend[T]) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	if s.Tick%4 != 0 {
		f.ParallelFor(s.parts, s)
	}
	if s.Tick%4 != 1 {
		f.ParallelFor(s.whole, s)
	}
	return nil
}

// Chunk is the job of both queries.
func (s *Bend[T]) Chunk(c *ecs.Chunk) {
	angle := T(s.Tick%32) / 16
	rates := *ecs.ReadColumn[Sway](c)
	if ecs.HasColumn[transform.LocalTransformOf[T]](c) {
		l := ecs.Column[transform.LocalTransformOf[T]](c)
		for i, rate := range rates {
			l.X[i] = T(rate) * angle
			l.QZ[i], l.QW[i] = 0.6, 0.8
		}
		return
	}
	p, r := ecs.Column[transform.TranslationOf[T]](c), ecs.Column[transform.RotationOf[T]](c)
	for i, rate := range rates {
		p.Y[i] = T(rate) * angle
		r.X[i], r.W[i] = 0.8, 0.6
	}
}

// Graft gives joints another parent, and takes the parent of some away for a while. It also lets some nodes orbit for a
// while, so that their matrix does not come from their parent. Some roots are inactive for a while.
type Graft struct {
	_ system.Before[transform.Group]
	reader
	joints, bare, orbits, still *ecs.Query
}

// Create makes the queries.
func (s *Graft) Create(u *system.Setup) error {
	s.joints = u.Query(ecs.Read[Joint](), ecs.Read[transform.Parent]())
	s.bare = u.Query(ecs.Read[Joint](), ecs.Without[transform.Parent]())
	s.orbits = u.Query(ecs.Write[Orbit](), ecs.With[transform.Parent](), ecs.IgnoreEnabled())
	s.still = u.Query(ecs.With[Still](), ecs.IncludeInactive())
	return nil
}

// Update loops and records.
func (s *Graft) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	later, often := f.Commands(), int32(10)
	if s.Tick%5 == 2 { // the hierarchies do not run, and learn of new parents later
		often = 3
	}
	for _, h := range []*system.Instance{
		system.InstanceOf(f.World(), system.Find[transform.HierarchyOf[float32]](f.World())),
		system.InstanceOf(f.World(), system.Find[transform.HierarchyOf[float64]](f.World())),
	} {
		h.SetEnabled(s.Tick%5 != 2)
	}
	s.switchOrbits()
	if err := s.rest(later); err != nil {
		return err
	}
	for c := range s.joints.Chunks() {
		j, p := ecs.ReadColumn[Joint](c), *ecs.ReadColumn[transform.Parent](c)
		for i, e := range c.Entities() {
			to, err := j.A[i], error(nil)
			if p[i] == to {
				to = j.B[i]
			}
			switch random.BelowOf(s.roll(streamTree, random.EntityID(e)), often) {
			case 0:
				err = ecs.Set(later, e, transform.Parent{Entity: to})
			case 1:
				err = ecs.RemoveTypes(later, ecs.One(e), ecs.With[transform.Parent]())
			}
			if err != nil {
				return err
			}
		}
	}
	for c := range s.bare.Chunks() {
		for i, a := range ecs.ReadColumn[Joint](c).A {
			if f.World().Exists(a) && s.Tick%2 == 0 {
				if err := ecs.Add(later, c.Entities()[i], transform.Parent{Entity: a}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// rest makes the still roots inactive for some ticks.
func (s *Graft) rest(later *ecs.Commands) error {
	if s.Tick%3 != 1 {
		return nil
	}
	for _, e := range s.still.AppendEntities(nil) {
		if err := later.SetActive(e, s.Tick%2 == 0); err != nil {
			return err
		}
	}
	return nil
}

// switchOrbits switches drawn nodes that move alone on or off.
func (s *Graft) switchOrbits() {
	for c := range s.orbits.Chunks() {
		for i, e := range c.Entities() {
			if s.isDrawn(streamTree+300, random.EntityID(e), 4) {
				ecs.SetEnabledAt[Orbit](c, i, !ecs.EnabledAt[Orbit](c, i))
			}
		}
	}
}

// Shed takes the parents of strays away. In other ticks it spawns strays without a parent, and in others again it
// destroys such strays. So rows leave the chunk of a stray, and nothing writes its transform.
type Shed struct {
	_ system.Before[transform.Group]
	reader
	strays, narrow, wide *ecs.Query
}

// Create makes the queries.
func (s *Shed) Create(u *system.Setup) error {
	s.strays = u.Query(ecs.Read[Stray](), ecs.With[transform.Parent]())
	s.narrow = u.Query(ecs.With[Stray](), ecs.With[transform.LocalTransform](), ecs.Without[transform.Parent]())
	s.wide = u.Query(ecs.With[Stray](), ecs.With[transform.LocalTransform64](), ecs.Without[transform.Parent]())
	return nil
}

// Update loops and records.
func (s *Shed) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	later := f.Commands()
	for c := range s.strays.Chunks() {
		for i, n := range *ecs.ReadColumn[Stray](c) {
			if s.isDrawn(streamTree, uint64(1000+n), 8) {
				if err := ecs.RemoveTypes(later, ecs.One(c.Entities()[i]), ecs.With[transform.Parent]()); err != nil {
					return err
				}
			}
		}
	}
	switch s.Tick % 4 {
	case 1:
		x := float64(s.Tick)
		_, err := later.Spawn(Stray{}, transform.At(float32(x), 0, 0), transform.LocalToWorld{})
		_, err64 := later.Spawn(Stray{}, transform.At(x, 0, 0), transform.LocalToWorld64{})
		return errors.Join(err, err64)
	case 3:
		for _, q := range []*ecs.Query{s.narrow, s.wide} {
			if list := q.AppendEntities(nil); len(list) > 2 {
				if err := later.Destroy(list[int(s.Tick)%len(list)]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
