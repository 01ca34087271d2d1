package transform_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// takeAway removes a component that belongs to Parents.
func takeAway[C any](b *bench, e ecs.Entity) {
	b.Helper()
	_, err := ecs.Remove[C](b.w, e)
	b.ok(err)
}

// A child without PreviousParent counts as a new child. The child joins a list of children, and its
// entry remains in the former list until its Parent is removed.
func TestPreviousParentByHand(t *testing.T) {
	b := newBench(t)
	first, second := b.root(transform.Translation{X: 1}), b.root(transform.Translation{X: 100})
	child := b.child(first, transform.Translation{X: 2})
	other := b.child(first, transform.Translation{X: 3})
	b.update()
	takeAway[transform.PreviousParent](b, child)
	b.update()
	b.wantChildren(first, child, other, child)
	b.ok(ecs.Set(b.w, child, transform.Parent{Entity: second}))
	b.update()
	b.wantChildren(first, other)
	b.wantChildren(second, child)
	takeAway[transform.PreviousParent](b, child)
	b.ok(ecs.Set(b.w, child, transform.Parent{Entity: first}))
	b.update()
	b.wantChildren(first, other, child)
	b.wantChildren(second, child)
	b.wantAt(child, 3, 0, 0)
	takeAway[transform.PreviousParent](b, child)
	takeAway[transform.Parent](b, child)
	b.update()
	b.wantChildren(first, other, child)
	b.wantAt(other, 4, 0, 0)
}

// If a program removes the list of an entity's children, the list does not come back. The next child
// begins another.
func TestChildrenByHand(t *testing.T) {
	b := newBench(t)
	root, away := b.root(transform.Translation{X: 1}), b.root(transform.Translation{X: 100})
	stays, goes := b.child(root, transform.Translation{X: 2}), b.child(root, transform.Translation{X: 3})
	b.update()
	takeAway[transform.Children](b, root)
	b.ok(ecs.Set(b.w, root, transform.Translation{X: 10}))
	b.ok(ecs.Set(b.w, goes, transform.Parent{Entity: away}))
	b.update()
	b.wantChildren(away, goes)
	b.wantAt(goes, 103, 0, 0)
	b.wantAt(stays, 3, 0, 0)
	late := b.child(root, transform.Translation{X: 4})
	b.update()
	b.wantChildren(root, late)
	b.wantAt(late, 14, 0, 0)
	b.wantAt(stays, 12, 0, 0)
}
