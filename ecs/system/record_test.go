package system

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// shown is a world of one system with jobs. shown counts the ends of its frames.
type shown struct {
	*bench
	in             *Instance
	q              *ecs.Query
	timed, skipped int
	turns          int // of the last frame
	update         func(f *Frame) error
}

func newShown(t *testing.T, workers int) *shown {
	b := newBench(t)
	b.w = ecs.NewWorld("", ecs.OnPool(newPool(t, workers)))
	s := &shown{bench: b}
	spawnAlphas(b.w, 10)
	p := &probe{log: &b.log, require: func(u *Setup) { s.q = u.Query(ecs.Write[alpha]()) }}
	s.update = func(f *Frame) error {
		f.ParallelFor(s.q, chunkFunc(func(*ecs.Chunk) {}))
		return nil
	}
	p.update = func(f *Frame) error { return s.update(f) }
	s.in = b.adopt(p)
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	OnFrameEnd(b.w, func(x *FrameEnd) {
		if s.turns = len(x.Turns); x.Timed {
			s.timed++
		} else {
			s.skipped++
		}
	})
	return s
}

// runFrames runs n frames, and returns the number of those that were timed.
func (s *shown) runFrames(n int) int {
	s.Helper()
	before := s.timed
	for range n {
		s.ok(Update(s.w))
	}
	return s.timed - before
}

// TestRecordShare checks that whole frames are not measured if their measurement would cost more than
// the share of the time. All reported numbers must be about the measured frames.
func TestRecordShare(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		s := newShown(t, workers)
		stop := RecordTimes(s.w, 1e-9) // times the first frame, and then none for hours
		if n := s.runFrames(10); n != 1 || s.skipped != 9 || s.turns != 0 {
			t.Fatalf("%d workers: %d frames of 10 are timed, %d turns", workers, n, s.turns)
		}
		r := attachmentOf(s.w)
		if r.poolMetered || s.in.timing().jobCount != 1 || s.in.timing().updates != 1 || r.nextTimed < now()+time.Minute {
			t.Errorf("%d workers: %d jobs in %d updates", workers, s.in.timing().jobCount, s.in.timing().updates)
		}
		r.nextTimed = now() // as if the time had passed
		if n := s.runFrames(1); n != 1 || s.turns < 2 || !r.poolMetered {
			t.Errorf("%d workers: %d, %d turns", workers, n, s.turns)
		}
		list := s.in.AppendSamples(nil, 0)
		if len(list) != 2 || list[0].Frame != 1 || list[1].Frame != 11 || list[1].Jobs != 1 || list[1].Updates != 1 || list[1].Work <= 0 || list[1].Work > list[1].Span*time.Duration(workers+1) {
			t.Errorf("%d workers: samples %+v", workers, list)
		}
		if list = s.in.AppendSamples(nil, 5); len(list) != 1 {
			t.Errorf("samples since frame 5: %+v", list)
		}
		if x := Explain(s.w); x.Frames != 2 || x.Order[len(x.Order)-1].Jobs != 1 || x.Order[len(x.Order)-1].Updates != 1 {
			t.Errorf("%d workers: %d frames, %+v", workers, x.Frames, x.Order)
		}
		// If a system waits in a skipped frame, the wait is not charged to the system, and all waits in
		// measured frames are still counted.
		s.update = func(f *Frame) error {
			f.ParallelFor(s.q, chunkFunc(func(*ecs.Chunk) {}))
			f.Schedule(jobs.Func(func(*jobs.Task) {}), nil)
			f.ParallelRange(jobs.RangeFunc(func(*jobs.Task, int, int) {}), 10, 1, nil)
			f.Wait()
			f.World().Spawn(gamma{})
			return nil
		}
		if n := s.runFrames(3); n != 0 || s.in.timing().syncWaits.count != 0 || s.in.timing().jobWaits.count != 0 || len(s.in.AppendSamples(nil, 0)) != 2 {
			t.Errorf("%d workers: %+v", workers, *s.in.timing())
		}
		// While a recorder with share 1 exists, or while Measure is on, every frame is measured.
		again := RecordTimes(s.w, 1)
		if n := s.runFrames(3); n != 3 {
			t.Errorf("%d of 3 frames with a share of 1", n)
		}
		again()
		if n := s.runFrames(3); n != 1 { // again only the first one
			t.Errorf("%d of 3 frames", n)
		}
		Measure(s.w, true)
		if n := s.runFrames(3); n != 3 || Explain(s.w).Frames != 3 {
			t.Errorf("%d of 3 frames with Measure", n)
		}
		stop()
		if n := s.runFrames(3); n != 0 || Explain(s.w).Frames != 6 || !r.poolMetered {
			t.Errorf("%d of 3 frames are recorded, %d measured", n, Explain(s.w).Frames)
		}
		Measure(s.w, false)
		if r.poolMetered {
			t.Error("the pool is metered for nothing")
		}
		s.ok(s.w.Close())
	}
}

