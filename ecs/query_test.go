package ecs

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// Conformance: 141
func TestQueryMatchesLaterArchetypes(t *testing.T) {
	w := newWorld(t, 1)
	all, a := w.Query(), w.Query(With[A](), Without[B]())
	if all.Count() != 0 || !all.Empty() || !all.EmptyUnfiltered() {
		t.Error("an empty world has entities")
	}
	w.Spawn()
	w.Spawn(A{})
	w.Spawn(A{}, B{})
	if all.Count() != 3 || a.Count() != 1 || all.ChunkCount() != 3 || all.Empty() || a.CountUnfiltered() != 1 {
		t.Error(all.Count(), a.Count(), all.ChunkCount())
	}
}

// Conformance: 143, 144
func TestQueryRefuses(t *testing.T) {
	w := newWorld(t, 1)
	for _, f := range []func(){
		func() { w.Query(AnyOf(Without[A]())) },
		func() { w.Query(Optional(Without[A]())) },
		func() { w.Query(Optional(With[A]())) },
		func() { w.Query(Anywhere(With[A]())) },
		func() { w.Query(AnyOf()) },
		func() { w.Query(Term{}) },
		func() { w.Query(Read[Entity]()) },
		func() { w.Query(With[Entity]()) },
		func() { w.Query(Read[A](), Write[A]()) },
		func() { w.Query(Read[A](), AnyOf(Read[A](), Read[B]())) },
		func() { w.Query(AnyOf(AnyOf(Read[A]()))) },
	} {
		wantPanic(t, ErrArgument, f)
	}
}

// Conformance: 145
func TestQueriesAreKept(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(Read[A](), Write[B]())
	if q != w.Query(Write[B](), Read[A]()) {
		t.Error("the order of terms makes another query")
	}
	if q == w.Query(Write[A](), Write[B]()) || q == w.Scheduler().Query("system", Read[A](), Write[B]()) {
		t.Error("access and owner make no other query")
	}
	if got := q.String(); got != "Query(Read[ecs.A](), Write[ecs.B]())" {
		t.Error(got)
	}
}

// Conformance: 147
func TestEmpty(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[A](), With[Sh]())
	list := make([]Entity, a.Capacity())
	must(t, w.CreateInto(a, list))
	must(t, AddAll(w, Entities(list[:len(list)/2]), Sh{Value: 10}))
	q, q10, q50 := w.Query(With[A]()), w.Query(With[A](), WithShared(Sh{Value: 10})), w.Query(With[A](), WithShared(Sh{Value: 50}))
	if q.Empty() || q.EmptyUnfiltered() || q10.Empty() || !q50.Empty() || q50.EmptyUnfiltered() {
		t.Error("Empty is wrong")
	}
	if q10.Count() != len(list)/2 || q50.CountUnfiltered() != len(list) {
		t.Error(q10.Count(), q50.CountUnfiltered())
	}
	must(t, integrity(w))
}

// Conformance: 150
func TestClosedQuery(t *testing.T) {
	w := newWorld(t, 1)
	q := w.Query(Read[A](), WithShared(Sh{Value: 3}))
	must(t, q.Close())
	wantPanic(t, ErrDisposed, func() { q.Count() })
	wantPanic(t, ErrDisposed, func() { q.ParallelFor(&advance{}) })
	wantPanic(t, ErrDisposed, func() {
		for range q.Chunks() {
		}
	})
	wantCategory(t, ErrDisposed, q.Run(&advance{}))
	wantCategory(t, ErrDisposed, DestroyAll(w, Matching(q)))
	wantCategory(t, ErrDisposed, AddTypes(w, Matching(q), With[B]()))
	wantCategory(t, ErrDisposed, q.Close())
	if len(values[Sh](w)) != 1 {
		t.Error("the query's value is still held")
	}
	if w.Query(Read[A](), WithShared(Sh{Value: 3})) == q {
		t.Error("a closed query is given out again")
	}
	owned := w.Scheduler().Query("system", Read[A]())
	wantCategory(t, ErrState, owned.Close())
	must(t, w.Scheduler().CloseQueries("system"))
	wantPanic(t, ErrDisposed, func() { owned.Count() })
	must(t, integrity(w))
}

