package transform_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// newSecondWorld makes a second world with the systems of this package.
func (b *bench) newSecondWorld() *bench {
	b.Helper()
	w, err := system.NewWorld(b.Name()+", elsewhere", system.Only(transforms()...))
	b.ok(err)
	return &bench{b.TB, w, system.InstanceOf(w, system.Find[transform.Group](w))}
}

type marker struct{}

// If trees move to another world, they have the same matrices and lists in that world, and the lists of
// the remaining entities stay correct.
func TestMoveTrees(t *testing.T) {
	b := newBench(t)
	away := b.newSecondWorld()
	native := away.root(transform.Translation{X: 7}, marker{})
	below := away.child(native, transform.Translation{X: 1}, marker{})
	away.update()
	stays := b.root(transform.Translation{X: 1})
	kept := b.child(stays, transform.Translation{X: 2})
	root := b.root(transform.Translation{X: 10}, marker{})
	child := b.child(root, transform.Translation{X: 1}, marker{})
	leaf := b.spawnLocal(child, transform.At[float32](5, 0, 0), marker{})
	b.update()
	var moved ecs.EntityMap
	b.ok(ecs.MoveMatching(away.w, b.w.Query(ecs.With[marker]()), &moved))
	for range 2 {
		b.update()
		away.update()
	}
	b.wantChildren(stays, kept)
	b.wantAt(kept, 3, 0, 0)
	away.wantChildren(moved.NewID(root), moved.NewID(child))
	away.wantChildren(moved.NewID(child), moved.NewID(leaf))
	away.wantAt(moved.NewID(leaf), 16, 0, 0)
	away.wantAt(below, 8, 0, 0)
	away.wantChildren(native, below)
	b.ok(ecs.Set(away.w, moved.NewID(root), transform.Translation{X: 20}))
	late := away.child(moved.NewID(root), transform.Translation{X: 3})
	away.update()
	away.wantAt(moved.NewID(leaf), 26, 0, 0)
	away.wantAt(late, 23, 0, 0)
	away.wantChildren(moved.NewID(root), moved.NewID(child), late)
	b.ok(away.w.Destroy(moved.NewID(root)))
	away.update()
	away.wantAt(moved.NewID(child), 1, 0, 0)
}

// If a child moves to another world without its parent, it becomes a root and is in no list.
func TestMoveChildAlone(t *testing.T) {
	b := newBench(t)
	away := b.newSecondWorld()
	root := b.root(transform.Translation{X: 10})
	kept := b.child(root, transform.Translation{X: 1})
	only := b.root(transform.Translation{X: 5})
	var goes [2]ecs.Entity
	for i, p := range []ecs.Entity{root, only} {
		goes[i] = b.child(p, transform.Translation{X: 2}, marker{})
	}
	b.update()
	var moved ecs.EntityMap
	b.ok(ecs.MoveMatching(away.w, b.w.Query(ecs.With[marker]()), &moved))
	b.update()
	away.update()
	b.wantChildren(root, kept)
	b.wantChildren(only)
	for _, e := range goes {
		away.wantAt(moved.NewID(e), 2, 0, 0)
		if ecs.Has[transform.Parent](away.w, moved.NewID(e)) || ecs.Has[transform.PreviousParent](away.w, moved.NewID(e)) {
			t.Error("a child that went without its parent has one")
		}
	}
}

// A parent without children has no list. The test has many parents, in two chunks. Some parents have
// one child, which moves to another world. Other parents have two children, and one of these children
// moves.
func TestMoveAllChildren(t *testing.T) {
	b := newBench(t)
	away := b.newSecondWorld()
	const n = 400
	parents, kept := make([]ecs.Entity, n), make([]ecs.Entity, n)
	for i := range parents {
		parents[i] = b.root(transform.Translation{X: 10})
		if b.child(parents[i], transform.Translation{X: 1}, marker{}); i%2 == 0 {
			kept[i] = b.child(parents[i], transform.Translation{X: 2})
		}
	}
	b.update()
	var moved ecs.EntityMap
	b.ok(ecs.MoveMatching(away.w, b.w.Query(ecs.With[marker]()), &moved))
	b.update()
	for i, p := range parents {
		if i%2 == 0 {
			b.wantChildren(p, kept[i])
		} else if ecs.Has[transform.Children](b.w, p) {
			t.Fatalf("parent %d has a list of %d children, and all of them have gone", i, get[transform.Children](b, p).Len())
		}
	}
}

