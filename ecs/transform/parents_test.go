package transform_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Conformance: 275
func TestChildPosition(t *testing.T) {
	b := newBench(t)
	root := b.root(transform.Translation{})
	middle := b.child(root, transform.Translation{}, rotationAbout[float32](0, 1, 0, math.Pi))
	leaf := b.child(middle, transform.Translation{Z: 1})
	b.update()
	b.wantAt(leaf, 0, 0, -1)
}

// Conformance: 276
func TestRemovedParent(t *testing.T) {
	b := newBench(t)
	parent := b.root(transform.Translation{X: 5})
	child := b.child(parent, transform.Translation{X: 1})
	b.update()
	b.wantAt(child, 6, 0, 0)
	_, err := ecs.Remove[transform.Parent](b.w, child)
	b.ok(err)
	b.ok(ecs.Set(b.w, parent, transform.Translation{X: 50}))
	b.update()
	b.wantAt(parent, 50, 0, 0)
	b.wantAt(child, 6, 0, 0) // it still has LocalToParent, and no parent to apply it to
	b.wantChildren(parent)
	_, err = ecs.Remove[transform.LocalToParent](b.w, child)
	b.ok(err)
	b.update()
	b.wantAt(child, 1, 0, 0) // a root now
}

// Conformance: 278
func TestExtraChildren(t *testing.T) {
	b := newBench(t)
	type tag struct{}
	nodes := []ecs.Entity{b.root(transform.Translation{X: 1})}
	depth := map[ecs.Entity]int{nodes[0]: 1}
	kids := map[ecs.Entity][]ecs.Entity{}
	above, y := map[ecs.Entity]ecs.Entity{}, map[ecs.Entity]float32{} // the parent, and the distance from it
	for frame := range 4 {
		for _, n := range slices.Clone(nodes) {
			for range 5 {
				e := b.child(n, transform.Translation{X: 1})
				depth[e], above[e] = depth[n]+1, n
				kids[n] = append(kids[n], e)
				nodes = append(nodes, e)
			}
			if frame == 2 && len(nodes)%2 == 0 {
				err := ecs.AddTypes(b.w, ecs.One(n), ecs.With[tag](), ecs.With[transform.Scale]()) // to another archetype
				b.ok(err)
				b.ok(ecs.Set(b.w, n, transform.Scale{Value: 1}))
			}
			if frame == 3 && len(nodes)%3 == 0 {
				y[n] = float32(len(nodes) % 7)
				b.ok(ecs.Set(b.w, n, transform.Translation{X: 1, Y: y[n]}))
			}
		}
		b.update()
		for _, n := range nodes {
			b.wantChildren(n, kids[n]...)
			up := y[n]
			for p := n; depth[p] > 1; {
				p = above[p]
				up += y[p]
			}
			b.wantAt(n, float32(depth[n]), up, 0)
		}
	}
	if len(y) < 20 {
		t.Errorf("only %d inner nodes were moved", len(y))
	}
}

// Conformance: 289
func TestChildDestroyed(t *testing.T) {
	b := newBench(t)
	parent := b.root(transform.Translation{})
	first, second := b.child(parent, transform.Translation{}), b.child(parent, transform.Translation{})
	b.update()
	b.wantChildren(parent, first, second)
	b.ok(b.w.Destroy(first))
	if !b.w.Exists(first) {
		t.Error("the child does not wait for its cleanup")
	}
	b.update()
	b.wantChildren(parent, second)
	if b.w.Exists(first) {
		t.Error("the destroyed child is still there")
	}
	if again := b.w.Spawn(transform.Translation{}); again.Index != first.Index {
		t.Errorf("the index of the destroyed child is not used again: %v, was %v", again, first)
	}
	b.ok(b.w.Destroy(second))
	b.update()
	if ecs.Has[transform.Children](b.w, parent) {
		t.Error("an empty list of children stays")
	}
}

func TestParentDestroyed(t *testing.T) {
	b := newBench(t)
	parent := b.root(transform.Translation{X: 10})
	child := b.child(parent, transform.Translation{X: 1})
	grandchild := b.child(child, transform.Translation{X: 1})
	b.update()
	b.wantAt(grandchild, 12, 0, 0)
	b.ok(b.w.Destroy(parent))
	b.update()
	if b.w.Exists(parent) {
		t.Error("the parent is still there")
	}
	for name, has := range map[string]bool{
		"Parent": ecs.Has[transform.Parent](b.w, child), "PreviousParent": ecs.Has[transform.PreviousParent](b.w, child),
		"LocalToParent": ecs.Has[transform.LocalToParent](b.w, child),
	} {
		if has {
			t.Errorf("the child still has %s", name)
		}
	}
	b.wantAt(child, 1, 0, 0)
	b.wantAt(grandchild, 2, 0, 0)
}

