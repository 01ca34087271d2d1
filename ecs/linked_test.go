package ecs_test

import (
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// linkMembers makes the entities a linked group, with the first entity as the root.
func linkMembers(t testing.TB, w *ecs.World, members ...ecs.Entity) {
	t.Helper()
	var list []ecs.Linked
	for _, e := range members {
		list = append(list, ecs.Linked{e})
	}
	must(t, ecs.Add(w, members[0], ecs.BufferOf(list...)))
}

// membersOf returns the entities in the group of a root.
func membersOf(t testing.TB, w *ecs.World, root ecs.Entity) (list []ecs.Entity) {
	t.Helper()
	for _, l := range get[ecs.LinkedGroup](t, w, root).Slice() {
		list = append(list, l.Entity)
	}
	return list
}

// Conformance: 160.
func TestInstantiatePrefab(t *testing.T) {
	w := newWorld(t, 1)
	model := w.Spawn(A{7}, ecs.Prefab{})
	list, err := w.Instantiate(model, 1)
	must(t, err)
	if !ecs.Has[ecs.Prefab](w, model) || ecs.Has[ecs.Prefab](w, list[0]) {
		t.Error("the model must have Prefab, and its copy not")
	}
	if n := w.Query(ecs.With[A]()).Count(); n != 1 {
		t.Errorf("%d entities match, want 1", n)
	}
}

// Instantiate must copy a linked group with all its members, and the members of a copy must refer
// to each other.
func TestInstantiateGroup(t *testing.T) {
	for _, n := range []int{1, 3, 1000} {
		w := newWorld(t, 1)
		outside := w.Spawn(A{1})
		root := w.Spawn(Ref{Value: 1}, ecs.Prefab{})
		arm := w.Spawn(Ref{Value: 2, To: root}, ecs.Prefab{})
		hand := w.Spawn(Ref{Value: 3, To: outside}, ecs.BufferOf(Link{arm}, Link{outside}, Link{root}), Obj{Self: arm}, ecs.Prefab{})
		must(t, ecs.Set(w, root, Ref{1, hand}))
		linkMembers(t, w, root, arm, hand)

		roots, err := w.Instantiate(root, n)
		must(t, err)
		if len(roots) != n || w.Len() != 4+3*n {
			t.Fatalf("%d roots, %d entities", len(roots), w.Len())
		}
		first := roots[0].Index
		for i, r := range roots {
			members := membersOf(t, w, r)
			// The ids of all copies of the root come first, then those of the arm, and then those
			// of the hand.
			want := []ecs.Entity{r, {first + int32(n+i), 1}, {first + int32(2*n+i), 1}}
			if r.Index != first+int32(i) || !slices.Equal(members, want) {
				t.Fatalf("copy %d: members %v, want %v", i, members, want)
			}
			arm, hand := members[1], members[2]
			if get[Ref](t, w, r) != (Ref{1, hand}) || get[Ref](t, w, arm) != (Ref{2, r}) || get[Ref](t, w, hand) != (Ref{3, outside}) {
				t.Fatalf("copy %d leads elsewhere", i)
			}
			if links := get[ecs.Buffer[Link]](t, w, hand).Slice(); !slices.Equal(links, []Link{{arm}, {outside}, {r}}) {
				t.Fatalf("copy %d: links %v", i, links)
			}
			if get[Obj](t, w, hand).Self != arm {
				t.Fatalf("copy %d: the managed component leads to %v", i, get[Obj](t, w, hand).Self)
			}
		}
		if get[Ref](t, w, arm).To != root || !slices.Equal(membersOf(t, w, root), []ecs.Entity{root, arm, hand}) {
			t.Error("the model has changed")
		}
		must(t, integrity(w))
	}
}

// Conformance: 166.
func TestOmitGroup(t *testing.T) {
	w := newWorld(t, 1)
	root, child := w.Spawn(A{1}, ecs.Prefab{}, ecs.OmitGroup{}), w.Spawn(B{1, 2}, ecs.Prefab{})
	linkMembers(t, w, root, child)
	must(t, ecs.Set(w, root, ecs.BufferOf(ecs.Linked{root}, ecs.Linked{child})))
	list, err := w.Instantiate(root, 1)
	must(t, err)
	if ecs.Has[ecs.LinkedGroup](w, list[0]) || ecs.Has[ecs.OmitGroup](w, list[0]) {
		t.Error("the copy has the group, or the tag")
	}
	if w.Query(ecs.With[A]()).Count() != 1 || w.Query(ecs.With[B]()).Count() != 1 {
		t.Error("not all members were copied")
	}
	alone := w.Spawn(ecs.OmitGroup{})
	list, err = w.Instantiate(alone, 1)
	must(t, err)
	if !ecs.Has[ecs.OmitGroup](w, list[0]) {
		t.Error("without a group the tag is copied")
	}
}

// Conformance: 168.
func TestInstantiateBadGroup(t *testing.T) {
	w := newWorld(t, 1)
	gone, residue, live := w.Spawn(), w.Spawn(Cl{}), w.Spawn()
	must(t, ecs.DestroyAll(w, ecs.Entities([]ecs.Entity{gone, residue})))
	for name, members := range map[string][]ecs.Linked{
		"empty":         {},
		"other first":   {{live}},
		"dead member":   {{}, {gone}},
		"residue":       {{}, {residue}},
		"null":          {{}, {ecs.Entity{}}},
		"twice":         {{}, {live}, {live}},
		"of no world":   {{}, {ecs.Entity{99999, 1}}},
		"the root once": {{}, {live}, {}},
	} {
		t.Run(name, func(t *testing.T) {
			root := w.Spawn(A{1})
			for i := range members {
				if members[i].Entity.IsZero() && name != "null" || i == 0 && name == "null" {
					members[i].Entity = root
				}
			}
			must(t, ecs.Add(w, root, ecs.BufferOf(members...)))
			hash := w.Hash()
			list, err := w.Instantiate(root, 2)
			fails(t, ecs.ErrArgument, err)
			if list != nil || w.Hash() != hash {
				t.Error("something has changed")
			}
		})
	}
}

// Conformance: 169.
func TestInstantiateAll(t *testing.T) {
	for name, c := range map[string]struct {
		copy   func(*ecs.World, []ecs.Entity) ([]ecs.Entity, error)
		prefab bool
	}{
		"InstantiateAll": {(*ecs.World).InstantiateAll, false},
		"CloneAll":       {(*ecs.World).CloneAll, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 1)
			outside := w.Spawn()
			b := w.Spawn(Ref{To: outside}, ecs.Prefab{}, Cl{Value: 3})
			a := w.Spawn(Ref{To: b})
			linkMembers(t, w, a, outside) // its group is not copied
			list, err := c.copy(w, []ecs.Entity{a, b})
			must(t, err)
			if w.Len() != 5 || get[Ref](t, w, list[0]).To != list[1] || get[Ref](t, w, list[1]).To != outside {
				t.Errorf("%d entities; the copies %v lead to %v and %v", w.Len(), list, get[Ref](t, w, list[0]).To, get[Ref](t, w, list[1]).To)
			}
			if !slices.Equal(membersOf(t, w, list[0]), []ecs.Entity{list[0], outside}) {
				t.Errorf("the group of the copy is %v", membersOf(t, w, list[0]))
			}
			if ecs.Has[ecs.Prefab](w, list[1]) != c.prefab || ecs.Has[Cl](w, list[1]) {
				t.Errorf("the copy of the model is of %v", w.ArchetypeOf(list[1]))
			}
			many := make([]ecs.Entity, 0, 100)
			for i := range int32(100) {
				many = append(many, w.Spawn(Ref{Value: i}))
			}
			for i, e := range many {
				must(t, ecs.Set(w, e, Ref{int32(i), many[99-i]}))
			}
			copies, err := c.copy(w, many)
			must(t, err)
			for i, e := range copies {
				if get[Ref](t, w, e) != (Ref{int32(i), copies[99-i]}) {
					t.Fatalf("copy %d is %v", i, get[Ref](t, w, e))
				}
			}
			n := w.Len()
			_, err = c.copy(w, []ecs.Entity{a, {}})
			fails(t, ecs.ErrArgument, err)
			_, err = c.copy(w, []ecs.Entity{a, b, a})
			fails(t, ecs.ErrArgument, err)
			none, err := c.copy(w, nil)
			if len(none) != 0 || err != nil || w.Len() != n {
				t.Errorf("copies of none: %v, error %v, %d entities", none, err, w.Len())
			}
			must(t, integrity(w))
		})
	}
}