// When a parent moves alone, its children become roots, and it has no children.
func TestMoveParentAlone(t *testing.T) {
	b := newBench(t)
	away := b.newSecondWorld()
	away.child(away.root(transform.Translation{}), transform.Translation{})
	root := b.root(transform.Translation{X: 10}, marker{})
	child := b.child(root, transform.Translation{X: 1})
	leaf := b.child(child, transform.Translation{X: 1})
	b.update()
	away.update()
	var moved ecs.EntityMap
	b.ok(ecs.MoveMatching(away.w, b.w.Query(ecs.With[marker]()), &moved))
	b.update()
	away.update()
	away.wantChildren(moved.NewID(root))
	b.wantAt(child, 1, 0, 0)
	b.wantAt(leaf, 2, 0, 0)
	b.wantChildren(child, leaf)
	if ecs.Has[transform.Parent](b.w, child) || ecs.Has[transform.LocalToParent](b.w, child) {
		t.Error("the child of a parent that went has it still")
	}
}

// TestComeBack moves a part of a tree to an excerpt and back. Afterwards, each child whose parent exists must
// be exactly once in the list of this parent. Some entities are inactive when they come back.
func TestComeBack(t *testing.T) {
	key := func(e ecs.Entity) (uint64, error) { return uint64(e.Index)<<32 | uint64(e.Version), nil }
	for seed := range uint64(40) {
		b, rng := newBench(t), rand.New(rand.NewPCG(seed, 1))
		all := []ecs.Entity{b.root(transform.Translation{X: 1})}
		for range 2 + rng.IntN(12) {
			p := all[rng.IntN(len(all))]
			if rng.IntN(2) == 0 {
				all = append(all, b.child(p, transform.Translation{X: 1}))
			} else {
				all = append(all, b.spawnLocal(p, transform.At[float32](1, 0, 0)))
			}
		}
		b.update()
		rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		n := 1 + rng.IntN(len(all))
		var left ecs.Excerpt
		b.ok(left.Extract(b.w, all[:n], key))
		b.ok(left.DestroySource())
		if rng.IntN(2) == 0 {
			b.update()
		}
		came, err := left.Insert(b.w, func(k uint64) (ecs.Entity, error) {
			if e := (ecs.Entity{Index: int32(k >> 32), Version: int32(k)}); b.w.Exists(e) {
				return e, nil
			}
			return ecs.Entity{}, nil
		})
		b.ok(err)
		copy(all, came)
		var slept []ecs.Entity
		for _, e := range came {
			if rng.IntN(4) == 0 {
				slept = append(slept, e)
				b.ok(b.w.SetActive(e, false))
			}
		}
		b.update()
		for _, e := range slept {
			b.ok(b.w.SetActive(e, true))
		}
		b.update()
		times := map[ecs.Entity]int{}
		for _, e := range all {
			if ecs.Has[transform.Children](b.w, e) {
				for _, c := range b.children(e) {
					if times[c]++; get[transform.Parent](b, c).Entity != e {
						t.Errorf("seed %d: entity %v is in the list of %v, which is not its parent", seed, c, e)
					}
				}
			}
		}
		for _, e := range all {
			if want := ecs.Has[transform.Parent](b.w, e); times[e] > 1 || want != (times[e] == 1) {
				t.Errorf("seed %d: entity %v has a parent: %v; it is in %d lists", seed, e, want, times[e])
			}
		}
	}
}

// visitor marks the entities that move in the other direction, from away to b.
type visitor struct{}

// swap moves the entities with marker from b to away, and the entities with visitor from away to b.
func (b *bench) swap(away *bench) (gone, come ecs.EntityMap) {
	b.Helper()
	b.ok(ecs.MoveMatching(away.w, b.w.Query(ecs.With[marker]()), &gone))
	b.ok(ecs.MoveMatching(b.w, away.w.Query(ecs.With[visitor]()), &come))
	return gone, come
}

// A child without its parent moves to the other world, and another child comes from that world. So the
// number of children in each world does not change.
func TestSwapChildren(t *testing.T) {
	b := newBench(t)
	away := b.newSecondWorld()
	root, native := b.root(transform.Translation{X: 10}), away.root(transform.Translation{X: 20})
	kept, stays := b.child(root, transform.Translation{X: 1}), away.child(native, transform.Translation{X: 1})
	goes, comes := b.child(root, transform.Translation{X: 2}, marker{}), away.child(native, transform.Translation{X: 3}, visitor{})
	b.update()
	away.update()
	gone, come := b.swap(away)
	for range 2 {
		b.update()
		away.update()
	}
	b.wantChildren(root, kept)
	away.wantChildren(native, stays)
	b.wantAt(come.NewID(comes), 3, 0, 0)
	away.wantAt(gone.NewID(goes), 2, 0, 0)
}

