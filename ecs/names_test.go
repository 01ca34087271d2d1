package ecs

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	w := newWorld(t, 2)
	a, b := w.Spawn(A{}), w.Spawn(B{})
	hash := w.Hash()
	must(t, w.SetNameOf(a, "wheel"))
	must(t, w.SetNameOf(b, "wheel"))
	if w.NameOf(a) != "wheel" || w.NameOf(b) != "wheel" || w.Hash() != hash {
		t.Errorf("names %q and %q, hash %x, want %x", w.NameOf(a), w.NameOf(b), w.Hash(), hash)
	}
	must(t, w.SetNameOf(b, ""))
	if w.NameOf(b) != "" {
		t.Error("the name stays")
	}
	must(t, Add(w, a, B{}))
	if w.NameOf(a) != "wheel" {
		t.Error("the name is lost where the entity moves")
	}
	_, err := Get[C](w, a)
	if err == nil || !strings.Contains(err.Error(), `entity 0v1 "wheel": `) {
		t.Error(err)
	}
	must(t, w.Destroy(a))
	again := w.Spawn(A{})
	if again.Index != a.Index || w.NameOf(again) != "" || w.NameOf(a) != "" {
		t.Errorf("%v is named %q", again, w.NameOf(again))
	}
	_, err = Get[C](w, a)
	if err == nil || !strings.Contains(err.Error(), `entity 0v1 "wheel": `) {
		t.Errorf("an error about the dead one: %v", err)
	}
	fails(t, ErrArgument, w.SetNameOf(a, "x"))
	fails(t, ErrArgument, w.SetNameOf(Entity{}, "x"))
	h := w.Query(Read[A]()).ParallelFor(chunkFunc(func(*Chunk) { fails(t, ErrState, w.SetNameOf(again, "x")) }))
	must(t, h.Wait())
	must(t, w.Sync())
	for range 1000 { // names of the dead do not heap up
		e := w.Spawn(A{})
		must(t, w.SetNameOf(e, "spark"))
		must(t, w.Destroy(e))
	}
	if n := len(w.labels.of); n > 40 {
		t.Errorf("%d names are kept", n)
	}
	x, err := w.BeginTransaction()
	must(t, err)
	panics(t, ErrState, func() { w.NameOf(again) })
	x.Schedule(TransactionFunc(func(w *World) error { return w.SetNameOf(again, "lent") }))
	must(t, x.End())
	if w.NameOf(again) != "lent" {
		t.Error("a transaction's name is lost")
	}
}

// TestNamesGoAlong: names come along to another world, with references or without.
func TestNamesGoAlong(t *testing.T) {
	for _, n := range []int{1, 3, 5000} {
		src, w := newWorld(t, 1), newWorld(t, 1)
		w.Spawn(D{}) // so that ids differ
		var list []Entity
		for range n {
			list = append(list, src.Spawn(A{}, B{}))
		}
		last := list[n-1]
		must(t, src.SetNameOf(last, "last"))
		copies, err := w.CopyFrom(src, list)
		must(t, err)
		if w.NameOf(copies[n-1]) != "last" || src.NameOf(last) != "last" {
			t.Errorf("%d copied: %q, %q", n, w.NameOf(copies[n-1]), src.NameOf(last))
		}
		var m Moved
		must(t, w.MoveFrom(src, &m))
		if w.NameOf(m.Of(last)) != "last" || src.NameOf(last) != "" {
			t.Errorf("%d moved: %q, %q", n, w.NameOf(m.Of(last)), src.NameOf(last))
		}
		must(t, src.MoveFrom(w, nil))
		found := 0
		for e := range src.Entities() {
			if src.NameOf(e) == "last" {
				found++
			}
		}
		if found != 2 {
			t.Errorf("%d: %d have the name after a move of which nobody asked for the ids", n, found)
		}
	}
}
