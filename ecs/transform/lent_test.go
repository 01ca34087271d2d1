package transform_test

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// A tree that a transaction has moved is computed in the next update, even after updates that were
// refused meanwhile.
func TestMovedInTransaction(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{X: 1})
	child := b.child(root, transform.Translation{X: 10})
	for range 2 {
		b.update()
	}
	x, err := ecs.BeginTransaction(b.w)
	b.ok(err)
	b.ok(x.Schedule(ecs.TransactionFunc(func(w *ecs.World) error { return ecs.Set(w, root, transform.Translation{X: 2}) })).Wait())
	for range 2 {
		if err := b.group.Update(); !errors.Is(err, ecs.ErrState) {
			t.Errorf("got error %v, want ErrState", err)
		}
	}
	b.ok(x.End())
	b.update()
	b.wantAt(root, 2, 0, 0)
	b.wantAt(child, 12, 0, 0)
}
