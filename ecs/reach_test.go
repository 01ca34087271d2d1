package ecs

import (
	"errors"
	"testing"
)

// TestReachesKeepNoMemory checks that a lookup leads to no chunk after its chunks have ended, and after Close.
func TestReachesKeepNoMemory(t *testing.T) {
	w := NewWorld("reaches")
	l := NewWorldLookup[Position](w)
	ids := make([]Entity, 3000)
	must(t, w.CreateInto(w.Archetype(With[Position]()), ids))
	must(t, l.Refresh())
	if got := l.Gather(make([]Position, len(ids)), ids); got != len(ids) {
		t.Fatalf("Gather found %d of %d", got, len(ids))
	}
	must(t, DestroyAll(w, Entities(ids[1:])))
	live := 0
	for _, p := range l.places.reaches {
		if p != (reach{}) {
			live++
		}
	}
	if live != 1 {
		t.Errorf("%d reaches for one chunk", live)
	}
	must(t, w.Close())
	if l.places.reaches != nil {
		t.Errorf("%d reaches after Close", len(l.places.reaches))
	}
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, ErrDisposed) {
			t.Errorf("Get after Close: %v, want an error of category ErrDisposed", err)
		}
	}()
	l.Get(ids[0])
}
