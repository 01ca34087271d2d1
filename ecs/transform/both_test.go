package transform

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// wantComputed checks that what is computed on demand is where the update put e.
func (b *bench) wantComputed(e ecs.Entity) {
	b.Helper()
	l, err := ComputeLocalToWorld[float32](b.w, e)
	b.ok(err)
	if want := get[LocalToWorld](b, e); !(off(l.M, inFloat64(want.M)) <= 1e-6) {
		b.Errorf("entity %v: computed %v, the update makes %v", e, l.M, want.M)
	}
}

// An entity with LocalTransform needs no LocalToParent, and one that it has all
// the same does not count.
func TestLocalToParentBesideLocalTransform(t *testing.T) {
	b := newBench(t)
	given := LocalToParent{[16]float32{0: 9, 5: 9, 10: 9, 15: 9}}
	root := b.local(ecs.Entity{}, At[float32](10, 0, 0), given)
	child := b.local(root, At[float32](1, 0, 0), LocalToParent{})
	post := b.local(root, At[float32](1, 0, 0), given, PostTransformMatrix(at(5)))
	leaf := b.child(child, Translation{X: 2})
	switched := b.local(root, At[float32](3, 0, 0), given, claim[LocalToWorld]{})
	want := func(xs ...float32) {
		t.Helper()
		for i, e := range []ecs.Entity{root, child, post, leaf, switched} {
			b.wantAt(e, xs[i], 0, 0)
			b.wantComputed(e)
		}
	}
	b.ok(ecs.SetEnabled[claim[LocalToWorld]](b.w, switched, false))
	b.update()
	want(10, 11, 16, 13, 13)
	b.ok(ecs.Set(b.w, child, At[float32](4, 0, 0)))
	b.ok(ecs.SetEnabled[claim[LocalToWorld]](b.w, switched, true))
	b.ok(ecs.Set(b.w, switched, at(50)))
	b.update()
	want(10, 14, 16, 16, 50)
	b.ok(ecs.SetEnabled[claim[LocalToWorld]](b.w, switched, false))
	b.update()
	want(10, 14, 16, 16, 13)
	_, err := ecs.Remove[Parent](b.w, child) // LocalToParent stays
	b.ok(err)
	b.update()
	b.wantAt(child, 14, 0, 0)
	b.ok(ecs.Set(b.w, child, At[float32](7, 0, 0)))
	b.update()
	want(10, 7, 16, 9, 13)
}

// What no system makes a matrix of says what is wrong with it.
func TestComputeNothing(t *testing.T) {
	b := newBench(t)
	root := b.root(Translation{X: 1})
	for text, e := range map[string]ecs.Entity{
		"has Translation and Parent, but no LocalToParent":            b.w.Spawn(Translation{}, Parent{root}, LocalToWorld{}),
		"has Scale and Parent, but no LocalToParent":                  b.w.Spawn(Scale{}, Parent{root}, LocalToWorld{}, LocalToParent64{}),
		"has LocalTransform and Translation: one of them must go":     b.root(At[float32](1, 0, 0), Translation{}),
		"has LocalTransform and NonUniformScale: one of them must go": b.local(root, At[float32](1, 0, 0), NonUniformScale{}),
		"has LocalToParent, but no Parent":                            b.root(Rotation{}, LocalToParent{}),
		"has PostTransformMatrix, but no LocalTransform":              b.root(Rotation{}, PostTransformMatrix{}),
		"Scale or LocalTransform, and its LocalToWorld is all zeros":  b.root(),
	} {
		b.update()
		for _, e := range []ecs.Entity{e, b.child(e, Translation{})} {
			if _, err := ComputeLocalToWorld[float32](b.w, e); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), text) {
				t.Errorf("entity %v: error %v, want one that says %q", e, err, text)
			}
		}
	}
	wide := b.w.Spawn(Translation64{}, Parent{root}, LocalToWorld64{})
	if _, err := ComputeLocalToWorld[float64](b.w, wide); err == nil || !strings.Contains(err.Error(), "Translation64 and Parent, but no LocalToParent64") {
		t.Errorf("error %v", err)
	}
	for _, e := range []ecs.Entity{b.root(owned{}), b.root(owned{}, At[float32](1, 0, 0), Translation{}), b.child(root, owned{})} {
		if l, err := ComputeLocalToWorld[float32](b.w, e); err != nil || l != (LocalToWorld{}) {
			t.Errorf("what is not written yet is %v, %v", l, err)
		}
	}
}

// Circles are found through entities whose matrices are another system's, as the
// update finds them; entities that are in no list are no links of them.
func TestComputeCircleThroughGiven(t *testing.T) {
	for name, values := range map[string][]any{
		"both":    {At[float32](1, 0, 0), LocalToParent{}, LocalToWorld{}, Parent{}},
		"claimed": {owned{}, LocalToParent{}, LocalToWorld{}, Parent{}},
		"mixed":   {At[float32](1, 0, 0), Translation{}, at(3), Parent{}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			root := b.root(Translation{X: 1})
			first := b.w.Spawn(values...)
			second := b.child(first, Translation{X: 1})
			below := b.child(second, Translation{X: 1})
			b.ok(ecs.Set(b.w, first, Parent{second}))
			for range 2 {
				for _, e := range []ecs.Entity{first, second, below} {
					if l, err := ComputeLocalToWorld[float32](b.w, e); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "circle") {
						t.Errorf("entity %v: %v, error %v", e, l, err)
					}
				}
				var circle *CycleError
				if err := b.group.Update(); err != nil && !errors.As(err, &circle) {
					t.Fatal(err)
				}
			}
			b.ok(ecs.Set(b.w, first, Parent{root}))
			b.update()
			for _, e := range []ecs.Entity{first, second, below} {
				b.wantComputed(e)
			}
		})
	}
	b := newBench(t)
	first := b.w.Spawn(owned{}, Parent{}, at(5))
	second := b.child(first, Translation{X: 1})
	b.ok(ecs.Set(b.w, first, Parent{second}))
	b.update()
	b.wantAt(second, 6, 0, 0)
	b.wantComputed(first)
	b.wantComputed(second)
}

// TestComputeKeepsNothing: the world has no query more behind it.
func TestComputeKeepsNothing(t *testing.T) {
	w := ecs.NewWorld("test")
	defer w.Close()
	above := w.Spawn(Translation{X: 1}, Rotation{W: 1}, LocalToWorld{})
	e := w.Spawn(Translation{X: 1}, Scale{1}, Parent{above}, LocalToParent{}, LocalToWorld{})
	was := w.Stats()
	for range 3 {
		if m, err := ComputeLocalToWorld[float32](w, e); err != nil || m.M[12] != 2 {
			t.Fatal(m, err)
		}
	}
	if is := w.Stats(); is != was {
		t.Errorf("%+v was %+v", is, was)
	}
}
