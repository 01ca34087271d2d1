package ecs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Conformance: 1
func TestDestroyEndsAnEntity(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{})
	must(t, ecs.Set(w, e, A{10}))
	if got := get[A](t, w, e); got != (A{10}) {
		t.Errorf("got %v", got)
	}
	if !w.Exists(e) {
		t.Error("the entity does not exist")
	}
	must(t, w.Destroy(e))
	if w.Exists(e) {
		t.Error("the entity exists after Destroy")
	}
	_, err := ecs.Get[A](w, e)
	fails(t, ecs.ErrArgument, err)
}

// Conformance: 2, 3
func TestDestroyIgnoresNullAndDead(t *testing.T) {
	w := newWorld(t, 1)
	must(t, w.Destroy(ecs.Entity{}))
	e := w.Spawn(A{1})
	must(t, w.Destroy(e))
	must(t, w.Destroy(e))
	must(t, ecs.DestroyAll(w, ecs.Entities([]ecs.Entity{e, {}, e})))
	if w.Len() != 0 {
		t.Errorf("%d entities", w.Len())
	}
	f := w.Spawn(A{2})
	must(t, w.Destroy(e)) // an older id of the same slot
	if !w.Exists(f) {
		t.Error("an old id has destroyed a new entity")
	}
	for _, e := range []ecs.Entity{{Index: -1, Version: 1}, {Index: 1000, Version: 1}} {
		fails(t, ecs.ErrArgument, w.Destroy(e))
		fails(t, ecs.ErrArgument, ecs.DestroyAll(w, ecs.Entities([]ecs.Entity{f, e})))
	}
	if !w.Exists(f) {
		t.Error("DestroyAll has destroyed though it failed")
	}
	must(t, integrity(w))
}

// Conformance: 5
func TestDestroyShuffled(t *testing.T) {
	w := newWorld(t, 1)
	list := make([]ecs.Entity, 10_000)
	for i := range list {
		list[i] = w.Spawn(A{int32(i)})
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(list))
	for parity := range 2 {
		for _, i := range order {
			if i%2 == parity {
				must(t, w.Destroy(list[i]))
			}
		}
		must(t, integrity(w))
		for i, e := range list {
			alive := parity == 0 && i%2 == 1
			if w.Exists(e) != alive {
				t.Fatalf("pass %d: entity %d exists: %v", parity, i, !alive)
			}
			if alive && get[A](t, w, e).Value != int32(i) {
				t.Fatalf("entity %d holds %v", i, get[A](t, w, e))
			}
		}
	}
}

// Conformance: 6
func TestCreateIntoZeroes(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(ecs.With[A](), ecs.With[B]())
	list := make([]ecs.Entity, 10_000)
	for range 2 { // the second time in used memory
		must(t, w.CreateInto(a, list))
		for i, e := range list {
			if a, b := get[A](t, w, e), get[B](t, w, e); a != (A{}) || b != (B{}) {
				t.Fatalf("entity %d holds %v %v", i, a, b)
			}
			must(t, ecs.Set(w, e, A{-1}))
			must(t, ecs.Set(w, e, B{-1, -1}))
		}
		must(t, ecs.DestroyAll(w, ecs.Entities(list)))
		for _, e := range list {
			if w.Exists(e) {
				t.Fatal("an entity exists")
			}
		}
	}
}

// Conformance: 7
func TestCreateNone(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(ecs.With[A]())
	for range w.Create(a, 0).Chunks() {
		t.Error("a chunk of none")
	}
	for range w.CreateChunks(a, 0).Chunks() {
		t.Error("a chunk of none")
	}
	must(t, w.CreateInto(a, nil))
	if s := w.Stats(); s.Chunks != 0 || s.Entities != 0 {
		t.Errorf("%+v", s)
	}
	panics(t, ecs.ErrArgument, func() { w.Create(a, -1) })
	panics(t, ecs.ErrArgument, func() { w.CreateChunks(a, -1) })
	_, err := w.Instantiate(w.Spawn(), -1)
	fails(t, ecs.ErrArgument, err)
}

// Conformance: 8
func TestCreateOfNoArchetype(t *testing.T) {
	w, other := newWorld(t, 1), newWorld(t, 1)
	for _, a := range []ecs.Archetype{{}, other.Archetype(ecs.With[A]())} {
		panics(t, ecs.ErrArgument, func() { w.Create(a, 1) })
		panics(t, ecs.ErrArgument, func() { w.CreateChunks(a, 1) })
		fails(t, ecs.ErrArgument, w.CreateInto(a, make([]ecs.Entity, 2)))
		fails(t, ecs.ErrArgument, w.SetArchetype(w.Spawn(), a))
		_, err := w.NewCommands().Create(a)
		fails(t, ecs.ErrArgument, err)
	}
}

