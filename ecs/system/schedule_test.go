package system

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// The components of these tests.
type (
	alpha struct{ Value int32 }
	beta  struct{ Value int32 }
	gamma struct{ Value int32 }
)

func (alpha) Column() (c []int32) { return }
func (beta) Column() (c []int32)  { return }
func (gamma) Column() (c []int32) { return }

// chunkFunc makes a job of a function.
type chunkFunc func(*ecs.Chunk)

func (f chunkFunc) Chunk(c *ecs.Chunk) { f(c) }

// spawnAlphas makes n entities with alpha and beta.
func spawnAlphas(w *ecs.World, n int) []ecs.Entity {
	ids := make([]ecs.Entity, n)
	a := w.Archetype(ecs.With[alpha](), ecs.With[beta]())
	if err := w.CreateInto(a, ids); err != nil {
		panic(err)
	}
	return ids
}

// newPool creates a pool that is closed when the test ends.
func newPool(tb testing.TB, workers int) *jobs.Pool {
	tb.Helper()
	p := jobs.New(jobs.Workers(workers))
	tb.Cleanup(func() {
		if err := p.Close(); err != nil {
			tb.Error(err)
		}
	})
	return p
}

// eachPool runs a test with pools of several sizes.
func eachPool(t *testing.T, test func(t *testing.T, pool *jobs.Pool)) {
	for _, n := range []int{1, 2, 3, 8, 64} {
		t.Run(fmt.Sprintf("workers=%d", n), func(t *testing.T) {
			pool := newPool(t, n)
			test(t, pool)
		})
	}
}

// Conformance: 223
func TestReadAfterWrite(t *testing.T) {
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		b := newBench(t)
		b.w = ecs.NewWorld("", ecs.OnPool(pool))
		spawnAlphas(b.w, 5000)
		var writes, reads *ecs.Query
		sums := make([]int32, 64)
		writer := &probe{log: &b.log, require: func(s *Setup) { writes = s.Query(ecs.Write[alpha]()) }}
		add := chunkFunc(func(c *ecs.Chunk) {
			for i, a := 0, *ecs.Column[alpha](c); i < len(a); i++ {
				a[i]++
			}
		})
		writer.update = func(f *Frame) error { f.ParallelFor(writes, add); f.ParallelFor(writes, add); return nil }
		reader := &probe{log: &b.log, require: func(s *Setup) { reads = s.Query(ecs.Read[alpha](), ecs.Write[beta]()) }}
		reader.update = func(f *Frame) error {
			f.ParallelFor(reads, chunkFunc(func(c *ecs.Chunk) {
				copy(*ecs.Column[beta](c), *ecs.Column[alpha](c))
			}))
			f.ParallelFor(reads, chunkFunc(func(c *ecs.Chunk) {
				sums[c.Index()] = 0
				for _, v := range *ecs.Column[beta](c) {
					sums[c.Index()] += v
				}
			}))
			return nil
		}
		b.adopt(writer)
		b.adopt(reader)
		g := b.group(writer, reader)
		for frame := range int32(20) {
			b.ok(g.instance().Update())
			b.ok(b.w.Sync())
			total := int32(0)
			for _, s := range sums {
				total += s
			}
			if want := 2 * (frame + 1) * 5000; total != want {
				t.Fatalf("frame %d: the readers saw %d, want %d", frame, total, want)
			}
		}
	})
}

// Conformance: 226
func TestNoJobIsHarmless(t *testing.T) {
	b := newBench(t)
	spawnAlphas(b.w, 100)
	_, in := b.add("")
	p := in.System().(*probe)
	p.update = func(f *Frame) error { f.Query(ecs.Write[alpha]()); return nil }
	for range 3 {
		b.ok(in.Update())
	}
	b.ok(b.w.Sync())
}

// Conformance: 227
func TestReadersOverlap(t *testing.T) {
	pool := newPool(t, 2)
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(pool))
	ids := spawnAlphas(b.w, 1)
	met := make(chan bool)
	p, in := b.add("")
	var reads, writes *ecs.Query
	var order []string
	p.update = func(f *Frame) error {
		reads, writes = f.Query(ecs.Read[alpha]()), f.Query(ecs.Write[alpha]())
		// The first two jobs only read, and each of them waits for the other. So they must run at the
		// same time.
		f.ParallelFor(reads, chunkFunc(func(*ecs.Chunk) { met <- true }))
		f.ParallelFor(reads, chunkFunc(func(*ecs.Chunk) { <-met }))
		f.ParallelFor(writes, chunkFunc(func(*ecs.Chunk) { order = append(order, "write") }))
		f.ParallelFor(reads, chunkFunc(func(*ecs.Chunk) { order = append(order, "read") }))
		return nil
	}
	b.ok(in.Update())
	b.ok(b.w.Sync())
	if !slices.Equal(order, []string{"write", "read"}) {
		t.Errorf("after the readers: %q", order)
	}
	if _, err := ecs.Get[alpha](b.w, ids[0]); err != nil {
		t.Error(err)
	}
}

