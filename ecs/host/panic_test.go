package host

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// moody is an object with a method that panics.
type moody[T kernels.Float] struct {
	thing[T]
	bad string
}

var errMood = errors.New("in a mood")

func (o *moody[T]) ask(method string) {
	if o.bad == method {
		panic(errMood)
	}
}

func (o *moody[T]) WorldMatrix() [16]T     { o.ask("WorldMatrix"); return o.thing.WorldMatrix() }
func (o *moody[T]) SetWorldMatrix(m [16]T) { o.ask("SetWorldMatrix"); o.thing.SetWorldMatrix(m) }
func (o *moody[T]) Alive() bool            { o.ask("Alive"); return o.thing.Alive() }

// crew is a world with four objects. The second object has a method that panics.
type crew[T kernels.Float] struct {
	w        *ecs.World
	objects  []*moody[T]
	entities []ecs.Entity
}

func newCrew[T kernels.Float](t *testing.T, bad string, tag any) crew[T] {
	c := crew[T]{w: newWorld(t)}
	for i := range 4 {
		o := &moody[T]{thing: *newThing(T(i))}
		c.objects = append(c.objects, o)
		c.entities = append(c.entities, c.w.Spawn(tag, transform.TranslationOf[T]{X: 10}, transform.LocalToWorldOf[T]{}))
		check(t, Bind(c.w, c.entities[i], ObjectOf[T](o)))
	}
	c.objects[1].bad = bad
	return c
}

// wantPanic updates the world, and checks that the error names only the second object.
func (c crew[T]) wantPanic(t *testing.T, method string) {
	t.Helper()
	err := system.Update(c.w)
	var p *PanicError
	if !errors.As(err, &p) || !errors.Is(err, errMood) || len(p.Panics) != 1 {
		t.Fatalf("error %v, want one panic", err)
	}
	one := p.Panics[0]
	if one.Entity != c.entities[1] || one.Object != ObjectOf[T](c.objects[1]) || one.Err.Method != method || len(one.Err.Stack) == 0 {
		t.Errorf("the panic is %+v", one)
	}
	var width T
	text := fmt.Sprintf("%s of the *host.moody[%T] of entity %v: panic: in a mood", method, width, c.entities[1])
	if !strings.HasSuffix(err.Error(), text) {
		t.Errorf("error %q, want %q at its end", err, text)
	}
}

func testPanicTo[T kernels.Float](t *testing.T) {
	for _, bad := range []string{"SetWorldMatrix", "Alive"} {
		c := newCrew[T](t, bad, CopyTransformTo{})
		for x := T(0); x < 3; x++ {
			for _, e := range c.entities {
				check(t, ecs.Set(c.w, e, transform.TranslationOf[T]{X: 10 + x}))
			}
			c.wantPanic(t, bad)
			for i, o := range c.objects {
				if o := o.thing; i != 1 && (o.m[12] != 10+x || o.writes != int(x)+1) {
					t.Errorf("%s: object %d is at %v after %d writes, want %v after %v", bad, i, o.m[12], o.writes, 10+x, x+1)
				}
			}
		}
		c.wantPanic(t, bad) // at rest too
		c.objects[1].bad = ""
		check(t, system.Update(c.w))
		check(t, system.Update(c.w))
		for i, want := range []int{3, 1, 3, 3} {
			if o := c.objects[i].thing; o.m[12] != 12 || o.writes != want {
				t.Errorf("%s: in the end object %d is at %v after %d writes, want 12 after %d", bad, i, o.m[12], o.writes, want)
			}
		}
	}
}

// If an object panics when it gets a matrix, the other objects must still get their matrices.
// When the object stops panicking, it must get its own matrix.
func TestPanicTo(t *testing.T) {
	t.Run("float32", testPanicTo[float32])
	t.Run("float64", testPanicTo[float64])
}

func testPanicFrom[T kernels.Float](t *testing.T) {
	for _, bad := range []string{"WorldMatrix", "Alive"} {
		c := newCrew[T](t, bad, CopyTransformFrom{})
		want := []T{0, 0, 2, 3}
		for range 3 {
			c.wantPanic(t, bad)
			for i, e := range c.entities {
				if got := at[T](t, c.w, e); got != want[i] {
					t.Errorf("%s: entity %d is at %v, want %v", bad, i, got, want[i])
				}
				c.objects[i].m[12]++
				want[i]++
			}
			want[1] = 0
		}
		c.objects[1].bad = ""
		check(t, system.Update(c.w))
		if got := at[T](t, c.w, c.entities[1]); got != 4 {
			t.Errorf("%s: in the end it is at %v, want 4", bad, got)
		}
	}
}

