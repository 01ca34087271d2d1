package ecs

import (
	"slices"
	"testing"
)

// together makes a group of the entities, the first of which is the root.
func together(t testing.TB, w *World, members ...Entity) {
	t.Helper()
	var list []Linked
	for _, e := range members {
		list = append(list, Linked{e})
	}
	must(t, Add(w, members[0], BufferOf(list...)))
}

// membersOf returns the entities in the group of a root.
func membersOf(t testing.TB, w *World, root Entity) (list []Entity) {
	t.Helper()
	for _, l := range get[LinkedGroup](t, w, root).Slice() {
		list = append(list, l.Entity)
	}
	return list
}

// Conformance: 160.
func TestInstantiatePrefab(t *testing.T) {
	w := newWorld(t, 1)
	model := w.Spawn(A{7}, Prefab{})
	list, err := w.Instantiate(model, 1)
	must(t, err)
	if !Has[Prefab](w, model) || Has[Prefab](w, list[0]) {
		t.Error("the model must have Prefab, and its copy not")
	}
	if n := w.Query(With[A]()).Count(); n != 1 {
		t.Errorf("%d entities match, want 1", n)
	}
}

// Linked groups are copied whole, member by member, and the members of a copy refer to each other.
func TestInstantiateGroup(t *testing.T) {
	for _, n := range []int{1, 3, 1000} {
		w := newWorld(t, 1)
		outside := w.Spawn(A{1})
		root := w.Spawn(Ref{Value: 1}, Prefab{})
		arm := w.Spawn(Ref{Value: 2, To: root}, Prefab{})
		hand := w.Spawn(Ref{Value: 3, To: outside}, BufferOf(Link{arm}, Link{outside}, Link{root}), Obj{Self: arm}, Prefab{})
		must(t, Set(w, root, Ref{1, hand}))
		together(t, w, root, arm, hand)

		roots, err := w.Instantiate(root, n)
		must(t, err)
		if len(roots) != n || w.Len() != 4+3*n {
			t.Fatalf("%d roots, %d entities", len(roots), w.Len())
		}
		first := roots[0].Index
		for i, r := range roots {
			members := membersOf(t, w, r)
			// first all copies of the root, then all of the arm, then all of the hand
			want := []Entity{r, {first + int32(n+i), 1}, {first + int32(2*n+i), 1}}
			if r.Index != first+int32(i) || !slices.Equal(members, want) {
				t.Fatalf("copy %d: members %v, want %v", i, members, want)
			}
			arm, hand := members[1], members[2]
			if get[Ref](t, w, r) != (Ref{1, hand}) || get[Ref](t, w, arm) != (Ref{2, r}) || get[Ref](t, w, hand) != (Ref{3, outside}) {
				t.Fatalf("copy %d leads elsewhere", i)
			}
			if links := get[Buffer[Link]](t, w, hand).Slice(); !slices.Equal(links, []Link{{arm}, {outside}, {r}}) {
				t.Fatalf("copy %d: links %v", i, links)
			}
			if get[Obj](t, w, hand).Self != arm {
				t.Fatalf("copy %d: the managed component leads to %v", i, get[Obj](t, w, hand).Self)
			}
		}
		if get[Ref](t, w, arm).To != root || !slices.Equal(membersOf(t, w, root), []Entity{root, arm, hand}) {
			t.Error("the model has changed")
		}
		must(t, w.integrity())
	}
}

// Conformance: 166.
func TestOmitGroup(t *testing.T) {
	w := newWorld(t, 1)
	root, child := w.Spawn(A{1}, Prefab{}, OmitGroup{}), w.Spawn(B{1, 2}, Prefab{})
	together(t, w, root, child)
	must(t, Set(w, root, BufferOf(Linked{root}, Linked{child})))
	list, err := w.Instantiate(root, 1)
	must(t, err)
	if Has[LinkedGroup](w, list[0]) || Has[OmitGroup](w, list[0]) {
		t.Error("the copy has the group, or the tag")
	}
	if w.Query(With[A]()).Count() != 1 || w.Query(With[B]()).Count() != 1 {
		t.Error("not all members were copied")
	}
	alone := w.Spawn(OmitGroup{})
	list, err = w.Instantiate(alone, 1)
	must(t, err)
	if !Has[OmitGroup](w, list[0]) {
		t.Error("without a group the tag is copied")
	}
}

