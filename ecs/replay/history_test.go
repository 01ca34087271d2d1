package replay

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// hashesOf returns the hash of the world at tick 0 and after each of the ticks.
func hashesOf(t testing.TB, r Run, ticks uint64) []uint64 {
	list := []uint64{r.World.Hash()}
	for tick := uint64(1); tick <= ticks; tick++ {
		ok(t, r.Step(tick))
		list = append(list, r.World.Hash())
	}
	return list
}

// newHistoryOf returns a history that the test closes at its end.
func newHistoryOf(t testing.TB, r Run, opts ...HistoryOption) *History {
	h, err := NewHistory(r, opts...)
	ok(t, err)
	t.Cleanup(func() { ok(t, h.Close()) })
	return h
}

// TestHistoryGo goes to random ticks of runs in which rows are written, created and destroyed. It
// compares the hash of the world with the hash in a run that only goes forward. It uses several
// intervals of checkpoints and several limits of memory.
func TestHistoryGo(t *testing.T) {
	const ticks = 120
	for _, n := range []int{0, 1, 700, 3000} {
		plain, _, _ := newRun(t, n, 2)
		want := hashesOf(t, plain, ticks)
		for _, opts := range [][]HistoryOption{nil, {Interval(1)}, {Interval(7)}, {Interval(1000)}, {Interval(1), Memory(1)}, {Interval(2), Memory(200_000)}, {Memory(1)}} {
			r, _, _ := newRun(t, n, 2)
			h := newHistoryOf(t, r, opts...)
			draw := rand.New(rand.NewPCG(uint64(n), uint64(len(opts))))
			for range 60 {
				tick := draw.Uint64N(ticks + 1)
				if draw.IntN(4) == 0 {
					tick = min(h.Tick()+draw.Uint64N(3), ticks)
				}
				ok(t, h.Go(tick))
				if got := r.World.Hash(); h.Tick() != tick || got != want[tick] {
					t.Fatalf("%d rows, %d options: tick %d of %d: hash %016x, want %016x", n, len(opts), h.Tick(), tick, got, want[tick])
				}
			}
			if h.Ticks() != math.MaxUint64 {
				t.Errorf("a run without a recording has %d ticks", h.Ticks())
			}
		}
	}
}

// TestHistoryDue checks when a checkpoint is due by default. The first checkpoint does not delay the next one. A checkpoint
// that took unusually long for its bytes, because another program interrupted it, delays the next one by 7/16 of the usual time at
// most after sixteen checkpoints.
func TestHistoryDue(t *testing.T) {
	r, _, _ := newRun(t, 10, 1)
	h := newHistoryOf(t, r)
	wantDue := func(what string, after time.Duration) {
		t.Helper()
		if h.stepTime = dueAfter(h); (h.stepTime - after).Abs() > 10*time.Microsecond {
			t.Errorf("%s: a checkpoint is due after %v of steps, want %v", what, h.stepTime, after)
		}
	}
	const ms, us = time.Millisecond, time.Microsecond
	wantDue("after the first one", 20*ms)
	for k, c := range []struct{ took, next time.Duration }{
		{100 * ms, 160 * ms}, {100 * us, 86250 * us}, {100 * us, 61667 * us}, {100 * us, 49375 * us},
	} {
		h.countCapture(c.took, 1000)
		wantDue(fmt.Sprint("capture ", k), c.next)
	}

	h = newHistoryOf(t, r)
	for k, c := range []struct {
		took  time.Duration
		bytes int
		next  time.Duration
	}{
		{0, 1000, 20 * ms}, {100 * us, 1000, 20 * ms}, {700 * us, 1000, 33334 * us}, {700 * us, 1000, 46875 * us}, {50 * ms, 1000, 112500 * us},
	} {
		h.countCapture(c.took, c.bytes)
		wantDue(fmt.Sprint("slower capture ", k), c.next)
	}
	for range 200 {
		h.countCapture(800*us, 1000)
	}
	wantDue("many captures of 0.8 ms", 100*ms)
	h.countCapture(50*ms, 1000)
	wantDue("an interrupted capture", 143750*us)
	for range 200 {
		h.countCapture(800*us, 1000)
	}
	h.countCapture(50*ms, 100_000)
	wantDue("a capture of many more bytes", 484375*us)
}

