package ecs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Conformance: 179.
func TestTransactionLocksTheWorld(t *testing.T) {
	w := newWorld(t, 2)
	e := w.Spawn(A{1})
	q, look := w.Query(ecs.Read[A]()), ecs.NewWorldLookup[A](w)
	arch, cmd := w.ArchetypeOf(e), w.NewCommands()
	other := newWorld(t, 1)
	x := begin(t, w)
	hold := make(chan struct{})
	do(x, func(*ecs.World) { <-hold }) // at any time, before or during the job
	for name, f := range map[string]func() error{
		"Begin":                func() error { _, err := ecs.BeginTransaction(w); return err },
		"CreateInto":           func() error { return w.CreateInto(arch, make([]ecs.Entity, 1)) },
		"Destroy":              func() error { return w.Destroy(e) },
		"DestroyAll(Matching)": func() error { return ecs.DestroyAll(w, ecs.Matching(q)) },
		"Get":                  func() error { _, err := ecs.Get[A](w, e); return err },
		"Set":                  func() error { return ecs.Set(w, e, A{2}) },
		"Add":                  func() error { return ecs.Add(w, e, B{}) },
		"Remove":               func() error { _, err := ecs.Remove[A](w, e); return err },
		"Ensure":               func() error { _, err := ecs.Ensure[A](w, e); return err },
		"Enabled":              func() error { _, err := ecs.Enabled[En](w, e); return err },
		"Single":               func() error { _, err := q.Single(); return err },
		"CreateSingleton":      func() error { _, err := ecs.CreateSingleton(w, B{}); return err },
		"Instantiate":          func() error { _, err := w.Instantiate(e, 1); return err },
		"InstantiateAll":       func() error { _, err := w.InstantiateAll([]ecs.Entity{e}); return err },
		"SetActive":            func() error { return w.SetActive(e, false) },
		"Run":                  func() error { return q.Run(chunkFunc(func(*ecs.Chunk) {})) },
		"Playback":             func() error { return cmd.Playback(w) },
		"MoveEntities":         func() error { return ecs.MoveEntities(w, other, nil) },
		"its MoveEntities":     func() error { return ecs.MoveEntities(other, w, nil) },
		"Matching":             func() error { return ecs.MoveMatching(other, q, nil) },
		"CopyFrom":             func() error { _, err := ecs.CopyEntities(other, w, []ecs.Entity{e}); return err },
	} {
		if err := f(); !errors.Is(err, ecs.ErrState) {
			t.Errorf("%s: got error %v, want ErrState", name, err)
		}
	}
	for name, f := range map[string]func(){
		"Exists":            func() { w.Exists(e) },
		"Len":               func() { w.Len() },
		"Spawn":             func() { w.Spawn(A{}) },
		"Query":             func() { w.Query(ecs.With[B]()) },
		"Archetype":         func() { w.Archetype(ecs.With[B]()) },
		"Hash":              func() { w.Hash() },
		"Stats":             func() { w.Stats() },
		"Entities":          func() { _ = slices.Collect(w.Entities()) },
		"Archetypes":        func() { _ = slices.Collect(w.Archetypes()) },
		"ArchetypeOf":       func() { w.ArchetypeOf(e) },
		"MetaOf":            func() { w.MetaOf(e) },
		"Has":               func() { ecs.Has[A](w, e) },
		"ChangeVersion":     func() { ecs.ChangeVersion[A](w, e) },
		"Chunks":            func() { _ = slices.Collect(q.Chunks()) },
		"Count":             func() { q.Count() },
		"ChunkCount":        func() { q.ChunkCount() },
		"Empty":             func() { q.Empty() },
		"CountUnfiltered":   func() { q.CountUnfiltered() },
		"EmptyUnfiltered":   func() { q.EmptyUnfiltered() },
		"Matches":           func() { q.Matches(e) },
		"MatchesUnfiltered": func() { q.MatchesUnfiltered(e) },
		"AppendEntities":    func() { q.AppendEntities(nil) },
		"AppendOffsets":     func() { q.AppendOffsets(nil) },
		"Query.OrderCount":  func() { q.OrderCount() },
		"Unchanged":         func() { q.Unchanged() },
		"Archetype.Len":     func() { arch.Len() },
		"Archetype.Chunks":  func() { arch.ChunkCount() },
	} {
		t.Run(name, func(t *testing.T) { panics(t, ecs.ErrState, f) })
	}
	panics(t, ecs.ErrDisposed, func() { look.Has(e) })
	close(hold)
	must(t, x.End())
	if !w.Exists(e) || q.Count() != 1 {
		t.Error("the entity is gone")
	}
	whole(t, w)
}

