package ecs

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// SmallEn is the enableable component in the tests of small chunks.
type SmallEn struct {
	Enableable
	Value int32
}

// The test lets a chunk grow from one row to all rows and into the next chunk. All values must be kept:
// lanes, elements of buffers inline and on the heap, managed values and enabled bits. The world has the
// same hash as one whose chunks were full from the beginning.
func TestSmallChunksGrow(t *testing.T) {
	w, whole := newWorld(t, 1), newWorld(t, 1)
	terms := []Term{With[Position](), With[Buf](), With[Obj](), With[SmallEn](), With[Sh]()}
	fill := func(w *World, e Entity, i int) {
		n := int32(i)
		must(t, Set(w, e, Position{X: float32(i), Z: -float32(i)}))
		must(t, Set(w, e, Obj{Number: &n}))
		must(t, SetEnabled[SmallEn](w, e, i%3 != 0))
		b, err := GetBuffer[Elem](w, e)
		must(t, err)
		for k := range i % 20 { // more than eight are on the heap
			b.Append(Elem{int32(i + k)})
		}
	}
	check := func(e Entity, i int) {
		t.Helper()
		b, err := GetBuffer[Elem](w, e)
		must(t, err)
		sum := int32(0)
		for k, v := range b.Slice() {
			sum += v.Value - int32(i+k)
		}
		on, err := Enabled[SmallEn](w, e)
		must(t, err)
		if p, o := get[Position](t, w, e), get[Obj](t, w, e); p != (Position{float32(i), 0, -float32(i)}) || o.number() != int32(i) || on != (i%3 != 0) || b.Len() != i%20 || sum != 0 {
			t.Fatalf("entity %d: %v, %d, %v, %d elements", i, p, o.number(), on, b.Len())
		}
	}
	a, first := w.Archetype(terms...), whole.Archetype(terms...)
	count := a.Capacity() + 70
	var list []Entity
	sizes := []int{}
	for i := range count {
		e := make([]Entity, 1)
		must(t, w.CreateInto(a, e))
		fill(w, e[0], i)
		list = append(list, e[0])
		if rows := a.arch.chunks[0].RowCapacity(); len(sizes) == 0 || sizes[len(sizes)-1] != rows {
			sizes = append(sizes, rows)
			must(t, integrity(w))
			for k, e := range list {
				check(e, k)
			}
		}
	}
	want := []int{16, 64, 256, a.Capacity()}
	if len(a.arch.shape.RowSizes()) < 2 || !slices.IsSorted(sizes) || sizes[0] != 16 || sizes[len(sizes)-1] != a.Capacity() || len(sizes) < 3 {
		t.Errorf("memory for %v rows, want %v", sizes, want)
	}
	if a.arch.chunks[1].RowCapacity() != a.Capacity() {
		t.Errorf("the second chunk has memory for %d rows", a.arch.chunks[1].RowCapacity())
	}
	all := make([]Entity, count)
	must(t, whole.CreateInto(first, all))
	for i, e := range all {
		fill(whole, e, i)
	}
	if !slices.Equal(all, list) || w.Hash() != whole.Hash() {
		t.Error("a world that has grown is not the one that was made at once")
	}
	for i, e := range list {
		check(e, i)
	}
	for len(list) > 0 {
		must(t, w.Destroy(list[len(list)-1]))
		list = list[:len(list)-1]
		if len(list)%97 == 0 {
			must(t, integrity(w))
		}
	}
	if s := w.Stats(); s.Live != 0 && !guard {
		t.Errorf("%d bytes live in an empty world", s.Live)
	}
}

// This test measures how many bytes a world needs for many shared values, or many archetypes, with
// one entity each. The bytes are counted and not timed.
func TestSparseTakesLittle(t *testing.T) {
	if guard {
		t.Skip("the guard build keeps what chunks have left")
	}
	const next = 128 << 10 // the slab after those that a thousand values fill to the last byte
	growth{"values", 1.05, next, 1, func(t *testing.T, n int) float64 {
		w := newWorld(t, 1)
		bytes, _ := allocated(func() {
			for i := range n {
				w.Spawn(Position{}, Velocity{}, Sh{Value: int32(i)})
			}
		})
		s := w.Stats()
		if s.Live > 600*n || bytes > 3_000*float64(n) || s.Chunks != n {
			t.Errorf("%d values: %d bytes live, %.0f allocated on the way, %d chunks", n, s.Live, bytes, s.Chunks)
		}
		runtime.KeepAlive(w)
		return float64(s.Bytes)
	}}.run(t)
}

// The same operations use the same memory: Stats is equal for any number of workers that visit the
// chunks.
func TestMemoryIsTheSame(t *testing.T) {
	var want string
	for _, workers := range []int{1, 2, 3, 8, 64} {
		w := newWorld(t, workers)
		rng := uint32(1)
		next := func(n int) int { rng = rng*1664525 + 1013904223; return int(rng>>8) % n }
		q := w.Query(Write[Position]())
		var list []Entity
		log := ""
		for round := range 30 {
			terms := []Term{With[Position](), With[Velocity](), With[Tag](), With[Sh]()}[:1+next(4)]
			more := make([]Entity, 1+next(3000))
			must(t, w.CreateInto(w.Archetype(terms...), more))
			list = append(list, more...)
			must(t, q.ParallelFor(positions{}).Wait())
			for range next(3) {
				k := next(len(list))
				n := min(next(2500), len(list)-k)
				must(t, DestroyAll(w, Entities(list[k:k+n])))
				list = slices.Delete(list, k, k+n)
			}
			if round%5 == 4 {
				must(t, integrity(w))
			}
			log += fmt.Sprintln(w.Stats(), w.Hash())
		}
		if want == "" {
			want = log
		} else if log != want {
			t.Errorf("%d workers: memory or hash is another one", workers)
		}
	}
}

// positions is a job that changes the Position of each row.
type positions struct{}

func (positions) Chunk(c *Chunk) {
	p := Column[Position](c)
	for i := range p.X {
		p.X[i]++
	}
}