// dueAfter returns the time of steps, in whole microseconds, after which the next checkpoint is due.
func dueAfter(h *History) time.Duration {
	return time.Microsecond * time.Duration(sort.Search(1e9, func(at int) bool {
		h.stepTime = time.Microsecond * time.Duration(at)
		return h.due(1)
	}))
}

// TestHistoryShare checks that captures take about 1/125 of the time of the steps in a long run, also if some copy many more bytes.
// An interrupted capture must leave no long gap: then no gap is more than half longer than the one before.
func TestHistoryShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const ms = time.Millisecond
	for name, c := range map[string]struct { //lanewise:inexact each case has its own history
		took    func(k int) time.Duration
		every   int           // captures until the next one with more bytes; 0 if none has more
		longest time.Duration // of the gaps; 0 for any
		share   float64       // of the captures, in percent
	}{
		"0.4 ms":                      {func(int) time.Duration { return 4 * ms / 10 }, 0, 50 * ms, 0.8},
		"1 and 20 ms in turn":         {func(k int) time.Duration { return time.Duration(1+k%2*19) * ms }, 2, 0, 0.82},
		"1 and 100 ms in turn":        {func(k int) time.Duration { return time.Duration(1+k%2*99) * ms }, 2, 0, 0.82},
		"0.2 ms, each 16th 100 ms":    {func(k int) time.Duration { return ms/5 + time.Duration(k%16/15)*100*ms }, 16, 0, 0.84},
		"0.2 ms, each 100th 500 ms":   {func(k int) time.Duration { return ms/5 + time.Duration(k%100/99)*500*ms }, 100, 0, 0.9},
		"0.4 ms, rarely 5 ms":         {func(k int) time.Duration { return 4*ms/10 + time.Duration(k%20/19)*5*ms }, 0, 100 * ms, 1},
		"0.4 ms, the first one 90 ms": {func(k int) time.Duration { return 4*ms/10 + time.Duration(1-min(k, 1))*90*ms }, 0, 160 * ms, 0.9},
		"1 µs, interrupted by 50 ms":  {func(k int) time.Duration { return time.Microsecond + time.Duration(k%100/99)*50*ms }, 0, 26 * ms, 2.6},
		"random":                      {func(int) time.Duration { return time.Duration(math.Exp(16 * rng.Float64())) }, 1, 0, 0.85},
	} {
		r, _, _ := newRun(t, 10, 1)
		h := newHistoryOf(t, r)
		var steps, captures, longest time.Duration
		last := time.Duration(0)
		for k := range 3000 {
			took := c.took(k)
			captures += took
			bytes := 1000
			if c.every > 0 && k%c.every == c.every-1 {
				bytes = int(took / time.Microsecond)
			}
			h.countCapture(took, bytes)
			gap := dueAfter(h)
			if k >= averagedCaptures && c.every == 0 && gap > max(last*3/2, minStepTime) {
				t.Errorf("%s: capture %d: a gap of %v after one of %v", name, k, gap, last)
			}
			h.stepTime, last, longest = gap, gap, max(longest, gap)
			steps += gap
		}
		if share := 100 * float64(captures) / float64(steps); share > c.share*1.001 {
			t.Errorf("%s: the captures take %v of %v of steps: %.3f %%, want %.2f %% at most", name, captures, steps, share, c.share)
		}
		if steps > 130*captures+3000*minStepTime {
			t.Errorf("%s: %v of steps for %v of captures", name, steps, captures)
		}
		if c.longest > 0 && longest > c.longest {
			t.Errorf("%s: the longest gap is %v, want %v at most", name, longest, c.longest)
		}
	}
}

// TestHistoryMemory checks that the images of a history stay below its limit, apart from the two images
// that it always keeps. Close must release all images.
func TestHistoryMemory(t *testing.T) {
	r, _, _ := newRun(t, 2000, 1)
	own, err := ecs.Capture(r.World, nil) // does not count
	ok(t, err)
	base := r.World.ImageBytes()
	const limit = 400_000
	h := newHistoryOf(t, r, Interval(1), Memory(limit))
	most, fewest := 0, math.MaxInt
	for tick := range uint64(300) {
		ok(t, h.Go(tick))
		if got := r.World.ImageBytes() - base; got > limit {
			t.Fatalf("tick %d: %d bytes in %d checkpoints", tick, got, h.Checkpoints())
		}
		if tick > 100 {
			most, fewest = max(most, h.Checkpoints()), min(fewest, h.Checkpoints())
		}
	}
	if most < 5 || fewest < 3 {
		t.Errorf("%d to %d checkpoints", fewest, most)
	}
	ok(t, h.Close())
	if got := r.World.ImageBytes(); got != base {
		t.Errorf("%d bytes in images after Close, want %d", got, base)
	}
	ok(t, own.Release())
	if got := r.World.ImageBytes(); got != 0 {
		t.Errorf("%d bytes in no image", got)
	}
}

