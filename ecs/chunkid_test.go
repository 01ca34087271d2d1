package ecs_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

type idTag struct{}

// A chunk keeps its number while other chunks are created and freed, and when all of its rows change
// their archetype in place. No two chunks have the same number.
func TestChunkID(t *testing.T) {
	w := ecs.NewWorld("ids")
	defer func() { must(t, w.Close()) }()
	q := w.Query(ecs.With[A]())
	ids := func() map[ecs.Entity]int {
		all, seen := map[ecs.Entity]int{}, map[int]bool{}
		for c := range q.Chunks() {
			id := c.ID()
			if seen[id] || id < 0 || id > 100 {
				t.Fatalf("number %d, of those there are %v", id, seen)
			}
			seen[id] = true
			all[c.Entities()[0]] = id
		}
		return all
	}
	list := make([]ecs.Entity, 5*w.Archetype(ecs.With[A]()).Capacity())
	must(t, w.CreateInto(w.Archetype(ecs.With[A]()), list))
	before := ids()
	if len(before) != 5 {
		t.Fatalf("%d chunks", len(before))
	}
	n := len(list) / 5
	must(t, ecs.DestroyAll(w, ecs.Entities(list[n:2*n])))        // the second chunk ends, the last takes its place
	must(t, ecs.AddTypes(w, ecs.Matching(q), ecs.With[idTag]())) // all are of another archetype
	now := ids()
	if len(now) != 4 {
		t.Fatalf("%d chunks", len(now))
	}
	for e, id := range now {
		if before[e] != id {
			t.Errorf("the chunk of %v had number %d and has %d", e, before[e], id)
		}
	}
}
