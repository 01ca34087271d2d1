package ecs

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// TestOpenWorlds checks that a world is counted from the call that returns it until the call of Close
// that closes it.
func TestOpenWorlds(t *testing.T) {
	start := OpenWorlds()
	open := func(when string, want int) {
		t.Helper()
		if got := OpenWorlds() - start; got != want {
			t.Errorf("%s: %d more open worlds, want %d", when, got, want)
		}
	}
	w := NewWorld("counted")
	e := w.Spawn(A{})
	open("after NewWorld", 1)
	wantPanic(t, ErrArgument, func() { NewWorld("no option", nil) })
	open("after a NewWorld that panics", 1)
	m, err := Capture(w, nil)
	must(t, err)
	fork, err := Fork(m, "fork")
	must(t, err)
	open("after Fork", 2)
	if _, err := Fork(nil, "no image"); err == nil {
		t.Error("Fork makes a world of no image")
	}
	open("after a Fork that fails", 2)
	must(t, Restore(w, m))
	_, err = CopyEntities(fork, w, []Entity{e})
	must(t, err)
	b := NewImageBuilder()
	must(t, b.AddState(ImageState{}))
	_, err = b.Image()
	must(t, err)
	open("after Restore, CopyEntities and an ImageBuilder", 2)
	x, err := BeginTransaction(w)
	must(t, err)
	open("in a transaction", 2)
	x.Schedule(TransactionFunc(func(own *World) error { return own.Close() })) // must fail
	must(t, fork.Close())
	open("after Close of the fork", 1)
	if err := w.Close(); !errors.Is(err, ErrState) {
		t.Errorf("Close ends a transaction whose job closes its world, and returns %v", err)
	}
	open("after Close", 0)
	wantCategory(t, ErrArgument, w.Close())
	wantCategory(t, ErrArgument, fork.Close())
	open("after a second Close", 0)
}

func TestClose(t *testing.T) {
	w := NewWorld("closing")
	e := w.Spawn(A{})
	q := w.Query(Read[A]())
	a := w.Archetype(With[A]())
	look := NewWorldLookup[A](w)
	cmd := w.NewCommands()
	must(t, cmd.Destroy(e))
	ran := false
	q.ParallelFor(chunkFunc(func(*Chunk) { ran = true }))
	var order []int
	broken := errors.New("broken")
	w.Hooks().OnClose(func() error { order = append(order, 1); return nil })
	w.Hooks().OnClose(func() error {
		order = append(order, 2)
		if !ran || !w.Exists(e) {
			t.Error("closers run too early or too late")
		}
		return broken
	})
	if err := w.Close(); !errors.Is(err, broken) || !slices.Equal(order, []int{2, 1}) {
		t.Errorf("got %v, closers ran in the order %v", err, order)
	}
	wantCategory(t, ErrArgument, w.Close())
	for _, f := range []func(){
		func() { w.Spawn() }, func() { w.Query(Read[A]()) }, func() { w.Create(a, 1) }, func() { q.Count() },
		func() { w.Archetype(With[A]()) }, func() { look.Get(e) }, func() { NewWorldLookup[A](w) },
	} {
		wantPanic(t, ErrDisposed, f)
	}
	_, err := Get[A](w, e)
	wantCategory(t, ErrDisposed, err)
	_, err = Remove[A](w, e)
	wantCategory(t, ErrDisposed, err)
	err = RemoveTypes(w, One(e), With[A]())
	wantCategory(t, ErrDisposed, err)
	for _, err := range []error{
		w.CreateInto(a, make([]Entity, 1)), Set(w, e, A{}), DestroyAll(w, Matching(q)), cmd.Playback(w), AddTypes(w, Entities(nil), With[A]()), look.Refresh(), w.Destroy(Entity{}),
	} {
		wantCategory(t, ErrDisposed, err)
	}
	if w.Exists(e) || w.Name() != "closing" || w.Len() != 0 {
		t.Error("a closed world has entities")
	}
}

// Conformance: 267
func TestCloseCompletesJobs(t *testing.T) {
	w := newWorld(t, 2)
	w.Spawn(A{})
	hold, n := make(chan bool), 0
	w.Query(Write[A]()).ParallelFor(chunkFunc(func(*Chunk) { <-hold; n++ }))
	go close(hold)
	must(t, w.Close())
	if n != 1 {
		t.Error("the job did not run")
	}
}

