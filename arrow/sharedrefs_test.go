package arrow_test

import (
	"bytes"
	"testing"

	"github.com/lanewise/lanewise/arrow"
	"github.com/lanewise/lanewise/ecs"
)

// follows is a shared component that refers to an entity.
type follows struct {
	ecs.Shared
	Of   ecs.Entity
	Rank int32
}

// TestSharedReferences checks that an import renames the entities in shared values, as it does in
// components. It also checks that references to entities outside of the stream become null.
func TestSharedReferences(t *testing.T) {
	from, to := ecs.NewWorld("from"), ecs.NewWorld("to")
	outside := from.Spawn()
	a := from.Spawn(heap{1}, follows{})
	b := from.Spawn(heap{2}, follows{Of: a, Rank: 7})
	c := from.Spawn(heap{3}, follows{Of: outside, Rank: 7})
	to.Spawn()
	to.Spawn(heap{9}, follows{Rank: 1}) // so that the ids are others there
	terms := []ecs.Term{ecs.Read[heap](), ecs.With[follows]()}
	s, err := arrow.New(from, terms...)
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	if err := s.WriteStream(&stream); err != nil {
		t.Fatal(err)
	}
	ids, err := arrow.Read(to, &stream, terms...)
	if err != nil {
		t.Fatal(err)
	}
	for e, want := range map[ecs.Entity]follows{a: {}, b: {Of: ids[a], Rank: 7}, c: {Rank: 7}} {
		if got, err := ecs.Get[follows](to, ids[e]); got != want || err != nil {
			t.Errorf("entity %v: %+v (%v), want %+v", e, got, err, want)
		}
	}
	for _, w := range []*ecs.World{from, to} {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