// TestRecordOften checks that as many frames are measured as the share allows, and also each frame that
// a tool requests with TimeNextFrame.
func TestRecordOften(t *testing.T) {
	s := newShown(t, 2)
	defer RecordTimes(s.w, 0.5)()
	const d = 20 * time.Millisecond // taking times costs far less than half of that
	s.update = func(*Frame) error { time.Sleep(d); return nil }
	if n := s.runFrames(5); n < 4 { // fewer only if the machine was stopped while the cost was measured
		t.Errorf("%d of 5 long frames", n)
	}
	s.update = func(*Frame) error { return nil }
	r := attachmentOf(s.w)
	r.share = 1e-9
	s.runFrames(1)
	end := OnFrameEnd(s.w, func(x *FrameEnd) { TimeNextFrame(x.World) })
	if n := s.runFrames(6); n != 5 { // the first was decided before
		t.Errorf("%d of 6 frames that were asked for", n)
	}
	end()
	if s.runFrames(1); s.runFrames(5) != 0 {
		t.Error("times are taken that are not asked for any more")
	}
}

// TestRecordHistory checks that the ring contains the last measured frames. The last measured frames
// are older than the last frames.
func TestRecordHistory(t *testing.T) {
	s := newShown(t, 2)
	defer RecordTimes(s.w, 1e-9)()
	for range HistoryLen + 10 {
		attachmentOf(s.w).nextTimed = 0
		s.runFrames(2)
	}
	list := s.in.AppendSamples(nil, 0)
	if len(list) != HistoryLen || list[0].Frame != 21 || list[HistoryLen-1].Frame != 2*HistoryLen+19 {
		t.Fatalf("%d samples, from frame %d to %d", len(list), list[0].Frame, list[len(list)-1].Frame)
	}
	if some := s.in.AppendSamples(nil, 2*HistoryLen+15); len(some) != 2 {
		t.Errorf("%d samples since", len(some))
	}
}

// TestRecordRefuses an invalid share.
func TestRecordRefuses(t *testing.T) {
	b := newBench(t)
	for _, share := range []float64{0, -1, math.NaN()} {
		func() {
			defer func() {
				err, _ := recover().(error)
				if !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), "1 for every frame") {
					t.Errorf("%v: %v", share, err)
				}
			}()
			RecordTimes(b.w, share)
		}()
	}
	if attachmentOf(b.w).measure != nil {
		t.Error("it records")
	}
}

// TestTimedJobs checks that the wrappers of jobs are reused, even for jobs that had nothing to do,
// and that jobs have the same names as without timing.
func TestTimedJobs(t *testing.T) {
	s := newShown(t, 2)
	names := map[string]bool{}
	s.update = func(f *Frame) error {
		never := s.q.World().Query(ecs.Write[delta]())
		for range 3 {
			f.ParallelFor(never, chunkFunc(func(*ecs.Chunk) {}))
		}
		f.ParallelFor(s.q, chunkFunc(func(*ecs.Chunk) {}))
		return nil
	}
	s.w.Pool().Profile().Record(64)
	defer s.w.Pool().Profile().Record(0)
	look := func() {
		for _, e := range s.w.Pool().Profile().AppendEvents(nil, 0) {
			if e.Name != "" {
				names[e.Name] = true
			}
		}
	}
	s.runFrames(3)
	look()
	Measure(s.w, true)
	s.runFrames(20)
	look()
	if n := len(s.in.timing().wrappers); n != 4 {
		t.Errorf("20 frames of four jobs have made %d", n)
	}
	if len(names) != 1 {
		t.Errorf("names %v", names)
	}
	if got := s.in.timing().jobNames; !slices.Equal(got, []string{s.in.uniqueName + ": system.chunkFunc"}) {
		t.Errorf("names %q", got)
	}
}