// Conformance: 229
//
// A system creates a query of a component in its update and iterates over it. Then the job of
// another system that writes this component has finished, in the first frame and in later
// frames. A query can be iterated again in the next frame even if a job over it was scheduled.
func TestQueryDuringUpdate(t *testing.T) {
	b := newBench(t)
	ids := spawnAlphas(b.w, 300)
	for _, id := range ids {
		b.ok(ecs.Add(b.w, id, beta{}))
	}
	writer, writes := b.add("")
	writer.update = func(f *Frame) error {
		f.ParallelFor(f.Query(ecs.Write[beta]()), chunkFunc(func(c *ecs.Chunk) {
			time.Sleep(time.Millisecond) // the reader comes before this ends
			for i, v := 0, *ecs.Column[beta](c); i < len(v); i++ {
				v[i]++
			}
		}))
		return nil
	}
	p, in := b.add("")
	frames := int32(0)
	p.update = func(f *Frame) error {
		frames++
		for c := range f.Query(ecs.Read[beta]()).Chunks() { // waits for the job of the other system
			for i, v := range *ecs.Column[beta](c) {
				if v != frames {
					t.Fatalf("frame %d: row %d has beta %v: the job has not ended", frames, i, v)
				}
			}
		}
		q := f.Query(ecs.Write[alpha]())
		for c := range q.Chunks() { // waits for the job of the frame before
			for i, a := 0, *ecs.Column[alpha](c); i < len(a); i++ {
				a[i]++
			}
		}
		f.ParallelFor(q, chunkFunc(func(c *ecs.Chunk) { (*ecs.Column[alpha](c))[0] += 10 }))
		return nil
	}
	for range 3 {
		b.ok(writes.Update())
		b.ok(in.Update())
	}
	if v, err := ecs.Get[alpha](b.w, ids[0]); err != nil || v.Value != 33 {
		t.Errorf("alpha is %v (%v), want 33", v, err)
	}
	if len(in.queries) != 2 {
		t.Errorf("%d queries, want the same two each time", len(in.queries))
	}
}

// Conformance: 231
func TestOwnerWaits(t *testing.T) {
	b := newBench(t)
	ids := spawnAlphas(b.w, 1000)
	p, in := b.add("")
	p.update = func(f *Frame) error {
		q := f.Query(ecs.Write[alpha]())
		f.ParallelFor(q, chunkFunc(func(c *ecs.Chunk) { (*ecs.Column[alpha](c))[0] = 7 }))
		v, err := ecs.Get[alpha](f.World(), ids[0])
		if v.Value != 7 {
			t.Errorf("the owner reads %d", v.Value)
		}
		return err
	}
	b.ok(in.Update())
}

// Conformance: 233
func TestStructuralChangeWaitsForAll(t *testing.T) {
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		b := newBench(t)
		b.w = ecs.NewWorld("", ecs.OnPool(pool))
		ids := spawnAlphas(b.w, 2000)
		var plain, range_, overIDs bool
		p, in := b.add("")
		p.update = func(f *Frame) error {
			f.Schedule(jobs.Func(func(*jobs.Task) { plain = true }), nil)
			f.ParallelRange(jobs.RangeFunc(func(_ *jobs.Task, lo, hi int) { range_ = true }), 1, 1, f.Access(ecs.Read[gamma]()))
			f.ParallelFor(f.Query(), chunkFunc(func(c *ecs.Chunk) {
				if c.Index() == 0 {
					overIDs = slices.Equal(c.Entities(), ids[:c.Len()])
				}
			}))
			return nil
		}
		q, qi := b.add("")
		q.update = func(f *Frame) error { return ecs.DestroyAll(f.World(), ecs.Entities(ids)) }
		b.ok(in.Update())
		b.ok(qi.Update())
		if !plain || !range_ || !overIDs {
			t.Errorf("jobs done before the entities were destroyed: %v %v %v", plain, range_, overIDs)
		}
	})
}

// When an update of a system begins, the jobs of its previous update have finished.
func TestPreviousOutput(t *testing.T) {
	pool := newPool(t, 1) // nothing runs before a wait
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(pool))
	p, in := b.add("")
	done := 0
	p.update = func(f *Frame) error {
		if done != len(b.log)-3 { // create, start, and this update
			t.Errorf("%d jobs done in update %d", done, len(b.log)-3)
		}
		f.Schedule(jobs.Func(func(*jobs.Task) { done++ }), nil)
		return nil
	}
	for range 4 {
		b.ok(in.Update())
	}
	p.update = func(f *Frame) error {
		f.Schedule(jobs.Func(func(*jobs.Task) { done++ }), nil)
		f.Wait()
		if done != 5 {
			t.Errorf("%d jobs done after Wait", done)
		}
		return nil
	}
	b.ok(in.Update())
}

