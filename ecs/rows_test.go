package ecs_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// A clone must have the position that the stream had when the clone was made, and then continue
// independently. It can continue in the restored world or, if it has not begun, in another world.
func TestClone(t *testing.T) {
	src, w, other := ecs.NewWorld("from"), ecs.NewWorld("to"), ecs.NewWorld("other")
	for i := range 100 {
		src.Spawn(Spot{X: float32(i)})
	}
	image, err := ecs.Capture(src, nil)
	must(t, err)
	a, err := ecs.NewImageStream(image)
	must(t, err)
	fresh := a.Clone()
	must(t, a.Begin(w))
	other.Spawn(Spot{}) // gives other ids
	must(t, fresh.Begin(other))
	_, err = a.Load(100)
	must(t, err)
	if n, err := fresh.Load(60); n != 60 || err != nil || fresh.Left() != 40 || a.Left() != 0 {
		t.Errorf("%d have come, %d are left, %d of the first: %v", n, fresh.Left(), a.Left(), err)
	}
	for _, of := range []struct {
		a *ecs.ImageStream
		w *ecs.World
	}{{a, w}, {fresh, other}} {
		for _, e := range of.a.Entities() {
			if !of.w.Exists(e) {
				t.Fatalf("%v of world %q does not exist", e, of.w.Name())
			}
		}
	}

	kept, err := ecs.Capture(w, nil)
	must(t, err)
	clone := a.Clone()
	left, err := a.Unload(70)
	must(t, err)
	if left != 30 || w.Len() != 30 || len(clone.Entities()) != 100 {
		t.Errorf("%d are left of %d; the clone has %d", left, w.Len(), len(clone.Entities()))
	}
	must(t, ecs.Restore(w, kept))
	left, err = clone.Unload(100)
	must(t, err)
	if left != 0 || w.Len() != 0 {
		t.Errorf("%d are left of %d", left, w.Len())
	}
}

// Errors use the words of this package, and the other results are zero.
func TestRowErrors(t *testing.T) {
	w := ecs.NewWorld(t.Name())
	a, errArrival := ecs.NewImageStream(nil)
	s, errSet := ecs.NewRowSet(w, reflect.TypeFor[Follow]())
	_, errHash := (*ecs.Query)(nil).HashRows(reflect.TypeFor[Spot]())
	if a != nil || s != nil {
		t.Errorf("there are %v and %v", a, s)
	}
	for op, err := range map[string]error{"NewImageStream": errArrival, "NewRowSet": errSet, "Query.HashRows": errHash} {
		if !errors.Is(err, ecs.ErrArgument) || !strings.HasPrefix(err.Error(), "ecs: "+op+": ") {
			t.Errorf("%s: got error %v", op, err)
		}
	}
}

// sulky is a shared value whose Hash panics on demand.
type sulky struct {
	ecs.Shared
	N int32
}

var sulks bool

func (v sulky) Equal(o sulky) bool { return v == o }

func (v sulky) Hash() uint64 {
	if sulks {
		panic("not today")
	}
	return uint64(v.N)
}

// After a panic an EntityMap is empty, because nothing has moved.
func TestEntityMapPanic(t *testing.T) {
	src, w := ecs.NewWorld("from"), ecs.NewWorld("to")
	w.Spawn(sulky{N: 2})
	e := src.Spawn(Spot{X: 1})
	var m ecs.EntityMap
	must(t, ecs.MoveEntities(w, src, &m))
	if len(m.Entities) != 1 || m.NewID(e) != m.Entities[0] {
		t.Fatalf("%v is %v of %v", e, m.NewID(e), m.Entities)
	}
	e = src.Spawn(sulky{N: 1})
	defer func() {
		sulks = false
		if recover() == nil || len(m.Entities) != 0 || !m.NewID(e).IsZero() || src.Len() != 1 {
			t.Errorf("%v is %v of %v, and %d are left", e, m.NewID(e), m.Entities, src.Len())
		}
	}()
	sulks = true
	t.Error(ecs.MoveEntities(w, src, &m))
}
