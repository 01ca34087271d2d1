package access

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func randomSet(rng *rand.Rand, s *Set, most int) (all []int) {
	for range rng.IntN(most + 1) {
		id := rng.IntN(8)
		if rng.IntN(4) == 0 {
			id += 300
		}
		s.Add(id)
	}
	return slices.Collect(s.All())
}

// TestTrackerOrdersConflicts schedules random jobs by a tracker and checks that conflicting jobs run
// in order, with every number of workers.
func TestTrackerOrdersConflicts(t *testing.T) {
	runPools(t, func(t *testing.T, p *jobs.Pool) {
		for seed := range uint64(20) {
			rng := newRand(seed)
			var tr Tracker
			sc := p.Scope(context.Background())
			const n = 150
			accesses := make([]*Access, n)
			ordered := make([]*dagJob, n)
			edges := 0
			for i := range n {
				a := new(Access)
				randomSet(rng, &a.Read, 3)
				randomSet(rng, &a.Write, 1)
				randomSet(rng, &a.Where, 3)
				j := &dagJob{t: t, id: i}
				for k := range i {
					if orderMatters(a, accesses[k]) {
						j.before = append(j.before, ordered[k])
					}
				}
				accesses[i], ordered[i] = a, j
				before := tr.Before(a, nil)
				edges += len(before)
				tr.Add(a, sc.Schedule(j, before...))
				switch rng.IntN(40) {
				case 0:
					if err := tr.WaitAll(); err != nil {
						t.Fatal(err)
					}
				case 1:
					if err := tr.WaitFor(a); err != nil {
						t.Fatal(err)
					}
					for k, other := range accesses[:i+1] {
						if orderMatters(a, other) && ordered[k].ran.Load() != 1 {
							t.Fatalf("seed %d: job %d is not done after WaitFor", seed, k)
						}
					}
				}
			}
			if err := tr.WaitAll(); err != nil {
				t.Fatal(err)
			}
			for i, j := range ordered {
				if j.ran.Load() != 1 {
					t.Fatalf("seed %d: job %d ran %d times", seed, i, j.ran.Load())
				}
			}
			if err := sc.End(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// noted is a job in plainTracker.
type noted struct {
	h        jobs.Handle
	where    []int
	anywhere bool
}

// plainTracker is a Tracker in its simplest form. It does not fold readers, so it is the model for
// the tracker that does.
type plainTracker struct{ writers, readers [320][]noted }

func (p *plainTracker) before(a *Access) (all []jobs.Handle) {
	where := slices.Collect(a.Where.All())
	look := func(list []noted) {
		for _, n := range list {
			meet := n.anywhere || len(where) == 0 || slices.ContainsFunc(where, func(id int) bool { return slices.Contains(n.where, id) })
			if meet && !succeeded(n.h) && !slices.Contains(all, n.h) {
				all = append(all, n.h)
			}
		}
	}
	for id := range a.Read.All() {
		look(p.writers[id])
	}
	for id := range a.Write.All() {
		look(p.writers[id])
		look(p.readers[id])
	}
	return all
}

func (p *plainTracker) add(a *Access, h jobs.Handle) {
	one := noted{h, slices.Collect(a.Where.All()), a.Where.Empty()}
	covered := func(n noted) bool {
		inside := func(id int) bool { return slices.Contains(one.where, id) }
		return one.anywhere || !n.anywhere && !slices.ContainsFunc(n.where, func(id int) bool { return !inside(id) })
	}
	for id := range a.Read.All() {
		if !a.Write.Has(id) {
			p.readers[id] = append(p.readers[id], one)
		}
	}
	for id := range a.Write.All() {
		p.writers[id] = append(slices.DeleteFunc(p.writers[id], covered), one)
		p.readers[id] = slices.DeleteFunc(p.readers[id], covered)
	}
}

// TestTrackerAgainstModel compares the handles that jobs wait for, and their order, with plainTracker.
// Some jobs are held, done or failed. Some jobs touch two disjoint sets of data, and are added twice.
func TestTrackerAgainstModel(t *testing.T) {
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	var tr Tracker // one tracker for all rounds, so that the test also covers reused memory
	for seed := range uint64(100) {
		rng := newRand(seed)
		var model plainTracker
		body, release := newHeldJob()
		gate := p.Schedule(body)
		last := gate
		for i := range 40 {
			a, b := new(Access), new(Access)
			for _, a := range []*Access{a, b} {
				randomSet(rng, &a.Read, 3)
				randomSet(rng, &a.Write, 2)
				randomSet(rng, &a.Where, 3)
			}
			// Handles that the caller has put into the buffer do not count.
			got, want := tr.Before(a, []jobs.Handle{last})[1:], model.before(a)
			if !slices.Equal(got, want) {
				t.Errorf("seed %d, job %d: waits for %v, want %v", seed, i, got, want)
				break
			}
			var h jobs.Handle
			switch rng.IntN(5) {
			case 0:
				h = p.Schedule(&nothing{})
				h.Wait()
			case 1:
				h = p.Schedule(jobs.Func(func(*jobs.Task) { panic("boom") }))
				h.Wait()
			default:
				h = p.Schedule(&nothing{}, append(want, gate)...)
			}
			tr.Add(a, h)
			model.add(a, h)
			if rng.IntN(4) == 0 {
				tr.Add(b, h)
				model.add(b, h)
			}
			last = h
		}
		release()
		tr.WaitAll()
		if t.Failed() {
			return
		}
		for id := range tr.fences {
			if l := &tr.fences[id]; len(l.writers)+len(l.readers) != 0 {
				t.Fatalf("seed %d: WaitAll leaves jobs of component %d", seed, id)
			}
		}
		for i, f := range tr.freeFences {
			if f.listCount != 0 {
				t.Fatalf("listCount is %v, want 0: seed %d: free: %+v", f.listCount, seed, f)
			} else if f.handle != (jobs.Handle{}) {
				t.Fatalf("f.handle != (jobs.Handle{}): seed %d: free: %+v", seed, f)
			} else if slices.Contains(tr.freeFences[:i], f) {
				t.Fatalf("slices.Contains(tr.free[:i], f): seed %d: free: %+v", seed, f)
			}
		}
	}
	if n := len(tr.freeFences); n == 0 {
		t.Errorf("n == 0: %d fences were made for at most 60 at a time", n)
	} else if n > 60 {
		t.Errorf("n > 60: %d fences were made for at most 60 at a time", n)
	}
}

// TestTrackerUsesFencesAgain adds jobs without a sync point and checks that the tracker keeps no fence
// that is covered or done. Otherwise the tracker's memory would grow from frame to frame.
func TestTrackerUsesFencesAgain(t *testing.T) {
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	var tr Tracker
	for i := range 2000 {
		a := access([]int{1, 2}, []int{3, i % 5 * 70}, []int{i})
		h := p.Schedule(&nothing{}, tr.Before(a, nil)...)
		if err := h.Wait(); err != nil {
			t.Fatal(err)
		}
		tr.Add(a, h)
		tr.Add(access(nil, nil, nil), h)
	}
	if err := tr.WaitAll(); err != nil {
		t.Fatal(err)
	}
	if n := len(tr.freeFences); n == 0 {
		t.Errorf("n == 0: %d fences were made", n)
	} else if n > 100 {
		t.Errorf("n > 100: %d fences were made", n)
	}
}

func TestTrackerMakesNoEdgeApart(t *testing.T) {
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	body, release := newHeldJob()
	var tr Tracker
	first := p.Schedule(body)
	tr.Add(access(nil, []int{3}, []int{1, 400}), first)
	for _, c := range []struct {
		name string
		a    *Access
		want int
	}{
		{"writes elsewhere", access(nil, []int{3}, []int{2, 401}), 0},
		{"writes there", access(nil, []int{3}, []int{400}), 1},
		{"writes everywhere", access(nil, []int{3}, nil), 1},
		{"reads elsewhere", access([]int{3}, nil, []int{2}), 0},
		{"reads there", access([]int{3}, nil, []int{1}), 1},
		{"another component", access([]int{4}, []int{5}, nil), 0},
		{"nothing", access(nil, nil, nil), 0},
	} {
		if got := tr.Before(c.a, nil); len(got) != c.want {
			t.Errorf("%s: waits for %d jobs, want %d", c.name, len(got), c.want)
		}
	}
	release()
	if err := tr.WaitAll(); err != nil {
		t.Errorf("err is %v, want nil", err)
	} else if !first.Done() {
		t.Errorf("!first.Done(); err is %v", err)
	}
	if got := tr.Before(access(nil, []int{3}, nil), nil); len(got) != 0 {
		t.Error("WaitAll has forgotten nothing")
	}
}

func TestTrackerFoldsReaders(t *testing.T) {
	p := jobs.New(jobs.Workers(1))
	defer p.Close()
	var tr Tracker
	root := p.Schedule(&nothing{})
	for i := range 10 * maxReaders {
		tr.Add(access([]int{2}, nil, []int{i % 40}), p.Schedule(&nothing{}, root))
	}
	before := tr.Before(access(nil, []int{2}, nil), nil)
	if len(before) > maxReaders {
		t.Errorf("a writer waits for %d handles", len(before))
	}
	if err := p.Schedule(&nothing{}, before...).Wait(); err != nil {
		t.Error(err)
	}
	for _, h := range tr.liveHandles {
		if !h.Done() {
			t.Error("a reader is not done before the writer")
		}
	}
}

// TestTrackerFoldsPlaces folds readers of many archetypes and checks that a writer still waits for
// each of them.
func TestTrackerFoldsPlaces(t *testing.T) {
	p := jobs.New(jobs.Workers(1))
	defer p.Close()
	root := p.Schedule(&nothing{})
	for _, anywhere := range []int{-1, 0, 5} {
		var tr Tracker
		var readers []jobs.Handle
		for i := range 2*maxReaders + 3 {
			a := access([]int{2}, nil, []int{20 * i})
			if i == anywhere {
				a.Where = Set{}
			}
			h := p.Schedule(&nothing{}, root)
			tr.Add(a, h)
			readers = append(readers, h)
		}
		for i, reader := range readers {
			a := access(nil, []int{2}, []int{20 * i})
			if h := p.Schedule(&nothing{}, tr.Before(a, nil)...); !h.Follows(reader) {
				t.Errorf("reader %d is everywhere: a writer in place %d does not wait for its reader", anywhere, i)
			}
		}
		a := access(nil, []int{2}, []int{20 * len(readers)})
		if n := len(tr.Before(a, nil)); (n != 0) != (anywhere >= 0) {
			t.Errorf("reader %d is everywhere: a writer elsewhere waits for %d", anywhere, n)
		}
		part := access(nil, []int{2}, []int{0}) // covers one of the folded readers
		tr.Add(part, p.Schedule(&nothing{}, tr.Before(part, nil)...))
		a = access(nil, []int{2}, []int{20})
		if h := p.Schedule(&nothing{}, tr.Before(a, nil)...); !h.Follows(readers[1]) {
			t.Errorf("reader %d is everywhere: a writer of one place dropped the reader of another", anywhere)
		}
		if err := tr.WaitAll(); err != nil {
			t.Error(err)
		}
		root = p.Schedule(&nothing{})
	}
}

func TestTrackerReportsErrorsOnce(t *testing.T) {
	p := jobs.New(jobs.Workers(2))
	defer p.Close()
	var tr Tracker
	boom := errors.New("boom")
	write := access(nil, []int{1}, nil)
	for range 3 { // the second and third are skipped and carry the same error
		tr.Add(write, p.Schedule(jobs.Func(func(*jobs.Task) { panic(boom) }), tr.Before(write, nil)...))
	}
	other := p.Schedule(jobs.Func(func(*jobs.Task) { panic("other") }))
	tr.Add(access(nil, nil, nil), other)
	tr.Add(write, jobs.Handle{})
	if err := tr.WaitFor(write); !errors.Is(err, boom) {
		t.Error(err)
	}
	late := p.Schedule(&nothing{}, tr.Before(write, nil)...)
	if err := late.Wait(); !errors.Is(err, boom) {
		t.Errorf("a later job on the same data: %v", err)
	}
	err := tr.WaitAll()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Errorf("ok is false: WaitAll: %v", err)
	} else if len(joined.Unwrap()) != 2 {
		t.Errorf("len(joined.Unwrap()) != 2: WaitAll: %v", err)
	} else if !errors.Is(err, boom) {
		t.Errorf("!errors.Is(err, boom): WaitAll: %v", err)
	} else if !errors.Is(err, other.Err()) {
		t.Errorf("!errors.Is(err, other.Err()): WaitAll: %v", err)
	}
	if err := tr.WaitAll(); err != nil {
		t.Errorf("a second WaitAll: %v", err)
	}
}

// TestEarlyErrorsAreTold checks that a tracker with many jobs drops finished jobs, but never a job
// that failed, because its error would be lost.
func TestEarlyErrorsAreTold(t *testing.T) {
	boom := errors.New("boom")
	runPools(t, func(t *testing.T, p *jobs.Pool) {
		var tr Tracker
		write := access(nil, []int{1}, nil)
		for i := range 1000 {
			h := p.Schedule(jobs.Func(func(*jobs.Task) {
				if i == 0 {
					panic(boom)
				}
			}))
			tr.Add(write, h)
			if err := h.Wait(); (err != nil) != (i == 0) { // done before the next job is scheduled
				t.Fatalf("job %d: %v", i, err)
			}
		}
		if n := len(tr.liveHandles); n > 200 {
			t.Errorf("%d jobs of 1000 are kept", n)
		}
		if err := tr.WaitAll(); !errors.Is(err, boom) {
			t.Errorf("the tracker tells %v", err)
		}
	})
}

// TestGoexitIsTracked checks a job that ends its goroutine. The job must fail like a job that panics,
// and the jobs ordered after it must carry its error.
func TestGoexitIsTracked(t *testing.T) {
	runPools(t, func(t *testing.T, p *jobs.Pool) {
		var tr Tracker
		write := access(nil, []int{1}, nil)
		var last jobs.Handle
		for _, j := range []jobs.Job{&nothing{}, &namedJob{func(*jobs.Task) { runtime.Goexit() }, "quitter"}, &nothing{}} {
			last = p.Schedule(j, tr.Before(write, nil)...)
			tr.Add(write, last)
		}
		for _, err := range []error{tr.WaitFor(write), last.Err(), tr.WaitAll()} {
			var exited *jobs.ExitError
			if !errors.As(err, &exited) {
				t.Errorf("!errors.As(err, &exited): %v", err)
			} else if exited.Job != "quitter" {
				t.Errorf("exited.Job is %v, want %q: %v", exited.Job, "quitter", err)
			}
		}
	})
}

func TestSetRefuses(t *testing.T) {
	defer func() {
		if v := recover(); v != "access: Set.Add: i is -1" {
			t.Errorf("panics with %v", v)
		}
	}()
	new(Set).Add(-1)
}

func TestSetModel(t *testing.T) {
	for seed := range uint64(200) {
		rng := newRand(seed)
		var a, b, c Set
		inA, inB := randomSet(rng, &a, 12), randomSet(rng, &b, 12)
		if !slices.IsSorted(inA) {
			t.Fatalf("!slices.IsSorted(inA): %v: length %d", inA, a.Len())
		} else if a.Len() != len(inA) {
			t.Fatalf("a.Len() != len(inA): %v: length %d", inA, a.Len())
		} else if a.Empty() != (len(inA) == 0) {
			t.Fatalf("a.Empty() != (len(inA) == 0): %v: length %d", inA, a.Len())
		}
		meets, covers := false, true
		for _, id := range inB {
			meets = meets || slices.Contains(inA, id)
			covers = covers && slices.Contains(inA, id)
		}
		if a.Meets(&b) != meets {
			t.Fatalf("a.Meets(&b) != meets: %v and %v: meets %v, covers %v", inA, inB, a.Meets(&b), a.Covers(&b))
		} else if b.Meets(&a) != meets {
			t.Fatalf("b.Meets(&a) != meets: %v and %v: meets %v, covers %v", inA, inB, a.Meets(&b), a.Covers(&b))
		} else if a.Covers(&b) != covers {
			t.Fatalf("a.Covers(&b) != covers: %v and %v: meets %v, covers %v", inA, inB, a.Meets(&b), a.Covers(&b))
		}
		c.Assign(&a)
		c.Union(&b)
		for id := range 320 {
			if c.Has(id) != (slices.Contains(inA, id) || slices.Contains(inB, id)) {
				t.Fatalf("%v and %v: %d in the union: %v", inA, inB, id, c.Has(id))
			}
		}
		for _, id := range inB {
			c.Remove(id)
			if c.Has(id) {
				t.Fatalf("%d was not removed", id)
			}
		}
		if c.Meets(&b) {
			t.Fatalf("the rest: c.Meets(&b)")
		} else if !a.Covers(&c) {
			t.Fatalf("the rest: !a.Covers(&c)")
		}
		c.Clear()
		c.Add(0)
		c.Remove(-1)
		if c.Len() != 1 {
			t.Fatalf("Clear, or negative numbers: c.Len() != 1")
		} else if c.Has(-1) {
			t.Fatalf("Clear, or negative numbers: c.Has(-1)")
		} else if c.Has(-1000) {
			t.Fatalf("Clear, or negative numbers: c.Has(-1000)")
		}
	}
}

// orderMatters reports whether the order of two jobs matters. It matters if one of the two jobs writes
// data that the other touches, in an archetype that both touch.
func orderMatters(a, b *Access) bool {
	return (a.Write.Meets(&b.Write) || a.Write.Meets(&b.Read) || a.Read.Meets(&b.Write)) &&
		(a.Where.Empty() || b.Where.Empty() || a.Where.Meets(&b.Where))
}

func TestConflictIsFound(t *testing.T) {
	for _, level := range []jobs.Level{jobs.Check, jobs.Off, jobs.Panic} {
		p := jobs.New(jobs.Workers(3), jobs.Safety(level))
		body, release := newHeldJob()
		var tr Tracker
		write := access(nil, []int{3}, nil)
		first := p.Schedule(&namedJob{Func: body, name: "first"})
		if err := tr.AddOrdered(write, first); err != nil {
			t.Error(err)
		}
		behind := p.Schedule(&nothing{}, p.Schedule(&nothing{}, first))
		if err := tr.AddOrdered(write, behind); err != nil {
			t.Errorf("level %d: ordered through a third job: %v", level, err)
		}
		apart := p.Schedule(&namedJob{Func: func(*jobs.Task) {}, name: "apart"}, first)
		elsewhere := access([]int{3}, nil, []int{9})
		err, thrown := error(nil), any(nil)
		func() {
			defer func() { thrown = recover() }()
			err = tr.AddOrdered(elsewhere, apart)
		}()
		if level == jobs.Panic {
			err, _ = thrown.(error)
		}
		var ce *ConflictError
		if level == jobs.Off {
			if err != nil {
				t.Errorf("err is %v, want nil; thrown is %v", err, thrown)
			} else if thrown != nil {
				t.Errorf("thrown is %v, want nil; err is %v", thrown, err)
			}
		} else if !errors.As(err, &ce) {
			t.Errorf("!errors.As(err, &ce): level %d: %v", level, err)
		} else if ce.Job != "apart" {
			t.Errorf("ce.Job is %v, want %q: level %d: %v", ce.Job, "apart", level, err)
		} else if ce.Component != 3 {
			t.Errorf("ce.Component is %v, want 3: level %d: %v", ce.Component, level, err)
		} else if !strings.Contains(ce.Error(), "nothing orders them") {
			t.Errorf("!strings.Contains(ce.Error(), \"nothing orders them\"): level %d: %v", level, err)
		}
		release()
		if err := tr.WaitAll(); err != nil {
			t.Error(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