// A child gets another parent in the same frame in which its old parent is destroyed. The child keeps
// the new parent.
func TestDestroyedAndReparented(t *testing.T) {
	for _, before := range []bool{true, false} {
		b := newBench(t)
		old, next := b.root(transform.Translation{X: 1}), b.root(transform.Translation{X: 100})
		child, sibling := b.child(old, transform.Translation{X: 1}), b.child(old, transform.Translation{X: 2})
		b.update()
		if before {
			b.ok(ecs.Set(b.w, child, transform.Parent{Entity: next}))
		}
		b.ok(b.w.Destroy(old))
		if !before {
			b.ok(ecs.Set(b.w, child, transform.Parent{Entity: next}))
		}
		b.update()
		b.wantChildren(next, child)
		b.wantAt(child, 101, 0, 0)
		b.wantAt(sibling, 2, 0, 0)
		if b.w.Exists(old) {
			t.Error("the old parent is still there")
		}
	}
}

func TestReparent(t *testing.T) {
	b := newBench(t)
	one, two := b.root(transform.Translation{X: 1}), b.root(transform.Translation{X: 2})
	inner := b.child(two, transform.Translation{X: 0.5})
	child := b.child(one, transform.Translation{Y: 1})
	b.update()
	for _, step := range []struct {
		parent ecs.Entity
		x      float32
	}{{two, 2}, {inner, 2.5}, {one, 1}, {inner, 2.5}} {
		b.ok(ecs.Set(b.w, child, transform.Parent{Entity: step.parent}))
		b.update()
		b.wantAt(child, step.x, 1, 0)
		for _, p := range []ecs.Entity{one, two, inner} {
			if got := slices.Contains(b.children(p), child); got != (p == step.parent) {
				t.Errorf("under %v: in the list of %v: %v", step.parent, p, got)
			}
		}
	}
}

// A parent that does not exist is removed.
func TestNoSuchParent(t *testing.T) {
	b := newBench(t)
	gone := b.w.Spawn(transform.LocalToWorld{})
	b.ok(b.w.Destroy(gone))
	for _, parent := range []ecs.Entity{{}, gone, {Index: 1 << 20, Version: 1}} {
		child := b.child(parent, transform.Translation{X: 3})
		b.update()
		b.wantAt(child, 3, 0, 0)
		if ecs.Has[transform.Parent](b.w, child) || ecs.Has[transform.PreviousParent](b.w, child) {
			t.Errorf("parent %v: the child still has one", parent)
		}
	}
	parent := b.root(transform.Translation{X: 1})
	child := b.child(parent, transform.Translation{X: 3})
	b.update()
	b.ok(ecs.Set(b.w, child, transform.Parent{Entity: gone}))
	b.update()
	b.wantAt(child, 3, 0, 0)
	b.wantChildren(parent)
}

// A parent that loses LocalToWorld loses its children.
func TestParentLosesMatrix(t *testing.T) {
	b := newBench(t)
	parent := b.root(transform.Translation{X: 1})
	child := b.child(parent, transform.Translation{X: 3})
	b.update()
	_, err := ecs.Remove[transform.LocalToWorld](b.w, parent)
	b.ok(err)
	b.update()
	b.wantAt(child, 3, 0, 0)
	if !b.w.Exists(parent) || ecs.Has[transform.Children](b.w, parent) {
		t.Error("the parent is gone, or has its list still")
	}
}

// A parent that never had LocalToWorld, or has only the other width, is removed too.
func TestParentWithoutMatrix(t *testing.T) {
	b := newBench(t)
	bare := b.w.Spawn(transform.Translation{X: 5})
	other := b.w.Spawn(transform.Translation64{X: 5}, transform.LocalToWorld64{})
	both := b.w.Spawn(transform.Translation{X: 5}, transform.LocalToWorld{}, transform.Translation64{X: 5}, transform.LocalToWorld64{})
	for _, parent := range []ecs.Entity{bare, other} {
		child := b.child(parent, transform.Translation{X: 1})
		late := b.child(both, transform.Translation{X: 1})
		kept := b.child(both, transform.Translation{X: 1})
		b.update()
		b.wantAt(child, 1, 0, 0) // in the same update
		b.wantAt(late, 6, 0, 0)
		b.ok(ecs.Set(b.w, late, transform.Parent{Entity: parent}))
		b.update()
		b.wantAt(late, 1, 0, 0)
		b.wantAt(kept, 6, 0, 0)
		for _, e := range []ecs.Entity{child, late} {
			if ecs.Has[transform.Parent](b.w, e) || ecs.Has[transform.LocalToParent](b.w, e) {
				t.Errorf("entity %v is a child of %v still, which has no matrix for it", e, parent)
			}
		}
		b.wantChildren(parent)
		b.wantChildren(both, kept)
		b.ok(b.w.Destroy(kept))
	}
}

