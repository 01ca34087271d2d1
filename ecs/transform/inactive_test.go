package transform_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// If a child gets another parent while it is inactive, the new parent is used when the child is active
// again.
func TestParentSetWhileInactive(t *testing.T) {
	b := newBench(t)
	one, two := b.root(transform.Translation{X: 1}), b.root(transform.Translation{X: 2})
	child, other := b.child(one, transform.Translation{X: 10}), b.child(one, transform.Translation{X: 20})
	b.update()
	b.ok(b.w.SetActive(child, false))
	b.update()
	b.ok(ecs.Set(b.w, child, transform.Parent{Entity: two}))
	b.update()
	b.ok(b.w.SetActive(child, true))
	b.update()
	b.wantChildren(one, other)
	b.wantChildren(two, child)
	b.wantAt(child, 12, 0, 0)
}

// The same for a LocalTransform.
func TestLocalTransformSetWhileInactive(t *testing.T) {
	b := newBench(t)
	e, other := b.spawnLocal(ecs.Entity{}, transform.At[float32](1, 0, 0)), b.spawnLocal(ecs.Entity{}, transform.At[float32](9, 0, 0))
	b.update()
	b.ok(b.w.SetActive(e, false))
	b.update()
	b.ok(ecs.Set(b.w, e, transform.At[float32](2, 0, 0)))
	b.update()
	b.ok(b.w.SetActive(e, true))
	b.update()
	b.wantAt(e, 2, 0, 0)
	b.wantAt(other, 9, 0, 0)
}

// A child may change while its root is inactive. The matrices contain the change as soon as the
// root is active again.
func TestChildrenMovedWhileRootInactive(t *testing.T) {
	b := newBench(t)
	root, other := b.spawnLocal(ecs.Entity{}, transform.At[float32](100, 0, 0)), b.spawnLocal(ecs.Entity{}, transform.At[float32](200, 0, 0))
	child := b.child(root, transform.Translation{X: 1})
	leaf, stays := b.spawnLocal(child, transform.At[float32](1, 0, 0)), b.spawnLocal(other, transform.At[float32](2, 0, 0))
	b.update()
	b.ok(b.w.SetActive(root, false))
	b.update()
	b.ok(ecs.Set(b.w, child, transform.Translation{X: 5}))
	b.ok(ecs.Set(b.w, leaf, transform.At[float32](7, 0, 0)))
	b.update()
	b.ok(b.w.SetActive(root, true))
	b.update()
	b.wantAt(child, 105, 0, 0)
	b.wantAt(leaf, 112, 0, 0)
	b.wantAt(stays, 202, 0, 0)
}

// A child that changes while it is inactive itself gets its matrix when it is active again.
func TestChildMovedWhileInactive(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{X: 100})
	child, other := b.spawnLocal(root, transform.At[float32](1, 0, 0)), b.spawnLocal(root, transform.At[float32](2, 0, 0))
	b.update()
	b.ok(b.w.SetActive(child, false))
	b.update()
	b.ok(ecs.Set(b.w, child, transform.At[float32](5, 0, 0)))
	b.update()
	b.ok(b.w.SetActive(child, true))
	b.update()
	b.wantAt(child, 105, 0, 0)
	b.wantAt(other, 102, 0, 0)
}

// An inactive entity does not move until it is active again, unless it is a root with
// LocalTransform. The entities below an inactive entity do not move either. ComputeLocalToWorld ignores
// all that.
func TestWaitingForInactive(t *testing.T) {
	b := newBench(t)
	roots := []ecs.Entity{b.root(transform.Translation{X: 5}), b.spawnLocal(ecs.Entity{}, transform.At[float32](5, 0, 0))}
	children := []ecs.Entity{b.child(roots[0], transform.Translation{X: 1}), b.spawnLocal(roots[1], transform.At[float32](1, 0, 0))}
	b.update()
	for _, e := range roots {
		b.ok(b.w.SetActive(e, false))
	}
	b.ok(ecs.Set(b.w, roots[0], transform.Translation{X: 50}))
	b.ok(ecs.Set(b.w, roots[1], transform.At[float32](50, 0, 0)))
	b.ok(ecs.Set(b.w, children[0], transform.Translation{X: 2}))
	b.ok(ecs.Set(b.w, children[1], transform.At[float32](2, 0, 0)))
	b.update()
	b.wantAt(roots[0], 5, 0, 0)
	b.wantAt(roots[1], 50, 0, 0)
	for i, e := range children {
		b.wantAt(e, 6, 0, 0)
		for e, x := range map[ecs.Entity]float32{roots[i]: 50, e: 52} {
			l, err := transform.ComputeLocalToWorld[float32](b.w, e)
			b.ok(err)
			if l.M[12] != x {
				t.Errorf("computed %v of entity %v, want %v", l.M[12], e, x)
			}
		}
		b.ok(b.w.SetActive(roots[i], true))
	}
	b.update()
	for i, e := range children {
		b.wantAt(roots[i], 50, 0, 0)
		b.wantAt(e, 52, 0, 0)
	}
}