// While a job of the transaction runs, the job may read the archetypes of the lent world. Other
// goroutines may not.
func TestArchetypesInTransaction(t *testing.T) {
	w := newWorld(t, 2)
	arch := w.ArchetypeOf(w.Spawn(A{1}))
	x := begin(t, w)
	hold, began := make(chan struct{}), make(chan struct{})
	do(x, func(in *ecs.World) {
		close(began)
		for range 2000 {
			in.Spawn(A{})
		}
		<-hold
		if arch.Len() != 2001 || arch.ChunkCount() != (2001+arch.Capacity()-1)/arch.Capacity() {
			t.Errorf("the job sees %d rows in %d chunks", arch.Len(), arch.ChunkCount())
		}
	})
	<-began
	panics(t, ecs.ErrState, func() { arch.Len() })
	panics(t, ecs.ErrState, func() { arch.ChunkCount() })
	close(hold)
	must(t, x.End())
	if arch.Len() != 2001 {
		t.Errorf("%d rows", arch.Len())
	}
}

// Conformance: 180.
func TestTransactionJobs(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		w := newWorld(t, workers)
		first := w.Spawn(A{-1})
		q := w.Query(ecs.Read[A]())
		arch := w.Archetype(ecs.With[A](), ecs.With[B]())
		x := begin(t, w)
		const n = 20
		for i := range int32(n) {
			do(x, func(in *ecs.World) {
				ids := make([]ecs.Entity, 500)
				allow(t, in.CreateInto(arch, ids))
				for k, e := range ids {
					allow(t, ecs.Set(in, e, A{i}))
					if k%5 == 0 {
						allow(t, ecs.Add(in, e, D{i})) // a new archetype
					}
				}
				v, err := ecs.Get[A](in, first)
				allow(t, err)
				allow(t, ecs.Set(in, first, A{v.Value + 1}))
				if got := in.Query(ecs.With[A]()).Count(); got != 1+500*int(i+1) {
					t.Errorf("job %d sees %d entities", i, got)
				}
			})
		}
		must(t, x.End())
		if !x.Done() {
			t.Error("the jobs are not done")
		}
		if q.Count() != 1+500*n || w.Query(ecs.With[D]()).Count() != 100*n || get[A](t, w, first).Value != n-1 {
			t.Errorf("%d entities, %d with D, %v", q.Count(), w.Query(ecs.With[D]()).Count(), get[A](t, w, first))
		}
		values, err := ecs.AppendValues[A](q, nil)
		must(t, err)
		if !slices.IsSortedFunc(values[1:500], func(a, b A) int { return int(a.Value - b.Value) }) {
			t.Error("the entities are not in the order of the jobs")
		}
		// The handle has ended.
		fails(t, ecs.ErrState, x.End())
		panics(t, ecs.ErrState, func() { do(x, func(*ecs.World) {}) })
		fails(t, ecs.ErrState, (&ecs.Transaction{}).End())
		whole(t, w)
	}
}