type badJob struct{}

func (badJob) Chunk(c *ecs.Chunk) {
	if c.Index() >= 1 {
		panic("bad chunk")
	}
}

type panicker struct{ q *ecs.Query }

func (s *panicker) Create(u *Setup) error { s.q = u.Query(ecs.Write[alpha]()); return nil }
func (s *panicker) Update(f *Frame) error { f.ParallelFor(s.q, badJob{}); return nil }

// If a job panics, the frame returns the panic as an error with the system, the chunk and the stack.
func TestJobPanics(t *testing.T) {
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		w := newWorld(t, Only(Of[panicker](), Of[stepper]()), OnPool(pool))
		spawnAlphas(w, 10_000)
		for range 2 {
			err := Update(w)
			var panicked *jobs.PanicError
			if !errors.As(err, &panicked) {
				t.Fatalf("error %v, want a panic", err)
			}
			if panicked.Index != 1 || panicked.Value != "bad chunk" ||
				!strings.Contains(panicked.Job, "panicker") || !strings.Contains(string(panicked.Stack), "badJob") {
				t.Errorf("job %q, chunk %d, value %v, stack\n%s", panicked.Job, panicked.Index, panicked.Value, panicked.Stack)
			}
		}
		if len(Find[stepper](w).seen) != 2 {
			t.Error("the other system did not run")
		}
	})
}

func TestSetupPanicsBecomeErrors(t *testing.T) {
	b := newBench(t)
	for _, require := range []func(*Setup){
		func(s *Setup) { s.Query(ecs.Read[alpha](), ecs.Write[alpha]()) },
		func(s *Setup) { s.Access(ecs.With[alpha]()) },
	} {
		p := &probe{log: &b.log, require: require}
		if err := Adopt(b.w, p); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "system.probe: Create") {
			t.Errorf("error %v", err)
		}
	}
}

// Conformance: 267
func TestCloseWithRunningJobs(t *testing.T) {
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		b := newBench(t)
		b.w = ecs.NewWorld("", ecs.OnPool(pool))
		spawnAlphas(b.w, 5000)
		p, in := b.add("")
		shared := make([]int32, 64) // owned by the system, used by its jobs
		p.update = func(f *Frame) error {
			f.ParallelFor(f.Query(ecs.Read[alpha]()), chunkFunc(func(c *ecs.Chunk) { shared[c.Index()]++ }))
			return nil
		}
		b.ok(in.Update())
		b.ok(b.w.Close())
		if shared[0] != 1 {
			t.Error("the world was closed before its jobs were done")
		}
	})
}

func TestFrame(t *testing.T) {
	b := newBench(t)
	spawnAlphas(b.w, 100)
	p, in := b.add("")
	p.update = func(f *Frame) error {
		rows := 0
		err := f.Run(f.Query(ecs.Read[alpha]()), chunkFunc(func(c *ecs.Chunk) { rows += c.Len() }))
		if rows != 100 {
			t.Errorf("Run visits %d rows", rows)
		}
		if f.World() != b.w || f.Instance() != in || in.World() != b.w || in.System() != System(p) {
			t.Error("the frame belongs to something else")
		}
		return err
	}
	b.ok(in.Update())
}

// dust is the component of dawdler.
type dust struct{ X float32 }

func (dust) Column() (c []float32) { return }

// dawdler has a job that takes some microseconds for each chunk.
type dawdler struct{ all *ecs.Query }

func (d *dawdler) Create(s *Setup) error {
	d.all = s.Query(ecs.Write[dust]())
	return nil
}

func (d *dawdler) Update(f *Frame) error {
	f.ParallelFor(d.all, d)
	return nil
}

func (d *dawdler) Chunk(*ecs.Chunk) {
	for end := time.Now().Add(3 * time.Microsecond); time.Now().Before(end); {
	}
}

// After the pool has tried both ways of running short loops, with one worker and with all workers, a
// report says which way it uses.
func TestExplainLoopModes(t *testing.T) {
	w := newWorld(t, Only(Of[dawdler]()), OnPool(newPool(t, 3)))
	w.Create(w.Archetype(ecs.With[dust]()), 10_000)
	Measure(w, true)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		for range 10 {
			if err := Update(w); err != nil {
				t.Fatal(err)
			}
		}
		e := Explain(w)
		for _, s := range e.Order {
			for _, mode := range s.LoopModes {
				if !strings.HasSuffix(s.System, "dawdler") || !strings.HasPrefix(mode.Job, s.System) || mode.One == 0 && mode.All == 0 || mode.From >= mode.To {
					t.Errorf("%s has %+v", s.System, mode)
				}
				if text := e.String(); !strings.Contains(text, "\n  system.dawdler: "+mode.String()) {
					t.Errorf("%q is not in\n%s", mode.String(), text)
				}
				return
			}
		}
	}
	t.Error("none within a minute")
}
