package park

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// runParkers runs a test with both Parkers.
func runParkers(t *testing.T, f func(t *testing.T, make func() Parker)) {
	t.Run("chan", func(t *testing.T) { f(t, NewChan) })
	t.Run("futex", func(t *testing.T) { f(t, NewFutex) })
}

func TestParker(t *testing.T) {
	runParkers(t, func(t *testing.T, make func() Parker) {
		p := make()
		for range 3 {
			p.Unpark()
			p.Unpark() // of two tokens only one is kept
			p.Park(0)
			p.Unpark()
			p.Park(time.Hour)
			p.Park(time.Microsecond)
		}
		// Two goroutines pass a token back and forth.
		q, turns := make(), 0
		var wg sync.WaitGroup
		wg.Go(func() {
			for range 1000 {
				p.Park(0)
				turns++
				q.Unpark()
			}
		})
		for i := range 1000 {
			p.Unpark()
			if q.Park(0); turns != i+1 {
				t.Fatalf("%d turns, want %d", turns, i+1)
			}
		}
		wg.Wait()
	})
	if !NewChan().Yields() {
		t.Error("a worker that is woken by a channel needs the waker's processor")
	}
	if _, isChan := NewFutex().(*chanParker); NewFutex().Yields() != isChan {
		t.Error("a worker that is woken by a futex needs no processor of the waker")
	}
}

// countedParker is a Parker that counts calls.
type countedParker struct{ parks, unparks atomic.Int32 }

func (c *countedParker) Park(time.Duration) { c.parks.Add(1) }
func (c *countedParker) Unpark()            { c.unparks.Add(1) }
func (c *countedParker) Yields() bool       { return false }

// newSleepers returns n workers whose wake-ups are counted.
func newSleepers(n int, hook func(string)) (*Sleepers, []*countedParker) {
	s, list := new(Sleepers), make([]*countedParker, n)
	s.Init(n, hook)
	for i := range list {
		list[i] = new(countedParker)
		s.SetParker(i, list[i])
	}
	return s, list
}

// TestSleepers checks that the lowest marked worker is woken first, and each worker once per mark.
func TestSleepers(t *testing.T) {
	for _, n := range []int{2, 64, 65, 130} {
		calls := 0
		s, list := newSleepers(n, func(string) { calls++ })
		if s.WakeOne() {
			t.Errorf("a worker was woken that does not sleep: s.WakeOne()")
		} else if s.Wake(n - 1) {
			t.Errorf("a worker was woken that does not sleep: s.Wake(n-1)")
		} else if s.Unmark(0) {
			t.Errorf("a worker was woken that does not sleep: s.Unmark(0)")
		} else if s.Marked(n - 1) {
			t.Errorf("a worker was woken that does not sleep: s.Marked(n-1)")
		} else if s.Count() != 0 {
			t.Errorf("a worker was woken that does not sleep: s.Count() is %v, want 0", s.Count())
		}
		for i := 1; i < n; i++ {
			s.Mark(i)
		}
		if s.Count() != n-1 {
			t.Errorf("s.Count() != n-1: %d of %d are marked", s.Count(), n)
		} else if !s.Marked(n - 1) {
			t.Errorf("!s.Marked(n-1): %d of %d are marked", s.Count(), n)
		} else if s.Marked(0) {
			t.Errorf("s.Marked(0): %d of %d are marked", s.Count(), n)
		}
		for i := 1; i < n; i++ {
			if !s.WakeOne() {
				t.Fatalf("!s.WakeOne(): worker %d was called %d times", i, list[i].unparks.Load())
			} else if list[i].unparks.Load() != 1 {
				t.Fatalf("list[i].unparks.Load() != 1: worker %d was called %d times", i, list[i].unparks.Load())
			} else if s.Marked(i) {
				t.Fatalf("s.Marked(i): worker %d was called %d times", i, list[i].unparks.Load())
			}
		}
		if s.WakeOne() {
			t.Errorf("s.WakeOne(): %d are marked, %d were woken, the hook was called %d times", s.Count(), s.Wakes(), calls)
		} else if s.Count() != 0 {
			t.Errorf("s.Count() != 0: %d are marked, %d were woken, the hook was called %d times", s.Count(), s.Wakes(), calls)
		} else if int(s.Wakes()) != n-1 {
			t.Errorf("int(s.Wakes()) != n-1: %d are marked, %d were woken, the hook was called %d times", s.Count(), s.Wakes(), calls)
		} else if calls != n-1 {
			t.Errorf("calls != n-1: %d are marked, %d were woken, the hook was called %d times", s.Count(), s.Wakes(), calls)
		}
		if s.RecordWakeUp(1) <= 0 {
			t.Errorf("a call counts once: s.RecordWakeUp(1) <= 0")
		} else if s.RecordWakeUp(1) != 0 {
			t.Errorf("a call counts once: s.RecordWakeUp(1) != 0")
		}
		// A call that no sleep has consumed must not count for the next sleep. Otherwise that sleep
		// would seem to have ended late.
		s.Mark(1)
		s.Wake(1)
		if s.Mark(1); s.RecordWakeUp(1) != 0 {
			t.Error("an old call is still there")
		}
	}
}