// Conformance: 182.
func TestNoQueryJobsInTransaction(t *testing.T) {
	w := newWorld(t, 2)
	w.Spawn(A{1})
	q := w.Query(ecs.Read[A]())
	x := begin(t, w)
	job := chunkFunc(func(*ecs.Chunk) { t.Error("a chunk") })
	panics(t, ecs.ErrState, func() { q.ParallelFor(job) })
	do(x, func(in *ecs.World) {
		panics(t, ecs.ErrState, func() { q.ParallelFor(job) })
		panics(t, ecs.ErrState, func() { in.Query(ecs.Read[A]()).ParallelFor(job) })
		fails(t, ecs.ErrState, in.Close())
		_, err := ecs.BeginTransaction(in)
		fails(t, ecs.ErrState, err)
		fails(t, ecs.ErrState, x.End())
		panics(t, ecs.ErrState, func() { do(x, func(*ecs.World) { t.Error("a job") }) })
	})
	must(t, x.End())
	q.ParallelFor(chunkFunc(func(*ecs.Chunk) {}))
	must(t, w.Sync())
}

// Conformance: 207.
func TestPlaybackInTransaction(t *testing.T) {
	w := newWorld(t, 2)
	e := w.Spawn(A{1})
	cmd := w.NewCommands()
	made, err := cmd.Create(w.ArchetypeOf(e))
	must(t, err)
	must(t, ecs.Set(cmd, made, A{2}))
	must(t, ecs.Add(cmd, e, B{1, 2}))
	foreign := newWorld(t, 1).NewCommands()
	x := begin(t, w)
	do(x, func(in *ecs.World) {
		fails(t, ecs.ErrArgument, foreign.Playback(in))
		allow(t, cmd.Playback(in))
		own := in.NewCommands()
		_, err := own.Spawn(A{3})
		allow(t, err)
		allow(t, own.Playback(in))
	})
	must(t, x.End())
	values, err := ecs.AppendValues[A](w.Query(ecs.Read[A]()), nil)
	must(t, err)
	slices.SortFunc(values, func(a, b A) int { return int(a.Value - b.Value) })
	if !slices.Equal(values, []A{{1}, {2}, {3}}) || get[B](t, w, e) != (B{1, 2}) {
		t.Errorf("the world holds %v", values)
	}
	whole(t, w)
}

// A world is lent, and its command buffer is played in another world. The job that has the lent
// world plays it, or the owner plays it afterwards. The archetypes in the buffer's commands exist in
// the other world.
func TestReplayOfLentWorld(t *testing.T) {
	o, w := twoWorlds(t)
	cmd := w.NewCommands()
	cmd.SetMultiPlayback(true)
	_, err := cmd.Create(w.Archetype(ecs.With[A](), ecs.With[B]()))
	must(t, err)
	var own *ecs.Commands
	x := begin(t, w)
	fails(t, ecs.ErrState, cmd.Playback(o)) // at any time, before or during a job
	hold, began := make(chan struct{}), make(chan struct{})
	do(x, func(in *ecs.World) {
		own = in.NewCommands()
		own.SetMultiPlayback(true)
		_, err := own.Create(in.Archetype(ecs.With[A](), ecs.With[D]()))
		allow(t, err)
		close(began)
		in.Archetype(ecs.With[A](), ecs.With[C]())
		<-hold
		allow(t, own.Playback(o))
		allow(t, cmd.Playback(o))
	})
	other := newWorld(t, 1)
	<-began
	fails(t, ecs.ErrState, cmd.Playback(other))
	fails(t, ecs.ErrState, own.Playback(other))
	close(hold)
	must(t, x.End())
	must(t, cmd.Playback(o))
	must(t, own.Playback(o))
	if n, d := o.Query(ecs.With[A]()).Count(), o.Query(ecs.With[D]()).Count(); n != 4 || d != 2 || other.Len() != 0 {
		t.Errorf("%d entities, %d with D, %d elsewhere; want 4, 2 and 0", n, d, other.Len())
	}
	must(t, w.Close())
	fails(t, ecs.ErrDisposed, cmd.Playback(o))
	whole(t, o)
}