func TestHooks(t *testing.T) {
	w := newWorld(t, 2)
	e := w.Spawn(A{})
	type slot struct{}
	if w.Hooks().Attached(slot{}) != nil {
		t.Error("something is attached")
	}
	w.Hooks().Attach(slot{}, 7)
	if w.Hooks().Attached(slot{}) != 7 {
		t.Error(w.Hooks().Attached(slot{}))
	}
	outer := w.Scheduler().BeginUpdate("outer")
	inner := w.Scheduler().BeginUpdate("inner")
	if w.Scheduler().RunningSystem() != "inner" || w.Version() != 3 {
		t.Error(w.Scheduler().RunningSystem(), w.Version())
	}
	if err := Set(w, e, B{}); err == nil || !strings.Contains(err.Error(), "system inner") {
		t.Error(err)
	}
	if last := w.Scheduler().EndUpdate(inner); last != 3 || w.Scheduler().RunningSystem() != "outer" {
		t.Error(last, w.Scheduler().RunningSystem())
	}
	if last := w.Scheduler().EndUpdate(outer); last != 4 || w.Scheduler().RunningSystem() != "" || w.Version() != 5 {
		t.Error(last, w.Scheduler().RunningSystem())
	}
	syncs := 0
	w.Hooks().OnSync(func() { syncs++ })
	w.Spawn()
	if syncs != 0 {
		t.Error("a sync point without jobs")
	}
	// This job does not come from a query. It is ordered among the world's jobs by its access.
	q := w.Query(Read[A]())
	var access access.Access
	must(t, w.Scheduler().AddAccess(&access, Write[A](), Read[B]()))
	wantCategory(t, ErrArgument, w.Scheduler().AddAccess(&access, With[A]()))
	done := false
	hold := make(chan bool)
	h := w.Pool().Schedule(jobs.Func(func(*jobs.Task) { <-hold; done = true }), w.Scheduler().Before(&access, nil)...)
	w.Scheduler().Track(&access, h)
	r := q.ParallelFor(chunkFunc(func(*Chunk) {
		if !done {
			t.Error("the reader did not wait")
		}
	}))
	close(hold)
	must(t, r.Wait())
	must(t, w.Scheduler().Await(&access))
	w.Spawn()
	if syncs != 1 || !done {
		t.Error(syncs, done)
	}
	w.Scheduler().Report(errors.New("reported"))
	if err := w.Sync(); err == nil || !strings.Contains(err.Error(), "reported") {
		t.Error(err)
	}
	if q.World() != w || !q.access.Read.Has(componentIndex[A]()) {
		t.Error("the query's access is wrong")
	}
	// Here the world schedules its jobs on a scope instead of the pool.
	s := w.Pool().Scope(t.Context())
	if w.Scheduler().RunOn(s) != nil {
		t.Error("there was another runner")
	}
	q.ParallelFor(chunkFunc(func(*Chunk) {}))
	must(t, s.End())
	if w.Scheduler().RunOn(nil) != Runner(s) {
		t.Error("the runner is not the scope")
	}
}

func TestStats(t *testing.T) {
	w := newWorld(t, 1)
	if s := w.Stats(); s != (Stats{Archetypes: 0}) {
		t.Errorf("%+v", s)
	}
	a := w.Archetype(With[Position]())
	w.Create(a, a.Capacity()+a.Capacity()/2)
	if s := w.Stats(); s.Entities != 1224 || s.Chunks != 2 || s.Rows != 1632 || s.Utilisation != 0.75 || s.Archetypes != 1 || !guard && (s.Bytes != 2*16384 || s.Live != 2*816*20 || s.Wasted != 2*16384-1224*20) {
		t.Errorf("%+v", s)
	}
	if got := slices.Collect(w.Archetypes()); len(got) != 1 || got[0] != a || a.String() != "{ecs.Position}" {
		t.Error(got)
	}
}