// Conformance: 10
func TestInstantiate(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{7}, ecs.BufferOf(Elem{1}, Elem{2}), Ref{3, ecs.Entity{}})
	outside := w.Spawn()
	must(t, ecs.Set(w, e, Ref{3, e}))
	long := make([]Elem, 20)
	long[19] = Elem{9}
	must(t, ecs.Set(w, e, ecs.BufferOf(long...)))
	list, err := w.Instantiate(e, 10_000)
	must(t, err)
	must(t, ecs.Set(w, e, ecs.BufferOf(Elem{5})))
	for _, c := range list {
		if a := get[A](t, w, c); a.Value != 7 {
			t.Fatalf("got %v", a)
		}
		if r := get[Ref](t, w, c); r != (Ref{3, c}) {
			t.Fatalf("a reference to the source is %v in %v", r, c)
		}
		if b := get[Buf](t, w, c).Slice(); len(b) != 20 || b[19].Value != 9 {
			t.Fatalf("got %v", b)
		}
	}
	must(t, ecs.Set(w, e, Ref{3, outside}))
	list, err = w.Instantiate(e, 1)
	must(t, err)
	if r := get[Ref](t, w, list[0]); r.To != outside {
		t.Errorf("a reference to another entity is %v", r)
	}
	none, err := w.Instantiate(e, 0)
	if len(none) != 0 || err != nil {
		t.Error(none, err)
	}
	must(t, integrity(w))
}

// Conformance: 11, 13
func TestDeadEntities(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1})
	must(t, w.Destroy(e))
	for _, e := range []ecs.Entity{e, {}, {Index: -3, Version: -9}, {Index: 99, Version: 1}} {
		fails(t, ecs.ErrArgument, ecs.Add(w, e, A{}))
		fails(t, ecs.ErrArgument, ecs.Set(w, e, A{}))
		_, err := ecs.Ensure[A](w, e)
		fails(t, ecs.ErrArgument, err)
		err = ecs.AddTypes(w, ecs.One(e), ecs.With[A](), ecs.With[B]())
		fails(t, ecs.ErrArgument, err)
		fails(t, ecs.ErrArgument, ecs.AddTypes(w, ecs.Entities([]ecs.Entity{e}), ecs.With[A]()))
		fails(t, ecs.ErrArgument, ecs.AddAll(w, ecs.Entities([]ecs.Entity{e}), A{}))
		fails(t, ecs.ErrArgument, w.SetArchetype(e, w.Archetype()))
		_, err = w.Instantiate(e, 1)
		fails(t, ecs.ErrArgument, err)
		_, err = ecs.GetBuffer[Elem](w, e)
		fails(t, ecs.ErrArgument, err)

		did, err := ecs.Remove[A](w, e)
		if did || err != nil {
			t.Errorf("Remove from %v: %v %v", e, did, err)
		}
		must(t, ecs.RemoveTypes(w, ecs.One(e), ecs.With[A](), ecs.With[B]()))
		must(t, ecs.RemoveTypes(w, ecs.Entities([]ecs.Entity{e}), ecs.With[A]()))
		if w.Exists(e) || ecs.Has[A](w, e) || w.ArchetypeOf(e) != (ecs.Archetype{}) {
			t.Errorf("%v exists", e)
		}
	}
}

// Conformance: 14; TestAllEntities tests prefabs and all other entities
func TestEntities(t *testing.T) {
	w := newWorld(t, 1)
	want := []ecs.Entity{w.Spawn(A{}), w.Spawn(Cl{}), w.Spawn(A{})}
	must(t, w.Destroy(want[1]))
	got := slices.Collect(w.Entities())
	slices.SortFunc(got, ecs.Entity.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for range w.Entities() {
		break
	}
	must(t, w.Destroy(want[0])) // no loop is open
}

// Conformance: 16
func TestIdsAreReproducible(t *testing.T) {
	run := func() (list []ecs.Entity) {
		w := newWorld(t, 1)
		rng := rand.New(rand.NewPCG(3, 4))
		for range 1000 {
			if n := len(list); n > 0 && rng.IntN(3) == 0 {
				must(t, w.Destroy(list[rng.IntN(n)]))
			} else {
				list = append(list, w.Spawn(A{}))
			}
		}
		return list
	}
	if a, b := run(), run(); !slices.Equal(a, b) {
		t.Error("two runs give different ids")
	}
}

func TestLastFreedIsFirstReused(t *testing.T) {
	w := newWorld(t, 1)
	a, b, c := w.Spawn(), w.Spawn(), w.Spawn()
	must(t, w.Destroy(a))
	must(t, w.Destroy(c))
	for _, want := range []ecs.Entity{{c.Index, 2}, {a.Index, 2}, {b.Index + 2, 1}} {
		if got := w.Spawn(); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if a.Version != 1 || (ecs.Entity{}).String() != "0:0" || !(ecs.Entity{}).IsZero() || a.IsZero() {
		t.Error(a)
	}
}
