package ecs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// lookedAt checks every chunk, and returns the indices of the chunks that the query shows.
func lookedAt(q *Query) (list []int) {
	base := 0
	for _, m := range q.matches {
		for i, r := range m.arch.chunks {
			if m.chunkPasses(r, q.since) {
				list = append(list, base+i)
			}
		}
		base += len(m.arch.chunks)
	}
	return list
}

// TestChangeSummary runs queries that use the summary of versions, and compares the result with a check of every chunk. The world has
// hundreds of archetypes, and the test makes every kind of change to it.
func TestChangeSummary(t *testing.T) {
	for _, workers := range []int{1, 3} {
		w := newWorld(t, workers)
		types := []Term{With[Tag](), With[Sparse0](), With[Sparse1](), With[Sparse2](), With[Sparse3](), With[Sparse4](), With[Spin](), With[D]()}
		var list []Entity
		for set := range 1 << len(types) {
			terms := []Term{With[A](), With[B]()}
			for k, m := range types {
				if set>>k&1 != 0 {
					terms = append(terms, m)
				}
			}
			ids := make([]Entity, 1+set%3)
			if set%100 == 7 {
				ids = make([]Entity, 3000)
			}
			must(t, w.CreateInto(w.Archetype(terms...), ids))
			list = append(list, ids...)
		}
		queries := []*Query{
			w.Scheduler().Query("one", Read[A](), Changed[A]()), w.Scheduler().Query("two", Read[A](), Write[B](), Changed[A](), Changed[B]()),
			w.Scheduler().Query("rows", Read[A](), OrderChanged()), w.Scheduler().Query("some", Read[A](), With[Sparse2](), ChangedAny(With[A](), With[D]()), OrderChanged()),
			w.Scheduler().Query("few", Read[D](), Changed[D]()),
		}
		writes := w.Query(Write[A](), With[Sparse1](), With[Sparse4]())
		rng := rand.New(rand.NewPCG(5, uint64(workers)))
		for step := range 200 {
			before := w.gate.changeVersion
			w.Scheduler().BeginUpdate("step")
			for range rng.IntN(4) {
				e := list[rng.IntN(len(list))]
				switch rng.IntN(6) {
				case 0:
					must(t, Set(w, e, A{int32(step)}))
				case 1:
					err := AddTypes(w, One(e), With[D]())
					must(t, err)
				case 2:
					_, err := Remove[D](w, e)
					must(t, err)
				case 3:
					must(t, Set(w, e, B{X: 1}))
				case 4:
					writes.ParallelFor(chunkFunc(func(c *Chunk) { Column[A](c) }))
				case 5:
					must(t, Compact(w))
				}
			}
			w.Scheduler().EndUpdate("")
			for _, q := range queries {
				q.SetSince(before - uint32(rng.IntN(3)))
				if rng.IntN(50) == 0 {
					q.SetSince(0)
				}
				if step%2 == 0 {
					must(t, w.Sync())
				}
				var seen, visited [1 << 12]bool
				h := q.ParallelFor(chunkFunc(func(c *Chunk) { seen[c.Index()] = true }))
				must(t, h.Wait())
				must(t, w.Sync())
				for c := range q.Chunks() {
					visited[c.Index()] = true
				}
				want := lookedAt(q)
				for _, got := range [][]bool{seen[:], visited[:]} {
					var list []int
					for i, is := range got {
						if is {
							list = append(list, i)
						}
					}
					if !slices.Equal(list, want) {
						t.Fatalf("step %d: %v shows chunks %v, want %v", step, q, list, want)
					}
				}
				if q.Unchanged() && len(want) > 0 {
					t.Errorf("step %d: %v is quiet, and shows %v", step, q, want)
				}
			}
		}
		must(t, integrity(w))
	}
}

// TestChangeSummaryGrows counts the chunks that jobs get after one entity has changed in a world of many
// archetypes. The number must be one.
func TestChangeSummaryGrows(t *testing.T) {
	growth{"chunks", 0.05, 0, 1, func(t *testing.T, n int) float64 {
		w := crowd(t, n)
		for _, a := range w.tables.archetypes {
			must(t, w.CreateInto(Archetype{a}, make([]Entity, 1)))
		}
		q := w.Query(Read[B](), Changed[B]())
		q.SetSince(w.Version())
		w.Scheduler().BeginUpdate("step")
		e := w.tables.archetypes[n/2].chunks[0].ids()[0]
		must(t, Set(w, e, B{X: 1}))
		w.Scheduler().EndUpdate("")
		seen := ""
		must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { seen += fmt.Sprint(c.Entities()) })).Wait())
		must(t, w.Sync())
		if seen != fmt.Sprint([]Entity{e}) {
			t.Errorf("entities %s are seen, want %v", seen, e)
		}
		return float64(len(q.parallelRuns[0].chunks))
	}}.run(t)
}

// TestChangeSummaryHalfway changes an archetype while a job is recording its own change of another
// column of the archetype. The job has stored its version in only one of two places. After the change,
// both places must have the new version.
func TestChangeSummaryHalfway(t *testing.T) {
	w := newWorld(t, 1)
	e := w.Spawn(A{1}, B{1, 1})
	q := w.Query(Read[B](), Changed[B]())
	for ahead := range uint32(2) {
		q.SetSince(w.Version())
		w.Scheduler().BeginUpdate("step")
		a := w.ArchetypeOf(e).arch
		a.changeSummary.versions[a.index] = w.Version() + ahead // a job that writes A is between the two
		must(t, Set(w, e, B{2, 2}))
		w.Scheduler().EndUpdate("")
		seen := 0
		must(t, q.ParallelFor(chunkFunc(func(c *Chunk) { seen += c.Len() })).Wait())
		must(t, w.Sync())
		if seen != 1 || q.Unchanged() {
			t.Errorf("%d ahead: %d rows are seen, quiet %v", ahead, seen, q.Unchanged())
		}
	}
}
