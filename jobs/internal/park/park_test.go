package park

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// parkers are both ways to sleep.
func parkers(t *testing.T, f func(t *testing.T, make func() Parker)) {
	t.Run("chan", func(t *testing.T) { f(t, NewChan) })
	t.Run("futex", func(t *testing.T) { f(t, NewFutex) })
}

func TestParker(t *testing.T) {
	parkers(t, func(t *testing.T, make func() Parker) {
		p := make()
		for range 3 {
			p.Unpark()
			p.Unpark() // of two tokens one is kept
			p.Park(0)
			p.Unpark()
			p.Park(time.Hour)
			p.Park(time.Microsecond)
		}
		// Two hand a token to and fro.
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

// counted is a Parker that counts calls.
type counted struct{ parks, unparks atomic.Int32 }

func (c *counted) Park(time.Duration) { c.parks.Add(1) }
func (c *counted) Unpark()            { c.unparks.Add(1) }
func (c *counted) Yields() bool       { return false }

// lot is a lot of n workers whose wake-ups are counted.
func lot(n int, hook func(string)) (*Lot, []*counted) {
	l, list := new(Lot), make([]*counted, n)
	l.Init(n, hook)
	for i := range list {
		list[i] = new(counted)
		l.Seat(i, list[i])
	}
	return l, list
}

// The lowest worker is woken first, each once, and only if it is marked.
func TestLot(t *testing.T) {
	for _, n := range []int{2, 64, 65, 130} {
		calls := 0
		l, list := lot(n, func(string) { calls++ })
		if l.WakeOne() || l.Wake(n-1) || l.Unmark(0) || l.Marked(n-1) || l.Count() != 0 {
			t.Error("a worker was woken that does not sleep")
		}
		for i := 1; i < n; i++ {
			l.Mark(i)
		}
		if l.Count() != n-1 || !l.Marked(n-1) || l.Marked(0) {
			t.Errorf("%d of %d are marked", l.Count(), n)
		}
		for i := 1; i < n; i++ {
			if !l.WakeOne() || list[i].unparks.Load() != 1 || l.Marked(i) {
				t.Fatalf("worker %d was called %d times", i, list[i].unparks.Load())
			}
		}
		if l.WakeOne() || l.Count() != 0 || int(l.Wakes()) != n-1 || calls != n-1 {
			t.Errorf("%d are marked, %d were woken, the hook was called %d times", l.Count(), l.Wakes(), calls)
		}
		if l.Awoken(1) <= 0 || l.Awoken(1) != 0 {
			t.Error("a call counts once")
		}
		// A call that was not looked at is not taken for one of the next sleep, which
		// would seem to have come late.
		l.Mark(1)
		l.Wake(1)
		if l.Mark(1); l.Awoken(1) != 0 {
			t.Error("an old call is still there")
		}
	}
}

// However many mark and wake at a time, each mark is taken by one.
func TestLotIsShared(t *testing.T) {
	l, list := lot(3, nil)
	var wg sync.WaitGroup
	var own atomic.Int32
	for i := 1; i < 3; i++ {
		wg.Go(func() {
			for range 2000 {
				if l.Mark(i); l.Unmark(i) {
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
				l.WakeOne()
			}
		}
	})
	wg.Wait()
	close(over)
	waker.Wait()
	if got := int(own.Load()) + int(l.Wakes()); got != 4000 || l.Count() != 0 {
		t.Errorf("%d marks were taken, %d are left", got, l.Count())
	}
}

// No worker is woken for little work, one or two for much, and fewer while others search.
func TestWakeFor(t *testing.T) {
	l, _ := lot(8, nil)
	for i := 1; i < 8; i++ {
		l.Mark(i)
	}
	woken := func(f func()) int {
		before := l.Wakes()
		f()
		return int(l.Wakes() - before)
	}
	l.Cost.call.Store(1000)
	l.Cost.latency.Store(4000)
	worth := l.Cost.Worth()
	if worth != 10_000 {
		t.Fatalf("worth %d", worth)
	}
	for _, c := range []struct {
		n    int
		ns   int64
		want int
	}{{1, worth - 1, 0}, {1, worth, 1}, {5, 1 << 40, 2}, {5, -1, 2}, {0, 1 << 40, 0}} {
		l.Cost.owedAt.Store(-int64(time.Hour)) // nothing came shortly before
		l.Cost.call.Store(1000)
		l.Cost.latency.Store(4000)
		if got := woken(func() { l.WakeFor(c.n, c.ns) }); got != c.want {
			t.Errorf("%d pieces of %d ns: %d were woken, want %d", c.n, c.ns, got, c.want)
		}
	}
	if l.Search(2); l.Searching() != 2 || l.Free(3) != 1 || !l.WakeFor(2, 1<<40) {
		t.Errorf("%d search, %d of 3 are to be woken", l.Searching(), l.Free(3))
	}
	if n := woken(func() { l.WakeFor(2, -1); l.Relay(-1) }); n != 0 {
		t.Errorf("%d were woken while two search", n)
	}
	l.Search(-2)
	l.Cost.call.Store(1000)
	l.Cost.latency.Store(4000)
	if n := woken(func() { l.Relay(worth - 1); l.Relay(worth); l.Cost.call.Store(1000); l.Relay(-1) }); n != 2 {
		t.Errorf("%d were woken, want 2", n)
	}
}

// Small pieces of work that follow each other are together worth waking a worker.
func TestOwe(t *testing.T) {
	var c Cost
	c.init()
	c.latency.Store(2 * int64(guessedLatency))
	c.owedAt.Store(-int64(time.Hour))
	c.call.Store(1000)
	if c.WorthWaking(100) {
		t.Error("the first piece")
	}
	if l := c.latency.Load(); l >= 2*int64(guessedLatency) || l < int64(guessedLatency) {
		t.Errorf("a high latency is forgotten slowly: %d", l)
	}
	c.latency.Store(int64(guessedLatency))
	c.owedAt.Store(int64(clock() + time.Hour)) // just now
	c.owed.Store(c.Worth() - 200)
	if c.WorthWaking(100) {
		t.Error("not enough yet")
	}
	c.owedAt.Store(int64(clock() + time.Hour))
	if !c.WorthWaking(c.Worth()-1) || c.owed.Load() != 0 {
		t.Error("enough together")
	}
	if !c.WorthWaking(-1) || c.Useful(7, -1) != 7 || c.Useful(7, 2*1001) != 2 || c.Useful(1, 1<<40) != 1 {
		t.Error("how many are useful")
	}
	smooth(&c.call, time.Hour)
	if got := c.call.Load(); got != 1000+3000/8 {
		t.Errorf("one outlier moves the average to %d", got)
	}
}

func TestCrowdedMachineSpinsLess(t *testing.T) {

	var p Machine

	p.Fix(4)
	p.Look() // does nothing then
	limit := 64 * time.Microsecond
	if got := p.Awake(limit); got != limit {
		t.Errorf("quiet: %v", got)
	}
	p.Notice(LostGap, LostGap)
	if got := p.Awake(limit); got != limit {
		t.Errorf("nothing was too long: %v", got)
	}
	// Time is turned on by hand: far ahead nothing is old, however slow this is.
	signs := func(n int) {
		for range n {
			p.Notice(time.Millisecond, LostGap)
		}
	}
	later := func(d time.Duration) { p.signAt.Store(int64(clock() - d)) }
	signs(1)
	later(-time.Hour)
	if got := p.Awake(limit); got != limit/2 {
		t.Errorf("one sign: %v", got)
	}
	signs(10)
	later(-time.Hour)
	if got := p.Awake(limit); got != limit>>MaxSigns {
		t.Errorf("crowded: %v", got)
	}
	later(MaxSigns * CalmTime)
	if got := p.Awake(limit); got != limit {
		t.Errorf("quiet again: %v", got)
	}
	signs(2)
	later(CalmTime)
	p.Awake(limit)
	if got := p.signs.Load(); got > 1 {
		t.Errorf("%d signs of 2 are left", got)
	}
}

// On one processor no worker stays awake, and it is looked up how many there are.
func TestProcessors(t *testing.T) {
	var m Machine
	if m.Look(); m.processors.Load() < 1 {
		t.Errorf("%d processors", m.processors.Load())
	}
	m.Fix(1)
	if m.Awake(time.Hour) != 0 {
		t.Error("awake on the only processor")
	}
	m.Fix(2)
	if m.Crowd(3); m.Awake(time.Second) != time.Second/8 {
		t.Errorf("three signs: %v", m.Awake(time.Second))
	}
}

func TestWaiters(t *testing.T) {
	var w Waiters[string]
	a, b, c := new(counted), new(counted), new(counted)
	w.Add(a, "x", false)
	w.Add(b, "y", true)
	w.Add(c, "x", true)
	w.Add(a, "z", true) // a worker may wait for two things
	want := func(what string, counts ...int32) {
		t.Helper()
		for i, p := range []*counted{a, b, c} {
			if got := p.unparks.Swap(0); got != counts[i] {
				t.Errorf("%s: waiter %d was woken %d times, want %d", what, i, got, counts[i])
			}
		}
	}
	if w.Count() != 4 || w.Inside() != 3 || !w.Has("y") || w.Has("") {
		t.Errorf("%d wait, %d of them inside", w.Count(), w.Inside())
	}
	w.WakeFor("x")
	want("x", 1, 0, 1)
	w.WakeInside()
	want("inside", 1, 1, 1)
	w.WakeAll()
	want("all", 2, 1, 1)
	w.Remove(a, "z")
	w.Remove(b, "y")
	if w.Count() != 2 || w.Inside() != 1 || w.Has("y") || w.Has("z") {
		t.Errorf("%d wait, %d of them inside", w.Count(), w.Inside())
	}
	w.Remove(a, "x")
	w.Remove(c, "x")
	if w.WakeAll(); w.Count() != 0 || w.Inside() != 0 {
		t.Errorf("%d wait, %d of them inside", w.Count(), w.Inside())
	}
	want("none", 0, 0, 0)
}
