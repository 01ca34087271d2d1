package transform_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// claim is a component that claims the component C of an entity while it is enabled.
type claim[C any] struct {
	ecs.Enableable
	Value int32
}

func (claim[C]) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[C]()} }

// target is a component that can be claimed.
type target struct {
	claim any
	turn  func(b *bench, e ecs.Entity, on bool)
	read  func(b *bench, e ecs.Entity) any
}

func targetOf[C any]() target {
	return target{
		claim[C]{},
		func(b *bench, e ecs.Entity, on bool) { b.ok(ecs.SetEnabled[claim[C]](b.w, e, on)) },
		func(b *bench, e ecs.Entity) any { return get[C](b, e) },
	}
}

// made holds all components of an entity that the systems compute.
type made[T kernels.Float] struct {
	World transform.LocalToWorldOf[T]
	Local transform.LocalToParentOf[T]
}

// computedOf returns the computed components of one entity.
func computedOf[T kernels.Float](b *bench, e ecs.Entity) made[T] {
	return made[T]{part[transform.LocalToWorldOf[T]](b, e), part[transform.LocalToParentOf[T]](b, e)}
}

func part[C any](b *bench, e ecs.Entity) (v C) {
	if !ecs.Has[C](b.w, e) {
		return v
	}
	return get[C](b, e)
}

// claimed is a list of entities of one kind. For each of them, twin contains a second entity with the
// same components that is never claimed. Their children follow them.
type claimed[T kernels.Float] struct {
	target       target
	entity, twin []ecs.Entity
	below, like  []ecs.Entity // one child each
	on           []bool
}

// spawnClaimed makes n entities with the values, and with parent if there is one.
func spawnClaimed[T kernels.Float](b *bench, r *rand.Rand, n int, of target, parent ecs.Entity, values ...any) *claimed[T] {
	s := &claimed[T]{target: of}
	values = append(values, transform.LocalToWorldOf[T]{})
	if parent != (ecs.Entity{}) {
		values = append(values, transform.Parent{Entity: parent})
	}
	for range n {
		e, twin := b.w.Spawn(append(values, of.claim)...), b.w.Spawn(values...)
		s.entity, s.twin = append(s.entity, e), append(s.twin, twin)
		s.on = append(s.on, true)
		child := []any{transform.TranslationOf[T]{X: 1}, transform.LocalToParentOf[T]{}, transform.LocalToWorldOf[T]{}}
		s.below = append(s.below, b.w.Spawn(append(child, transform.Parent{Entity: e})...))
		s.like = append(s.like, b.w.Spawn(append(child, transform.Parent{Entity: twin})...))
	}
	s.turn(b, r)
	return s
}

// turn enables the claims of some rows and disables the claims of others.
func (s *claimed[T]) turn(b *bench, r *rand.Rand) {
	for i, e := range s.entity {
		if r.IntN(3) == 0 {
			s.on[i] = !s.on[i]
			s.target.turn(b, e, s.on[i])
		}
	}
}

// check compares the entities after an update with those before it.
func (s *claimed[T]) check(b *bench, name string, before []any) {
	b.Helper()
	for i, e := range s.entity {
		if s.on[i] {
			if got := s.target.read(b, e); got != before[i] {
				b.Fatalf("%s: row %d is claimed, and\n%v\nhas become\n%v", name, i, before[i], got)
			}
		} else if got, want := computedOf[T](b, e), computedOf[T](b, s.twin[i]); got != want {
			b.Fatalf("%s: row %d is not claimed, and\n%v\nis not\n%v", name, i, got, want)
		}
		m := get[transform.LocalToWorldOf[T]](b, e).M
		if got := get[transform.LocalToWorldOf[T]](b, s.below[i]).M[12]; got != m[0]+m[12] {
			b.Fatalf("%s: the child of row %d, claimed %v, is at %v, want %v", name, i, s.on[i], got, m[0]+m[12])
		}
	}
}

// remember returns the claimable components of all entities.
func (s *claimed[T]) remember(b *bench) (list []any) {
	for _, e := range s.entity {
		list = append(list, s.target.read(b, e))
	}
	return list
}

// A claimed row keeps its value, and its children use it. A row that is given back is computed
// again, even if nothing moves.
func testClaimedIsKept[T kernels.Float](t *testing.T) {
	n := 100 // rows in two chunks
	if *full {
		n = 300
	}
	world := targetOf[transform.LocalToWorldOf[T]]()
	plain := []any{transform.TranslationOf[T]{X: 3}, transform.RotationOf[T]{W: 1}, transform.ScaleOf[T]{Value: 2}}
	below := []any{transform.TranslationOf[T]{X: 3}, transform.LocalToParentOf[T]{}}
	for name, kind := range map[string]struct {
		target target
		below  bool
		values []any
	}{
		"plain":            {world, false, plain},
		"whole":            {world, false, []any{transform.At[T](3, 0, 0), transform.PostTransformMatrixOf[T]{M: transform.IdentityMatrix[T]()}}},
		"child":            {world, true, below},
		"child, no parts":  {world, true, []any{transform.LocalToParentOf[T]{M: transform.IdentityMatrix[T]()}}},
		"whole child":      {world, true, []any{transform.At[T](3, 0, 0)}},
		"its local matrix": {targetOf[transform.LocalToParentOf[T]](), true, below},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		b := newBench(t)
		base := b.w.Spawn(transform.TranslationOf[T]{Y: 1}, transform.LocalToWorldOf[T]{})
		parent := ecs.Entity{}
		if kind.below {
			parent = base
		}
		s := spawnClaimed[T](b, r, n, kind.target, parent, kind.values...)
		before := s.remember(b)
		b.update()
		s.check(b, name+", at first", before)
		for round := range 6 {
			s.turn(b, r)
			if round%2 == 0 {
				b.ok(ecs.Set(b.w, base, transform.TranslationOf[T]{Y: T(round)}))
			}
			if round == 4 { // makes another plan
				b.w.Spawn(transform.TranslationOf[T]{X: 1}, transform.LocalToParentOf[T]{}, transform.LocalToWorldOf[T]{}, transform.Parent{Entity: base})
			}
			before = s.remember(b)
			b.update()
			s.check(b, name, before)
		}
		for i, e := range s.entity { // another system writes the rows that it claims
			if l := get[transform.LocalToWorldOf[T]](b, e); s.on[i] {
				l.M[12]++
				b.ok(ecs.Set(b.w, e, l))
			}
		}
		before = s.remember(b)
		b.update()
		s.check(b, name+", given", before)
		version := func() uint32 { return ecs.ChangeVersion[transform.LocalToWorldOf[T]](b.w, s.entity[0]) }
		v := version()
		b.update()
		b.update()
		if version() != v {
			t.Errorf("%s: nothing moved, and matrices were written", name)
		}
	}
}

func TestClaimedIsKept(t *testing.T) {
	t.Run("float32", testClaimedIsKept[float32])
	t.Run("float64", testClaimedIsKept[float64])
}
