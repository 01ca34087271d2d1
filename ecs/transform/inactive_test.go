package transform

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// The scale of a parent that queries do not match counts at once, not when
// something else happens to its child.
func TestScaleInverseOfHiddenParent(t *testing.T) {
	for name, hide := range map[string]ecs.Term{"inactive": ecs.With[ecs.Inactive](), "prefab": ecs.With[ecs.Prefab]()} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			parent := b.root(Translation{}, Scale{2})
			child := b.child(parent, Translation{}, ParentScaleInverse{})
			b.update()
			_, err := b.w.AddTypes(parent, hide)
			b.ok(err)
			b.update()
			b.ok(ecs.Set(b.w, parent, Scale{4}))
			b.update()
			if got := get[ParentScaleInverse](b, child).M[0]; got != 0.25 {
				t.Errorf("the inverse is %v, want 0.25", got)
			}
		})
	}
}

// A parent that was set while the child was inactive counts when it is back.
func TestParentSetWhileInactive(t *testing.T) {
	b := newBench(t)
	one, two := b.root(Translation{X: 1}), b.root(Translation{X: 2})
	child, other := b.child(one, Translation{X: 10}), b.child(one, Translation{X: 20})
	b.update()
	b.ok(b.w.SetActive(child, false))
	b.update()
	b.ok(ecs.Set(b.w, child, Parent{two}))
	b.update()
	b.ok(b.w.SetActive(child, true))
	b.update()
	b.wantChildren(one, other)
	b.wantChildren(two, child)
	b.wantAt(child, 12, 0, 0)
}

// So does a LocalTransform that was set meanwhile.
func TestLocalTransformSetWhileInactive(t *testing.T) {
	b := newBench(t)
	e, other := b.local(ecs.Entity{}, At[float32](1, 0, 0)), b.local(ecs.Entity{}, At[float32](9, 0, 0))
	b.update()
	b.ok(b.w.SetActive(e, false))
	b.update()
	b.ok(ecs.Set(b.w, e, At[float32](2, 0, 0)))
	b.update()
	b.ok(b.w.SetActive(e, true))
	b.update()
	b.wantAt(e, 2, 0, 0)
	b.wantAt(other, 9, 0, 0)
}

// What children became while their root was inactive counts when it is back.
func TestChildrenMovedWhileRootInactive(t *testing.T) {
	b := newBench(t)
	root, other := b.local(ecs.Entity{}, At[float32](100, 0, 0)), b.local(ecs.Entity{}, At[float32](200, 0, 0))
	child := b.child(root, Translation{X: 1})
	leaf, stays := b.local(child, At[float32](1, 0, 0)), b.local(other, At[float32](2, 0, 0))
	b.update()
	b.ok(b.w.SetActive(root, false))
	b.update()
	b.ok(ecs.Set(b.w, child, Translation{X: 5}))
	b.ok(ecs.Set(b.w, leaf, At[float32](7, 0, 0)))
	b.update()
	b.ok(b.w.SetActive(root, true))
	b.update()
	b.wantAt(child, 105, 0, 0)
	b.wantAt(leaf, 112, 0, 0)
	b.wantAt(stays, 202, 0, 0)
}

// What one child became while it was inactive itself does too.
func TestChildMovedWhileInactive(t *testing.T) {
	b := newBench(t)
	root := b.root(Translation{X: 100})
	child, other := b.local(root, At[float32](1, 0, 0)), b.local(root, At[float32](2, 0, 0))
	b.update()
	b.ok(b.w.SetActive(child, false))
	b.update()
	b.ok(ecs.Set(b.w, child, At[float32](5, 0, 0)))
	b.update()
	b.ok(b.w.SetActive(child, true))
	b.update()
	b.wantAt(child, 105, 0, 0)
	b.wantAt(other, 102, 0, 0)
}