// End returns the errors and panics of jobs; the world belongs to the owner again.
func TestTransactionErrors(t *testing.T) {
	w := newWorld(t, 2)
	x := begin(t, w)
	no := errors.New("no luck")
	x.Schedule(ecs.TransactionFunc(func(in *ecs.World) error { in.Spawn(A{1}); return no }))
	do(x, func(in *ecs.World) {
		in.Spawn(A{2})
		for range in.Query(ecs.With[A]()).Chunks() {
			in.Spawn()
		}
	})
	err := x.End()
	var failed *jobs.PanicError
	if !errors.Is(err, no) || !errors.As(err, &failed) || !strings.Contains(failed.Job, "TransactionFunc") {
		t.Errorf("got error %v", err)
	}
	if w.Len() != 2 {
		t.Errorf("%d entities", w.Len())
	}
	w.Spawn(A{3})
	whole(t, w)
}

// A job's world cannot be used after the job.
func TestTransactionWorldEnds(t *testing.T) {
	w := newWorld(t, 1)
	x := begin(t, w)
	var kept *ecs.World
	var q *ecs.Query
	var buffer Buf
	must(t, do(x, func(in *ecs.World) {
		kept, q = in, in.Query(ecs.WithShared(Sh{Value: 7}))
		var err error
		buffer, err = ecs.Get[Buf](in, in.Spawn(ecs.BufferOf(elems(1)...), Sh{Value: 7}))
		allow(t, err)
	}).Wait())
	panics(t, ecs.ErrDisposed, func() { buffer.Len() })
	panics(t, ecs.ErrState, func() { kept.Spawn() })
	fails(t, ecs.ErrState, ecs.DestroyAll(kept, ecs.Matching(q)))
	must(t, x.End())
	panics(t, ecs.ErrState, func() { kept.Spawn() })
	must(t, ecs.DestroyAll(w, ecs.Matching(w.Query())))
	for _, v := range ecs.SharedValues[Sh](w) {
		if v.Value == 7 {
			t.Error("a query of a job holds its value after the end")
		}
	}
	whole(t, w)
}

// Closing a world ends its transaction, after the jobs that are scheduled.
func TestCloseEndsTransaction(t *testing.T) {
	w := newWorld(t, 2)
	w.Spawn(A{1})
	ran := 0
	w.Query(ecs.Write[A]()).ParallelFor(chunkFunc(func(*ecs.Chunk) { ran++ }))
	x := begin(t, w)
	do(x, func(in *ecs.World) { ran = 10*ran + in.Len() })
	must(t, w.Close())
	if ran != 11 {
		t.Errorf("the jobs left %d, want 11", ran)
	}
	fails(t, ecs.ErrState, x.End())
	fails(t, ecs.ErrArgument, w.Close())
}

// A query sees the changes of a transaction as new, no matter when it was used last: before the
// transaction, in the update that begins the transaction, or in the update around that update. While the
// world is lent no update begins.
func TestTransactionIsNews(t *testing.T) {
	w := newWorld(t, 1)
	e, still := w.Spawn(A{1}), w.Spawn(B{})
	q, other := w.Query(ecs.Read[A](), ecs.Changed[A]()), w.Query(ecs.With[B](), ecs.OrderChanged())
	before := w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("before"))
	around := w.Scheduler().BeginUpdate("around")
	outer := w.Scheduler().BeginUpdate("begins")
	x := begin(t, w)
	do(x, func(in *ecs.World) {
		allow(t, ecs.Set(in, e, A{2}))
		_, err := ecs.Get[B](in, still)
		allow(t, err)
	})
	seen := []uint32{before, w.Scheduler().EndUpdate(outer)}
	if w.Scheduler().RunningSystem() != "around" || !w.InTransaction() {
		t.Errorf("the update of %q goes on, the world is lent: %v", w.Scheduler().RunningSystem(), w.InTransaction())
	}
	seen = append(seen, w.Scheduler().EndUpdate(around))
	panics(t, ecs.ErrState, func() { w.Scheduler().BeginUpdate("refused") })
	must(t, x.End())
	seen = append(seen, seen[0]) // a refused update changes nothing
	for _, since := range seen {
		q.SetSince(since)
		other.SetSince(since)
		if q.Count() != 1 || other.Count() != 0 {
			t.Errorf("since %d: %d are changed, %d have come, want 1 and 0; the world's version is %d", since, q.Count(), other.Count(), w.Version())
		}
	}
	q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("after")))
	if w.InTransaction() || q.Count() != 0 {
		t.Errorf("after an update %d are changed, the world is lent: %v", q.Count(), w.InTransaction())
	}
	whole(t, w)
}