// Conformance: 151
func TestQueryOfAnotherWorld(t *testing.T) {
	w, other := newWorld(t, 1), newWorld(t, 1)
	q := other.Query(With[A]())
	wantCategory(t, ErrArgument, DestroyAll(w, Matching(q)))
	wantCategory(t, ErrArgument, AddTypes(w, Matching(q), With[B]()))
	wantCategory(t, ErrArgument, AddAll(w, Matching(q), Sh{}))
	wantCategory(t, ErrArgument, DestroyAll(w, Matching(nil)))
}

func TestAnyOfAndOptional(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{1}, B{1, 1})
	w.Spawn(B{2, 2}, C{1, 2, 3})
	w.Spawn(C{4, 5, 6})
	w.Spawn(D{})
	q := w.Query(AnyOf(Read[A](), With[B]()), Optional(Write[C]()))
	var got []string
	for c := range q.Chunks() {
		s := c.Archetype().String()
		if HasColumn[A](c) {
			Column[A](c)
			s += " A"
		} else {
			err := wantPanic(t, ErrState, func() { Column[A](c) })
			if !strings.Contains(err.Error(), "ask HasColumn first") {
				t.Error(err)
			}
		}
		if HasColumn[C](c) {
			s += " C"
			if v := Column[C](c); v.Z[0] != 3 || v.X[0] != 1 { // a part of it, in another order
				t.Error(v)
			}
		}
		wantPanic(t, ErrState, func() { Column[B](c) }) // only a With term
		wantPanic(t, ErrState, func() { Column[D](c) }) // no term
		got = append(got, s)
	}
	if want := []string{"{ecs.A, ecs.B} A", "{ecs.B, ecs.C} C"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestChunkOrderAndIndex(t *testing.T) {
	w := newWorld(t, 1)
	ab := w.Archetype(With[Matrix](), With[A]())
	b := w.Archetype(With[Matrix]())
	w.Create(b, 300)
	w.Create(ab, 500)
	q := w.Query(Read[Matrix]())
	must(t, AddTypes(w, Matching(w.Query(With[A]())), With[Sh]()))
	only := w.Query(Read[Matrix](), With[A]())
	index, list := 0, []Entity{}
	for c := range q.Chunks() {
		if c.Index() != index || c.firstRow != 0 || !c.AllMatch() || c.Len() == 0 {
			t.Errorf("chunk %d has index %d", index, c.Index())
		}
		index++
		list = append(list, c.Entities()...)
		n, runs := 0, 0
		for i := range c.Rows() {
			if n++; i != n-1 {
				t.Fatalf("row %d comes as %d", n-1, i)
			}
		}
		for lo, hi := range c.Runs() {
			if runs++; lo != 0 || hi != c.Len() {
				t.Fatalf("run [%d, %d)", lo, hi)
			}
		}
		if n != c.Len() || runs != 1 {
			t.Fatalf("%d rows, %d runs", n, runs)
		}
	}
	if !slices.Equal(list, q.AppendEntities(nil)) || len(list) != 800 || index != q.ChunkCount() {
		t.Error("AppendEntities has another order")
	}
	// Filters leave gaps in the indices.
	only.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
	changed := w.Query(Read[Matrix](), Changed[Matrix]())
	changed.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
	w.Spawn(Matrix{}, A{}, Sh{})
	for c := range changed.Chunks() {
		if c.Index() == 0 {
			t.Error("the changed chunk is the first")
		}
	}
	if changed.ChunkCount() != 1 {
		t.Error(changed.ChunkCount())
	}
}

func TestColumnPadded(t *testing.T) {
	w := newWorld(t, 1)
	a := w.Archetype(With[Position]())
	w.Create(a, 20)
	for c := range w.Query(Write[Position]()).Chunks() {
		if n := len(ColumnPadded[Position](c).Y); n != 32 {
			t.Errorf("%d rows with scratch", n)
		}
		if n := len(Column[Position](c).Y); n != 20 || cap(Column[Position](c).Y) != 20 {
			t.Errorf("%d rows", n)
		}
	}
	for c := range w.Create(a, 5).Chunks() {
		if n := len(ColumnPadded[Position](c).Y); c.firstRow != 20 || n != 12 || len(Column[Position](c).Z) != 5 {
			t.Errorf("%d rows from %d", n, c.firstRow)
		}
		x := ColumnPadded[Position](c).X
		x[11] = 9 // scratch
		Column[Position](c).X[4] = 3
	}
	for c := range w.Query(Read[Position]()).Chunks() {
		if x := Column[Position](c).X; x[24] != 3 {
			t.Error(x[20:])
		}
	}
	capacity := a.Capacity()
	for c := range w.Create(a, capacity-25).Chunks() {
		if n := len(ColumnPadded[Position](c).X); n != capacity-25 {
			t.Errorf("%d rows in a full chunk", n)
		}
	}
}

// Conformance: 153
func TestCountCompletesWritersOfChanged(t *testing.T) {
	w := newWorld(t, 2)
	w.Spawn(A{})
	changed, writer := w.Query(With[A](), Changed[A]()), w.Query(Write[A]())
	changed.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("")))
	hold := make(chan bool)
	h := writer.ParallelFor(chunkFunc(func(c *Chunk) { <-hold; Column[A](c) }))
	go close(hold)
	if n := changed.Count(); n != 1 || !h.Done() {
		t.Errorf("%d entities changed, the job is done: %v", n, h.Done())
	}
	must(t, w.Sync())
}