// Conformance: 168.
func TestInstantiateBadGroup(t *testing.T) {
	w := newWorld(t, 1)
	gone, residue, live := w.Spawn(), w.Spawn(Cl{}), w.Spawn()
	must(t, DestroyAll(w, Entities([]Entity{gone, residue})))
	for name, members := range map[string][]Linked{
		"empty":         {},
		"other first":   {{live}},
		"dead member":   {{}, {gone}},
		"residue":       {{}, {residue}},
		"null":          {{}, {Entity{}}},
		"twice":         {{}, {live}, {live}},
		"of no world":   {{}, {Entity{99999, 1}}},
		"the root once": {{}, {live}, {}},
	} {
		t.Run(name, func(t *testing.T) {
			root := w.Spawn(A{1})
			for i := range members {
				if members[i].Entity.IsZero() && name != "null" || i == 0 && name == "null" {
					members[i].Entity = root
				}
			}
			must(t, Add(w, root, BufferOf(members...)))
			hash := w.Hash()
			list, err := w.Instantiate(root, 2)
			fails(t, ErrArgument, err)
			if list != nil || w.Hash() != hash {
				t.Error("something has changed")
			}
		})
	}
}

// Conformance: 169.
func TestInstantiateAll(t *testing.T) {
	for name, c := range map[string]struct {
		copy   func(*World, []Entity) ([]Entity, error)
		prefab bool
	}{
		"InstantiateAll": {(*World).InstantiateAll, false},
		"CloneAll":       {(*World).CloneAll, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 1)
			outside := w.Spawn()
			b := w.Spawn(Ref{To: outside}, Prefab{}, Cl{Value: 3})
			a := w.Spawn(Ref{To: b})
			together(t, w, a, outside) // its group is not copied
			list, err := c.copy(w, []Entity{a, b})
			must(t, err)
			if w.Len() != 5 || get[Ref](t, w, list[0]).To != list[1] || get[Ref](t, w, list[1]).To != outside {
				t.Errorf("%d entities; the copies %v lead to %v and %v", w.Len(), list, get[Ref](t, w, list[0]).To, get[Ref](t, w, list[1]).To)
			}
			if !slices.Equal(membersOf(t, w, list[0]), []Entity{list[0], outside}) {
				t.Errorf("the group of the copy is %v", membersOf(t, w, list[0]))
			}
			if Has[Prefab](w, list[1]) != c.prefab || Has[Cl](w, list[1]) {
				t.Errorf("the copy of the model is of %v", w.ArchetypeOf(list[1]))
			}
			many := make([]Entity, 0, 100)
			for i := range int32(100) {
				many = append(many, w.Spawn(Ref{Value: i}))
			}
			for i, e := range many {
				must(t, Set(w, e, Ref{int32(i), many[99-i]}))
			}
			copies, err := c.copy(w, many)
			must(t, err)
			for i, e := range copies {
				if get[Ref](t, w, e) != (Ref{int32(i), copies[99-i]}) {
					t.Fatalf("copy %d is %v", i, get[Ref](t, w, e))
				}
			}
			n := w.Len()
			_, err = c.copy(w, []Entity{a, {}})
			fails(t, ErrArgument, err)
			_, err = c.copy(w, []Entity{a, b, a})
			fails(t, ErrArgument, err)
			none, err := c.copy(w, nil)
			if len(none) != 0 || err != nil || w.Len() != n {
				t.Errorf("copies of none: %v, error %v, %d entities", none, err, w.Len())
			}
			must(t, w.integrity())
		})
	}
}

