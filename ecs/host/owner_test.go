package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// An object belongs to one entity until the object is unbound or the entity is
// destroyed.
func TestOneEntity(t *testing.T) {
	w := newWorld(t)
	spawn := func() ecs.Entity { return w.Spawn(transform.LocalToWorld{}, CopyTransformTo{}) }
	a, b := spawn(), spawn()
	o := newThing[float32](1)
	check(t, Bind(w, a, Object(o)))
	check(t, Bind(w, a, Object(o))) // bound there already
	hash := w.Hash()
	err := Bind(w, b, Object(o))
	text := "host: Bind: entity 1:1: the object, a *host.thing[float32], is bound to 0:1: Unbind lets it go, or let 1:1 follow 0:1 by Parent"
	if !errors.Is(err, ecs.ErrState) || !strings.HasPrefix(err.Error(), text) {
		t.Errorf("error %v, want %q", err, text)
	}
	if _, ok := BoundTo[float32](w, b); ok || w.Hash() != hash {
		t.Error("after the error the world has changed")
	}
	if err := Bind(w, ecs.Entity{}, Object(o)); err == nil || strings.Contains(err.Error(), "is bound") {
		t.Errorf("the null entity: error %v", err)
	}
	_, err = Unbind[float32](w, a)
	check(t, err)
	check(t, Bind(w, b, Object(o))) // unbound before
	check(t, Bind(w, b, Object(newThing[float32](2))))
	check(t, Bind(w, a, Object(o))) // another object was in its place
	check(t, w.Destroy(a))
	check(t, Bind(w, b, Object(o))) // the entity was destroyed
	check(t, w.Destroy(b))
	check(t, system.Update(w))
	if n := len(bindingsOf[float32](w).owners); n != 0 {
		t.Errorf("%d objects have owners, want none", n)
	}
	c := spawn()
	check(t, Bind(w, c, Object(o))) // and the table was swept
	check(t, w.Destroy(c))
	check(t, Bind(w, spawn(), Object(newThing[float32](3)))) // in place of c
	check(t, Bind(w, spawn(), Object(o)))
	if n := len(bindingsOf[float32](w).owners); n != 2 {
		t.Errorf("%d objects have owners, want 2", n)
	}
}

// handle is an object that is identified by a number.
type handle struct {
	thing *thing[float32]
	no    int
}

func (h handle) WorldMatrix() [16]float32     { return h.thing.m }
func (h handle) SetWorldMatrix(m [16]float32) { h.thing.m = m }
func (h handle) Alive() bool                  { return true }

// nothing is an object without data: pointers to two of them may be equal.
type nothing struct{}

func (*nothing) WorldMatrix() [16]float32   { return transform.IdentityMatrix[float32]() }
func (*nothing) SetWorldMatrix([16]float32) {}
func (*nothing) Alive() bool                { return true }

// Objects that are equal by == are the same object, if they are comparable.
func TestSameObject(t *testing.T) {
	o := newThing[float32](1)
	for name, c := range map[string]struct {
		one, two Object
		same     bool
	}{
		"handles":       {handle{o, 1}, handle{o, 1}, true},
		"other handles": {handle{o, 1}, handle{o, 2}, false},
		"of no data":    {&nothing{}, &nothing{}, false},
		"slices":        {valued{}, valued{}, false},
	} {
		w := newWorld(t)
		check(t, Bind(w, w.Spawn(transform.LocalToWorld{}), c.one))
		err := Bind(w, w.Spawn(transform.LocalToWorld{}), c.two)
		if same := errors.Is(err, ecs.ErrState); same != c.same || !same && err != nil {
			t.Errorf("%s: error %v, want one: %v", name, err, c.same)
		}
		check(t, system.Update(w))
	}
}

// Convert must refuse to convert a tree twice, but must accept it again after
// its entities are destroyed.
func TestConvertAgain(t *testing.T) {
	w := newWorld(t)
	root := newThing(1, newThing[float32](2))
	list, err := Convert(w, Node(root))
	check(t, err)
	hash := w.Hash()
	if _, err := Convert(w, Node(root)); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "bound to entity 0:1") {
		t.Errorf("error %v", err)
	}
	if w.Hash() != hash {
		t.Error("after the error the world has changed")
	}
	check(t, ecs.DestroyAll(w, ecs.Entities(list)))
	_, err = Convert(w, Node(root))
	check(t, err)
}

// While the world is lent Bind is refused.
func TestBindWhileLent(t *testing.T) {
	w := newWorld(t)
	o := newThing[float32](1)
	e := w.Spawn(transform.LocalToWorld{})
	check(t, Bind(w, e, Object(o)))
	x, err := ecs.BeginTransaction(w)
	check(t, err)
	if err := Bind(w, e, Object(o)); !errors.Is(err, ecs.ErrState) {
		t.Errorf("Bind: error %v", err)
	}
	if _, err := Convert(w, Node(o)); !errors.Is(err, ecs.ErrState) {
		t.Errorf("Convert: error %v", err)
	}
	check(t, x.End())
	if got, ok := BoundTo[float32](w, e); !ok || got != Object(o) {
		t.Errorf("the object is %v", got)
	}
}

// An entity that has a tag and an object, but no matrix, must be reported once.
func TestNoMatrix(t *testing.T) {
	w := newWorld(t)
	a := w.Spawn(CopyTransformFrom{}, transform.Translation{})
	b := w.Spawn(CopyTransformTo{}, transform.Translation{})
	w.Spawn(CopyTransformTo{}, Bound{})                        // no object: for example a copy
	w.Spawn(transform.LocalToWorld{})                          // no tag
	check(t, Bind(w, w.Spawn(), Object(newThing[float32](0)))) // no tag either
	check(t, Bind(w, a, Object(newThing[float32](1))))
	check(t, Bind(w, b, Object64(newThing[float64](2))))
	err := system.Update(w)
	var width *WidthError
	if !errors.As(err, &width) || len(width.Entities) != 1 || width.Entities[0] != a {
		t.Errorf("error %v, want the entity %v first", err, a)
	}
	if text := err.Error(); !strings.Contains(text, "host: [1:1] have objects, no LocalToWorld of the width of these") {
		t.Errorf("error %q does not name %v", text, b)
	}
	check(t, system.Update(w)) // reported
	_, err = ecs.Ensure[transform.LocalToWorld](w, a)
	check(t, err)
	check(t, system.Update(w))
	if got := at[float32](t, w, a); got != 1 {
		t.Errorf("with a matrix it is at %v, want 1", got)
	}
}

// With CopyTransformTo, Alive must be called only before an object gets a matrix. So a world in
// which nothing moves must not call any object.
func TestGoneAtRest(t *testing.T) {
	w := newWorld(t)
	o := newThing[float32](0)
	e := w.Spawn(CopyTransformTo{}, transform.Translation{X: 1}, transform.LocalToWorld{})
	check(t, Bind(w, e, Object(o)))
	check(t, system.Update(w))
	o.dead = true
	check(t, system.Update(w))
	check(t, ecs.Set(w, e, transform.Translation{X: 2}))
	var gone *GoneError
	if err := system.Update(w); !errors.As(err, &gone) || gone.Entities[0] != e {
		t.Errorf("error %v", err)
	}
}