// Conformance: 227, 231
func TestOrderByAccess(t *testing.T) {
	w := newWorld(t, 3)
	w.Spawn(A{1}, B{1, 0})
	w.Spawn(D{})
	read, write, other := w.Query(Read[A]()), w.Query(Write[A]()), w.Query(Write[D]())
	var seen [2]int32
	hold := make(chan bool)
	w1 := write.ParallelFor(chunkFunc(func(c *Chunk) { <-hold; (*Column[A](c))[0] = 2 }))
	r1 := read.ParallelFor(chunkFunc(func(c *Chunk) { seen[0] = (*Column[A](c))[0] }))
	r2 := read.ParallelFor(chunkFunc(func(c *Chunk) { seen[1] = (*Column[A](c))[0] }))
	w2 := write.ParallelFor(chunkFunc(func(c *Chunk) { (*Column[A](c))[0] = 3 }))
	o := other.ParallelFor(chunkFunc(func(c *Chunk) { (*Column[D](c))[0].Value = 1 }))
	must(t, o.Wait()) // conflicts with no other job
	if w1.Done() || r1.Done() || r2.Done() || w2.Done() {
		t.Error("a job did not wait for the one before it")
	}
	close(hold)
	if v := get[A](t, w, w.entityOf(w.Archetype(With[A](), With[B]()))); v.Value != 3 {
		t.Errorf("got %v", v)
	}
	if seen != [2]int32{2, 2} || !w2.Done() {
		t.Errorf("readers have seen %v", seen)
	}
	must(t, w.Sync())
}

// Conformance: 233
func TestStructuralChangeCompletesAllJobs(t *testing.T) {
	w := newWorld(t, 2)
	w.Spawn(A{})
	done := false
	h := w.Query().ParallelFor(chunkFunc(func(c *Chunk) { done = len(c.Entities()) == 1 }))
	must(t, DestroyAll(w, Matching(w.Query())))
	if !done || !h.Done() {
		t.Error("the job was not completed")
	}
}

func TestJobsMayNotChangeTheWorld(t *testing.T) {
	for _, workers := range []int{1, 3} {
		w := newWorld(t, workers)
		e := w.Spawn(A{}, B{})
		w.Spawn(A{})
		q := w.Query(Read[A]())
		for _, f := range []func() error{
			func() error { w.Spawn(); return nil },
			func() error { return w.Destroy(e) },
			func() error { return Add(w, e, D{}) },
			func() error { q.ParallelFor(&advance{}); return nil },
			func() error { return w.Sync() },
			func() error { return w.NewCommands().Playback(w) },
		} {
			var got error
			h := q.ParallelFor(chunkFunc(func(c *Chunk) {
				if c.Index() == 0 {
					if got = f(); got != nil {
						panic(got)
					}
				}
			}))
			err := h.Wait()
			wantCategory(t, ErrState, err)
			p, ok := err.(*jobs.PanicError)
			if !ok || p.Index != 0 || !strings.Contains(p.Job, "chunkFunc") {
				t.Errorf("got %v", err)
			}
			wantCategory(t, ErrState, w.Sync())
			must(t, w.Sync())
		}
		must(t, integrity(w))
	}
}