// Conformance: 164. The test tries a group without members, a group that consists only of the
// root, and a group of entities that no longer exist.
func TestDestroyGroups(t *testing.T) {
	w := newWorld(t, 1)
	gone := w.Spawn()
	must(t, w.Destroy(gone))
	for _, members := range [][]ecs.Linked{{}, {{gone}}, {{gone}, {gone}}, {{}, {}}} {
		e := w.Spawn(ecs.BufferOf(members...))
		must(t, w.Destroy(e))
		if w.Exists(e) {
			t.Errorf("%v exists", e)
		}
	}
	// The linked groups here form a tree, and in addition two roots contain each other.
	leaf, other, alone := w.Spawn(A{1}), w.Spawn(A{2}, Cl{}), w.Spawn(A{3})
	branch, root := w.Spawn(A{4}), w.Spawn(A{5})
	linkMembers(t, w, branch, leaf, root)
	linkMembers(t, w, root, branch, other, other)
	must(t, ecs.DestroyAll(w, ecs.Entities([]ecs.Entity{alone, root, alone})))
	if w.Len() != 1 || !w.Exists(other) || ecs.Has[A](w, other) {
		t.Errorf("%d entities are left, want the one that waits for its cleanup", w.Len())
	}
	// If a group contains an impossible id, nothing is destroyed.
	root = w.Spawn()
	linkMembers(t, w, root, ecs.Entity{99999, 1})
	n := w.Len()
	fails(t, ecs.ErrArgument, w.Destroy(root))
	if w.Len() != n {
		t.Error("something has changed")
	}
	must(t, integrity(w))
}

