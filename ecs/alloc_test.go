package ecs

import (
	"fmt"
	"testing"
)

// toucher does most operations that a job can do with a chunk.
type toucher struct {
	gone ParallelCommands
	look *Lookup[A]
	on   bool // record commands too
}

func (j *toucher) Chunk(c *Chunk) {
	pos, vel := Column[Position](c), ColumnPadded[Velocity](c)
	pos.X[0] += vel.X[0]
	if !j.on {
		return
	}
	gone := j.gone.For(c)
	for lo, hi := range c.Runs() {
		for i := lo; i < hi; i += 64 {
			e := c.Entities()[i]
			if v, ok := j.look.Get(e); ok && v.Value < 0 {
				gone.Destroy(e)
			}
			Set(gone, e, A{v(i)})
		}
	}
}

func v(i int) int32 { return int32(i) }

// TestSteadyStateAllocatesNothing repeats the work of a frame and counts allocations.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	if raceEnabled || guard {
		t.Skip("race and guard builds allocate for their checks")
	}
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprint("workers=", workers), func(t *testing.T) { testAllocs(t, workers) })
	}
}

func testAllocs(t *testing.T, workers int) {
	w := newWorld(t, workers)
	moving := w.Archetype(With[Position](), With[Velocity](), With[A]())
	w.Create(moving, 5000)
	q := w.Query(Write[Position](), Read[Velocity](), Anywhere(Read[A]()))
	changed := w.Query(Read[Position](), Changed[Position]())
	off, on := w.Query(With[A](), Absent[EnTag]()), w.Query(With[A](), Present[EnTag]())
	both := w.Query(With[Position](), Changed[Position](), Without[EnTag]())
	other := w.Archetype(With[B](), With[D]())
	others := w.Query(With[B]())
	tagged := []Term{With[Tag]()}
	more := []Term{With[C](), With[Spin]()}
	ids := make([]Entity, 1500)
	cmd, deferred := w.NewCommands(), w.NewCommands()
	job := &toucher{look: NewLookup[A](q)}
	scratch := chunkFunc(func(c *Chunk) { clear(c.Task().Scratch(3000)) })
	sum := 0

	for _, step := range []struct {
		name string
		f    func()
	}{
		{"Chunks", func() {
			for c := range q.Chunks() {
				sum += len(Column[Position](c).X)
			}
		}},
		{"nested Chunks", func() {
			for range q.Chunks() {
				for c := range q.Chunks() {
					sum += c.Len()
				}
			}
		}},
		{"Changed", func() {
			for c := range changed.Chunks() {
				sum += c.Len()
			}
		}},
		{"Count", func() { sum += q.Count() + changed.ChunkCount() }},
		{"Run", func() { must(t, q.Run(job)) }},
		{"Task", func() {
			must(t, q.Run(scratch))
			must(t, q.ParallelFor(scratch).Wait())
			must(t, w.Sync())
		}},
		{"ParallelFor", func() {
			h := q.ParallelFor(job)
			must(t, q.ParallelFor(job, h).Wait())
			must(t, w.Sync())
		}},
		{"Create", func() {
			for c := range w.Create(other, 1500).Chunks() {
				sum += len(*Column[D](c))
			}
			w.CreateChunks(other, 700)
			must(t, DestroyAll(w, Matching(others)))
		}},
		{"CreateInto", func() {
			must(t, w.CreateInto(other, ids))
			must(t, DestroyAll(w, Entities(ids[:700])))
			for _, e := range ids[700:] {
				must(t, w.Destroy(e))
			}
		}},
		{"Spawn of known types", func() { must(t, w.Destroy(w.Spawn(Position{1, 2, 3}, A{4}))) }},
		{"SpawnBundle", func() { must(t, w.Destroy(SpawnBundle(w, thing{A: A{v(int(sum))}}))) }},
		{"InstantiateInto", func() {
			must(t, w.InstantiateInto(w.entityOf(moving), ids))
			must(t, DestroyAll(w, Entities(ids)))
		}},
		{"Add", func() {
			e := w.entityOf(moving)
			must(t, Add(w, e, D{1}))
			must(t, Set(w, e, D{2}))
			if v, err := Get[D](w, e); v.Value != 2 || err != nil {
				t.Fatal(v, err)
			}
			if _, err := Remove[D](w, e); err != nil {
				t.Fatal(err)
			}
		}},
		{"AddTypes", func() {
			e := w.entityOf(moving)
			if err := AddTypes(w, One(e), more...); err != nil {
				t.Fatal(err)
			}
			if err := RemoveTypes(w, One(e), more...); err != nil {
				t.Fatal(err)
			}
		}},
		{"AddTypes(Matching)", func() {
			must(t, AddTypes(w, Matching(q), tagged...))
			must(t, RemoveTypes(w, Matching(q), tagged...))
			must(t, AddTypes(w, Matching(q), more...))
			must(t, RemoveTypes(w, Matching(q), more...))
		}},
		{"AddTypes(Matching) of switches", func() {
			must(t, AddTypes(w, Matching(off), With[EnTag]()))
			must(t, RemoveTypes(w, Matching(on), With[EnTag]()))
		}},
		{"Count while jobs are under way", func() {
			h := q.ParallelFor(job)
			sum += both.Count()
			must(t, h.Wait())
			must(t, w.Sync())
		}},
		{"Commands", func() {
			for i := range 100 {
				e, err := cmd.Create(other)
				must(t, err)
				must(t, Set(cmd, e, D{v(i)}))
				must(t, Add(cmd, e, Ref{1, e}))
				must(t, Add(cmd, e, Buf{}))
				must(t, AppendBuffer(cmd, e, Elem{1}, Elem{2}))
				must(t, AddTypes(cmd, One(e), tagged...))
				if i%2 == 0 {
					must(t, cmd.Destroy(e))
				}
			}
			must(t, cmd.Playback(w))
			cmd.Reset()
			must(t, DestroyAll(w, Matching(others)))
		}},
		{"Parallel", func() {
			job.gone, job.on = deferred.Parallel(), true
			q.ParallelFor(job)
			must(t, deferred.Playback(w))
			deferred.Reset()
		}},
		{"update", func() { q.SetSince(w.Scheduler().EndUpdate(w.Scheduler().BeginUpdate("system"))) }},
	} {
		step.f() // reach the steady state
		step.f()
		n := testing.AllocsPerRun(20, step.f)
		for range 4 {
			if n == 0 {
				break
			}
			n = testing.AllocsPerRun(20, step.f) // a worker that was asleep until now allocates once
		}
		if n != 0 {
			t.Errorf("%s: %v allocations", step.name, n)
		}
	}
	must(t, integrity(w))
}

// entityOf returns an entity of an archetype.
func (w *World) entityOf(a Archetype) Entity { return *a.arch.chunks[0].idAt(0) }
