package zoo

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/host"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// Statue is an entity with an object of the host. The object is outside of the world, so that its
// matrix must be set in each tick before it is read.
type Statue struct {
	Number int32
	Leads  bool    // whether the object leads
	Shown  float64 // the place that the object had after the last frame, if the entity leads
}

// Column names the lanes.
func (Statue) Column() (c struct {
	Number []int32
	Leads  []bool
	Shown  []float64
}) {
	return
}

// object is an object of the host.
type object[T kernels.Float] struct{ matrix [16]T }

// WorldMatrix returns the matrix of the object.
func (o *object[T]) WorldMatrix() [16]T { return o.matrix }

// SetWorldMatrix sets the matrix of the object.
func (o *object[T]) SetWorldMatrix(m [16]T) { o.matrix = m }

// Alive returns true, because the object always exists.
func (o *object[T]) Alive() bool { return true }

// hosts is the feature with objects of the host.
var hosts = Feature{
	Name:  "hosts",
	About: "objects of the host in both widths that lead, and that follow",
	Types: listTypes(ecs.With[Statue](), ecs.With[host.Bound](), ecs.With[host.CopyTransformFrom](), ecs.With[host.CopyTransformTo](),
		ecs.With[host.CopyInitialTransform]()),
	Spawn: func(k *Keeper) error {
		for i := range k.countFor(4, 20) {
			spawnStatues[float32](k, int32(i))
			spawnStatues[float64](k, int32(i))
		}
		return nil
	},
	Systems: []*system.Type{system.Of[Carve[float32]](), system.Of[Carve[float64]](), system.Of[Look[float32]](), system.Of[Look[float64]]()},
	Plugins: []*system.Plugin{transform.Systems(), host.Systems()},
}

// spawnStatues creates two statues. One follows its object and has a child. The other one is followed by its object.
func spawnStatues[T kernels.Float](k *Keeper, i int32) {
	w := k.World
	e := w.Spawn(Statue{Number: i, Leads: true}, host.CopyTransformFrom{}, transform.LocalToWorldOf[T]{})
	w.Spawn(transform.Parent{Entity: e}, transform.TranslationOf[T]{X: 1}, transform.LocalToParentOf[T]{}, transform.LocalToWorldOf[T]{})
	w.Spawn(Statue{Number: i}, host.CopyInitialTransform{}, host.CopyTransformTo{}, transform.TranslationOf[T]{}, transform.RotationOf[T]{W: 1},
		transform.LocalToWorldOf[T]{}, Sway{Rate: float32(i + 1)})
}

// Carve binds objects to statues that have none, for example after a load. It also moves the objects that statues
// follow.
type Carve[T kernels.Float] struct {
	_ system.In[system.Initialization]
	_ system.After[Turn]
	_ system.Before[host.CopyInitialOf[float32]]
	_ system.Before[host.CopyInitialOf[float64]]
	reader
	statues *ecs.Query
	bare    []ecs.Entity
}

// Create makes the query.
func (s *Carve[T]) Create(u *system.Setup) error {
	s.statues = u.Query(ecs.Read[Statue](), ecs.With[transform.LocalToWorldOf[T]]())
	return nil
}

// Update loops, and binds objects.
func (s *Carve[T]) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	s.bare = s.bare[:0]
	for c := range s.statues.Chunks() {
		for _, e := range c.Entities() {
			if _, has := host.BoundTo[T](f.World(), e); !has {
				s.bare = append(s.bare, e)
			}
		}
	}
	for _, e := range s.bare {
		if err := host.Bind(f.World(), e, host.ObjectOf[T](&object[T]{transform.IdentityMatrix[T]()})); err != nil {
			return err
		}
	}
	for c := range s.statues.Chunks() {
		v := ecs.ReadColumn[Statue](c)
		for i, e := range c.Entities() {
			o, _ := host.BoundTo[T](f.World(), e)
			if v.Leads[i] || s.Tick == 1 { // the first tick copies the initial place of the others
				m := transform.IdentityMatrix[T]()
				m[12] = random.UniformOf[T](s.roll(streamOrder+200, uint64(v.Number[i])))
				o.SetWorldMatrix(m)
			}
		}
	}
	return nil
}

// Look reads the matrices of the objects that follow their entity.
type Look[T kernels.Float] struct {
	_       system.In[system.Presentation]
	statues *ecs.Query
}

// Create makes the query.
func (s *Look[T]) Create(u *system.Setup) error {
	s.statues = u.Query(ecs.Write[Statue](), ecs.With[transform.LocalToWorldOf[T]](), ecs.With[host.CopyTransformTo]())
	return nil
}

// Update loops and writes.
func (s *Look[T]) Update(f *system.Frame) error {
	for c := range s.statues.Chunks() {
		v := ecs.Column[Statue](c)
		for i, e := range c.Entities() {
			if o, has := host.BoundTo[T](f.World(), e); has {
				m := o.WorldMatrix()
				v.Shown[i] = float64(m[12]) + float64(m[13])
			}
		}
	}
	return nil
}
