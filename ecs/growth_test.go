package ecs

import (
	"fmt"
	"math"
	"runtime"
	"testing"
)

// growth measures the work of an operation at larger and larger sizes. The test fails if the work grows
// faster than the 1.05th power of the size. For an operation whose work should be constant, the limit
// is the 0.05th power. The work is a number of things touched, of bytes or of allocations, because
// these numbers do not depend on a clock.
type growth struct {
	name  string
	power float64 // 1.05, or 0.05
	slack float64 // work that does not count, because the smallest size takes it too
	less  int     // divides the sizes, for work that takes a block for each thing
	count func(t *testing.T, n int) float64
}

// growthSizes returns 1,000 to 10,000, and up to 100,000 with -lanewise.full.
func growthSizes() []int {
	if *full {
		return []int{1_000, 10_000, 100_000}
	}
	return []int{1_000, 3_000, 10_000}
}

func (g growth) run(t *testing.T) {
	sizes := growthSizes()
	for i := range sizes {
		sizes[i] /= g.less
	}
	g.over(t, sizes)
}

func (g growth) over(t *testing.T, sizes []int) {
	t.Run(g.name, func(t *testing.T) {
		first := g.count(t, sizes[0])
		for _, n := range sizes[1:] {
			got, most := g.count(t, n), (first+g.slack)*math.Pow(float64(n)/float64(sizes[0]), g.power)
			if got > most {
				t.Errorf("%v for %d, %v for %d: at most %.0f are wanted", first, sizes[0], got, n, most)
			}
		}
	})
}

// allocated returns how many bytes f allocates, and how often. No other goroutine may allocate meanwhile.
func allocated(f func()) (bytes, count float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)
}

// crowd returns a world with n archetypes. All of them have B, and each has another subset of some
// other types. Three or four of them also have Sparse0.
func crowd(t testing.TB, n int) *World { return crowdOf(t, newWorld(t, 1), n) }

// crowdOf adds the archetypes of a crowd to a given world.
func crowdOf(t testing.TB, w *World, n int) *World {
	t.Helper()
	types := []Term{
		With[C](), With[D](), With[Tag](), With[Tag2](), With[Position](), With[Velocity](), With[Spin](), With[Made](),
		With[Part](), With[Piece](), With[Rival](), With[RivalTag](), With[Ref](), With[Sparse1](), With[Sparse2](), With[Sparse3](), With[Sparse4](),
	}
	for set := range n {
		terms := []Term{With[B]()}
		for k, m := range types {
			if set>>k&1 != 0 {
				terms = append(terms, m)
			}
		}
		if set%max(n/3, 1) == 0 {
			terms = append(terms, With[Sparse0]())
		}
		w.Archetype(terms...)
	}
	return w
}

// These tags distinguish archetypes.
type (
	Sparse0 struct{}
	Sparse1 struct{}
	Sparse2 struct{}
	Sparse3 struct{}
	Sparse4 struct{}
)

// TestNewQueryGrows measures the cost of a new query in a world of many archetypes. It tries three cases:
// a query that matches all rows, a query that matches few, and 100 more archetypes that are created
// later.
func TestNewQueryGrows(t *testing.T) {
	growth{"bytes/all", 1.05, 0, 1, func(t *testing.T, n int) float64 {
		w := crowd(t, n)
		bytes, count := allocated(func() { w.Query(Write[B](), Optional(Read[C]())) })
		if count > 100 || bytes > 200*float64(n) {
			t.Errorf("%v bytes in %v allocations for %d matches", bytes, count, n)
		}
		return bytes
	}}.run(t)
	growth{"words/few", 1.05, 0, 1, func(t *testing.T, n int) float64 {
		w := crowd(t, n)
		w.Query(Write[D]()) // allocates its scratch
		var q *Query
		bytes, _ := allocated(func() { q = w.Query(Write[B](), With[Sparse0]()) })
		if got := len(q.matches); got < 3 || got > 4 || bytes > 10_000+0.7*float64(n) { // two sets of bits, one with ranks
			t.Errorf("%d matches of %d, %v bytes", got, n, bytes)
		}
		return float64(len(q.candidates()) + len(q.matches) + len(q.published.Load().words))
	}}.run(t)
}