// TestSleepersAreShared checks that each mark is taken by exactly one goroutine, however many mark and
// wake at the same time.
func TestSleepersAreShared(t *testing.T) {
	s, list := newSleepers(3, nil)
	var wg sync.WaitGroup
	var own atomic.Int32
	for i := 1; i < 3; i++ {
		wg.Go(func() {
			for range 2000 {
				if s.Mark(i); s.Unmark(i) {
					own.Add(1)
				} else {
					for list[i].unparks.Load() == 0 {
					}
					list[i].unparks.Add(-1)
				}
			}
		})
	}
	over := make(chan struct{})
	var waker sync.WaitGroup
	waker.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				s.WakeOne()
			}
		}
	})
	wg.Wait()
	close(over)
	waker.Wait()
	if got := int(own.Load()) + int(s.Wakes()); got != 4000 {
		t.Errorf("got != 4000: %d marks were taken, %d are left", got, s.Count())
	} else if s.Count() != 0 {
		t.Errorf("s.Count() != 0: %d marks were taken, %d are left", got, s.Count())
	}
}

// TestWakeFor checks that little work wakes no worker, and that much work wakes one or two. If other
// workers are already searching for work, fewer workers are woken.
func TestWakeFor(t *testing.T) {
	s, _ := newSleepers(8, nil)
	for i := 1; i < 8; i++ {
		s.Mark(i)
	}
	woken := func(f func()) int {
		before := s.Wakes()
		f()
		return int(s.Wakes() - before)
	}
	s.Cost.callTime.Store(1000)
	s.Cost.latency.Store(4000)
	worth := s.Cost.Worth()
	if worth != 10_000 {
		t.Fatalf("worth %d", worth)
	}
	for _, c := range []struct {
		n    int
		ns   int64
		want int
	}{{1, worth - 1, 0}, {1, worth, 1}, {5, 1 << 40, 2}, {5, -1, 2}, {0, 1 << 40, 0}} {
		s.Cost.smallWorkAt.Store(-int64(time.Hour)) // no recent work
		s.Cost.callTime.Store(1000)
		s.Cost.latency.Store(4000)
		if got := woken(func() { s.WakeFor(c.n, c.ns) }); got != c.want {
			t.Errorf("%d pieces of %d ns: %d were woken, want %d", c.n, c.ns, got, c.want)
		}
	}
	if s.AddSearching(2); s.Searching() != 2 {
		t.Errorf("s.Searching() != 2: %d search, %d of 3 are to be woken", s.Searching(), s.WakesNeeded(3))
	} else if s.WakesNeeded(3) != 1 {
		t.Errorf("s.WakesNeeded(3) != 1: %d search, %d of 3 are to be woken", s.Searching(), s.WakesNeeded(3))
	} else if !s.WakeFor(2, 1<<40) {
		t.Errorf("!s.WakeFor(2, 1<<40): %d search, %d of 3 are to be woken", s.Searching(), s.WakesNeeded(3))
	}
	if n := woken(func() { s.WakeFor(2, -1); s.WakeForRest(-1) }); n != 0 {
		t.Errorf("%d were woken while two search", n)
	}
	s.AddSearching(-2)
	s.Cost.callTime.Store(1000)
	s.Cost.latency.Store(4000)
	if n := woken(func() { s.WakeForRest(worth - 1); s.WakeForRest(worth); s.Cost.callTime.Store(1000); s.WakeForRest(-1) }); n != 2 {
		t.Errorf("%d were woken, want 2", n)
	}
}

