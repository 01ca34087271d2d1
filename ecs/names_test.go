package ecs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	w := newWorld(t, 2)
	a, b := w.Spawn(A{}), w.Spawn(B{})
	hash := w.Hash()
	must(t, w.SetEntityName(a, "wheel"))
	must(t, w.SetEntityName(b, "wheel"))
	if w.EntityName(a) != "wheel" || w.EntityName(b) != "wheel" || w.Hash() != hash {
		t.Errorf("names %q and %q, hash %x, want %x", w.EntityName(a), w.EntityName(b), w.Hash(), hash)
	}
	must(t, w.SetEntityName(b, ""))
	if w.EntityName(b) != "" {
		t.Error("the name stays")
	}
	must(t, Add(w, a, B{}))
	if w.EntityName(a) != "wheel" {
		t.Error("the name is lost where the entity moves")
	}
	_, err := Get[C](w, a)
	if err == nil || !strings.Contains(err.Error(), `entity 0:1 "wheel": `) {
		t.Error(err)
	}
	must(t, w.Destroy(a))
	again := w.Spawn(A{})
	if again.Index != a.Index || w.EntityName(again) != "" || w.EntityName(a) != "" {
		t.Errorf("%v is named %q", again, w.EntityName(again))
	}
	_, err = Get[C](w, a)
	if err == nil || !strings.Contains(err.Error(), `entity 0:1 "wheel": `) {
		t.Errorf("an error about the dead one: %v", err)
	}
	wantCategory(t, ErrArgument, w.SetEntityName(a, "x"))
	wantCategory(t, ErrArgument, w.SetEntityName(Entity{}, "x"))
	h := w.Query(Read[A]()).ParallelFor(chunkFunc(func(*Chunk) { wantCategory(t, ErrState, w.SetEntityName(again, "x")) }))
	must(t, h.Wait())
	must(t, w.Sync())
	for range 1000 { // names of destroyed entities do not accumulate
		e := w.Spawn(A{})
		must(t, w.SetEntityName(e, "spark"))
		must(t, w.Destroy(e))
	}
	if n := len(w.gate.entityNames.pages); n > 1 {
		t.Errorf("%d pages of names are kept", n)
	}
	x, err := BeginTransaction(w)
	must(t, err)
	wantPanic(t, ErrState, func() { w.EntityName(again) })
	x.Schedule(TransactionFunc(func(w *World) error { return w.SetEntityName(again, "lent") }))
	must(t, x.End())
	if w.EntityName(again) != "lent" {
		t.Error("a transaction's name is lost")
	}
}

// TestNamesGoAlong checks that entities keep their names when they move to another world.
func TestNamesGoAlong(t *testing.T) {
	for _, n := range []int{1, 3, 5000} {
		src, w := newWorld(t, 1), newWorld(t, 1)
		w.Spawn(D{}) // so that ids differ
		var list []Entity
		for range n {
			list = append(list, src.Spawn(A{}, B{}))
		}
		last := list[n-1]
		must(t, src.SetEntityName(last, "last"))
		copies, err := CopyEntities(w, src, list)
		must(t, err)
		if w.EntityName(copies[n-1]) != "last" || src.EntityName(last) != "last" {
			t.Errorf("%d copied: %q, %q", n, w.EntityName(copies[n-1]), src.EntityName(last))
		}
		var m EntityMap
		must(t, MoveEntities(w, src, &m))
		if w.EntityName(m.NewID(last)) != "last" || src.EntityName(last) != "" {
			t.Errorf("%d moved: %q, %q", n, w.EntityName(m.NewID(last)), src.EntityName(last))
		}
		must(t, MoveEntities(src, w, nil))
		found := 0
		for e := range src.Entities() {
			if src.EntityName(e) == "last" {
				found++
			}
		}
		if found != 2 {
			t.Errorf("%d: %d have the name after a move whose ids were not asked for", n, found)
		}
	}
}

// TestNamesInImages checks that an image has the names that the entities had at the capture. Later
// names do not matter, and it does not matter whether the entities were named one by one or together.
// The image has no names of destroyed entities.
func TestNamesInImages(t *testing.T) {
	src, w := newWorld(t, 1), newWorld(t, 1)
	const n = 1000 // several pages
	for i := range n {
		must(t, src.SetEntityName(src.Spawn(A{int32(i)}), fmt.Sprint("row ", i)))
	}
	w.Spawn(D{}) // so that ids differ
	a, err := NewImageStream(mustCapture(t, src, nil))
	must(t, err)
	must(t, a.Begin(w))
	for a.Left() > 0 {
		_, err := a.Load(300)
		must(t, err)
	}
	ids := slices.Clone(a.Entities())
	first := mustCapture(t, w, nil)
	if again := mustCapture(t, w, first); len(again.namePages) == 0 || &again.namePages[0] != &first.namePages[0] {
		t.Error("names that were not changed are copied")
	}
	for round := range 400 { // and texts of a page that are no longer needed are dropped
		must(t, w.SetEntityName(ids[1], fmt.Sprint("other ", round)))
	}
	must(t, w.SetEntityName(ids[2], ""))
	must(t, w.Destroy(ids[3]))
	if got := len(w.gate.entityNames.pages[0].texts); got > 2*namePageLen {
		t.Errorf("a page has %d texts", got)
	}
	second := mustCapture(t, w, first)
	if first.EntityName(ids[1]) != "row 1" || first.EntityName(ids[2]) != "row 2" || second.EntityName(ids[1]) != "other 399" || second.EntityName(ids[2]) != "" {
		t.Errorf("names %q and %q, then %q and %q", first.EntityName(ids[1]), first.EntityName(ids[2]), second.EntityName(ids[1]), second.EntityName(ids[2]))
	}
	list := second.State().Names
	if len(list) != n-2 || !slices.IsSortedFunc(list, func(a, b ImageName) int { return a.Entity.Compare(b.Entity) }) {
		t.Errorf("%d names, want %d in order", len(list), n-2)
	}
	must(t, Restore(w, first))
	fork, err := Fork(second, "fork")
	must(t, err)
	defer fork.Close()
	for i, e := range ids {
		want := fmt.Sprint("row ", i)
		if got := w.EntityName(e); got != want {
			t.Fatalf("restored, %v is %q, want %q", e, got, want)
		}
		if i > 3 && fork.EntityName(e) != want {
			t.Fatalf("in the fork %v is %q, want %q", e, fork.EntityName(e), want)
		}
	}
	must(t, w.SetEntityName(ids[0], "mine"))
	if first.EntityName(ids[0]) != "row 0" || fork.EntityName(ids[0]) != "row 0" {
		t.Error("an image has changed")
	}
}