// If a query destroys the root of a group, it must also match the parts.
func TestDestroyAllMatchingGroups(t *testing.T) {
	w := newWorld(t, 1)
	root, part := w.Spawn(A{1}, En{}), w.Spawn(A{2}, En{})
	linkMembers(t, w, root, part)
	q := w.Query(ecs.With[A](), ecs.With[En]())
	must(t, ecs.SetEnabled[En](w, part, false))
	hash := w.Hash()
	fails(t, ecs.ErrArgument, ecs.DestroyAll(w, ecs.Matching(q)))
	if w.Hash() != hash {
		t.Error("something has changed")
	}
	must(t, ecs.SetEnabled[En](w, part, true))
	must(t, ecs.DestroyAll(w, ecs.Matching(q)))
	if w.Len() != 0 {
		t.Errorf("%d entities are left", w.Len())
	}
	// Parts that no longer exist are ignored.
	root, part = w.Spawn(A{1}, Sh{Value: 1}), w.Spawn(A{2})
	linkMembers(t, w, root, part)
	must(t, w.Destroy(part))
	must(t, ecs.DestroyAll(w, ecs.Matching(w.Query(ecs.WithShared(Sh{Value: 1})))))
	if w.Len() != 0 {
		t.Errorf("%d entities are left", w.Len())
	}
}

