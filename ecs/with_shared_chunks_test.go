package ecs

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// TestOnlyAmongMany makes random changes to chunks with many different shared values. It compares the
// chunks of queries with WithShared to a check of every chunk, including the indices of the chunks. It
// does this in loops, in jobs, and with counts.
func TestOnlyAmongMany(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		w := newWorld(t, workers)
		rng := rand.New(rand.NewPCG(uint64(workers), 3))
		value := func() int32 { return rng.Int32N(7) }
		var queries []*Query
		for i := range int32(7) {
			queries = append(queries, w.Query(Read[A](), WithShared(Sh{Value: i})), w.Query(Read[A](), WithShared(Sh2{Value: i}), WithShared(Sh{Value: i / 2})))
		}
		all := w.Query(Read[A](), Present[Sh]())
		for step := range 120 {
			switch q := queries[rng.IntN(len(queries))]; rng.IntN(8) {
			case 0, 1:
				w.CreateChunks(w.Archetype(With[A](), With[Sh]()), 700)
			case 2:
				must(t, AddAll(w, Matching(q), Sh{Value: value()}))
			case 3:
				must(t, AddAll(w, Matching(w.Query(With[A](), WithShared(Sh{Value: value()}))), Sh2{Value: value()}))
			case 4:
				must(t, DestroyAll(w, Matching(q)))
			case 5:
				w.Spawn(A{1}, Sh{Value: value()}, Sh2{Value: value()})
				for range 20 { // there are three shared components, and queries name two
					w.Spawn(A{1}, Sh{Value: value()}, Sh2{Value: value()}, Sh1{Value: value()})
				}
			case 6:
				for range 5 {
					w.Spawn(A{1}, Sh{Value: value()}, Tag{})
				}
			case 7:
				if list := q.AppendEntities(nil); len(list) > 0 {
					must(t, Set(w, list[rng.IntN(len(list))], Sh{Value: value()}))
				}
			}
			if step%10 == 9 {
				q := queries[rng.IntN(len(queries))] // another one for the same value is new
				terms := slices.Clone(q.terms)
				must(t, q.Close())
				queries[slices.Index(queries, q)] = w.Query(terms...)
			}
			must(t, integrity(w))
			for _, q := range queries {
				compareShared(t, w, q, all)
			}
		}
	}
}

// compareShared compares the chunks that q shows with those of all chunks that have the shared
// values of q.
func compareShared(t *testing.T, w *World, q, all *Query) {
	t.Helper()
	type shown struct {
		first Entity
		n     int
	}
	var want []shown
	for c := range all.Chunks() {
		if m := q.matchOf(c.chunk.arch); m != nil && m.matchesGroup(c.chunk.group) {
			want = append(want, shown{c.Entities()[0], c.Len()})
		}
	}
	var loop, job []shown
	var places []int
	for c := range q.Chunks() {
		loop, places = append(loop, shown{c.Entities()[0], c.Len()}), append(places, c.Index())
		if c.Task().Lo() != c.Index() {
			t.Errorf("%v: block %d is chunk %d", q, c.Task().Lo(), c.Index())
		}
	}
	offsets := q.AppendOffsets(nil)
	for k, i := range places {
		if offsets[i+1]-offsets[i] != loop[k].n {
			t.Errorf("%v: chunk %d has %d rows by its offsets, and %d", q, i, offsets[i+1]-offsets[i], loop[k].n)
		}
	}
	done := make([]shown, len(offsets))
	must(t, q.ParallelFor(chunkFunc(func(c *Chunk) {
		if c.Task().Lo() != c.Index() {
			t.Errorf("%v: block %d is chunk %d in a job", q, c.Task().Lo(), c.Index())
		}
		done[c.Index()] = shown{c.Entities()[0], c.Len()}
	})).Wait())
	if q.Count() != offsets[len(offsets)-1] { // as if jobs were pending
		t.Errorf("%v: %d rows are counted", q, q.Count())
	}
	must(t, w.Sync())
	for _, i := range places {
		job = append(job, done[i])
	}
	if !slices.Equal(loop, want) || !slices.Equal(job, want) || !slices.IsSorted(places) {
		t.Fatalf("%v: a loop shows %v, a job %v, want %v; places %v", q, loop, job, want, places)
	}
	if q.ChunkCount() != len(want) || q.Empty() != (len(want) == 0) || q.Count() != offsets[len(offsets)-1] {
		t.Errorf("%v: %d chunks, want %d", q, q.ChunkCount(), len(want))
	}
}

// TestOnlyNamesTheChunk makes a job panic whose query selects one of several shared values. The error must
// have the index that the chunk has among all chunks.
func TestOnlyNamesTheChunk(t *testing.T) {
	w := newWorld(t, 2)
	for i := range int32(5) {
		w.Spawn(A{1}, Sh{Value: i})
	}
	err := w.Query(Read[A](), WithShared(Sh{Value: 3})).ParallelFor(chunkFunc(func(*Chunk) { panic("ouch") })).Wait()
	var failed *jobs.PanicError
	if !errors.As(err, &failed) || failed.Index != 3 || !strings.Contains(failed.Error(), "index 3") {
		t.Errorf("got %v", err)
	}
	if err := w.Sync(); err == nil {
		t.Error("Sync says nothing")
	}
}

// A job counts rows with a query that filters by only some of the shared components. Meanwhile the
// owner creates a query for another shared component. The index of chunk groups that the job reads
// must stay valid.
func TestCountsBesideNewQuery(t *testing.T) {
	w := newWorld(t, 2)
	for i := range int32(64) {
		w.Spawn(A{i}, Sh{Value: i % 4}, Sh2{Value: i % 8})
	}
	q := w.Query(Read[A](), WithShared(Sh2{Value: 3}))
	want := q.OrderCount()
	h := w.Query(Read[A](), With[Sh2]()).ParallelFor(chunkFunc(func(c *Chunk) {
		for range 100 {
			if n := q.OrderCount(); n != want {
				t.Errorf("rows came %d times, want %d", n, want)
			}
		}
	}))
	p := w.Query(Read[A](), WithShared(Sh{Value: 1}))
	must(t, h.Wait())
	must(t, w.Sync())
	if p.Count() != 16 || q.Count() != 8 {
		t.Errorf("%d and %d match", p.Count(), q.Count())
	}
	must(t, integrity(w))
}
