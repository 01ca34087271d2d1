package transform_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// wantComputed checks that ComputeLocalToWorld gives the matrix that the update has computed for e.
func (b *bench) wantComputed(e ecs.Entity) {
	b.Helper()
	l, err := transform.ComputeLocalToWorld[float32](b.w, e)
	b.ok(err)
	if want := get[transform.LocalToWorld](b, e); !(maxDifference(l.M, inFloat64(want.M)) <= 1e-6) {
		b.Errorf("entity %v: computed %v, the update makes %v", e, l.M, want.M)
	}
}

// An entity with LocalTransform needs no LocalToParent, and ignores one that it has.
func TestLocalToParentBesideLocalTransform(t *testing.T) {
	b := newBench(t)
	given := transform.LocalToParent{M: [16]float32{0: 9, 5: 9, 10: 9, 15: 9}}
	root := b.spawnLocal(ecs.Entity{}, transform.At[float32](10, 0, 0), given)
	child := b.spawnLocal(root, transform.At[float32](1, 0, 0), transform.LocalToParent{})
	post := b.spawnLocal(root, transform.At[float32](1, 0, 0), given, transform.PostTransformMatrix(translationX(5)))
	leaf := b.child(child, transform.Translation{X: 2})
	switched := b.spawnLocal(root, transform.At[float32](3, 0, 0), given, claim[transform.LocalToWorld]{})
	want := func(xs ...float32) {
		t.Helper()
		for i, e := range []ecs.Entity{root, child, post, leaf, switched} {
			b.wantAt(e, xs[i], 0, 0)
			b.wantComputed(e)
		}
	}
	b.ok(ecs.SetEnabled[claim[transform.LocalToWorld]](b.w, switched, false))
	b.update()
	want(10, 11, 16, 13, 13)
	b.ok(ecs.Set(b.w, child, transform.At[float32](4, 0, 0)))
	b.ok(ecs.SetEnabled[claim[transform.LocalToWorld]](b.w, switched, true))
	b.ok(ecs.Set(b.w, switched, translationX(50)))
	b.update()
	want(10, 14, 16, 16, 50)
	b.ok(ecs.SetEnabled[claim[transform.LocalToWorld]](b.w, switched, false))
	b.update()
	want(10, 14, 16, 16, 13)
	_, err := ecs.Remove[transform.Parent](b.w, child) // LocalToParent stays
	b.ok(err)
	b.update()
	b.wantAt(child, 14, 0, 0)
	b.ok(ecs.Set(b.w, child, transform.At[float32](7, 0, 0)))
	b.update()
	want(10, 7, 16, 9, 13)
}

// If no system computes the matrix of an entity, the error says why.
func TestComputeNothing(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{X: 1})
	for text, e := range map[string]ecs.Entity{
		"has Translation and Parent, but no LocalToParent":            b.w.Spawn(transform.Translation{}, transform.Parent{Entity: root}, transform.LocalToWorld{}),
		"has Scale and Parent, but no LocalToParent":                  b.w.Spawn(transform.Scale{}, transform.Parent{Entity: root}, transform.LocalToWorld{}, transform.LocalToParent64{}),
		"has LocalTransform and Translation: one of them must go":     b.root(transform.At[float32](1, 0, 0), transform.Translation{}),
		"has LocalTransform and NonUniformScale: one of them must go": b.spawnLocal(root, transform.At[float32](1, 0, 0), transform.NonUniformScale{}),
		"has LocalToParent, but no Parent":                            b.root(transform.Rotation{}, transform.LocalToParent{}),
		"has PostTransformMatrix, but no LocalTransform":              b.root(transform.Rotation{}, transform.PostTransformMatrix{}),
		"Scale or LocalTransform, and its LocalToWorld is all zeros":  b.root(),
	} {
		b.update()
		for _, e := range []ecs.Entity{e, b.child(e, transform.Translation{})} {
			if _, err := transform.ComputeLocalToWorld[float32](b.w, e); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), text) {
				t.Errorf("entity %v: error %v, want one that says %q", e, err, text)
			}
		}
	}
	wide := b.w.Spawn(transform.Translation64{}, transform.Parent{Entity: root}, transform.LocalToWorld64{})
	if _, err := transform.ComputeLocalToWorld[float64](b.w, wide); err == nil || !strings.Contains(err.Error(), "Translation64 and Parent, but no LocalToParent64") {
		t.Errorf("error %v", err)
	}
	for _, e := range []ecs.Entity{b.root(owned{}), b.root(owned{}, transform.At[float32](1, 0, 0), transform.Translation{}), b.child(root, owned{})} {
		if l, err := transform.ComputeLocalToWorld[float32](b.w, e); err != nil || l != (transform.LocalToWorld{}) {
			t.Errorf("what is not written yet is %v, %v", l, err)
		}
	}
}

// ComputeLocalToWorld finds a cycle even if another system computes the matrix of an entity in it, as
// the update does. An entity that is in no list is not part of a cycle.
func TestComputeCircleThroughGiven(t *testing.T) {
	for name, values := range map[string][]any{
		"both":    {transform.At[float32](1, 0, 0), transform.LocalToParent{}, transform.LocalToWorld{}, transform.Parent{}},
		"claimed": {owned{}, transform.LocalToParent{}, transform.LocalToWorld{}, transform.Parent{}},
		"mixed":   {transform.At[float32](1, 0, 0), transform.Translation{}, translationX(3), transform.Parent{}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			root := b.root(transform.Translation{X: 1})
			first := b.w.Spawn(values...)
			second := b.child(first, transform.Translation{X: 1})
			below := b.child(second, transform.Translation{X: 1})
			b.ok(ecs.Set(b.w, first, transform.Parent{Entity: second}))
			for range 2 {
				for _, e := range []ecs.Entity{first, second, below} {
					if l, err := transform.ComputeLocalToWorld[float32](b.w, e); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "circle") {
						t.Errorf("entity %v: %v, error %v", e, l, err)
					}
				}
				var circle *transform.CycleError
				if err := b.group.Update(); err != nil && !errors.As(err, &circle) {
					t.Fatal(err)
				}
			}
			b.ok(ecs.Set(b.w, first, transform.Parent{Entity: root}))
			b.update()
			for _, e := range []ecs.Entity{first, second, below} {
				b.wantComputed(e)
			}
		})
	}
	b := newBench(t)
	first := b.w.Spawn(owned{}, transform.Parent{}, translationX(5))
	second := b.child(first, transform.Translation{X: 1})
	b.ok(ecs.Set(b.w, first, transform.Parent{Entity: second}))
	b.update()
	b.wantAt(second, 6, 0, 0)
	b.wantComputed(first)
	b.wantComputed(second)
}

// TestComputeKeepsNothing checks that ComputeLocalToWorld leaves no additional queries in the world.
func TestComputeKeepsNothing(t *testing.T) {
	w := ecs.NewWorld("test")
	defer w.Close()
	above := w.Spawn(transform.Translation{X: 1}, transform.Rotation{W: 1}, transform.LocalToWorld{})
	e := w.Spawn(transform.Translation{X: 1}, transform.Scale{Value: 1}, transform.Parent{Entity: above}, transform.LocalToParent{}, transform.LocalToWorld{})
	was := w.Stats()
	for range 3 {
		if m, err := transform.ComputeLocalToWorld[float32](w, e); err != nil || m.M[12] != 2 {
			t.Fatal(m, err)
		}
	}
	if is := w.Stats(); is != was {
		t.Errorf("%+v was %+v", is, was)
	}
}
