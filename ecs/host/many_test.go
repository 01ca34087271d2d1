package host

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Each of many objects gets the place of its own entity, and gives its own.
func TestCopiesOfMany(t *testing.T) {
	w := newWorld(t)
	var to, from []*thing[float32]
	var leads, follows []ecs.Entity
	for i := range 200 {
		x := float32(i)
		to, from = append(to, newThing[float32](-1)), append(from, newThing(1000+x))
		leads = append(leads, w.Spawn(CopyTransformTo{}, transform.Translation{X: x}, transform.LocalToWorld{}))
		follows = append(follows, w.Spawn(CopyTransformFrom{}, transform.LocalToWorld{}))
		check(t, Bind(w, leads[i], to[i]))
		check(t, Bind(w, follows[i], from[i]))
	}
	for round := range 2 {
		check(t, system.Update(w))
		for i := range to {
			want := float32(i + 7*round)
			if to[i].m[12] != want {
				t.Errorf("round %d: object %d is at %v, want %v", round, i, to[i].m[12], want)
			}
			if got := at[float32](t, w, follows[i]); got != 1000+want {
				t.Errorf("round %d: entity %d is at %v, want %v", round, i, got, 1000+want)
			}
			check(t, ecs.Set(w, leads[i], transform.Translation{X: float32(i + 7)}))
			from[i].m[12] = float32(1000 + i + 7)
		}
	}
}

// An entity that has the index of a destroyed one has not its object.
func TestIndexIsUsedAgain(t *testing.T) {
	w := newWorld(t)
	old := w.Spawn(CopyTransformTo{}, transform.Translation{}, transform.LocalToWorld{})
	o := newThing[float32](1)
	check(t, Bind(w, old, o))
	check(t, system.Update(w))
	check(t, w.Destroy(old))
	again := w.Spawn(CopyTransformTo{}, transform.Translation{X: 5}, transform.LocalToWorld{})
	if again.Index != old.Index {
		t.Fatalf("entity %v has not the index of %v", again, old)
	}
	if got, ok := BoundTo[float32](w, again); ok {
		t.Errorf("the new entity has the object %v", got)
	}
	if ok, err := Unbind[float32](w, again); ok || err != nil {
		t.Errorf("the new entity lets go an object: %v, %v", ok, err)
	}
	check(t, system.Update(w))
	if o.m[12] == 5 {
		t.Error("the object follows the new entity")
	}
}