// TestSmallWork checks that many small pieces of work in a short time together wake a worker.
func TestSmallWork(t *testing.T) {
	var c Cost
	c.init()
	c.latency.Store(2 * int64(initialLatency))
	c.smallWorkAt.Store(-int64(time.Hour))
	c.callTime.Store(1000)
	if c.WorthWaking(100) {
		t.Error("the first piece")
	}
	if l := c.latency.Load(); l >= 2*int64(initialLatency) {
		t.Errorf("l >= 2*int64(guessedLatency): a high latency is forgotten slowly: %d", l)
	} else if l < int64(initialLatency) {
		t.Errorf("l < int64(guessedLatency): a high latency is forgotten slowly: %d", l)
	}
	c.latency.Store(int64(initialLatency))
	c.smallWorkAt.Store(int64(clock() + time.Hour)) // just now
	c.smallWork.Store(c.Worth() - 200)
	if c.WorthWaking(100) {
		t.Error("not enough yet")
	}
	c.smallWorkAt.Store(int64(clock() + time.Hour))
	if !c.WorthWaking(c.Worth() - 1) {
		t.Errorf("enough together: !c.WorthWaking(c.Worth()-1)")
	} else if c.smallWork.Load() != 0 {
		t.Errorf("enough together: c.smallWork.Load() is %v, want 0", c.smallWork.Load())
	}
	if !c.WorthWaking(-1) {
		t.Errorf("how many are useful: !c.WorthWaking(-1)")
	} else if c.Useful(7, -1) != 7 {
		t.Errorf("how many are useful: c.Useful(7, -1) != 7")
	} else if c.Useful(7, 2*1001) != 2 {
		t.Errorf("how many are useful: c.Useful(7, 2*1001) != 2")
	} else if c.Useful(1, 1<<40) != 1 {
		t.Errorf("how many are useful: c.Useful(1, 1<<40) != 1")
	}
	updateAverage(&c.callTime, time.Hour)
	if got := c.callTime.Load(); got != 1000+3000/8 {
		t.Errorf("one outlier moves the average to %d", got)
	}
}

func TestCrowdedMachineSpinsLess(t *testing.T) {

	var p Machine

	p.FixProcessors(4)
	p.UpdateProcessors() // does nothing in this case
	limit := 64 * time.Microsecond
	if got := p.AwakeTime(limit); got != limit {
		t.Errorf("quiet: %v", got)
	}
	p.NoticeDelay(LostGap, LostGap)
	if got := p.AwakeTime(limit); got != limit {
		t.Errorf("nothing was too long: %v", got)
	}
	// The test sets the time far ahead, so that no sign expires however slow the machine is.
	signs := func(n int) {
		for range n {
			p.NoticeDelay(time.Millisecond, LostGap)
		}
	}
	later := func(d time.Duration) { p.lastSignTime.Store(int64(clock() - d)) }
	signs(1)
	later(-time.Hour)
	if got := p.AwakeTime(limit); got != limit/2 {
		t.Errorf("one sign: %v", got)
	}
	signs(10)
	later(-time.Hour)
	if got := p.AwakeTime(limit); got != limit>>MaxSigns {
		t.Errorf("crowded: %v", got)
	}
	later(MaxSigns * CalmTime)
	if got := p.AwakeTime(limit); got != limit {
		t.Errorf("quiet again: %v", got)
	}
	signs(2)
	later(CalmTime)
	p.AwakeTime(limit)
	if got := p.loadSigns.Load(); got > 1 {
		t.Errorf("%d signs of 2 are left", got)
	}
}