// Queries in a transaction's jobs must notice changes of chunk components.
func TestMetaChangedInTransaction(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(A{}, ecs.PerChunk[B]{})
	x := begin(t, w)
	do(x, func(in *ecs.World) {
		q := in.Query(ecs.With[A](), ecs.With[ecs.PerChunk[B]](), ecs.Changed[ecs.PerChunk[B]]())
		q.SetSince(in.Scheduler().EndUpdate(in.Scheduler().BeginUpdate("")))
		if n := q.Count(); n != 0 {
			t.Errorf("%d are changed before the write", n)
		}
		allow(t, in.Query(ecs.Write[B](), ecs.With[ecs.ChunkHeader]()).Run(chunkFunc(func(c *ecs.Chunk) { ecs.Column[B](c) })))
		if n := q.Count(); n != 1 {
			t.Errorf("%d are changed after a write, want 1", n)
		}
	})
	must(t, x.End())
	whole(t, w)
}

// A job of a transaction cannot close the lent world: End returns the error, and the world is unchanged.
func TestCloseInTransaction(t *testing.T) {
	for _, workers := range []int{1, 2} {
		w := newWorld(t, workers)
		x := begin(t, w)
		do(x, func(in *ecs.World) {
			fails(t, ecs.ErrState, w.Close())
			in.Spawn(A{1})
		})
		must(t, x.End())
		if w.Len() != 1 {
			t.Errorf("%d entities", w.Len())
		}
		whole(t, w)
		must(t, w.Close())
	}
}

// A job for which the transaction waits cannot close the lent world either.
func TestCloseBeforeTransaction(t *testing.T) {
	for _, workers := range []int{1, 2} {
		w := newWorld(t, workers)
		x := begin(t, w)
		scheduled := make(chan struct{})
		before := w.Pool().Schedule(jobs.Func(func(*jobs.Task) {
			<-scheduled
			var circle *jobs.DeadlockError
			if err := w.Close(); !errors.As(err, &circle) {
				t.Errorf("got error %v, want a *jobs.DeadlockError", err)
			}
		}))
		x.Schedule(ecs.TransactionFunc(func(in *ecs.World) error { in.Spawn(A{2}); return nil }), before)
		close(scheduled)
		must(t, x.End())
		if w.Len() != 1 {
			t.Errorf("%d entities", w.Len())
		}
		whole(t, w)
		must(t, w.Close())
	}
}

// A world is filled in the background and its entities are moved between two frames.
func TestTransactionStreams(t *testing.T) {
	w, src := twoWorlds(t)
	model := w.Archetype(ecs.With[A]())
	for frame := range int32(5) {
		x := begin(t, src)
		do(x, func(in *ecs.World) {
			for i := range int32(300) {
				in.Spawn(A{300*frame + i})
			}
		})
		w.Create(model, 3) // meanwhile
		must(t, x.End())
		must(t, ecs.MoveEntities(w, src, nil))
	}
	if w.Len() != 5*303 || src.Len() != 0 {
		t.Errorf("%d and %d entities", w.Len(), src.Len())
	}
	whole(t, w, src)
}
