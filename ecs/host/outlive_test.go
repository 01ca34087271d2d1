package host_test

import (
	"errors"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/host"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// lamp is an object of the application.
type lamp struct{ m [16]float32 }

func (l *lamp) WorldMatrix() [16]float32     { return l.m }
func (l *lamp) SetWorldMatrix(m [16]float32) { l.m = m }
func (l *lamp) Alive() bool                  { return true }

// TestBindingsOutlive checks that after a Restore an object belongs to its old entity or to none,
// and never to another entity with the same id. After Close, Bind must return an error.
func TestBindingsOutlive(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := system.NewWorld(t.Name(), system.WithPlugins(transform.Systems(), host.Systems()))
	must(err)
	var kept, late, next lamp
	spawn := func() ecs.Entity {
		return w.Spawn(host.CopyTransformTo{}, transform.Translation{X: 3}, transform.LocalToWorld{})
	}
	e := spawn()
	must(host.Bind[float32](w, e, &kept))
	m, err := ecs.Capture(w, nil)
	must(err)
	gone := spawn()
	must(host.Bind[float32](w, gone, &late))
	must(ecs.Restore(w, m))
	same, err := w.Instantiate(e, 1) // the copy has the tag Bound too
	must(err)
	if same[0] != gone {
		t.Fatalf("the copy is %v, want the id %v of the entity that is undone", same[0], gone)
	}
	if o, bound := host.BoundTo[float32](w, gone); bound {
		t.Errorf("entity %v, which was made after the Restore, is bound to %p, the object of an entity that is undone", gone, o)
	}
	must(system.Update(w))
	if late.m[12] != 0 || kept.m[12] != 3 {
		t.Errorf("the object of the undone entity is at %v, want 0; that of the kept one at %v, want 3", late.m[12], kept.m[12])
	}
	must(host.Bind[float32](w, spawn(), &late)) // the object is free
	if o, bound := host.BoundTo[float32](w, e); !bound || o != host.Object(&kept) {
		t.Errorf("entity %v has lost its object: %v, %v", e, o, bound)
	}

	must(w.Close())
	if err := host.Bind[float32](w, e, &next); !errors.Is(err, ecs.ErrDisposed) {
		t.Errorf("Bind after Close: %v, want ErrDisposed", err)
	}
	if _, bound := host.BoundTo[float32](w, e); bound {
		t.Errorf("after Close %v is bound", e)
	}
}
