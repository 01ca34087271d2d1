package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// brittle is an object whose SetWorldMatrix has no effect while it is broken.
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

// crash is a system with a job that panics on demand.
type crash struct {
	_ system.In[transform.Group]
	_ system.Before[CopyTo]

	all *ecs.Query
	on  bool
}

func (s *crash) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Write[transform.LocalToWorld]())
	return nil
}

func (s *crash) Update(f *system.Frame) error {
	f.ParallelFor(s.all, s)
	return nil
}

func (s *crash) Chunk(c *ecs.Chunk) {
	if s.on {
		panic("crash")
	}
	world := ecs.Column[transform.LocalToWorld](c).M
	for i := range world {
		world[i][12]++
	}
}

// If an update misses work because a job failed, the next update must do this work.
func TestCopyToAfterFailedJob(t *testing.T) {
	w := newWorld(t)
	s, err := system.Create[crash](w)
	check(t, err)
	check(t, system.GetOrCreate[transform.Group](w).Add(s))
	o := newThing[float32](0)
	check(t, Bind(w, w.Spawn(CopyTransformTo{}, transform.LocalToWorld{}), Object(o)))
	check(t, system.Update(w))
	s.on = true
	if err := system.Update(w); err == nil {
		t.Error("no error of the job")
	}
	if o.writes != 1 {
		t.Errorf("%d writes, want 1", o.writes)
	}
	s.on = false
	check(t, system.Update(w))
	if o.m[12] != 2 || o.writes != 2 {
		t.Errorf("the object is at %v after %d writes, want 2 after 2", o.m[12], o.writes)
	}
}

// lateCrash is a crash system that runs after all systems of package transform.
type lateCrash struct {
	crash
	_ system.In[transform.Group]
	_ system.After[transform.HierarchyOf[float32]]
	_ system.After[transform.HierarchyOf[float64]]
	_ system.Before[CopyTo]
}

// The objects must get their matrices after a failed update even if no system writes again. No
// query then shows which rows the failed update has missed. The rows are in one chunk or in
// several.
func TestCopyToAfterFailedJobAtRest(t *testing.T) {
	for _, n := range []int{1, 300} {
		w := newWorld(t)
		s, err := system.Create[lateCrash](w)
		check(t, err)
		check(t, system.GetOrCreate[transform.Group](w).Add(s))
		objects := make([]*thing[float32], n)
		for i := range objects {
			objects[i] = newThing[float32](0)
			check(t, Bind(w, w.Spawn(CopyTransformTo{}, transform.Translation{}, transform.LocalToWorld{}), Object(objects[i])))
		}
		check(t, system.Update(w))
		for c := range w.Query(ecs.Write[transform.Translation](), ecs.With[CopyTransformTo]()).Chunks() {
			for i := range c.Len() {
				ecs.Column[transform.Translation](c).X[i] = 5
			}
		}
		s.on = true
		if err := system.Update(w); err == nil {
			t.Error("no error of the job")
		}
		system.InstanceOf(w, s).SetEnabled(false)
		check(t, system.Update(w))
		for i, o := range objects {
			if o.m[12] != 5 || o.writes != 2 {
				t.Fatalf("object %d of %d is at %v after %d writes, want 5 after 2", i, n, o.m[12], o.writes)
			}
		}
	}
}

