package transform

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// takeAway removes a component that belongs to Parents.
func takeAway[C any](b *bench, e ecs.Entity) {
	b.Helper()
	_, err := ecs.Remove[C](b.w, e)
	b.ok(err)
}

// A child without PreviousParent is a new one: it joins a list and leaves none,
// until it leaves by way of Parent.
func TestPreviousParentByHand(t *testing.T) {
	b := newBench(t)
	first, second := b.root(Translation{X: 1}), b.root(Translation{X: 100})
	child := b.child(first, Translation{X: 2})
	other := b.child(first, Translation{X: 3})
	b.update()
	takeAway[PreviousParent](b, child)
	b.update()
	b.wantChildren(first, child, other, child)
	b.ok(ecs.Set(b.w, child, Parent{second}))
	b.update()
	b.wantChildren(first, other)
	b.wantChildren(second, child)
	takeAway[PreviousParent](b, child)
	b.ok(ecs.Set(b.w, child, Parent{first}))
	b.update()
	b.wantChildren(first, other, child)
	b.wantChildren(second, child)
	b.wantAt(child, 3, 0, 0)
	takeAway[PreviousParent](b, child)
	takeAway[Parent](b, child)
	b.update()
	b.wantChildren(first, other, child)
	b.wantAt(other, 4, 0, 0)
}

// A list that was taken away is not missed; the next child begins another.
func TestChildrenByHand(t *testing.T) {
	b := newBench(t)
	root, away := b.root(Translation{X: 1}), b.root(Translation{X: 100})
	stays, goes := b.child(root, Translation{X: 2}), b.child(root, Translation{X: 3})
	b.update()
	takeAway[Children](b, root)
	b.ok(ecs.Set(b.w, root, Translation{X: 10}))
	b.ok(ecs.Set(b.w, goes, Parent{away}))
	b.update()
	b.wantChildren(away, goes)
	b.wantAt(goes, 103, 0, 0)
	b.wantAt(stays, 3, 0, 0)
	late := b.child(root, Translation{X: 4})
	b.update()
	b.wantChildren(root, late)
	b.wantAt(late, 14, 0, 0)
	b.wantAt(stays, 12, 0, 0)
}