// TestPanicNamesChunk checks that the error of a panic has the index of the chunk, even if filters skip
// chunks. If several chunks panic, it must be the lowest index, for any number of workers.
func TestPanicNamesChunk(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		w := newWorld(t, workers)
		w.Create(w.Archetype(With[Matrix]()), 5000)
		q := w.Scheduler().Query("breaking", Write[Matrix]())
		err := q.ParallelFor(chunkFunc(func(c *Chunk) {
			if c.Index() >= 7 {
				panic("broken")
			}
		})).Wait()
		p, ok := err.(*jobs.PanicError)
		if !ok || p.Index != 7 || p.Value != "broken" || p.Job != "breaking: ecs.chunkFunc" {
			t.Errorf("%d workers: got %v", workers, err)
		}
		// The data cannot be read until Sync has returned the error of the job.
		_, err = Get[Matrix](w, w.entityOf(w.Archetype(With[Matrix]())))
		wantCategory(t, ErrState, err)
		wantCategory(t, ErrState, q.Run(chunkFunc(func(*Chunk) { t.Error("visited") })))
		w.Spawn() // a sync point: the error is kept for Sync
		if err := w.Sync(); err == nil || !strings.Contains(err.Error(), "broken") {
			t.Errorf("Sync returns %v", err)
		}
		must(t, w.Sync())
		must(t, q.Run(chunkFunc(func(*Chunk) {})))
	}
}

func TestEachAndParallelForSeeTheSame(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8, 64} {
		w, q := newFilledWorld(t, 10_000, workers, true)
		m := &advance{dt: 0.5}
		must(t, q.Run(m))
		after := q.ParallelFor(m)
		must(t, q.ParallelFor(m, after).Wait())
		i := 0
		for c := range q.Chunks() {
			for _, x := range ReadColumn[Position](c).X {
				if x != float32(i)*1.5 {
					t.Fatalf("%d workers: row %d is %v", workers, i, x)
				}
				i++
			}
		}
		must(t, w.Sync())
	}
}

func TestParallelForOfNothing(t *testing.T) {
	w := newWorld(t, 1)
	if h := w.Query(Write[A]()).ParallelFor(&advance{}); !h.Done() || h.Err() != nil {
		t.Error("a job over nothing is not done")
	}
}

func TestLookupInJobs(t *testing.T) {
	w := newWorld(t, 3)
	a := w.Archetype(With[Ref](), With[Matrix]())
	list := make([]Entity, 2000)
	must(t, w.CreateInto(a, list))
	target := make([]Entity, 2000)
	must(t, w.CreateInto(w.Archetype(With[A](), With[Position]()), target))
	for i, e := range list {
		must(t, Set(w, e, Ref{int32(i), target[len(target)-1-i]}))
	}
	q := w.Query(With[Matrix](), Read[Ref](), Anywhere(Write[A](), Read[Position]()))
	write, read := NewLookup[A](q), NewLookup[Position](q)
	wantPanic(t, ErrArgument, func() { NewLookup[B](q) })
	setVersion(w, 30)
	for range 3 { // also after a structural change
		w.Spawn()
		h := q.ParallelFor(chunkFunc(func(c *Chunk) {
			for _, e := range c.Entities() {
				_ = e
			}
			wantPanic(t, ErrState, func() { read.Set(target[0], Position{}) })
			refs := Column[Ref](c)
			for i, e := range refs.To {
				if _, ok := read.Get(e); !ok {
					t.Error("a target has no position")
				}
				write.Ref(e).Value += refs.Value[i]
			}
		}))
		must(t, h.Wait())
	}
	for i := range list {
		if got := get[A](t, w, target[len(target)-1-i]); got.Value != int32(3*i) {
			t.Fatalf("target of %d holds %v", i, got)
		}
	}
	if ChangeVersion[A](w, target[0]) != 30 || ChangeVersion[Position](w, target[0]) != 1 {
		t.Error("versions of what was reached are wrong")
	}
	wantPanic(t, ErrArgument, func() { read.Ref(target[0]) })
	if write.Ref(Entity{}) != nil || write.Set(Entity{}, A{}) || write.Has(list[0]) {
		t.Error("something was found that is not there")
	}
}