// If WorldMatrix of an object panics, the object's entity must not change, and the other objects
// must not be affected.
func TestPanicFrom(t *testing.T) {
	t.Run("float32", testPanicFrom[float32])
	t.Run("float64", testPanicFrom[float64])
}

// If an object panics during the initial copy, the copy must be repeated until the object stops
// panicking.
func TestPanicInitial(t *testing.T) {
	for _, bad := range []string{"WorldMatrix", "Alive"} {
		c := newCrew[float32](t, bad, CopyInitialTransform{})
		for range 2 {
			c.wantPanic(t, bad)
			for i, e := range c.entities {
				if has := ecs.Has[CopyInitialTransform](c.w, e); has != (i == 1) {
					t.Errorf("%s: entity %d has its tag: %v", bad, i, has)
				}
				if got := at[float32](t, c.w, e); i != 1 && got != float32(i) {
					t.Errorf("%s: entity %d is at %v", bad, i, got)
				}
			}
		}
		c.objects[1].bad = ""
		check(t, system.Update(c.w))
		if e := c.entities[1]; at[float32](t, c.w, e) != 1 || ecs.Has[CopyInitialTransform](c.w, e) {
			t.Errorf("%s: in the end it is at %v", bad, at[float32](t, c.w, e))
		}
	}
}

// If Alive of an object that was not alive panics, a later update must call Alive again.
func TestPanicBack(t *testing.T) {
	c := newCrew[float32](t, "", CopyTransformTo{})
	for _, o := range c.objects {
		o.dead = true
	}
	var gone *GoneError
	if err := system.Update(c.w); !errors.As(err, &gone) || len(gone.Entities) != 4 {
		t.Errorf("error %v", err)
	}
	for _, o := range c.objects[:3] {
		o.dead = false
	}
	c.objects[1].bad = "Alive"
	for range 2 {
		c.wantPanic(t, "Alive")
	}
	c.objects[1].bad = ""
	check(t, system.Update(c.w))
	for i, want := range []int{1, 1, 1, 0} {
		if got := c.objects[i].writes; got != want {
			t.Errorf("object %d: %d writes, want %d", i, got, want)
		}
	}
	if lost := bindingsOf[float32](c.w).goneEntities; len(lost) != 1 || lost[0] != c.entities[3] {
		t.Errorf("looked after are %v, want %v", lost, c.entities[3])
	}
}

// If many objects panic, the text of the error names only some of them, but the error must
// contain all panics.
func TestManyPanics(t *testing.T) {
	w := newWorld(t)
	for range 11 {
		o := &brittle{broken: true}
		check(t, Bind(w, w.Spawn(CopyTransformTo{}, transform.LocalToWorld{}), Object(o)))
	}
	var p *PanicError
	if err := system.Update(w); !errors.As(err, &p) || len(p.Panics) != 11 {
		t.Fatalf("error %v, want 11 panics", err)
	}
	if text := p.Error(); strings.Count(text, "host.brittle") != 8 || !strings.HasSuffix(text, "and 3 more") {
		t.Errorf("error %q", text)
	}
	if a, b := p.Panics[7].Err, p.Panics[8].Err; len(a.Stack) == 0 || len(b.Stack) != 0 {
		t.Error("stacks are kept of others than the first eight")
	}
}

// builder is an object that changes the world while its chunks are visited, which is not allowed,
// or unbinds itself.
type builder struct {
	thing[float32]
	do func()
}

func (o *builder) SetWorldMatrix(m [16]float32) { o.do() }

// If an object makes a call that the world refuses by a panic, the update must report this as a
// panic of the object.
func TestPanicOfTheWorld(t *testing.T) {
	w := newWorld(t)
	o, other := &builder{}, newThing[float32](0)
	e := w.Spawn(CopyTransformTo{}, transform.LocalToWorld{})
	check(t, Bind(w, e, Object(o)))
	check(t, Bind(w, w.Spawn(CopyTransformTo{}, transform.LocalToWorld{}), Object(other)))
	o.do = func() { w.Spawn(transform.LocalToWorld{}) }
	var p *PanicError
	if err := system.Update(w); !errors.As(err, &p) || !errors.Is(err, ecs.ErrState) || p.Panics[0].Entity != e || other.writes != 1 {
		t.Errorf("error %v; %d writes of the other", err, other.writes)
	}
	check(t, Bind(w, e, Object64(newThing[float64](0)))) // keeps the tags
	o.do = func() {
		_, err := Unbind[float32](w, e)
		check(t, err)
		panic("gone by itself")
	}
	if err := system.Update(w); !errors.As(err, &p) || p.Panics[0].Entity != e || p.Panics[0].Object != nil {
		t.Errorf("error %v", err)
	}
	check(t, system.Update(w)) // asks no object again
}
