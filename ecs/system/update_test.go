package system

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Conformance: 264
func TestUpdateTime(t *testing.T) {
	w, s := newStepper(t)
	clk := ClockOf(w)
	Find[Simulation](w).SetRate(SimpleRate(0.5))
	for k := range 4 {
		outer := Time{Elapsed: float64(k), Delta: 1}
		clk.SetNow(outer)
		if err := Update(w); err != nil {
			t.Fatal(err)
		}
		if clk.Now() != outer {
			t.Errorf("the world's time is %v, was %v", clk.Now(), outer)
		}
	}
	if want := []Time{{Elapsed: 0, Delta: 0.5}, {Elapsed: 0.5, Delta: 0.5}, {Elapsed: 1, Delta: 0.5}, {Elapsed: 1.5, Delta: 0.5}}; !slices.Equal(s.seen, want) {
		t.Errorf("simple rate: %v, want %v", s.seen, want)
	}
	s.seen = nil
	Find[Simulation](w).SetRate(CatchUpRate(1))
	clk.MaximumDelta = 10
	clk.SetNow(Time{Elapsed: 2.5})
	if err := Update(w); err != nil {
		t.Fatal(err)
	}
	if want := []Time{{Elapsed: 0, Delta: 1}, {Elapsed: 1, Delta: 1}, {Elapsed: 2, Delta: 1}}; !slices.Equal(s.seen, want) {
		t.Errorf("catching up: %v, want %v", s.seen, want)
	}
}

func TestUpdateChecks(t *testing.T) {
	w, s := newStepper(t)
	s.then = func(f *Frame) error { return Update(f.World()) }
	if err := Update(w); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "does not update itself") {
		t.Errorf("an update in an update: %v", err)
	}
	s.then = func(f *Frame) error {
		other := make(chan error)
		go func() { other <- Update(f.World()) }()
		return <-other
	}
	if err := Update(w); !errors.Is(err, ecs.ErrState) || !strings.Contains(err.Error(), "another goroutine is updating it") || strings.Contains(err.Error(), "itself") {
		t.Errorf("an update by another goroutine: %v", err)
	}
	s.then = func(f *Frame) error { ClockOf(f.World()).Push(Time{}); return nil }
	if err := Update(w); !errors.Is(err, ecs.ErrState) || ClockOf(w).depth() != 0 {
		t.Errorf("time pushed and not popped: %v, depth %d", err, ClockOf(w).depth())
	}
	s.then = nil
	if err := Update(w); err != nil {
		t.Error(err)
	}
}

func TestUpdateEmptyWorld(t *testing.T) {
	if err := Update(ecs.NewWorld("bare")); err != nil {
		t.Error(err)
	}
}

func TestSequence(t *testing.T) {
	a := newWorld(t, Only())
	first := WorldID(a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b, c := newWorld(t, Only()), newWorld(t, Only())
	if WorldID(b) != first+1 || WorldID(c) != first+2 {
		t.Errorf("sequence numbers %d, %d, %d", first, WorldID(b), WorldID(c))
	}
}

type leavingJob struct{}

func (leavingJob) Chunk(c *ecs.Chunk) {
	if c.Index() >= 1 {
		runtime.Goexit()
	}
}

// leaving schedules three jobs: one that ends its goroutine, another such job that runs after it, and
// one that waits for the first job.
type leaving struct {
	q    *ecs.Query
	told error
}

func (s *leaving) Create(u *Setup) error { s.q = u.Query(ecs.Write[alpha]()); return nil }
func (s *leaving) Update(f *Frame) error {
	bad := f.ParallelFor(s.q, leavingJob{})
	f.Schedule(jobs.Func(func(t *jobs.Task) { s.told = t.Wait(bad) }), new(access.Access))
	f.ParallelFor(s.q, leavingJob{})
	return nil
}

// TestGoexitInAJob checks that a job that ends its goroutine, as a failed test does, causes one
// error of the frame. The error names the system and the chunk. The jobs that wait for such a
// job, and the other systems, continue. All of this must be the same for any number of workers.
func TestGoexitInAJob(t *testing.T) {
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		w := newWorld(t, Only(Of[leaving](), Of[stepper]()), OnPool(pool))
		spawnAlphas(w, 10_000)
		for frame := range 3 {
			returned := false
			runGoroutine(func() {
				err := Update(w)
				returned = true
				var exited *jobs.ExitError
				if !errors.As(err, &exited) || exited.Index != 1 || !strings.Contains(exited.Job, "leaving") {
					t.Errorf("frame %d: %v", frame, err)
				} else if n := strings.Count(err.Error(), "Goexit"); n != 1 {
					t.Errorf("frame %d: it is told %d times: %v", frame, n, err)
				}
			})
			if !returned {
				t.Errorf("frame %d: the update has not returned", frame)
			}
			if told := Find[leaving](w).told; !errors.Is(told, jobs.ErrExited) {
				t.Errorf("frame %d: the job that waited was told %v", frame, told)
			}
		}
		if len(Find[stepper](w).seen) != 3 {
			t.Error("the other system did not run")
		}
	})
}