// If one object panics, the objects after it must get their matrices in the same update or in the
// next.
func TestCopyToAfterPanic(t *testing.T) {
	w := newWorld(t)
	first, second := &brittle{}, &brittle{}
	a := w.Spawn(CopyTransformTo{}, transform.Translation{X: 1}, transform.LocalToWorld{})
	b := w.Spawn(CopyTransformTo{}, transform.Translation{X: 1}, transform.Rotation{W: 1}, transform.LocalToWorld{})
	check(t, Bind(w, a, Object(first)))
	check(t, Bind(w, b, Object(second)))
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

// An entity with matrices of both widths must get the initial transform of its object, whichever
// width the object has.
func TestInitialOfBothWidths(t *testing.T) {
	w := newWorld(t)
	one, two := newThing[float32](1), newThing[float64](2)
	a := w.Spawn(CopyInitialTransform{}, transform.LocalToWorld{}, transform.LocalToWorld64{})
	b := w.Spawn(CopyInitialTransform{}, transform.LocalToWorld{}, transform.LocalToWorld64{})
	none := w.Spawn(CopyInitialTransform{}, Bound{}, transform.LocalToWorld{}, transform.LocalToWorld64{})
	check(t, Bind(w, a, Object(one)))
	check(t, Bind(w, b, Object64(two)))
	check(t, system.Update(w))
	if got := at[float32](t, w, a); got != 1 {
		t.Errorf("of the narrow object: at %v, want 1", got)
	}
	if got := at[float64](t, w, b); got != 2 {
		t.Errorf("of the wide object: at %v, want 2", got)
	}
	for _, e := range []ecs.Entity{a, b, none} {
		if ecs.Has[CopyInitialTransform](w, e) {
			t.Errorf("entity %v has its tag still", e)
		}
	}
}

// If an entity moves to another world, its object does not move with it; the first world must
// release the object.
func TestMovedEntity(t *testing.T) {
	w, away := newWorld(t), newWorld(t)
	o := newThing[float32](3)
	e := w.Spawn(CopyTransformFrom{}, transform.LocalToWorld{})
	check(t, Bind(w, e, Object(o)))
	check(t, system.Update(w))
	var moved ecs.EntityMap
	check(t, ecs.MoveEntities(away, w, &moved))
	check(t, system.Update(w))
	check(t, system.Update(away))
	if bindingsOf[float32](w).byIndex[e.Index].object != nil {
		t.Error("the world that the entity has left keeps the object")
	}
	if _, ok := BoundTo[float32](away, moved.NewID(e)); ok {
		t.Error("the object has come along")
	}
	check(t, Bind(away, moved.NewID(e), Object(o)))
	o.m[12] = 4
	check(t, system.Update(away))
	if got := at[float32](t, away, moved.NewID(e)); got != 4 {
		t.Errorf("with its object again the entity is at %v, want 4", got)
	}
}

// An object that disappears twice must be reported twice. An object that is alive again must get
// the matrix of its entity, even if the entity does not move.
func TestBack(t *testing.T) {
	w := newWorld(t)
	o, other := newThing[float32](0), newThing[float32](0)
	e := w.Spawn(CopyTransformTo{}, transform.Translation{X: 4}, transform.LocalToWorld{})
	check(t, Bind(w, e, o))
	check(t, Bind(w, w.Spawn(CopyTransformTo{}, transform.LocalToWorld{}), other))
	check(t, system.Update(w))
	for i, x := range []float32{5, 6} {
		o.dead = true
		check(t, ecs.Set(w, e, transform.Translation{X: x}))
		var gone *GoneError
		if err := system.Update(w); !errors.As(err, &gone) || len(gone.Entities) != 1 || gone.Entities[0] != e {
			t.Errorf("time %d: error %v, want the entity %v", i, err, e)
		}
		check(t, system.Update(w)) // reported
		o.dead = false
		before := other.writes
		check(t, system.Update(w))
		if o.m[12] != x || other.writes != before {
			t.Errorf("time %d: the object is at %v, want %v; %d writes of another", i, o.m[12], x, other.writes-before)
		}
	}
	if n := len(bindingsOf[float32](w).goneEntities); n > 0 {
		t.Errorf("%d objects are looked after, want none", n)
	}
}

// If an object was not alive, and is then replaced or unbound, its methods must not be called any
// more.
func TestGoneAndReplaced(t *testing.T) {
	w := newWorld(t)
	var entities []ecs.Entity
	var objects []*thing[float32]
	for i := range 3 {
		objects = append(objects, newThing[float32](0))
		entities = append(entities, w.Spawn(CopyTransformTo{}, transform.Translation{X: 4}, transform.LocalToWorld{}))
		check(t, Bind(w, entities[i], objects[i]))
		objects[i].dead = true
	}
	if err := system.Update(w); !errors.Is(err, ecs.ErrDisposed) {
		t.Errorf("error %v", err)
	}
	another := newThing[float32](0)
	check(t, Bind(w, entities[0], another))
	_, err := Unbind[float32](w, entities[1])
	check(t, err)
	check(t, system.Update(w))
	if another.m[12] != 4 {
		t.Errorf("the other object is at %v, want 4", another.m[12])
	}
	if lost := bindingsOf[float32](w).goneEntities; len(lost) != 1 || lost[0] != entities[2] {
		t.Errorf("looked after are %v, want %v", lost, entities[2:])
	}
}

// If an entity has objects of both widths and one object is unbound, the entity must keep the
// other object.
func TestUnbindOneOfTwo(t *testing.T) {
	w := newWorld(t)
	e := w.Spawn(CopyTransformFrom{}, transform.LocalToWorld{}, transform.LocalToWorld64{})
	one, two := newThing[float32](1), newThing[float64](2)
	check(t, Bind(w, e, Object(one)))
	check(t, Bind(w, e, Object64(two)))
	check(t, system.Update(w))
	had, err := Unbind[float32](w, e)
	check(t, err)
	two.m[12] = 5
	check(t, system.Update(w))
	if _, ok := BoundTo[float64](w, e); !had || !ok || at[float64](t, w, e) != 5 {
		t.Errorf("had %v; the other object is there: %v, and its entity at %v, want 5", had, ok, at[float64](t, w, e))
	}
	had, err = Unbind[float64](w, e)
	if check(t, err); !had || ecs.Has[Bound](w, e) || ecs.Has[CopyTransformFrom](w, e) {
		t.Errorf("had %v, and the entity is %v", had, w.ArchetypeOf(e))
	}
}

// An object whose width differs from the width of its entity's matrices must be reported once.
func TestWrongWidth(t *testing.T) {
	w := newWorld(t)
	tags := [][]any{{CopyInitialTransform{}}, {CopyTransformFrom{}}, {CopyTransformTo{}}}
	var narrow, wide []ecs.Entity
	for _, tag := range tags {
		a, b := w.Spawn(append(tag, transform.LocalToWorld{})...), w.Spawn(append(tag, transform.LocalToWorld64{})...)
		check(t, Bind(w, a, Object64(newThing[float64](1))))
		check(t, Bind(w, b, Object(newThing[float32](1))))
		narrow, wide = append(narrow, a), append(wide, b)
	}
	err := system.Update(w)
	for _, e := range slices.Concat(narrow, wide) {
		if !strings.Contains(fmt.Sprint(err), fmt.Sprint(e)) {
			t.Errorf("the error does not name %v:\n%v", e, err)
		}
	}
	var width *WidthError
	if !errors.As(err, &width) || !errors.Is(err, ecs.ErrState) {
		t.Errorf("error %v", err)
	}
	if ecs.Has[CopyInitialTransform](w, narrow[0]) {
		t.Error("the tag of the initial copy stays")
	}
	check(t, system.Update(w)) // reported
	check(t, Bind(w, narrow[1], Object(newThing[float32](7))))
	check(t, system.Update(w))
	if got := at[float32](t, w, narrow[1]); got != 7 {
		t.Errorf("with an object of its width it is at %v, want 7", got)
	}
}

// One update can report both.
func TestGoneAndWrongWidth(t *testing.T) {
	w := newWorld(t)
	o := newThing[float32](1)
	o.dead = true
	check(t, Bind(w, w.Spawn(CopyTransformFrom{}, transform.LocalToWorld{}), Object(o)))
	check(t, Bind(w, w.Spawn(CopyTransformFrom{}, transform.LocalToWorld{}), Object64(newThing[float64](1))))
	var gone *GoneError
	var width *WidthError
	if err := system.Update(w); !errors.As(err, &gone) || !errors.As(err, &width) {
		t.Errorf("error %v", err)
	}
}

// Removing a matrix can make the width of an object wrong. An update must report this, even if it
// is not the first update.
func TestWrongWidthLater(t *testing.T) {
	w := newWorld(t)
	e := w.Spawn(CopyTransformTo{}, transform.LocalToWorld{}, transform.LocalToWorld64{})
	check(t, Bind(w, e, Object(newThing[float32](5))))
	check(t, system.Update(w))
	_, err := ecs.Remove[transform.LocalToWorld](w, e)
	check(t, err)
	var width *WidthError
	if err := errors.Join(system.Update(w), system.Update(w)); !errors.As(err, &width) {
		t.Errorf("error %v", err)
	}
}