// Conformance: 284
func TestInactiveHierarchy(t *testing.T) {
	for _, buffered := range []bool{false, true} {
		for _, local := range []bool{false, true} {
			b := newBench(t)
			var parent, child ecs.Entity
			if local {
				parent = b.spawnLocal(ecs.Entity{}, transform.At[float32](1, 0, 0), ecs.Inactive{})
				child = b.spawnLocal(parent, transform.At[float32](2, 0, 0), ecs.Inactive{})
			} else {
				parent = b.root(transform.Translation{X: 1}, ecs.Inactive{})
				child = b.child(parent, transform.Translation{X: 2}, ecs.Inactive{})
			}
			b.update()
			b.wantChildren(parent)
			if ecs.Has[transform.PreviousParent](b.w, child) {
				t.Error("an inactive child is linked")
			}
			if buffered {
				c := b.w.NewCommands()
				for _, e := range []ecs.Entity{parent, child} {
					_, err := ecs.Remove[ecs.Inactive](c, e)
					b.ok(err)
				}
				b.ok(c.Playback(b.w))
			} else {
				b.ok(b.w.SetActive(parent, true))
				b.ok(b.w.SetActive(child, true))
			}
			b.update()
			b.wantChildren(parent, child)
			b.wantAt(child, 3, 0, 0)
		}
	}
}

// A child without LocalToParent joins the list of its parent only when it gets a LocalToParent.
func TestLateLocalToParent(t *testing.T) {
	b := newBench(t)
	parent := b.root(transform.Translation{X: 1})
	child := b.w.Spawn(transform.Parent{Entity: parent}, transform.LocalToWorld{}, transform.Translation{X: 2})
	for range 3 {
		b.update()
		b.wantChildren(parent)
	}
	b.ok(ecs.Add(b.w, child, transform.LocalToParent{}))
	b.update()
	b.wantChildren(parent, child)
	b.wantAt(child, 3, 0, 0)
}

func TestInstantiatedChild(t *testing.T) {
	b := newBench(t)
	parent := b.root(transform.Translation{X: 1})
	child := b.child(parent, transform.Translation{X: 2})
	b.update()
	copies, err := b.w.Instantiate(child, 3)
	b.ok(err)
	b.update()
	b.wantChildren(parent, append([]ecs.Entity{child}, copies...)...)
	for _, c := range copies {
		b.wantAt(c, 3, 0, 0)
	}
}

// A parent gets very many children, loses half of them, and loses all, in one frame each.
func TestManyChildren(t *testing.T) {
	n := 20_000
	if *full {
		n = 1_000_000
	}
	b := newBench(t)
	parent := b.root(transform.Translation{X: 1})
	ids := make([]ecs.Entity, n)
	arch := b.w.Archetype(ecs.With[transform.Parent](), ecs.With[transform.LocalToParent](), ecs.With[transform.LocalToWorld](), ecs.With[transform.Translation]())
	b.ok(b.w.CreateInto(arch, ids))
	for c := range b.w.Query(ecs.Write[transform.Parent]()).Chunks() {
		parents := *ecs.Column[transform.Parent](c)
		for i := range parents {
			parents[i] = parent
		}
	}
	b.update()
	if got := b.children(parent); len(got) != n || got[0] != ids[0] || got[n-1] != ids[n-1] {
		t.Fatalf("%d children, want %d", len(got), n)
	}
	b.wantAt(ids[n/2], 1, 0, 0)
	var half []ecs.Entity
	for i := 0; i < n; i += 2 {
		half = append(half, ids[i])
	}
	b.ok(ecs.DestroyAll(b.w, ecs.Entities(half)))
	b.update()
	if got := b.children(parent); len(got) != n-len(half) || got[0] != ids[1] {
		t.Fatalf("%d children, want %d", len(got), n-len(half))
	}
	b.ok(b.w.Destroy(parent))
	b.update()
	if ecs.Has[transform.Parent](b.w, ids[1]) || b.w.Exists(parent) {
		t.Error("the children of a destroyed parent are not roots")
	}
}

