package host

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Objects are told where their entities are after a Restore, each once.
func TestRestore(t *testing.T) {
	w := newWorld(t)
	o := newThing[float32](0)
	e := w.Spawn(CopyTransformTo{}, transform.Translation{X: 4}, transform.LocalToWorld{})
	check(t, Bind(w, e, Object(o)))
	check(t, system.Update(w))
	m, err := ecs.Capture(w, nil)
	check(t, err)
	check(t, ecs.Set(w, e, transform.Translation{X: 9}))
	check(t, system.Update(w))
	if o.m[12] != 9 {
		t.Fatalf("the object is at %v, want 9", o.m[12])
	}
	check(t, ecs.Restore(w, m))
	writes := o.writes
	for range 3 {
		check(t, system.Update(w))
	}
	if o.m[12] != 4 || o.writes != writes+1 {
		t.Errorf("the object is at %v after %d writes, want 4 after 1", o.m[12], o.writes-writes)
	}
}