// Conformance: 170.
func TestSetActiveGroup(t *testing.T) {
	w := newWorld(t, 1)
	parent, child, gone := w.Spawn(A{1}), w.Spawn(B{}), w.Spawn()
	linkMembers(t, w, parent, child, gone, child)
	must(t, w.Destroy(gone))
	resting := w.Query(ecs.With[ecs.Inactive]())
	for _, active := range []bool{false, true, true, false, false} {
		must(t, w.SetActive(parent, active))
		want := 2
		if active {
			want = 0
		}
		if n := resting.Count(); n != want {
			t.Errorf("active %v: %d entities rest, want %d", active, n, want)
		}
	}
	// If the root is already inactive, SetActive does not change the parts.
	must(t, w.SetActive(child, true))
	must(t, w.SetActive(parent, false))
	if ecs.Has[ecs.Inactive](w, child) {
		t.Error("the part rests, though the root had not changed")
	}
	fails(t, ecs.ErrArgument, w.SetActive(gone, true))
}

// Jobs that write groups are completed before a group is read.
func TestGroupsWaitForJobs(t *testing.T) {
	w := newWorld(t, 2)
	root, part := w.Spawn(A{1}), w.Spawn(B{})
	linkMembers(t, w, root)
	q := w.Query(ecs.Write[ecs.LinkedGroup]())
	append := func(e ecs.Entity) {
		q.ParallelFor(chunkFunc(func(c *ecs.Chunk) { ecs.Column[ecs.LinkedGroup](c).At(0).Append(ecs.Linked{e}) }))
	}
	append(part)
	must(t, w.SetActive(root, false))
	if !ecs.Has[ecs.Inactive](w, part) {
		t.Error("the part does not rest")
	}
	must(t, w.SetActive(root, true))
	last := w.Spawn(D{})
	append(last)
	copies, err := w.Instantiate(root, 1)
	must(t, err)
	if n := len(membersOf(t, w, copies[0])); n != 3 {
		t.Errorf("the copy has %d members, want 3", n)
	}
	must(t, w.Destroy(copies[0]))
	late := w.Spawn(D{})
	append(late)
	must(t, w.Destroy(root))
	if w.Len() != 0 {
		t.Errorf("%d entities are left", w.Len())
	}
}

// A member that was destroyed and waits for its cleanup stays unchanged, because it has only cleanup
// components.
func TestSetActiveGroupWithResidue(t *testing.T) {
	w := newWorld(t, 1)
	part, root := w.Spawn(Cl{Value: 1}, A{1}), w.Spawn(D{})
	must(t, ecs.Add(w, root, ecs.BufferOf(ecs.Linked{root}, ecs.Linked{part})))
	must(t, w.Destroy(part))
	left := w.ArchetypeOf(part)
	for _, active := range []bool{false, true} {
		must(t, w.SetActive(root, active))
		if w.ArchetypeOf(part) != left || ecs.Has[ecs.Inactive](w, root) == active {
			t.Errorf("active %v: the destroyed member is of %v, want %v", active, w.ArchetypeOf(part), left)
		}
	}
	_, err := ecs.Remove[Cl](w, part)
	must(t, err)
	if w.Exists(part) {
		t.Error("the member is still there after its cleanup")
	}
	whole(t, w)
}

// A destroyed root that waits for its cleanup is not destroyed again, even if it got a group in the
// meantime. The members of the group stay.
func TestDestroyResidueWithGroup(t *testing.T) {
	w := newWorld(t, 1)
	root, part := w.Spawn(Cl{Value: 1}), w.Spawn(A{1})
	must(t, w.Destroy(root))
	linkMembers(t, w, root, part)
	outer := w.Spawn(B{})
	linkMembers(t, w, outer, root)
	must(t, w.Destroy(root))
	must(t, ecs.DestroyAll(w, ecs.Entities([]ecs.Entity{root})))
	must(t, ecs.DestroyAll(w, ecs.Matching(w.Query(ecs.With[ecs.LinkedGroup](), ecs.Without[B]()))))
	must(t, w.Destroy(outer))
	if !w.Exists(root) || !w.Exists(part) || w.Exists(outer) {
		t.Errorf("left are root %v, part %v, outer %v", w.Exists(root), w.Exists(part), w.Exists(outer))
	}
	whole(t, w)
}
