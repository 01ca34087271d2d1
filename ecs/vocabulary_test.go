package ecs

import (
	"errors"
	"runtime"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// The components of the tests, named after the vocabulary of the conformance cases.
type (
	A    struct{ Value int32 }
	B    struct{ X, Y int32 }
	C    struct{ X, Y, Z int32 }
	D    struct{ Value int32 }
	Tag  struct{}
	Tag2 struct{}
	Ref  struct {
		Value int32
		To    Entity
	}
	Cl struct {
		Cleanup
		Value int32
	}
	ClTag struct{ Cleanup }
	Sh    struct {
		Shared
		Value int32
	}
	Sh2 struct {
		Shared
		Value int32
	}
	ClSh struct {
		Shared
		Cleanup
		Value int32
	}
	Elem   struct{ Value int32 } // of Buf: eight fit inline
	ElemD  struct{ Value int32 } // of BufD: as many as fit in 128 bytes
	ElemCl struct {
		Cleanup
		Value int32
	}
	Link struct{ To Entity } // of BufRef
	Buf  = Buffer[Elem]
	BufD = Buffer[ElemD]

	Position struct{ X, Y, Z float32 }
	Velocity struct{ X, Y, Z float32 }
	Spin     struct{ X, Y, Z, W float32 }
	Matrix   struct{ M [16]float32 }
)

type (
	vec3s struct{ X, Y, Z []float32 }
	vec4s struct{ X, Y, Z, W []float32 }
)

func (Elem) InlineCapacity() int { return 8 }

func (A) Column() (c []int32)                        { return }
func (B) Column() (c struct{ X, Y []int32 })         { return }
func (C) Column() (c struct{ Z, X []int32 })         { return }
func (D) Column() (c []D)                            { return }
func (Tag) Column() (c struct{})                     { return }
func (Position) Column() (c vec3s)                   { return }
func (Velocity) Column() (c vec3s)                   { return }
func (Spin) Column() (c vec4s)                       { return }
func (Matrix) Column() (c struct{ M [][16]float32 }) { return }
func (Cl) Column() (c struct{ Value []int32 })       { return }

// newWorld returns a world with a separate pool; both are closed at the end of the test.
func newWorld(t testing.TB, workers int) *World {
	t.Helper()
	p := jobs.New(jobs.Workers(workers))
	w := NewWorld("test", OnPool(p))
	t.Cleanup(func() {
		if o := &w.gate.owner; o.changing != 0 || o.method != 0 || o.asking != 0 || o.depth != 0 || w.gate.visiting != 0 {
			t.Errorf("something that the world has begun has not ended: %+v, visiting %d", *o, w.gate.visiting)
		}
		if w.gate.alive {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// orderVersion returns the world's version at which a row of e's chunk last came or went.
func (w *World) orderVersion(e Entity) uint32 {
	return w.tables.records[w.tables.entities.find(e).record].order
}

// relabels reports whether chunks of a can become chunks of b in place.
func relabels(a, b Archetype) bool { return a.a.compatible(&b.a.composition) }

// fails checks that err has a category.
func fails(t *testing.T, category, err error) {
	t.Helper()
	if !errors.Is(err, category) {
		t.Errorf("got error %v, want one of category %q", err, category)
	}
}

// panics checks that f panics with an error of a category, and returns it.
func panics(t *testing.T, category error, f func()) (err error) {
	t.Helper()
	defer func() {
		t.Helper()
		v := recover()
		err, _ = v.(error)
		if !errors.Is(err, category) {
			t.Errorf("got panic %v, want one of category %q", v, category)
		}
	}()
	f()
	return nil
}

// must checks that there is no error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// heap returns the number of live bytes.
func heap() int {
	runtime.GC()
	runtime.GC() // frees objects that the first run has found
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// until calls f again and again, and once more when done is closed.
func until(done <-chan struct{}, f func()) {
	for more := true; more; {
		select {
		case <-done:
			more = false
		default:
		}
		f()
	}
}

// get returns the T of e, and fails if e has none.
func get[T any](t testing.TB, w *World, e Entity) T {
	t.Helper()
	v, err := Get[T](w, e)
	must(t, err)
	return v
}