// TestProcessors checks that no worker stays awake on one processor, and that the number of processors
// is updated.
func TestProcessors(t *testing.T) {
	var m Machine
	if m.UpdateProcessors(); m.processors.Load() < 1 {
		t.Errorf("%d processors", m.processors.Load())
	}
	m.FixProcessors(1)
	if m.AwakeTime(time.Hour) != 0 {
		t.Error("awake on the only processor")
	}
	m.FixProcessors(2)
	if m.FixLoad(3); m.AwakeTime(time.Second) != time.Second/8 {
		t.Errorf("three signs: %v", m.AwakeTime(time.Second))
	}
}

func TestWaiters(t *testing.T) {
	var w Waiters
	a, b, c := new(countedParker), new(countedParker), new(countedParker)
	w.Add(a, Key{Job: "x"}, false)
	w.Add(b, Key{Job: "y"}, true)
	w.Add(c, Key{Job: "x"}, true)
	w.Add(a, Key{Job: "z"}, true) // a worker may wait for two keys
	want := func(what string, counts ...int32) {
		t.Helper()
		for i, p := range []*countedParker{a, b, c} {
			if got := p.unparks.Swap(0); got != counts[i] {
				t.Errorf("%s: waiter %d was woken %d times, want %d", what, i, got, counts[i])
			}
		}
	}
	if w.Count() != 4 {
		t.Errorf("w.Count() != 4: %d wait, %d of them inside", w.Count(), w.Inside())
	} else if w.Inside() != 3 {
		t.Errorf("w.Inside() != 3: %d wait, %d of them inside", w.Count(), w.Inside())
	} else if !w.Has(Key{Job: "y"}) {
		t.Errorf("!w.Has(\"y\"): %d wait, %d of them inside", w.Count(), w.Inside())
	} else if w.Has(Key{Job: ""}) {
		t.Errorf("w.Has(\"\"): %d wait, %d of them inside", w.Count(), w.Inside())
	}
	w.WakeFor(Key{Job: "x"})
	want("x", 1, 0, 1)
	w.WakeInside()
	want("inside", 1, 1, 1)
	w.WakeAll()
	want("all", 2, 1, 1)
	w.Remove(a, Key{Job: "z"})
	w.Remove(b, Key{Job: "y"})
	if w.Count() != 2 {
		t.Errorf("w.Count() != 2: %d wait, %d of them inside", w.Count(), w.Inside())
	} else if w.Inside() != 1 {
		t.Errorf("w.Inside() != 1: %d wait, %d of them inside", w.Count(), w.Inside())
	} else if w.Has(Key{Job: "y"}) {
		t.Errorf("w.Has(\"y\"): %d wait, %d of them inside", w.Count(), w.Inside())
	} else if w.Has(Key{Job: "z"}) {
		t.Errorf("w.Has(\"z\"): %d wait, %d of them inside", w.Count(), w.Inside())
	}
	w.Remove(a, Key{Job: "x"})
	w.Remove(c, Key{Job: "x"})
	if w.WakeAll(); w.Count() != 0 {
		t.Errorf("w.Count() != 0: %d wait, %d of them inside", w.Count(), w.Inside())
	} else if w.Inside() != 0 {
		t.Errorf("w.Inside() != 0: %d wait, %d of them inside", w.Count(), w.Inside())
	}
	want("none", 0, 0, 0)
}