// sumOf returns a number that depends on the state of the world. Conditions use it.
func sumOf(w *ecs.World) int { return int(w.Hash()>>3) & 63 }

// TestHistoryFirst compares First and Search with a run that tests the condition after each tick.
func TestHistoryFirst(t *testing.T) {
	const ticks = 90
	plain, _, _ := newRun(t, 40, 1)
	sums, lens := []int{}, []int{}
	for tick := range uint64(ticks + 1) {
		if tick > 0 {
			ok(t, plain.Step(tick))
		}
		sums, lens = append(sums, sumOf(plain.World)), append(lens, plain.World.Len())
	}
	for seed := range uint64(30) {
		draw := rand.New(rand.NewPCG(seed, 1))
		r, _, _ := newRun(t, 40, 1)
		h := newHistoryOf(t, r, Interval(1+draw.IntN(20)))
		for range 10 {
			from := draw.Uint64N(ticks + 1)
			to := from + draw.Uint64N(ticks+1-from)
			value, size := draw.IntN(64), lens[draw.IntN(len(lens))]
			check := func(name string, tick uint64, found bool, err error, holds func(tick uint64) bool) {
				t.Helper()
				ok(t, err)
				want := from
				for want < to && !holds(want) {
					want++
				}
				if tick != want || found != holds(want) || h.Tick() != want {
					t.Fatalf("seed %d: %s from %d to %d: tick %d (world: %d), %v; want %d, %v", seed, name, from, to, tick, h.Tick(), found, want, holds(want))
				}
			}
			tick, found, err := h.First(from, to, func(w *ecs.World) bool { return sumOf(w) == value })
			check("First", tick, found, err, func(tick uint64) bool { return sums[tick] == value })
			tick, found, err = h.Search(from, to, func(w *ecs.World) bool { return w.Len() >= size })
			check("Search", tick, found, err, func(tick uint64) bool { return lens[tick] >= size })
		}
	}
}

// TestReadHistory goes to ticks of a recording, and checks that the history notices a run with another
// result.
func TestReadHistory(t *testing.T) {
	var file bytes.Buffer
	record(t, &file, 500, 2, 0, Every(10))
	plain, _, _ := newRun(t, 500, 1)
	want := hashesOf(t, plain, 50)

	read := func(data []byte, edit func(m *move, ids []ecs.Entity)) (*History, Run, error) {
		r, m, ids := newRun(t, 500, 2)
		edit(m, ids)
		h, err := ReadHistory(bytes.NewReader(data), r.World, func(tick *Tick) error {
			if in := tick.Inputs; len(in) != 1 || in[0].Key != "force" || in[0].Value[0] != byte(tick.Number) {
				return fmt.Errorf("inputs %v", in)
			}
			return r.Step(tick.Number)
		}, Interval(8))
		t.Cleanup(func() { ok(t, h.Close()) })
		return h, r, err
	}
	same := func(*move, []ecs.Entity) {}
	h, r, err := read(file.Bytes(), same)
	ok(t, err)
	for _, tick := range []uint64{50, 3, 17, 16, 0, 50} {
		ok(t, h.Go(tick))
		if got := r.World.Hash(); got != want[tick] {
			t.Errorf("tick %d: hash %016x, want %016x", tick, got, want[tick])
		}
	}
	if err := h.Go(51); !errors.Is(err, ecs.ErrRange) || h.Ticks() != 50 || h.Tick() != 50 {
		t.Errorf("tick 51 of %d: %v, at %d", h.Ticks(), err, h.Tick())
	}

	h, _, err = read(file.Bytes(), func(m *move, ids []ecs.Entity) { m.when, m.whose, m.again = 23, ids[77], true })
	ok(t, err)
	if err := h.Go(50); !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "tick 30: the hash is ") {
		t.Errorf("a run with another result: %v", err)
	}
	ok(t, h.Go(22)) // the ticks before it can still be reached

	h, r, err = read(file.Bytes()[:file.Len()*2/3], same)
	if !errors.Is(err, ErrCorrupt) || h == nil || h.Ticks() < 20 || h.Ticks() >= 50 {
		t.Fatalf("a truncated recording: %v, %v", h, err)
	}
	ok(t, h.Go(h.Ticks()))
	if got := r.World.Hash(); got != want[h.Ticks()] {
		t.Errorf("the last tick of a truncated recording: hash %016x, want %016x", got, want[h.Ticks()])
	}

	if h, err := ReadHistory(bytes.NewReader(file.Bytes()), plain.World, func(*Tick) error { return nil }); h != nil || !errors.Is(err, ErrStart) {
		t.Errorf("another world: %v, %v", h, err)
	}
}