// Conformance: 164. A group of none, of the root alone, or of entities that are gone.
func TestDestroyGroups(t *testing.T) {
	w := newWorld(t, 1)
	gone := w.Spawn()
	must(t, w.Destroy(gone))
	for _, members := range [][]Linked{{}, {{gone}}, {{gone}, {gone}}, {{}, {}}} {
		e := w.Spawn(BufferOf(members...))
		must(t, w.Destroy(e))
		if w.Exists(e) {
			t.Errorf("%v exists", e)
		}
	}
	// A tree, and two roots that contain each other.
	leaf, other, alone := w.Spawn(A{1}), w.Spawn(A{2}, Cl{}), w.Spawn(A{3})
	branch, root := w.Spawn(A{4}), w.Spawn(A{5})
	together(t, w, branch, leaf, root)
	together(t, w, root, branch, other, other)
	must(t, DestroyAll(w, Entities([]Entity{alone, root, alone})))
	if w.Len() != 1 || !w.Exists(other) || Has[A](w, other) {
		t.Errorf("%d entities are left, want the one that waits for its cleanup", w.Len())
	}
	// With an impossible id, nothing is destroyed.
	root = w.Spawn()
	together(t, w, root, Entity{99999, 1})
	n := w.Len()
	fails(t, ErrArgument, w.Destroy(root))
	if w.Len() != n {
		t.Error("something has changed")
	}
	must(t, w.integrity())
}

// A query that destroys a root must match its parts.
func TestDestroyAllMatchingGroups(t *testing.T) {
	w := newWorld(t, 1)
	root, part := w.Spawn(A{1}, En{}), w.Spawn(A{2}, En{})
	together(t, w, root, part)
	q := w.Query(With[A](), With[En]())
	must(t, SetEnabled[En](w, part, false))
	hash := w.Hash()
	fails(t, ErrArgument, DestroyAll(w, Matching(q)))
	if w.Hash() != hash {
		t.Error("something has changed")
	}
	must(t, SetEnabled[En](w, part, true))
	must(t, DestroyAll(w, Matching(q)))
	if w.Len() != 0 {
		t.Errorf("%d entities are left", w.Len())
	}
	// Parts that no longer exist are ignored.
	root, part = w.Spawn(A{1}, Sh{Value: 1}), w.Spawn(A{2})
	together(t, w, root, part)
	must(t, w.Destroy(part))
	must(t, DestroyAll(w, Matching(w.Query(WithShared(Sh{Value: 1})))))
	if w.Len() != 0 {
		t.Errorf("%d entities are left", w.Len())
	}
}

// Conformance: 170.
func TestSetActiveGroup(t *testing.T) {
	w := newWorld(t, 1)
	parent, child, gone := w.Spawn(A{1}), w.Spawn(B{}), w.Spawn()
	together(t, w, parent, child, gone, child)
	must(t, w.Destroy(gone))
	resting := w.Query(With[Inactive]())
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
	// The state of the root decides: it is already inactive, so that its parts stay as they are.
	must(t, w.SetActive(child, true))
	must(t, w.SetActive(parent, false))
	if Has[Inactive](w, child) {
		t.Error("the part rests, though the root had not changed")
	}
	fails(t, ErrArgument, w.SetActive(gone, true))
}

// Jobs that write groups are completed before a group is read.
func TestGroupsWaitForJobs(t *testing.T) {
	w := newWorld(t, 2)
	root, part := w.Spawn(A{1}), w.Spawn(B{})
	together(t, w, root)
	q := w.Query(Write[LinkedGroup]())
	append := func(e Entity) {
		q.ParallelFor(chunkFunc(func(c *Chunk) { Column[LinkedGroup](c).At(0).Append(Linked{e}) }))
	}
	append(part)
	must(t, w.SetActive(root, false))
	if !Has[Inactive](w, part) {
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
	must(t, Add(w, root, BufferOf(Linked{root}, Linked{part})))
	must(t, w.Destroy(part))
	left := w.ArchetypeOf(part)
	for _, active := range []bool{false, true} {
		must(t, w.SetActive(root, active))
		if w.ArchetypeOf(part) != left || Has[Inactive](w, root) == active {
			t.Errorf("active %v: the destroyed member is of %v, want %v", active, w.ArchetypeOf(part), left)
		}
	}
	_, err := Remove[Cl](w, part)
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
	together(t, w, root, part)
	outer := w.Spawn(B{})
	together(t, w, outer, root)
	must(t, w.Destroy(root))
	must(t, DestroyAll(w, Entities([]Entity{root})))
	must(t, DestroyAll(w, Matching(w.Query(With[LinkedGroup](), Without[B]()))))
	must(t, w.Destroy(outer))
	if !w.Exists(root) || !w.Exists(part) || w.Exists(outer) {
		t.Errorf("left are root %v, part %v, outer %v", w.Exists(root), w.Exists(part), w.Exists(outer))
	}
	whole(t, w)
}
