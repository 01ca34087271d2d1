package ecs_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Conformance: 88
func TestCleanupOutlivesDestroy(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, Sh{Value: 3}, Cl{Value: 2}, ClSh{Value: 6})
	qa, qcl := w.Query(ecs.With[A]()), w.Query(ecs.With[Cl]())
	for range 2 { // the second Destroy is ignored
		must(t, w.Destroy(e))
		must(t, ecs.DestroyAll(w, ecs.Entities([]ecs.Entity{e})))
		must(t, ecs.DestroyAll(w, ecs.Matching(qcl)))
		if qa.Count() != 0 || qcl.Count() != 1 || !w.Exists(e) || get[Cl](t, w, e).Value != 2 || get[ClSh](t, w, e).Value != 6 {
			t.Fatal("what is left is wrong")
		}
	}
	_, err := ecs.Get[A](w, e)
	fails(t, ecs.ErrArgument, err)
	must(t, integrity(w))
	_, err = ecs.Remove[ClSh](w, e)
	must(t, err)
	if !w.Exists(e) {
		t.Fatal("the entity is gone too early")
	}
	did, err := ecs.Remove[Cl](w, e)
	if !did || err != nil || qcl.Count() != 0 || w.Exists(e) {
		t.Error(did, err, qcl.Count(), w.Exists(e))
	}
	must(t, integrity(w))
}

// Conformance: 90
func TestCleanupByQuery(t *testing.T) {
	for _, cleanup := range []ecs.Term{ecs.With[Cl](), ecs.With[ClTag](), ecs.With[ecs.Buffer[ElemCl]](), ecs.With[ClSh]()} {
		w := newWorld(t, 1)
		ids := make([]ecs.Entity, 512)
		must(t, w.CreateInto(w.Archetype(ecs.With[A](), cleanup), ids))
		must(t, ecs.DestroyAll(w, ecs.Entities(ids)))
		q := w.Query(cleanup, ecs.Without[A]())
		if q.Count() != 512 {
			t.Fatalf("%v: %d are left", cleanup, q.Count())
		}
		must(t, ecs.RemoveTypes(w, ecs.Matching(q), cleanup))
		for _, e := range ids {
			if w.Exists(e) {
				t.Fatalf("%v: %v exists", cleanup, e)
			}
		}
		must(t, integrity(w))
	}
}

// Conformance: 92, 93
func TestCleanupIsNotCopied(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, Sh{Value: 4}, Cl{Value: 2})
	list, err := w.Instantiate(e, 1)
	must(t, err)
	types(t, w, list[0], ecs.With[A](), ecs.With[Sh]())
	if get[A](t, w, list[0]).Value != 1 || get[Sh](t, w, list[0]).Value != 4 || w.Query(ecs.With[Cl]()).Count() != 1 {
		t.Error("the copy is wrong")
	}
	must(t, w.Destroy(e))
	_, err = w.Instantiate(e, 1)
	fails(t, ecs.ErrArgument, err)
}

// Conformance: 95
func TestCleanupBuffer(t *testing.T) {
	w := newWorld(t, 1)
	long := make([]ElemCl, 100)
	long[99].Value = 7
	e := w.Spawn(A{}, ecs.BufferOf(long...))
	list, err := w.Instantiate(e, 1)
	must(t, err)
	types(t, w, list[0], ecs.With[A]())
	must(t, w.Destroy(e))
	if b := get[ecs.Buffer[ElemCl]](t, w, e).Slice(); len(b) != 100 || b[99].Value != 7 {
		t.Errorf("got %d elements", len(b))
	}
	_, err = ecs.Remove[ecs.Buffer[ElemCl]](w, e)
	must(t, err)
	if w.Exists(e) {
		t.Error("the entity exists")
	}
	must(t, integrity(w))
}

func TestCleanupOfLiveEntities(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(Cl{})
	_, err := ecs.Remove[Cl](w, e) // an ordinary component, because the entity was not destroyed
	must(t, err)
	types(t, w, e)
	must(t, ecs.Add(w, e, Cl{Value: 1}))
	must(t, w.Destroy(e))
	must(t, ecs.Add(w, e, A{5})) // the entity keeps it while it waits for its cleanup
	must(t, w.Destroy(e))
	if get[A](t, w, e).Value != 5 {
		t.Error(get[A](t, w, e))
	}
	err = ecs.RemoveTypes(w, ecs.One(e), ecs.With[Cl](), ecs.With[B]())
	if err != nil || w.Exists(e) {
		t.Error(err, w.Exists(e))
	}
}