// TestFirstDifference flips a bit at random ticks, and checks that the bisection finds the tick, the
// system and the value that Compare finds.
func TestFirstDifference(t *testing.T) {
	const ticks = 100
	for seed := range uint64(12) {
		draw := rand.New(rand.NewPCG(seed, 2))
		when, whose := 1+draw.IntN(ticks), draw.IntN(300)
		start := func() (a, b Run) {
			a, _, _ = newRun(t, 300, 1)
			b, m, ids := newRun(t, 300, 2)
			m.when, m.whose, m.again = when, ids[whose], true
			return a, b
		}
		a, b := start()
		want, err := Compare(a, b, ticks, 10)
		ok(t, err)
		a, b = start()
		x, y := newHistoryOf(t, a, Interval(1+draw.IntN(30))), newHistoryOf(t, b, Interval(1+draw.IntN(30)))
		ok(t, errors.Join(x.Go(draw.Uint64N(ticks)), y.Go(draw.Uint64N(ticks))))
		for _, h := range [][2]*History{{x, y}, {x, y}, {y, x}} { // the histories can be used again
			d, err := FirstDifference(h[0], h[1], ticks)
			ok(t, err)
			if d == nil || d.Tick != uint64(when) || d.System != want.System || d.First.Entity != want.First.Entity || d.A == d.B {
				t.Fatalf("seed %d: got %v, want %v", seed, d, want)
			}
			if a, b := h[0].run.World.Hash(), h[1].run.World.Hash(); h[0].Tick() != d.Tick || h[1].Tick() != d.Tick || a != d.A || b != d.B {
				t.Errorf("seed %d: the worlds are at ticks %d and %d, with hashes %016x and %016x", seed, h[0].Tick(), h[1].Tick(), a, b)
			}
		}
		if d, err := FirstDifference(x, y, uint64(when-1)); d != nil || err != nil {
			t.Errorf("seed %d: before tick %d: %v, %v", seed, when, d, err)
		}
	}
}

// TestFirstDifferenceHidden checks a difference that does not happen again when the tick is repeated. It must be
// reported with its tick and both hashes.
func TestFirstDifferenceHidden(t *testing.T) {
	a, _, _ := newRun(t, 100, 2)
	b, m, ids := newRun(t, 100, 2)
	m.when, m.whose = 37, ids[23]
	d, err := FirstDifference(newHistoryOf(t, a, Interval(10)), newHistoryOf(t, b, Interval(10)), 60)
	ok(t, err)
	if d == nil || d.Tick < 31 || d.Tick > 40 || d.A == d.B {
		t.Errorf("got %v, want a tick from 31 to 40", d)
	}
}

// TestHistoryFailedStep checks that a history continues after a step that failed in the middle of a tick.
func TestHistoryFailedStep(t *testing.T) {
	r, _, _ := newRun(t, 50, 1)
	plain, _, _ := newRun(t, 50, 1)
	want := hashesOf(t, plain, 20)
	failing, fault := true, errors.New("no more")
	step := r.Step
	r.Step = func(tick uint64) error {
		err := step(tick)
		if tick == 9 && failing {
			r.World.Spawn()
			return fault
		}
		return err
	}
	h := newHistoryOf(t, r, Interval(4))
	for range 2 {
		if err := h.Go(20); !errors.Is(err, fault) || !strings.Contains(err.Error(), "replay: History.Go: tick 9: ") || h.Tick() != 8 {
			t.Fatalf("at tick %d: %v", h.Tick(), err)
		}
	}
	ok(t, h.Go(8))
	if r.World.Hash() != want[8] {
		t.Error("the world is not in the state before the step that failed")
	}
	failing = false
	ok(t, h.Go(20))
	if r.World.Hash() != want[20] {
		t.Error("another result after a step that failed")
	}
}