// Conformance: 290
func TestOrderInGroup(t *testing.T) {
	b := newBench(t)
	at := map[*system.Type]int{}
	for i, m := range system.Find[transform.Group](b.w).Members() {
		at[m.Type()] = i
	}
	for _, pair := range [][2]*system.Type{
		{system.Of[transform.Parents](), system.Of[transform.TRSToLocalToWorldOf[float32]]()},
		{system.Of[transform.Parents](), system.Of[transform.TRSToLocalToParentOf[float32]]()},
		{system.Of[transform.TRSToLocalToWorldOf[float32]](), system.Of[transform.TRSToLocalToParentOf[float32]]()},
		{system.Of[transform.TRSToLocalToWorldOf[float32]](), system.Of[transform.HierarchyOf[float32]]()},
		{system.Of[transform.TRSToLocalToParentOf[float32]](), system.Of[transform.HierarchyOf[float32]]()},
		{system.Of[transform.Parents](), system.Of[transform.TRSToLocalToWorldOf[float64]]()},
		{system.Of[transform.TRSToLocalToParentOf[float64]](), system.Of[transform.HierarchyOf[float64]]()},
		{system.Of[transform.Parents](), system.Of[transform.LocalTransformToWorldOf[float32]]()},
		{system.Of[transform.LocalTransformToWorldOf[float32]](), system.Of[transform.HierarchyOf[float32]]()},
	} {
		if at[pair[0]] >= at[pair[1]] {
			t.Errorf("%v does not run before %v", pair[0], pair[1])
		}
	}
	if ws := system.Warnings(b.w); len(ws) > 0 {
		t.Errorf("warnings %q", ws)
	}
}

// The systems are in Simulation of every default world.
func TestRegistered(t *testing.T) {
	w, err := system.NewWorld("")
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range transforms() {
		if !slices.Contains(system.RegisteredTypes(), typ) {
			t.Errorf("%v is not registered, or not in the simulation", typ)
		}
	}
	if got := len(system.Find[transform.Group](w).Members()); got != 9 {
		t.Errorf("the group has %d members, want 9", got)
	}
}

// The report about a world has the systems in their order.
func TestExplained(t *testing.T) {
	b := newBench(t)
	text := system.Explain(b.w).String()
	last := -1
	for _, typ := range []*system.Type{
		system.Of[transform.Parents](), system.Of[transform.TRSToLocalToWorldOf[float32]](),
		system.Of[transform.TRSToLocalToParentOf[float32]](), system.Of[transform.HierarchyOf[float32]](),
	} {
		name := typ.String()
		at := strings.Index(text, name[strings.LastIndex(name[:strings.IndexByte(name+"[", '[')], "/")+1:])
		if at <= last {
			t.Errorf("%s is not where it belongs in\n%s", name, text)
		}
		last = at
	}
}

// If an update cannot create one list of children, it links no child at all. The next update that can
// create the list links all of the children.
func TestParentsMakeUp(t *testing.T) {
	type huge struct{ Bytes [12_000]byte }
	type tail struct{ Bytes [4_180]byte }
	b := newBench(t)
	old, good, bad := b.root(transform.Translation{X: 1}), b.root(transform.Translation{X: 2}), b.root(huge{}, tail{})
	one, two, three := b.child(old, transform.Translation{}), b.child(old, transform.Translation{}), b.child(old, transform.Translation{})
	b.update()
	b.ok(ecs.Set(b.w, one, transform.Parent{Entity: good}))
	b.ok(ecs.Set(b.w, two, transform.Parent{Entity: bad}))
	_, err := ecs.Remove[transform.Parent](b.w, three)
	b.ok(err)
	for range 3 {
		if err := b.group.Update(); err == nil {
			t.Fatal("a list of children fits beside huge components")
		}
		if p := get[transform.PreviousParent](b, one); p.Entity != old {
			t.Errorf("the child's list is that of %v, it says %v", old, p.Entity)
		}
	}
	_, err = ecs.Remove[huge](b.w, bad)
	b.ok(err)
	b.update()
	b.wantChildren(old)
	b.wantChildren(good, one)
	b.wantChildren(bad, two)
	b.wantAt(one, 2, 0, 0)
}
