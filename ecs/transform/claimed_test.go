package transform_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// translationX returns a matrix that only translates along x.
func translationX(x float32) transform.LocalToWorld {
	m := transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}
	m.M[12] = x
	return m
}

// TestComputeClaimed calls ComputeLocalToWorld for entities whose matrices are partly computed by
// another system.
func TestComputeClaimed(t *testing.T) {
	b := newBench(t)
	parent := b.root(transform.Translation{X: 1})
	all := []ecs.Entity{
		b.root(transform.Translation{X: 3}, claim[transform.LocalToWorld]{}),
		b.root(transform.At[float32](3, 0, 0), claim[transform.LocalToWorld]{}),
		b.child(parent, transform.Translation{X: 3}, claim[transform.LocalToParent]{}),
	}
	b.update()
	b.ok(ecs.Set(b.w, all[0], translationX(9)))
	b.ok(ecs.Set(b.w, all[1], translationX(9)))
	b.update()
	b.wantAt(all[0], 9, 0, 0)
	for _, e := range all {
		got, err := transform.ComputeLocalToWorld[float32](b.w, e)
		b.ok(err)
		if want := get[transform.LocalToWorld](b, e); got != want {
			t.Errorf("computed %v, the update makes %v", got, want)
		}
	}
}

// TestComputeCircle finds a cycle among many entities in time proportional to its length.
func TestComputeCircle(t *testing.T) {
	b := newBench(t)
	b.ok(b.w.CreateInto(b.w.Archetype(ecs.With[transform.Scale64]()), make([]ecs.Entity, 100_000)))
	first := b.child(ecs.Entity{}, transform.Translation{})
	second := b.child(first, transform.Translation{})
	third := b.child(second, transform.Translation{})
	b.ok(ecs.Set(b.w, first, transform.Parent{Entity: second}))
	for _, e := range []ecs.Entity{first, second, third} {
		if _, err := transform.ComputeLocalToWorld[float32](b.w, e); err == nil {
			t.Errorf("no error from %v", e)
		}
	}
}

// TestStayingGivenBack has a root that stays at its place after it has lost its parent, and whose
// matrix another component claims. The test disables that component.
func TestStayingGivenBack(t *testing.T) {
	b := newBench(t)
	parent := b.spawnLocal(ecs.Entity{}, transform.At[float32](10, 0, 0))
	e := b.spawnLocal(parent, transform.At[float32](1, 0, 0), claim[transform.LocalToWorld]{})
	b.ok(ecs.SetEnabled[claim[transform.LocalToWorld]](b.w, e, false))
	b.update()
	_, err := ecs.Remove[transform.Parent](b.w, e)
	b.ok(err)
	b.update()
	b.wantAt(e, 11, 0, 0)
	b.ok(ecs.SetEnabled[claim[transform.LocalToWorld]](b.w, e, true))
	b.update()
	b.ok(ecs.Set(b.w, e, translationX(99)))
	b.update()
	b.wantAt(e, 99, 0, 0)
	b.ok(ecs.SetEnabled[claim[transform.LocalToWorld]](b.w, e, false))
	b.update()
	b.wantAt(e, 1, 0, 0)
}

// TestGivenBackBetween enables and disables a component that claims rows between two updates.
func TestGivenBackBetween(t *testing.T) {
	b := newBench(t)
	parent := b.root(transform.Translation{X: 1})
	all := []ecs.Entity{
		b.root(transform.Translation{X: 3}, claim[transform.LocalToWorld]{}),
		b.child(parent, transform.Translation{X: 3}, claim[transform.LocalToWorld]{}),
		b.spawnLocal(parent, transform.At[float32](3, 0, 0), claim[transform.LocalToWorld]{}),
	}
	turn := func(on bool) {
		for _, e := range all {
			b.ok(ecs.SetEnabled[claim[transform.LocalToWorld]](b.w, e, on))
		}
	}
	turn(false)
	b.update()
	b.update()
	turn(true)
	for _, e := range all {
		b.ok(ecs.Set(b.w, e, translationX(99)))
	}
	turn(false)
	b.update()
	for i, x := range []float32{3, 4, 4} {
		b.wantAt(all[i], x, 0, 0)
	}
}

// TestStayingListed lets an entity lose its parent repeatedly. The system that removes roots from the
// list of staying roots is off.
func TestStayingListed(t *testing.T) {
	b := newBench(t)
	parent := b.spawnLocal(ecs.Entity{}, transform.At[float32](10, 0, 0))
	e := b.spawnLocal(parent, transform.At[float32](1, 0, 0))
	b.update()
	system.InstanceOf(b.w, system.Find[transform.LocalTransformToWorldOf[float32]](b.w)).SetEnabled(false)
	for range 100 {
		_, err := ecs.Remove[transform.Parent](b.w, e)
		b.ok(err)
		b.update()
		b.ok(ecs.Add(b.w, e, transform.Parent{Entity: parent}))
		b.update()
	}
	if n := transform.StayingCount[float32](b.w); n > 1 {
		t.Errorf("%d entries for one entity", n)
	}
}

// When the enabled component that had claimed a matrix is removed, the hierarchy computes the
// matrix again. The test covers every way in which the matrix is composed.
func TestClaimRemoved(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{X: 10})
	post := transform.PostTransformMatrix{M: transform.IdentityMatrix[float32]()}
	nodes := []ecs.Entity{
		b.child(root, transform.Translation{X: 1}, claim[transform.LocalToWorld]{}),
		b.spawnLocal(root, transform.At[float32](1, 0, 0), claim[transform.LocalToWorld]{}),
		b.spawnLocal(root, transform.At[float32](1, 0, 0), post, claim[transform.LocalToWorld]{}),
	}
	var below []ecs.Entity
	for _, e := range nodes {
		below = append(below, b.child(e, transform.Translation{X: 1}))
		b.ok(ecs.Set(b.w, e, translationX(50)))
	}
	for range 3 {
		b.update()
	}
	for i, e := range nodes {
		b.wantAt(e, 50, 0, 0)
		b.wantAt(below[i], 51, 0, 0)
		_, err := ecs.Remove[claim[transform.LocalToWorld]](b.w, e)
		b.ok(err)
	}
	b.update()
	for i, e := range nodes {
		b.wantAt(e, 11, 0, 0)
		b.wantAt(below[i], 12, 0, 0)
	}
}