// A parent without its children moves to the other world, and another parent comes from that world.
func TestSwapParents(t *testing.T) {
	b := newBench(t)
	away := b.newSecondWorld()
	root, native := b.root(transform.Translation{X: 10}, marker{}), away.root(transform.Translation{X: 20}, visitor{})
	kept, stays := b.child(root, transform.Translation{X: 1}), away.child(native, transform.Translation{X: 2})
	b.update()
	away.update()
	gone, come := b.swap(away)
	for range 2 {
		b.update()
		away.update()
	}
	b.wantChildren(come.NewID(native))
	away.wantChildren(gone.NewID(root))
	b.wantAt(kept, 1, 0, 0)
	away.wantAt(stays, 2, 0, 0)
	if ecs.Has[transform.Parent](b.w, kept) || ecs.Has[transform.Parent](away.w, stays) {
		t.Error("the child of a parent that went has it still")
	}
}

// If a child moves to another world and comes back between two updates, it is in no list afterwards.
// The same is true if the job of a transaction moves it.
func TestMoveThereAndBack(t *testing.T) {
	for _, lent := range []bool{false, true} {
		b := newBench(t)
		away := b.newSecondWorld()
		root := b.root(transform.Translation{X: 10})
		kept := b.child(root, transform.Translation{X: 1})
		child := b.child(root, transform.Translation{X: 2}, marker{})
		b.update()
		var gone, back ecs.EntityMap
		travel := func(w *ecs.World) error {
			if err := ecs.MoveMatching(away.w, w.Query(ecs.With[marker]()), &gone); err != nil {
				return err
			}
			return ecs.MoveEntities(w, away.w, &back)
		}
		if lent {
			tx, err := ecs.BeginTransaction(b.w)
			b.ok(err)
			tx.Schedule(ecs.TransactionFunc(travel))
			b.ok(tx.End())
		} else {
			b.ok(travel(b.w))
		}
		b.update()
		b.wantChildren(root, kept)
		b.wantAt(kept, 11, 0, 0)
		b.wantAt(back.NewID(gone.NewID(child)), 2, 0, 0)
	}
}

// newLinkedTree makes a linked group of a tree: a root, a child and its child.
func (b *bench) newLinkedTree(values ...any) (tree [3]ecs.Entity) {
	tree[0] = b.root(append(slices.Clone(values), transform.Translation{X: 1})...)
	tree[1] = b.child(tree[0], append(slices.Clone(values), transform.Translation{X: 2})...)
	tree[2] = b.child(tree[1], append(slices.Clone(values), transform.Translation{X: 3})...)
	_, err := ecs.Ensure[ecs.LinkedGroup](b.w, tree[0])
	b.ok(err)
	group, err := ecs.GetBuffer[ecs.Linked](b.w, tree[0])
	b.ok(err)
	for _, e := range tree {
		group.Append(ecs.Linked{Entity: e})
	}
	return tree
}

// Copies of a linked tree are separate trees.
func TestInstantiateLinkedTree(t *testing.T) {
	for _, prefab := range []bool{false, true} {
		b := newBench(t)
		var values []any
		if prefab {
			values = append(values, ecs.Prefab{})
		}
		tree := b.newLinkedTree(values...)
		b.update()
		copies, err := b.w.Instantiate(tree[0], 3)
		b.ok(err)
		for i, c := range copies {
			b.ok(ecs.Set(b.w, c, transform.Translation{X: float32(10 * i)}))
		}
		b.update()
		for i, c := range copies {
			children := b.children(c)
			if len(children) != 1 {
				t.Fatalf("copy %d has the children %v, want one", i, children)
			}
			leaves := b.children(children[0])
			if len(leaves) != 1 || leaves[0] == tree[2] {
				t.Fatalf("the child of copy %d has the children %v, want one of its own", i, leaves)
			}
			b.wantAt(leaves[0], float32(10*i+5), 0, 0)
		}
		if prefab {
			b.wantChildren(tree[0])
		} else {
			b.wantChildren(tree[0], tree[1])
		}
		b.ok(b.w.Destroy(copies[1]))
		before := b.w.Len()
		b.update()
		if got := before - b.w.Len(); b.w.Exists(copies[1]) || got > 3 {
			t.Errorf("%d entities are gone after the end of a copy of 3", got)
		}
	}
}

// Conformance: 284
func TestLinkedHierarchyAtRest(t *testing.T) {
	for _, buffered := range []bool{false, true} {
		b := newBench(t)
		tree := b.newLinkedTree()
		b.ok(b.w.SetActive(tree[0], false))
		b.update()
		for _, e := range tree {
			b.wantChildren(e)
			if ecs.Has[transform.PreviousParent](b.w, e) {
				t.Error("an inactive child is linked")
			}
		}
		if buffered {
			c := b.w.NewCommands()
			b.ok(c.SetActive(tree[0], true))
			b.ok(c.Playback(b.w))
		} else {
			b.ok(b.w.SetActive(tree[0], true))
		}
		b.update()
		b.wantChildren(tree[0], tree[1])
		b.wantChildren(tree[1], tree[2])
		b.wantAt(tree[2], 6, 0, 0)
	}
}