func (Ref) Column() (c struct {
	Value []int32
	To    []Entity
}) {
	return
}

// TestJobsOfOneQueryInFlight schedules a query again while its first job runs, with lookups and
// a new archetype in between. There must be no data race.
func TestJobsOfOneQueryInFlight(t *testing.T) {
	w := newWorld(t, 3)
	e := w.Spawn(A{1}, D{2})
	q := w.Query(Read[A](), Anywhere(Read[D]()))
	look := NewLookup[D](q)
	sum := make([]int32, 5)
	for i := range sum {
		if i == 2 {
			w.Archetype(With[A](), With[B]())
		}
		if i == 3 {
			w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate(""))
		}
		q.ParallelFor(chunkFunc(func(c *Chunk) {
			if v, ok := look.Get(e); ok {
				sum[i] = v.Value
			}
		}))
		for range q.Chunks() {
		}
	}
	must(t, w.Sync())
	for i, v := range sum {
		if v != 2 {
			t.Errorf("job %d has seen %d", i, v)
		}
	}
	wantPanic(t, ErrArgument, func() { Archetype{}.Len() })
}

// The first loop after chunks were added or removed visits the archetypes, and later loops use a list of chunks.
// All of them yield the same chunks with the same rows. The same holds for loops inside a loop, and for loops
// after a Restore.
func TestLoopsRepeat(t *testing.T) {
	w := newWorld(t, 1)
	queries := []*Query{w.Query(), w.Query(Write[A]()), w.Query(Read[A](), Without[B]()), w.Query(Read[B](), Changed[B]())}
	rng := rand.New(rand.NewPCG(41, 1))
	type shown struct {
		index, rows int
		first, last Entity
	}
	visited := func(q *Query) (list []shown) {
		for c := range q.Chunks() {
			ids := c.Entities()
			list = append(list, shown{c.Index(), len(ids), ids[0], ids[len(ids)-1]})
		}
		return list
	}
	var alive []Entity
	image, err := Capture(w, nil)
	must(t, err)
	for step := range 150 {
		switch k := rng.IntN(8); {
		case k < 3:
			terms := [][]Term{{With[A]()}, {With[B]()}, {With[A](), With[B]()}}[k]
			first := len(alive)
			alive = append(alive, make([]Entity, 1+rng.IntN(3)*rng.IntN(400))...)
			must(t, w.CreateInto(w.Archetype(terms...), alive[first:]))
		case k == 3 && len(alive) > 0:
			i := rng.IntN(len(alive))
			_ = w.Destroy(alive[i])
			alive = slices.Delete(alive, i, i+1)
		case k == 4 && len(alive) > 0:
			_ = Add(w, alive[rng.IntN(len(alive))], B{})
		case k == 5 && step%20 == 0:
			must(t, Restore(w, image))
			alive = slices.DeleteFunc(alive, func(e Entity) bool { return !w.Exists(e) })
		case k == 6:
			image, err = Capture(w, image)
			must(t, err)
		}
		for i, q := range queries {
			first := visited(q)
			n, inner := 0, []shown(nil)
			for c := range q.Chunks() {
				n += c.Len()
				inner = visited(q)
			}
			if again := visited(q); !slices.Equal(first, again) || len(first) > 0 && !slices.Equal(first, inner) {
				t.Fatalf("step %d, query %d: a later loop differs:\n%v\n%v\n%v", step, i, first, inner, again)
			}
			if own := len(q.AppendEntities(nil)); n != own || q.ChunkCount() != len(first) {
				t.Fatalf("step %d, query %d: the loops yield %d rows in %d chunks, of %d in %d", step, i, n, len(first), own, q.ChunkCount())
			}
		}
	}
}
