package transform_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// After a Restore, children follow the parents of the image. In the test, trees and chunks of the image
// were destroyed before the Restore and exist again after it.
func TestRestore(t *testing.T) {
	b := newBench(t)
	one, two := b.root(transform.Translation{X: 10}), b.root(transform.Translation{X: 20})
	x := b.child(one, transform.Translation{X: 1})
	leaf := b.child(x, transform.Translation{X: 2})
	b.update()
	b.wantAt(leaf, 13, 0, 0)
	m, err := ecs.Capture(b.w, nil)
	b.ok(err)
	for k := range 3 {
		switch k {
		case 0: // another parent
			b.ok(ecs.Set(b.w, x, transform.Parent{Entity: two}))
			b.update()
			b.wantAt(leaf, 23, 0, 0)
		case 1: // chunks end
			b.ok(ecs.DestroyAll(b.w, ecs.Entities([]ecs.Entity{leaf, x})))
			b.update()
		case 2: // chunks are replaced
			b.ok(ecs.DestroyAll(b.w, ecs.Entities([]ecs.Entity{one, two, leaf, x})))
			b.update()
			b.child(b.child(b.root(transform.Translation{X: 5}), transform.Translation{X: 5}), transform.Translation{X: 5})
			b.update()
		}
		b.ok(ecs.Restore(b.w, m))
		b.ok(ecs.Set(b.w, one, transform.Translation{X: 100}))
		b.update()
		b.wantAt(x, 101, 0, 0)
		b.wantAt(leaf, 103, 0, 0)
		b.ok(ecs.Set(b.w, x, transform.Parent{Entity: two}))
		b.update()
		b.wantAt(leaf, 23, 0, 0)
		b.ok(ecs.Restore(b.w, m))
		b.update()
		b.wantAt(leaf, 13, 0, 0)
	}
}

// If a child had already lost its parent when the image was captured, it stays at its place after the
// Restore. No other entity does so.
func TestRestoreStays(t *testing.T) {
	b := newBench(t)
	one := b.spawnLocal(ecs.Entity{}, transform.At[float32](10, 0, 0))
	first, second := b.spawnLocal(one, transform.At[float32](1, 0, 0)), b.spawnLocal(one, transform.At[float32](2, 0, 0))
	other := b.spawnLocal(ecs.Entity{}, transform.At[float32](7, 0, 0))
	b.update()
	orphan := func(e ecs.Entity) {
		_, err := ecs.Remove[transform.Parent](b.w, e)
		b.ok(err)
		b.update()
	}
	before, err := ecs.Capture(b.w, nil)
	b.ok(err)
	orphan(first)
	after, err := ecs.Capture(b.w, before)
	b.ok(err)
	b.ok(ecs.Set(b.w, first, transform.At[float32](1, 0, 0)))
	orphan(second)
	b.wantAt(first, 1, 0, 0)
	b.ok(ecs.Restore(b.w, after))
	b.ok(b.w.Destroy(other)) // rows of the chunk go
	b.update()
	b.wantAt(first, 11, 0, 0)
	b.wantAt(second, 12, 0, 0)
	b.ok(ecs.Restore(b.w, before))
	if n := transform.StayingCount[float32](b.w); n != 0 {
		t.Errorf("%d stay, want 0", n)
	}
	orphan(first)
	b.wantAt(first, 11, 0, 0)
}

// grove is a world of trees with random edits. A copy of a grove has its own copies of the random
// generator and of the model.
type grove struct {
	*bench
	r   *rand.Rand
	ids []ecs.Entity
}

func (f *grove) any() ecs.Entity {
	if len(f.ids) == 0 {
		return ecs.Entity{}
	}
	return f.ids[f.r.IntN(len(f.ids))]
}