// TestMemoryReturns checks that dropping a big world frees it, without Close.
func TestMemoryReturns(t *testing.T) {
	before := heap()
	func() {
		w := NewWorld("big")
		w.Create(w.Archetype(With[Matrix]()), 500_000)
		if heap()-before < 30<<20 {
			t.Error("the world is not big")
		}
		runtime.KeepAlive(w)
	}()
	if left := heap(); left > before+4<<20 {
		t.Errorf("%d bytes are left", left-before)
	}
}

// TestCloseFreesMemory checks that a closed world keeps no memory, even if the program keeps the
// world.
func TestCloseFreesMemory(t *testing.T) {
	before := heap()
	w := NewWorld("big")
	for c := range w.Create(w.Archetype(With[Matrix](), With[A]()), 300_000).Chunks() {
		c.Len()
	}
	w.Spawn(Matrix{}, A{1})
	w.Spawn(A{1}, Matrix{})
	SpawnBundle(w, struct{ A A }{})
	if heap()-before < 18<<20 {
		t.Error("the world is not big")
	}
	must(t, w.Close())
	if left := heap() - before; left > 4<<20 {
		t.Errorf("%d bytes are left", left)
	}
	runtime.KeepAlive(w)
}

// TestTwoWorldsAtOnce checks that two goroutines with a world each, on one pool, get the same
// results as alone.
func TestTwoWorldsAtOnce(t *testing.T) {
	p := jobs.New(jobs.Workers(3))
	defer p.Close()
	run := func() uint64 {
		w := NewWorld("one of two", OnPool(p))
		defer w.Close()
		s := &spawner{made: w.Archetype(With[Matrix]())}
		w.Create(w.Archetype(With[Matrix](), With[Position]()), 1000)
		q := w.Query(With[Matrix]())
		c := w.NewCommands()
		for range 4 {
			s.p = c.Parallel()
			q.ParallelFor(s)
			if err := c.Playback(w); err != nil && !errors.Is(err, ErrArgument) {
				t.Error(err)
			}
			c.Reset()
		}
		return w.Hash()
	}
	want := run()
	got := make(chan uint64)
	for range 2 {
		go func() { got <- run() }()
	}
	for range 2 {
		if h := <-got; h != want {
			t.Errorf("got %#x, want %#x", h, want)
		}
	}
}

func componentIndex[T any]() int {
	c, err := componentFor[T]("test")
	if err != nil {
		panic(err)
	}
	return c.index
}

// TestCloseReportsUntrackedJobs checks that Close reports a job that was not passed to Track,
// because nothing waits for such a job.
func TestCloseReportsUntrackedJobs(t *testing.T) {
	for untracked := range 3 {
		w := newWorld(t, 2)
		var access access.Access
		must(t, w.Scheduler().AddAccess(&access, Write[A]()))
		hold := make(chan bool)
		job := jobs.Func(func(*jobs.Task) { <-hold })
		var flying []jobs.Handle
		for i := range 2 + untracked {
			h := w.Pool().Schedule(job, w.Scheduler().Before(&access, nil)...)
			flying = append(flying, h)
			if i < 2 {
				w.Scheduler().Track(&access, h)
			}
		}
		go close(hold) // it waits for tracked jobs
		err := w.Close()
		if untracked == 0 {
			must(t, err)
		} else if !errors.Is(err, ErrState) || !strings.Contains(err.Error(), fmt.Sprint(untracked, " were not given to Track")) {
			t.Errorf("%d untracked: %v", untracked, err)
		}
		for _, h := range flying {
			must(t, h.Wait())
		}
	}
}

// Stats of a closed world, and of the world of a transaction's jobs that has ended, is zero.
func TestStatsOfNothing(t *testing.T) {
	w := newWorld(t, 1)
	w.Spawn(Position{})
	tx, err := BeginTransaction(w)
	must(t, err)
	var inner *World
	tx.Schedule(TransactionFunc(func(own *World) error { inner = own; return nil }))
	must(t, tx.End())
	if w.Stats().Bytes == 0 {
		t.Error("the world has no memory")
	}
	must(t, w.Close())
	for _, one := range []*World{w, inner} {
		if bytes, live := one.SlabBytes(); one.Stats() != (Stats{}) || bytes != 0 || live != 0 {
			t.Errorf("%+v, %d bytes, %d live", one.Stats(), bytes, live)
		}
	}
}
