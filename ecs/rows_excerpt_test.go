package ecs_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// An excerpt must contain the keys and names of its entities, even after an error or a panic. Inserted
// entities must get the keys and names that the test has put into the excerpt.
func TestExcerptFields(t *testing.T) {
	src, w := ecs.NewWorld("from"), ecs.NewWorld("to")
	friend := src.Spawn(Spot{})
	e := src.Spawn(Follow{Target: friend})
	must(t, src.SetEntityName(e, "e"))
	var x ecs.Excerpt
	key := func(ecs.Entity) (uint64, error) { return 7, nil }
	must(t, x.Extract(src, []ecs.Entity{e}, key))
	if x.Len() != 1 || len(x.Parts()) != 1 || !slices.Equal(x.Outside, []uint64{7}) || !slices.Equal(x.Names, []string{"e"}) {
		t.Fatalf("%d entities, keys %v, names %q", x.Len(), x.Outside, x.Names)
	}
	x.Names[0], x.Outside = "other", []uint64{9}
	known := w.Spawn(Spot{})
	ids, err := x.Insert(w, func(key uint64) (ecs.Entity, error) {
		if key != 9 {
			t.Errorf("asked for key %d", key)
		}
		return known, nil
	})
	must(t, err)
	if f, err := ecs.Get[Follow](w, ids[0]); f.Target != known || err != nil || w.EntityName(ids[0]) != "other" {
		t.Errorf("it follows %v and is %q: %v", f.Target, w.EntityName(ids[0]), err)
	}
	no := errors.New("no")
	if err := x.Extract(src, []ecs.Entity{e}, func(ecs.Entity) (uint64, error) { return 0, no }); !errors.Is(err, no) || len(x.Outside)+len(x.Names)+x.Len() != 0 {
		t.Errorf("after %v there are keys %v, names %q", err, x.Outside, x.Names)
	}
	must(t, x.Extract(src, []ecs.Entity{e}, key))
	func() {
		defer func() { recover() }()
		x.Extract(src, []ecs.Entity{e}, func(ecs.Entity) (uint64, error) { panic("outside") })
	}()
	if len(x.Outside)+len(x.Names)+x.Len() != 0 {
		t.Errorf("after a panic there are keys %v, names %q", x.Outside, x.Names)
	}
}

// Drift is a velocity.
type Drift struct{ X, Y, Z float32 }

// If a column that Extract or AddPart has created was moved or removed, Insert must refuse the
// excerpt and change nothing.
func TestExcerptColumns(t *testing.T) {
	src, w := ecs.NewWorld("from"), ecs.NewWorld("to")
	e := src.Spawn(Spot{X: 1}, Drift{X: 2})
	var x ecs.Excerpt
	for what, change := range map[string]func(p *ecs.ExcerptPart){
		"swapped": func(p *ecs.ExcerptPart) { slices.Reverse(p.Columns) },
		"deleted": func(p *ecs.ExcerptPart) { p.Columns = slices.Delete(p.Columns, 0, 1) },
		"none":    func(p *ecs.ExcerptPart) { p.Columns = nil },
	} {
		must(t, x.Extract(src, []ecs.Entity{e}, nil))
		change(x.Parts()[0])
		if ids, err := x.Insert(w, nil); !errors.Is(err, ecs.ErrArgument) || ids != nil || w.Len() != 0 {
			t.Errorf("%s: %v have come, %d are there: %v", what, ids, w.Len(), err)
		}
	}
	must(t, x.Extract(src, []ecs.Entity{e}, nil))
	p := x.Parts()[0]
	p.Columns = slices.Clone(p.Columns) // other memory, the same columns
	ids, err := x.Insert(w, nil)
	must(t, err)
	place, err := ecs.Get[Spot](w, ids[0])
	must(t, err)
	if speed, err := ecs.Get[Drift](w, ids[0]); err != nil || place.X != 1 || speed.X != 2 {
		t.Errorf("%v and %v have come: %v", place, speed, err)
	}
}