func (f *grove) edit() {
	e, l := f.any(), transform.At(float32(f.r.IntN(50)), 0, 0)
	what := f.r.IntN(10)
	switch {
	case what < 3 || e == (ecs.Entity{}):
		f.ids = append(f.ids, f.spawnLocal(ecs.Entity{}, l))
	case what < 5:
		f.ids = append(f.ids, f.spawnLocal(e, l))
	case what < 6:
		f.ok(ecs.Set(f.w, e, l))
	case what < 8 && ecs.Has[transform.Parent](f.w, e):
		up, err := ecs.Get[transform.Parent](f.w, e)
		f.ok(err)
		for p := f.ids[0]; p != e && up.Entity != p; { // the first is a root
			f.ok(ecs.Set(f.w, e, transform.Parent{Entity: p}))
			return
		}
		_, err = ecs.Remove[transform.Parent](f.w, e)
		f.ok(err)
	case what < 9 && e != f.ids[0]:
		f.ok(f.w.Destroy(e))
		f.ids = slices.DeleteFunc(f.ids, func(o ecs.Entity) bool { return o == e })
	default:
		f.ok(ecs.Set(f.w, e, l))
	}
}

// If a world is changed and then restored, it continues like a world that was never changed.
func TestRestoreAgain(t *testing.T) {
	for seed := range uint64(4) {
		plain := grove{newBench(t), rand.New(rand.NewPCG(seed, 1)), nil}
		other := grove{newBench(t), rand.New(rand.NewPCG(seed, 1)), nil}
		spoil := rand.New(rand.NewPCG(seed, 2))
		var last *ecs.Image
		for step := range 150 {
			for range 1 + spoil.IntN(3) {
				plain.edit()
				other.edit()
			}
			if spoil.IntN(2) == 0 {
				plain.update()
				other.update()
			}
			if a, b := plain.w.Hash(), other.w.Hash(); a != b {
				t.Fatalf("seed %d, step %d: the hash is %x, and %x after Restore", seed, step, a, b)
			}
			m, err := ecs.Capture(other.w, last)
			other.ok(err)
			wrong := grove{other.bench, spoil, slices.Clone(other.ids)}
			for range spoil.IntN(3) {
				for range spoil.IntN(8) {
					wrong.edit()
				}
				wrong.update()
			}
			other.ok(ecs.Restore(other.w, m))
			last = m
		}
	}
}

// A node gets another parent in an update in which the hierarchy does not run, and the image is captured then. If the node
// gets its old parent back before the hierarchy runs again, the hierarchy writes no matrix, as it does without a Restore.
// If the node keeps the new parent, the hierarchy computes its matrix.
func TestRestoreRelinked(t *testing.T) {
	for _, back := range []bool{true, false} {
		for _, restores := range []int{0, 1, 2} {
			b := newBench(t)
			one, two := b.root(transform.Translation{X: 10}), b.root(transform.Translation{X: 20})
			x := b.child(one, transform.Translation{X: 1})
			leaf := b.child(x, transform.Translation{X: 2})
			b.child(one) // so that both have other children
			b.child(two)
			b.update()
			hierarchy := system.InstanceOf(b.w, system.Find[transform.HierarchyOf[float32]](b.w))
			hierarchy.SetEnabled(false)
			b.ok(ecs.Set(b.w, x, transform.Parent{Entity: two}))
			b.update()
			hierarchy.SetEnabled(true)
			m, err := ecs.Capture(b.w, nil)
			b.ok(err)
			for range restores {
				b.ok(system.Restore(b.w, m))
				if m, err = ecs.Capture(b.w, nil); err != nil { // a restored world, in which the hierarchy has not run, has the same state
					t.Fatal(err)
				}
			}
			want := float32(23)
			if back {
				b.ok(ecs.Set(b.w, x, transform.Parent{Entity: one}))
				want = 13
			}
			before := b.w.Version()
			b.update()
			b.wantAt(leaf, want, 0, 0)
			for c := range b.w.Query(ecs.Read[transform.LocalToWorld](), ecs.With[transform.Parent]()).Chunks() {
				if slices.Contains(c.Entities(), leaf) && ecs.ChangedSince[transform.LocalToWorld](c, before) == back {
					t.Errorf("back %v, %d restores: the chunk of the leaf is marked as changed: %v, want %v", back, restores, back, !back)
				}
			}
		}
	}
}
