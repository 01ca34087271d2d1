package system

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// In guard builds, a job that a system schedules and forgets is found.
func TestForgottenHandle(t *testing.T) {
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 1))) // nothing runs before a wait
	spawnAlphas(b.w, 1)
	p, in := b.add("")
	ran := 0
	count := chunkFunc(func(*ecs.Chunk) { ran++ })
	p.update = func(f *Frame) error {
		f.Query(ecs.Write[alpha](), ecs.Read[beta]()).ParallelFor(count)
		return nil
	}
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	err := Update(b.w)
	if !guard {
		if err != nil || ran != 1 {
			t.Errorf("%v, %d runs", err, ran)
		}
	} else {
		if !errors.Is(err, ecs.ErrState) || ran != 1 {
			t.Fatalf("error %v, %d runs", err, ran)
		}
		for _, part := range []string{in.uniqueName + ": Update: ", "job " + in.uniqueName + ": system.chunkFunc was scheduled and forgotten", "reads github.com/lanewise/lanewise/ecs/system.beta and writes github.com/lanewise/lanewise/ecs/system.alpha;"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("error %q does not say %q", err, part)
			}
		}
	}
	// A job is not forgotten if its handle is returned to the frame, or if another job of the
	// system waits for it.
	p.update = func(f *Frame) error {
		q := f.Query(ecs.Write[alpha](), ecs.Read[beta]())
		h := q.ParallelFor(count)
		f.Schedule(jobs.Func(func(*jobs.Task) { ran++ }), nil, jobs.Combine(h))
		return f.Track(q.ParallelFor(count), q.Access())
	}
	b.ok(Update(b.w))
	b.ok(in.Update()) // outside of a frame too
	b.ok(b.w.Sync())
	if ran != 7 {
		t.Errorf("%d runs, want 7", ran)
	}
}

// Track names both systems of a conflict.
func TestTrackConflict(t *testing.T) {
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 1)))
	spawnAlphas(b.w, 1)
	first, _ := b.add("first")
	var written jobs.Handle
	first.update = func(f *Frame) error {
		written = f.ParallelFor(f.Query(ecs.Write[alpha]()), chunkFunc(func(*ecs.Chunk) {}))
		return nil
	}
	second, in := b.add("second")
	ordered := false
	second.update = func(f *Frame) error {
		var after []jobs.Handle
		if ordered {
			after = append(after, written)
		}
		return f.Track(f.World().Pool().Schedule(jobs.Func(func(*jobs.Task) {}), after...), f.Access(ecs.Read[alpha]()))
	}
	b.ok(GetOrCreate[Simulation](b.w).Add(first, second))
	err := Update(b.w)
	var conflict *access.ConflictError
	if !errors.As(err, &conflict) || !errors.Is(err, ecs.ErrState) {
		t.Fatalf("error %v, want a conflict of category ErrState", err)
	}
	if index := regexp.MustCompile(`component -?\d`); index.MatchString(err.Error()) || index.MatchString(conflict.Error()) {
		t.Errorf("error %q, conflict %q: what is touched has a name", err, conflict)
	}
	for _, part := range []string{in.uniqueName + ": Track: ", " and github.com/lanewise/lanewise/ecs/system.probe: system.chunkFunc both touch github.com/lanewise/lanewise/ecs/system.alpha, and nothing orders them"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	ordered = true
	b.ok(Update(b.w))
	ordered, err = false, b.w.Scheduler().TrackOrdered(new(access.Access), jobs.Handle{})
	b.ok(err)
	first.update = func(f *Frame) error {
		h := f.World().Pool().Schedule(jobs.Func(func(*jobs.Task) {}))
		b.ok(f.World().Scheduler().TrackOrdered(f.Access(ecs.Write[alpha]()), h))
		other := f.World().Pool().Schedule(jobs.Func(func(*jobs.Task) {}))
		return f.World().Scheduler().TrackOrdered(f.Access(ecs.Write[alpha]()), other)
	}
	second.update = func(f *Frame) error {
		return f.Track(f.World().Pool().Schedule(jobs.Func(func(*jobs.Task) {})), nil)
	}
	err = Update(b.w)
	if !errors.Is(err, ecs.ErrState) || !errors.As(err, &conflict) || conflict.Name != "github.com/lanewise/lanewise/ecs/system.alpha" {
		t.Errorf("TrackOrdered: error %v, want a conflict of category ErrState over alpha", err)
	}
}

// TestTrackAfterNothing records frames in which a call of Track follows a job over an empty query, or a
// call that panics. The recording must contain a separate job with the access of the tracked job.
func TestTrackAfterNothing(t *testing.T) {
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, 1)))
	p, in := b.add("p")
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	Measure(b.w, true)
	for name, nothing := range map[string]func(f *Frame){
		"empty query": func(f *Frame) { f.ParallelFor(f.Query(ecs.Read[alpha]()), chunkFunc(func(*ecs.Chunk) {})) },
		"panic": func(f *Frame) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f.ParallelRange(jobs.RangeFunc(func(*jobs.Task, int, int) {}), -1, 0, nil)
		},
	} {
		var tracked *access.Access
		p.update = func(f *Frame) error {
			nothing(f)
			tracked = f.Access(ecs.Write[alpha]())
			return f.Track(f.World().Pool().Schedule(jobs.Func(func(*jobs.Task) {})), tracked)
		}
		b.ok(Update(b.w))
		m := &in.timer.(*timing).measure.graphs
		var accesses []*access.Access
		for _, n := range m.ring[(m.count-1)%len(m.ring)].nodes {
			if n.job && n.in == in {
				accesses = append(accesses, n.access)
			}
		}
		if len(accesses) != 2 || accesses[0] != nil || accesses[1] != tracked {
			t.Errorf("%s: the accesses of the recorded jobs are %v, want none and that of the tracked job", name, accesses)
		}
	}
}
