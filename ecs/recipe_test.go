package ecs

import (
	"reflect"
	"testing"
)

// thing is a bundle. The order of its fields differs from the order in the archetype.
type thing struct {
	Velocity Velocity
	Tag      Tag
	Position Position
	A        A
}

func thingOf(i int) thing {
	x := float32(i)
	return thing{Velocity{x, 2 * x, 3 * x}, Tag{}, Position{4 * x, 5 * x, 6 * x}, A{int32(i)}}
}

// TestWaysToMakeOne creates the same entities in six ways: by Spawn, with the values in two
// orders; by SpawnBundle; by commands; by a job that has the world to itself; and component by
// component. The resulting worlds, which have several chunks, must be equal.
func TestWaysToMakeOne(t *testing.T) {
	const n = 1500
	ways := []struct {
		name string
		make func(w *World)
	}{
		{"one by one", func(w *World) {
			a := w.Archetype(With[Position](), With[Velocity](), With[Tag](), With[A]())
			for i := range n {
				var e [1]Entity
				must(t, w.CreateInto(a, e[:]))
				v := thingOf(i)
				must(t, Set(w, e[0], v.Position))
				must(t, Set(w, e[0], v.Velocity))
				must(t, Set(w, e[0], v.A))
			}
		}},
		{"Spawn", func(w *World) {
			for i := range n {
				v := thingOf(i)
				w.Spawn(v.Velocity, v.Tag, v.Position, v.A)
			}
		}},
		{"Spawn in two orders", func(w *World) {
			for i := range n {
				if v := thingOf(i); i%2 == 0 {
					w.Spawn(v.Velocity, v.Tag, v.Position, v.A)
				} else {
					w.Spawn(v.A, v.Position, v.Velocity, v.Tag)
				}
			}
		}},
		{"SpawnBundle", func(w *World) {
			for i := range n {
				SpawnBundle(w, thingOf(i))
			}
		}},
		{"Commands.Spawn", func(w *World) {
			c := w.NewCommands()
			for i := range n {
				v := thingOf(i)
				_, err := c.Spawn(v.Tag, v.Velocity, v.Position, v.A)
				must(t, err)
			}
			must(t, c.Playback(w))
		}},
		{"a transaction", func(w *World) {
			SpawnBundle(w, thingOf(0))
			x, err := BeginTransaction(w)
			must(t, err)
			do(x, func(in *World) {
				for i := range n - 2 {
					v := thingOf(i + 1)
					in.Spawn(v.Tag, v.Position, v.Velocity, v.A)
				}
			})
			must(t, x.End())
			SpawnBundle(w, thingOf(n-1))
		}},
	}
	var want uint64
	for k, way := range ways {
		w := newWorld(t, 1)
		way.make(w)
		must(t, integrity(w))
		if got := w.Hash(); k == 0 {
			want = got
		} else if got != want {
			t.Errorf("%s: the hash is %x, want %x", way.name, got, want)
		}
		if got := mustValue(Get[Position](w, w.entityAt(n-1))); got != thingOf(n-1).Position {
			t.Errorf("%s: the last position is %v", way.name, got)
		}
	}
}

// entityAt returns the entity with an index.
func (w *World) entityAt(i int) Entity { return Entity{int32(i), w.tables.entities.slots[i].version} }

