package host

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// brittle is an object that can be put nowhere while it is broken.
type brittle struct {
	thing[float32]
	broken bool
}

func (o *brittle) SetWorldMatrix(m [16]float32) {
	if o.broken {
		panic("broken")
	}
	o.thing.SetWorldMatrix(m)
}

// The objects that an update has not come to, because of one that panicked, are
// told in the next.
func TestCopyToAfterPanic(t *testing.T) {
	w := newWorld(t)
	first, second := &brittle{}, &brittle{}
	a := w.Spawn(CopyTransformTo{}, transform.Translation{X: 1}, transform.LocalToWorld{})
	b := w.Spawn(CopyTransformTo{}, transform.Translation{X: 1}, transform.Rotation{W: 1}, transform.LocalToWorld{})
	check(t, Inject(w, a, Object(first)))
	check(t, Inject(w, b, Object(second)))
	check(t, system.Update(w))
	check(t, ecs.Set(w, a, transform.Translation{X: 2}))
	check(t, ecs.Set(w, b, transform.Translation{X: 2}))
	first.broken = true
	if err := system.Update(w); err == nil {
		t.Fatal("no error of the panic")
	}
	first.broken = false
	check(t, system.Update(w))
	if first.m[12] != 2 || second.m[12] != 2 {
		t.Errorf("the objects are at %v and %v, want 2 and 2", first.m[12], second.m[12])
	}
}

// An entity with matrices of both widths takes the initial transform of its
// object, whichever width that has.
func TestInitialOfBothWidths(t *testing.T) {
	w := newWorld(t)
	one, two := newThing[float32](1), newThing[float64](2)
	a := w.Spawn(CopyInitialTransform{}, transform.LocalToWorld{}, transform.LocalToWorld64{})
	b := w.Spawn(CopyInitialTransform{}, transform.LocalToWorld{}, transform.LocalToWorld64{})
	none := w.Spawn(CopyInitialTransform{}, Bound{}, transform.LocalToWorld{}, transform.LocalToWorld64{})
	check(t, Inject(w, a, Object(one)))
	check(t, Inject(w, b, Object64(two)))
	check(t, system.Update(w))
	if got := at[float32](t, w, a); got != 1 {
		t.Errorf("of the narrow object: at %v, want 1", got)
	}
	if got := at[float64](t, w, b); got != 2 {
		t.Errorf("of the wide object: at %v, want 2", got)
	}
	for _, e := range []ecs.Entity{a, b, none} {
		if ecs.HasComponent[CopyInitialTransform](w, e) {
			t.Errorf("entity %v has its tag still", e)
		}
	}
}

// An entity that goes to another world leaves its object behind, which is let go.
func TestMovedEntity(t *testing.T) {
	w, away := newWorld(t), newWorld(t)
	o := newThing[float32](3)
	e := w.Spawn(CopyTransformFrom{}, transform.LocalToWorld{})
	check(t, Inject(w, e, Object(o)))
	check(t, system.Update(w))
	var moved ecs.Moved
	check(t, away.MoveFrom(w, &moved))
	check(t, system.Update(w))
	check(t, system.Update(away))
	if tableOf[float32](w).bindings[e.Index].object != nil {
		t.Error("the world that the entity has left keeps the object")
	}
	if _, ok := Of[float32](away, moved.Of(e)); ok {
		t.Error("the object has come along")
	}
	check(t, Inject(away, moved.Of(e), Object(o)))
	o.m[12] = 4
	check(t, system.Update(away))
	if got := at[float32](t, away, moved.Of(e)); got != 4 {
		t.Errorf("with its object again the entity is at %v, want 4", got)
	}
}