// leaver is a system with a StopRunning.
type leaver struct {
	nothing
	stop  func(*Frame) error
	stops int
}

func (l *leaver) StopRunning(f *Frame) error {
	l.stops++
	if l.stop == nil {
		return nil
	}
	return l.stop(f)
}

// stopBoth creates two nested groups that contain first and second, lets them run once, and disables the
// outer group. stopBoth then updates the outer group again, which stops the systems, and returns the error
// of that update.
func stopBoth(b *bench, first, second *leaver) error {
	b.Helper()
	b.adopt(first)
	b.adopt(second)
	g := b.group(b.group(first, second))
	b.ok(g.instance().Update())
	g.instance().SetEnabled(false)
	return g.instance().Update()
}

// When a group stops, every member stops, and all errors are returned.
func TestStopFails(t *testing.T) {
	errFirst := errors.New("first")
	fail := func(*Frame) error { return errFirst }
	burst := func(*Frame) error { panic(errBroken) }
	for _, tt := range []struct {
		name          string
		first, second func(*Frame) error
		want          []error
	}{
		{"first fails", fail, nil, []error{errFirst}},
		{"second fails", nil, fail, []error{errFirst}},
		{"first panics", burst, nil, []error{errBroken}},
		{"both", fail, burst, []error{errFirst, errBroken}},
		{"neither", nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			first, second := &leaver{stop: tt.first}, &leaver{stop: tt.second}
			err := stopBoth(b, first, second)
			if (err != nil) != (tt.want != nil) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			for _, want := range tt.want {
				if !errors.Is(err, want) || !strings.Contains(err.Error(), "system.leaver: StopRunning: ") {
					t.Errorf("error %v does not tell of %v in StopRunning", err, want)
				}
			}
			if first.stops != 1 || second.stops != 1 || InstanceOf(b.w, first).Running() || InstanceOf(b.w, second).Running() {
				t.Errorf("the members were stopped %d and %d times, want once each", first.stops, second.stops)
			}
		})
	}
}

// Commands of StopRunning are played back member by member. The commands of a member that
// failed are not played back.
func TestStopPlaysCommands(t *testing.T) {
	spawn := func(n int, err error) func(*Frame) error {
		return func(f *Frame) error {
			for range n {
				if _, err := f.Commands().Spawn(alpha{1}); err != nil {
					return err
				}
			}
			return err
		}
	}
	b := newBench(t)
	b.ok(stopBoth(b, &leaver{stop: spawn(1, nil)}, &leaver{stop: spawn(70, nil)}))
	if b.w.Len() != 71 {
		t.Errorf("%d entities after two members have stopped, want 71", b.w.Len())
	}
	if err := stopBoth(b, &leaver{stop: spawn(3, errBroken)}, &leaver{stop: spawn(5, nil)}); !errors.Is(err, errBroken) || b.w.Len() != 76 {
		t.Errorf("%d entities after one has failed, want 76; error %v", b.w.Len(), err)
	}
	dead := b.w.Spawn(alpha{})
	b.ok(b.w.Destroy(dead))
	late := &leaver{stop: func(f *Frame) error { return ecs.Set(f.Commands(), dead, alpha{}) }}
	if err := stopBoth(b, late, &leaver{stop: spawn(1, nil)}); !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "system.leaver: post commands: ") || b.w.Len() != 77 {
		t.Errorf("%d entities, want 77; error %v", b.w.Len(), err)
	}
}