// mustValue returns the value. mustValue panics if there is an error.
func mustValue[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestRecipesOfAllKinds repeatedly creates entities with every kind of component. If a plan cannot
// create an entity, Spawn must create it without a plan.
func TestRecipesOfAllKinds(t *testing.T) {
	type bundle struct {
		A   A
		En  En
		Sh  Sh
		Obj Obj
		Buf Buf
		Ref Ref
	}
	w := newWorld(t, 1)
	target := w.Spawn()
	for i := range int32(3) {
		b := bundle{A: A{i}, Sh: Sh{Value: i}, Buf: BufferOf(Elem{i}, Elem{i + 1}), Ref: Ref{To: target}}
		one, two := w.Spawn(b.A, b.En, b.Sh, b.Obj, b.Buf, b.Ref), SpawnBundle(w, b)
		for _, e := range []Entity{one, two} {
			if got := mustValue(Get[Sh](w, e)); got != b.Sh {
				t.Errorf("%v, want %v", got, b.Sh)
			}
			if got := mustValue(Get[Ref](w, e)); got != b.Ref {
				t.Errorf("%v, want %v", got, b.Ref)
			}
			if got := mustValue(Get[Buf](w, e)); got.Len() != 2 || !mustValue(Enabled[En](w, e)) {
				t.Errorf("%d elements", got.Len())
			}
		}
		c := w.NewCommands()
		made, err := c.Spawn(A{i})
		must(t, err)
		_, err = c.Spawn(Ref{To: made}, A{i})
		must(t, err)
		must(t, c.Playback(w))
		n := 0
		for e := range w.Entities() {
			if Has[Ref](w, e) && !Has[En](w, e) {
				n++
				if to := mustValue(Get[Ref](w, e)).To; !w.Exists(to) || mustValue(Get[A](w, to)) != mustValue(Get[A](w, e)) {
					t.Errorf("%v refers to %v", e, to)
				}
			}
		}
		if n != int(i)+1 {
			t.Errorf("%d entities refer, want %d", n, i+1)
		}
	}
	must(t, integrity(w))
}

// TestRecipesMeet fills the cache until plans evict each other.
func TestRecipesMeet(t *testing.T) {
	w := newWorld(t, 1)
	values := []any{A{1}, B{}, C{}, D{}, Tag{}, Tag2{}, Position{X: 7}, Velocity{}, Spin{}}
	count := map[string]int{}
	for round := range 2 {
		for set := range 1 << len(values) {
			var list []any
			for i := range values {
				if set>>i&1 != 0 {
					list = append(list, values[i])
				}
			}
			if set%3 == round { // in another order
				for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
					list[i], list[j] = list[j], list[i]
				}
			}
			e := w.Spawn(list...)
			a := w.ArchetypeOf(e)
			if len(a.Types()) != len(list) {
				t.Fatalf("%v is made of %v", a, list)
			}
			for _, v := range list {
				if a.arch.findColumnOfType(reflect.TypeOf(v)) < 0 {
					t.Fatalf("%v is made of %v", a, list)
				}
			}
			if Has[Position](w, e) && mustValue(Get[Position](w, e)).X != 7 || Has[A](w, e) && mustValue(Get[A](w, e)) != (A{1}) {
				t.Fatalf("the values of %v are lost", list)
			}
			count[a.String()]++
		}
	}
	if len(count) != 1<<len(values) {
		t.Errorf("%d archetypes", len(count))
	}
	must(t, integrity(w))
}

// TestRecipesAreRefused checks that Spawn and SpawnBundle return the same errors for types with a
// plan as for types without a plan.
func TestRecipesAreRefused(t *testing.T) {
	w := newWorld(t, 1)
	SpawnBundle(w, thing{})
	w.Spawn(A{1})
	n := w.Len()
	for range w.Query(With[A]()).Chunks() {
		wantPanic(t, ErrState, func() { SpawnBundle(w, thing{}) })
		wantPanic(t, ErrState, func() { w.Spawn(A{1}) })
	}
	type twice struct {
		A, B A
	}
	for range 2 {
		wantPanic(t, ErrArgument, func() { SpawnBundle(w, twice{}) })
		wantPanic(t, ErrArgument, func() { SpawnBundle(w, 7) })
		wantPanic(t, ErrArgument, func() { SpawnBundle[any](w, thing{}) }) // another call may have another type
		wantPanic(t, ErrArgument, func() { SpawnBundle(w, struct{ A any }{A{1}}) })
		wantPanic(t, ErrArgument, func() { SpawnBundle(w, A{1}) })
		wantPanic(t, ErrArgument, func() { SpawnBundle(w, struct{ a A }{A{1}}) })
		wantPanic(t, ErrArgument, func() { w.Spawn(A{1}, A{2}) })
	}
	if w.Len() != n {
		t.Errorf("%d entities, want %d", w.Len(), n)
	}
	must(t, integrity(w))
	commits := 0
	w.Hooks().OnCommit(func(string) { commits++ })
	SpawnBundle(w, thing{})
	w.Spawn(A{1})
	if commits != 2 {
		t.Errorf("%d commits, want 2", commits)
	}
	must(t, w.Close())
	wantPanic(t, ErrDisposed, func() { SpawnBundle(w, thing{}) })
	wantPanic(t, ErrDisposed, func() { w.Spawn(A{1}) })
}
