package ecs

import (
	"flag"
	"math/rand/v2"
	"testing"
)

var growthRows = flag.Int("ecs.growth", 100_000, "TestRowsGrow counts up to so many `rows`")

// rowSizes returns the numbers of entities: 1,000, 10,000 and so on.
func rowSizes() (sizes []int) {
	most := *growthRows
	if *full {
		most = max(most, 1_000_000)
	}
	for n := 1_000; n <= most; n *= 10 {
		sizes = append(sizes, n)
	}
	return sizes
}

// newManyEntities creates a world of n entities and returns their ids in random order.
func newManyEntities(t *testing.T, n int) (*World, []Entity) {
	t.Helper()
	w := newWorld(t, 1)
	ids := make([]Entity, n)
	must(t, w.CreateInto(w.Archetype(With[Position](), With[Velocity]()), ids))
	chance := rand.New(rand.NewPCG(1, uint64(n)))
	chance.Shuffle(n, func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
	return w, ids
}

// TestRowsGrow counts costs in bytes and chunks instead of time, so that it notices every cost.
// Memory and chunks may grow with the number of entities, but the cost of operations on a few
// entities may not.
func TestRowsGrow(t *testing.T) {
	const linear, constant = 1.05, 0.05
	for _, g := range []growth{
		{"bytes that a world has", linear, 1 << 16, 1, func(t *testing.T, n int) float64 {
			w, _ := newManyEntities(t, n)
			s := w.Stats()
			return float64(s.Bytes + s.Outside)
		}},
		{"bytes allocated by create", linear, 1 << 16, 1, func(t *testing.T, n int) float64 {
			w, ids := newWorld(t, 1), make([]Entity, n)
			a := w.Archetype(With[Position](), With[Velocity]())
			bytes, _ := allocated(func() { must(t, w.CreateInto(a, ids)) })
			return bytes
		}},
		{"allocations of create", linear, 0, 1, func(t *testing.T, n int) float64 {
			w, ids := newWorld(t, 1), make([]Entity, n)
			a := w.Archetype(With[Position](), With[Velocity]())
			_, count := allocated(func() { must(t, w.CreateInto(a, ids)) })
			return count
		}},
		{"chunks of a loop", linear, 0, 1, func(t *testing.T, n int) float64 {
			w, _ := newManyEntities(t, n)
			chunks, rows := 0, 0
			for c := range w.Query(Read[Position]()).Chunks() {
				chunks++
				rows += c.Len()
			}
			if rows != n {
				t.Errorf("%d rows of %d", rows, n)
			}
			return float64(chunks)
		}},
		{"chunks of a loop after one change", constant, 0, 1, func(t *testing.T, n int) float64 {
			w, ids := newManyEntities(t, n)
			q := w.Query(Read[Position](), Changed[Position]())
			q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
			must(t, Set(w, ids[n/2], Position{X: 1}))
			chunks := 0
			for range q.Chunks() {
				chunks++
			}
			if chunks != 1 {
				t.Errorf("%d chunks of which one was changed", chunks)
			}
			return float64(chunks)
		}},
		{"allocations of a loop", constant, 8, 1, func(t *testing.T, n int) float64 {
			w, _ := newManyEntities(t, n)
			q := w.Query(Write[Position]())
			loop := func() {
				for c := range q.Chunks() {
					Column[Position](c).X[0]++
				}
			}
			loop()
			_, count := allocated(loop)
			return count
		}},
		{"allocations of Get, Set, add and remove of 100", constant, 200, 1, func(t *testing.T, n int) float64 {
			w, ids := newManyEntities(t, n)
			some := func() {
				for _, e := range ids[:100] {
					p, err := Get[Position](w, e)
					must(t, err)
					must(t, Set(w, e, p))
					must(t, Add(w, e, A{1}))
					_, err = Remove[A](w, e)
					must(t, err)
				}
			}
			some()
			_, count := allocated(some)
			return count
		}},
		{"allocations of a hash", linear, 64, 1, func(t *testing.T, n int) float64 {
			w, _ := newManyEntities(t, n)
			w.Hash()
			_, count := allocated(func() { w.Hash() })
			return count
		}},
		{"bytes allocated by destroying all by chance", linear, 1 << 16, 1, func(t *testing.T, n int) float64 {
			w, ids := newManyEntities(t, n)
			bytes, _ := allocated(func() {
				for _, e := range ids {
					must(t, w.Destroy(e))
				}
			})
			return bytes
		}},
		{"bytes that are left of all, once compact", constant, 1 << 16, 1, func(t *testing.T, n int) float64 {
			w, ids := newManyEntities(t, n)
			must(t, DestroyAll(w, Entities(ids)))
			must(t, Compact(w))
			return float64(w.Stats().Bytes)
		}},
		{"bytes allocated by commands", linear, 1 << 17, 1, func(t *testing.T, n int) float64 {
			w, ids := newManyEntities(t, n)
			bytes, _ := allocated(func() {
				c := w.NewCommands()
				for _, e := range ids {
					must(t, Add(c, e, A{2}))
				}
				must(t, c.Playback(w))
			})
			return bytes
		}},
	} {
		g.over(t, rowSizes())
	}
}

// TestCrowdsGrow makes the measurements of TestRowsGrow for a growing number of archetypes and of
// shared values.
func TestCrowdsGrow(t *testing.T) {
	for _, g := range []growth{
		{"bytes of archetypes", 1.05, 1 << 16, 1, func(t *testing.T, n int) float64 {
			s := crowd(t, n).Stats()
			return float64(s.Bytes + s.Outside)
		}},
		{"chunks of a loop over archetypes", 1.05, 1, 1, func(t *testing.T, n int) float64 {
			w := crowd(t, n)
			for _, a := range w.tables.archetypes {
				must(t, w.CreateInto(Archetype{a}, make([]Entity, 1)))
			}
			chunks := 0
			for range w.Query(With[B]()).Chunks() {
				chunks++
			}
			if chunks < n {
				t.Errorf("%d chunks of %d archetypes", chunks, n)
			}
			return float64(chunks)
		}},
		{"bytes of values", 1.05, 1 << 16, 1, func(t *testing.T, n int) float64 {
			w := newWorld(t, 1)
			for i := range n {
				w.Spawn(A{1}, Sh{Value: int32(i)})
			}
			s := w.Stats()
			return float64(s.Bytes + s.Outside)
		}},
		{"chunks of values", 1.05, 0, 1, func(t *testing.T, n int) float64 {
			w := newWorld(t, 1)
			for i := range n {
				w.Spawn(A{1}, Sh{Value: int32(i)})
			}
			return float64(w.Stats().Chunks)
		}},
	} {
		g.over(t, []int{1, 10, 100})
		g.run(t)
	}
}
