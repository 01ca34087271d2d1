package ecs

import (
	"errors"
	"runtime"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// These are the components of the tests. They have the names that the list of conformance cases
// uses.
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
		if o := &w.gate.owner; o.changingG != 0 || o.methodG != 0 || o.awaitedCalls != 0 || o.updateDepth != 0 || w.gate.activeLoops != 0 {
			t.Errorf("something that the world has begun has not ended: %+v, visiting %d", *o, w.gate.activeLoops)
		}
		if w.gate.usable {
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
func orderVersion(w *World, e Entity) uint32 {
	return w.tables.chunks[w.tables.entities.find(e).chunk].orderVersion
}

// canRelabel reports whether chunks of a can become chunks of b in place.
func canRelabel(a, b Archetype) bool { return a.arch.compatible(&b.arch.archetypeLayout) }

// wantCategory checks that err has a category.
func wantCategory(t *testing.T, category, err error) {
	t.Helper()
	if !errors.Is(err, category) {
		t.Errorf("got error %v, want one of category %q", err, category)
	}
}

// wantPanic checks that f panics with an error of a category, and returns it.
func wantPanic(t *testing.T, category error, f func()) (err error) {
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

// must fails the test if there is an error.
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

// callUntil calls f again and again until done is closed, and then once more.
func callUntil(done <-chan struct{}, f func()) {
	for more := true; more; {
		select {
		case <-done:
			more = false
		default:
		}
		f()
		runtime.Gosched() // on one thread, the goroutine that closes done must run too
	}
}

// get returns the T of e. It fails the test if e has none.
func get[T any](t testing.TB, w *World, e Entity) T {
	t.Helper()
	v, err := Get[T](w, e)
	must(t, err)
	return v
}

// bump increments the world's version, as a job that writes does.
func bump(w *World) { w.gate.advanceVersion() }

type BadLimit struct{ X float32 }

func (BadLimit) ChunkCapacity() int { return 0 }

type BothKinds struct {
	Shared
	Enableable
}

type Bound struct{ Lo, Hi int32 }

func (Bound) Column() (c struct{ Lo, Hi []int32 }) { return }

type BoundCl struct {
	Cleanup
	Value int32
}

type CleanupEnableable struct {
	Cleanup
	Enableable
}

type Large struct{ A [32767]byte }

type Lone struct{ Value int32 }

func (Lone) ChunkCapacity() int { return 1 }

type Made struct{ Value int32 }

type Part struct{ Value int32 }

func (Part) WriteGroups() []Term { return []Term{With[Made]()} }

type Piece struct{ Value int32 }

func (Piece) WriteGroups() []Term { return []Term{With[Made]()} }

type Rival struct{ Value int32 }

func (Rival) WriteGroups() []Term { return []Term{With[Made]()} }

type RivalTag struct{}

func (RivalTag) WriteGroups() []Term { return []Term{With[Made]()} }

type Sh1 struct {
	Shared
	Value int32
}

func (Sh1) ChunkCapacity() int { return 1 }

// ShAny is a shared component with values that may be not comparable.
type ShAny struct {
	Shared
	Value any
	More  [2]any
}

// ShRef is a shared component that refers to an entity.
type ShRef struct {
	Shared
	To Entity
}

// allow fails the test, in a job, if there is an error.
func allow(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// runApart runs f on another goroutine and waits for it.
func runApart(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// begin begins a transaction.
func begin(t testing.TB, w *World) *Transaction {
	t.Helper()
	x, err := BeginTransaction(w)
	must(t, err)
	return x
}

type bulk struct{ Data [2100]float32 }

// do schedules a job that cannot fail.
func do(x *Transaction, f func(w *World)) jobs.Handle {
	return x.Schedule(TransactionFunc(func(w *World) error { f(w); return nil }))
}

// recordEarly runs late first, and then f. The commands that f records are played before the commands of
// late. Both functions record with the same writer, or each with its own writer.
func recordEarly(t *testing.T, w *World, c *Commands, oneWriter bool, late func(b *Commands), f func(b *Commands)) {
	t.Helper()
	q := w.Query(With[bulk]())
	if q.ChunkCount() < 2 {
		w.CreateChunks(w.Archetype(With[bulk]()), 2)
	}
	first, second := c.Parallel(), c.Parallel()
	if oneWriter {
		second = first
	}
	for k, record := range []func(b *Commands){late, f} {
		for chunk := range q.Chunks() {
			switch {
			case k == 0 && chunk.Index() == 1:
				record(second.For(chunk))
			case k == 1 && chunk.Index() == 0:
				record(first.For(chunk))
			}
		}
	}
}

// Conformance: 17
// ghost is a tag whose view has a slice, although no chunk stores data for it.
type ghost struct{}

func (ghost) Column() (c []float32) { return }

type large1 struct{ Data [10 << 10]byte }

type large2 struct{ Data [10 << 10]byte }

type pair struct{ First, Second Entity }

// perThing reports the time for each of n things.
func perThing(b *testing.B, n int, unit string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), unit)
}

type two struct{ First, Second Entity }