// TestOnlyGrows creates many chunks with different shared values, and counts the chunks that a
// query for one of the values visits. It tries an archetype with one shared component and an
// archetype with two, in loops and in jobs.
func TestOnlyGrows(t *testing.T) {
	for _, two := range []bool{false, true} {
		growth{fmt.Sprint("chunks/two=", two), 0.05, 0, 10, func(t *testing.T, n int) float64 {
			w := newWorld(t, 1)
			for i := range n {
				if two {
					w.Spawn(A{1}, Sh{Value: int32(i)}, Sh2{Value: int32(i & 1)})
				} else {
					w.Spawn(A{1}, Sh{Value: int32(i)})
				}
			}
			q := w.Query(Write[A](), WithShared(Sh{Value: int32(n / 2)}))
			seen := 0
			for c := range q.Chunks() {
				seen += c.Len()
			}
			must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { seen += c.Len() })).Wait())
			must(t, w.Sync())
			if seen != 2 || q.Count() != 1 {
				t.Errorf("%d rows are seen", seen)
			}
			touched := len(q.allChunks)
			for _, m := range q.matches {
				touched += len(m.candidateChunks(&w.tables)) + len(m.selectedChunks(w.tables.listEpoch))
			}
			return float64(touched)
		}}.run(t)
	}
}

// TestColumnsAreFoundWhenShown creates queries over archetypes with and without entities, and shows them
// to a loop and to jobs, in several orders. The columns must be looked up only for the archetypes that
// have rows.
func TestColumnsAreFoundWhenShown(t *testing.T) {
	for _, workers := range []int{1, 3} {
		w := newWorld(t, workers)
		a, b, c := w.Archetype(With[A]()), w.Archetype(With[A](), With[B]()), w.Archetype(With[A](), With[C]())
		must(t, w.CreateInto(b, make([]Entity, 3000)))
		q := w.Query(Write[A](), Optional(Read[B]()))
		bound := func() (n int) {
			for _, m := range q.matches {
				if m.isBound {
					n++
				}
			}
			return n
		}
		if q.Count() != 3000 || bound() != 0 {
			t.Errorf("%d archetypes are bound by counting", bound())
		}
		must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { _ = Column[A](c) })).Wait())
		if bound() != 1 {
			t.Errorf("%d archetypes are bound after a job over one", bound())
		}
		must(t, w.CreateInto(c, make([]Entity, 2000)))
		n := 0
		for c := range q.Chunks() {
			n += len(*Column[A](c))
		}
		if n != 5000 || bound() != 2 {
			t.Errorf("%d rows are shown and %d archetypes bound", n, bound())
		}
		must(t, w.CreateInto(a, make([]Entity, 1)))
		must(t, q.Run(chunkFunc(func(c *Chunk) { n += len(*Column[A](c)) })))
		if n != 10_001 || bound() != 3 {
			t.Errorf("%d rows are shown and %d archetypes bound", n, bound())
		}
		must(t, integrityQueries(w))
	}
}

// TestCloseQueriesGrows counts the cost of closing the queries of many systems, the last ones first.
func TestCloseQueriesGrows(t *testing.T) {
	growth{"bytes", 1.05, 4096, 1, func(t *testing.T, n int) float64 {
		w := newWorld(t, 1)
		for i := range n {
			w.Scheduler().Query(fmt.Sprint(i), Read[A]())
			w.Scheduler().Query(fmt.Sprint(i), Read[B]())
		}
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint(n - 1 - i)
		}
		bytes, _ := allocated(func() {
			for _, name := range names {
				must(t, w.Scheduler().CloseQueries(name))
			}
		})
		if len(w.queries.list)+len(w.queries.byOwner)+len(w.queries.byID) > 0 {
			t.Errorf("%d queries are left", len(w.queries.list))
		}
		return bytes
	}}.run(t)
}