// TestHistoryMisuse checks the errors of wrong calls.
func TestHistoryMisuse(t *testing.T) {
	w := ecs.NewWorld("w")
	run := Run{World: w, Step: func(uint64) error { return nil }}
	h, err := NewHistory(run)
	ok(t, err)
	other, err := NewHistory(Run{World: ecs.NewWorld("other"), Step: run.Step})
	ok(t, err)
	same, err := NewHistory(run)
	ok(t, err)
	closed, err := NewHistory(run)
	ok(t, err)
	ok(t, errors.Join(closed.Close(), closed.Close(), (*History)(nil).Close()))
	holds := func(*ecs.World) bool { return false }
	first := func(h *History, from, to uint64, holds func(*ecs.World) bool) error {
		_, _, err := h.First(from, to, holds)
		_, _, err2 := h.Search(from, to, holds)
		if (err == nil) != (err2 == nil) {
			t.Errorf("First: %v, Search: %v", err, err2)
		}
		return err
	}
	difference := func(a, b *History) error {
		_, err := FirstDifference(a, b, 3)
		return err
	}
	made := func(r Run) error {
		_, err := NewHistory(r)
		return err
	}
	for name, c := range map[string]struct{ got, want error }{
		"no world":        {made(Run{Step: run.Step}), ecs.ErrArgument},
		"no step":         {made(Run{World: w}), ecs.ErrArgument},
		"no function":     {first(h, 0, 1, nil), ecs.ErrArgument},
		"backward":        {first(h, 2, 1, holds), ecs.ErrRange},
		"closed":          {first(closed, 0, 1, holds), ecs.ErrState},
		"closed, Go":      {closed.Go(0), ecs.ErrState},
		"zero":            {new(History).Go(0), ecs.ErrState},
		"nil":             {(*History)(nil).Go(0), ecs.ErrState},
		"one world twice": {difference(h, same), ecs.ErrArgument},
		"one is closed":   {difference(other, closed), ecs.ErrState},
		"equal":           {difference(h, other), nil},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
	w.Spawn()
	unlike, err := NewHistory(run)
	ok(t, err)
	if err := difference(unlike, other); !errors.Is(err, ErrStart) {
		t.Errorf("worlds that differ at the beginning: %v", err)
	}
	ok(t, w.Close())
	if err := h.Go(1); !errors.Is(err, ecs.ErrDisposed) {
		t.Errorf("a closed world: %v", err)
	}
	if err := made(run); !errors.Is(err, ecs.ErrDisposed) {
		t.Errorf("a closed world: %v", err)
	}
	ok(t, errors.Join(h.Close(), other.Close(), same.Close(), unlike.Close()))
	for name, f := range map[string]func(){
		"replay: Interval: 0 ticks: want 1 at least": func() { Interval(0) },
		"replay: Memory: 0 bytes: want 1 at least":   func() { Memory(0) },
		"replay: NewHistory: option 0 is nil":        func() { _, _ = NewHistory(Run{World: ecs.NewWorld("w"), Step: run.Step}, nil) },
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("got panic %v, want %q", got, name)
				}
			}()
			f()
		}()
	}
}

// TestHistorySavers checks systems that save their state: when the world goes back, their fields must go
// back too.
func TestHistorySavers(t *testing.T) {
	newSaving := func() Run {
		w, err := system.NewWorld("saving", system.Only(system.Of[saving]()))
		ok(t, err)
		t.Cleanup(func() { ok(t, w.Close()) })
		w.Spawn(position{})
		return Run{World: w, Step: func(uint64) error { return system.Update(w) }}
	}
	want := hashesOf(t, newSaving(), 30)
	r := newSaving()
	h := newHistoryOf(t, r, Interval(5))
	for _, tick := range []uint64{30, 11, 29, 4, 30} {
		ok(t, h.Go(tick))
		if got := r.World.Hash(); got != want[tick] {
			t.Errorf("tick %d: hash %016x, want %016x", tick, got, want[tick])
		}
	}
}

// saving is a system whose writes depend on one of its fields.
type saving struct {
	q *ecs.Query
	n byte
}

func (s *saving) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[position]())
	return nil
}

func (s *saving) Update(*system.Frame) error {
	s.n = s.n*5 + 3
	for c := range s.q.Chunks() {
		ecs.Column[position](c).X[0] += float32(s.n)
	}
	return nil
}

func (s *saving) AppendState(out []byte) []byte { return append(out, s.n) }

func (s *saving) LoadState(in []byte) error {
	s.n = in[0]
	return nil
}