// TestMeasuredAllocates: a timed frame allocates nothing for its jobs.
func TestMeasuredAllocates(t *testing.T) {
	s := newShown(t, 1)
	job := chunkFunc(func(*ecs.Chunk) {})
	s.update = func(f *Frame) error {
		f.ParallelFor(s.q, job)
		return nil
	}
	s.runFrames(10)
	unseen := testing.AllocsPerRun(50, func() { _ = Update(s.w) })
	defer RecordTimes(s.w, 1)()
	s.runFrames(10)
	if n := testing.AllocsPerRun(50, func() { _ = Update(s.w) }); n > unseen && !raceEnabled && !guard {
		t.Errorf("%v allocations a frame, %v unmeasured", n, unseen)
	}
}

// TestClosedWhileMeasured checks that the pool stops measuring its jobs when a measured world is
// closed.
func TestClosedWhileMeasured(t *testing.T) {
	s := newShown(t, 2)
	Measure(s.w, true)
	s.runFrames(2)
	r := attachmentOf(s.w)
	s.ok(s.w.Close())
	if r.poolMetered {
		t.Error("a closed world has its pool metered")
	}
}

// TestRecordUnwatched checks that the turns of a frame are discarded if no function watches the ends of
// frames.
func TestRecordUnwatched(t *testing.T) {
	b := newBench(t)
	p, in := b.add("a")
	b.ok(GetOrCreate[Simulation](b.w).Add(p))
	defer RecordTimes(b.w, 1)()
	for range 10 {
		b.ok(Update(b.w))
	}
	if n := len(in.AppendSamples(nil, 0)); n != 10 {
		t.Errorf("%d samples of 10 frames", n)
	}
	r := attachmentOf(b.w)
	if n := len(r.frameEnds.turns); n != 0 {
		t.Errorf("%d turns of frames that are over", n)
	}
	var shown [][]Turn
	OnFrameEnd(b.w, func(x *FrameEnd) { shown = append(shown, slices.Clone(x.Turns)) })
	b.ok(Update(b.w))
	if len(shown) != 1 || len(shown[0]) == 0 || slices.ContainsFunc(shown[0], func(t Turn) bool { return t.Start < r.frameStart }) {
		t.Errorf("the first end of a frame that is watched shows %+v of a frame that began at %v", shown, r.frameStart)
	}
}

// TestRecordTinyShare checks that a tiny share is not treated as an unlimited share, for example
// because of an overflow.
func TestRecordTinyShare(t *testing.T) {
	for _, share := range []float64{1e-15, 1e-30, math.SmallestNonzeroFloat64} {
		s := newShown(t, 2)
		stop := RecordTimes(s.w, share)
		if n := s.runFrames(10); n != 1 {
			t.Errorf("share %v: %d frames of 10 are timed", share, n)
		}
		stop()
	}
}

// heavy is a job of any kind that counts bodies that did not return.
type heavy struct {
	_    [1 << 16]byte
	fail bool
	left int
}

func (h *heavy) Run(*jobs.Task) {
	if h.fail {
		panic("heavy")
	}
}
func (h *heavy) RunRange(*jobs.Task, int, int) { h.Run(nil) }
func (h *heavy) NotReturned(int)               { h.left++ }

// TestMeasuredJobsAreLetGo checks that the measurement does not keep a finished job alive.
func TestMeasuredJobsAreLetGo(t *testing.T) {
	s := newShown(t, 2)
	Measure(s.w, true)
	var kept []weak.Pointer[heavy]
	s.update = func(f *Frame) error {
		one, many := new(heavy), new(heavy)
		kept = append(kept, weak.Make(one), weak.Make(many))
		f.Schedule(one, nil)
		f.ParallelRange(many, 4, 1, nil)
		return nil
	}
	s.runFrames(2)
	s.update = func(*Frame) error { return nil }
	for range 200 { // a worker may hold a job a moment longer
		s.runFrames(2)
		runtime.GC()
		if !slices.ContainsFunc(kept, func(w weak.Pointer[heavy]) bool { return w.Value() != nil }) {
			return
		}
	}
	t.Error("jobs that are done are kept while Measure is on")
}

// TestMeasuredNotReturned checks that a job learns that one of its calls has panicked, with and without
// measurement.
func TestMeasuredNotReturned(t *testing.T) {
	for _, on := range []bool{false, true} {
		s := newShown(t, 2)
		Measure(s.w, on)
		one, many := &heavy{fail: true}, &heavy{fail: true}
		s.update = func(f *Frame) error {
			f.Schedule(one, nil)
			f.ParallelRange(many, 1, 1, nil)
			return nil
		}
		if err := Update(s.w); err == nil {
			t.Error("no error")
		}
		if one.left != 1 || many.left != 1 {
			t.Errorf("measured %v: told %d and %d times", on, one.left, many.left)
		}
	}
}
