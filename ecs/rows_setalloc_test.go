//go:build !race && !lanewise_guard

package ecs_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Functions that are called once for all rows allocate nothing more for being called through an interface.
func TestRowSetAllocates(t *testing.T) {
	w := ecs.NewWorld(t.Name())
	var ids []ecs.Entity
	for i := range 100 {
		ids = append(ids, w.Spawn(Spot{X: float32(i)}))
	}
	s, err := ecs.NewRowSet(w, reflect.TypeFor[Spot]())
	must(t, err)
	values, err := s.Gather(nil, ids)
	must(t, err)
	slices.Reverse(ids)
	if n := testing.AllocsPerRun(10, func() {
		err = errors.Join(err, s.Scatter(ids, values))
		values, _ = s.Gather(values[:0], ids)
	}); n > 0 || err != nil {
		t.Errorf("%v allocations, error %v", n, err)
	}
	if p, err := ecs.Get[Spot](w, ids[0]); p != (Spot{X: 0}) || err != nil {
		t.Errorf("the last has %v, want what the first had: %v", p, err)
	}
}

// Entities of two archetypes, in several chunks, move back and forth between two worlds. An EntityMap
// that is used again must not allocate, as its documentation says.
func TestEntityMapAllocates(t *testing.T) {
	one, two := ecs.NewWorld("one"), ecs.NewWorld("two")
	var first, last ecs.Entity
	for i := range 3000 {
		first = one.Spawn(Spot{X: float32(i)})
		last = one.Spawn(Spot{X: float32(i)}, Follow{Target: first})
	}
	var there, back ecs.EntityMap
	var err error
	swap := func() {
		err = errors.Join(err, ecs.MoveEntities(two, one, &there), ecs.MoveEntities(one, two, &back))
		first, last = back.NewID(there.NewID(first)), back.NewID(there.NewID(last))
	}
	for range 5 {
		swap() // memory and lists grow
	}
	if n := testing.AllocsPerRun(10, swap); n > 0 || err != nil {
		t.Errorf("%v allocations, error %v", n, err)
	}
	if f, err := ecs.Get[Follow](one, last); err != nil || f.Target != first || one.Len() != 6000 || len(back.Entities) != 6000 {
		t.Errorf("%v follows %v, error %v; there are %d, of which %d have moved", last, f.Target, err, one.Len(), len(back.Entities))
	}
}
