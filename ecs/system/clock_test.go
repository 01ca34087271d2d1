package system

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// updateRate updates a rate once at the current time of the clock, as a group does, and returns the
// Times that the group's members would see.
func updateRate(t *testing.T, r Rate, c *Clock) (seen []Time) {
	t.Helper()
	before, depth := c.Now(), c.depth()
	for r.Next(c) {
		seen = append(seen, c.Now())
		if len(seen) > 1000 {
			t.Fatal("the rate never ends")
		}
	}
	if c.Now() != before || c.depth() != depth {
		t.Errorf("outer time %v at depth %d, was %v at %d", c.Now(), c.depth(), before, depth)
	}
	return seen
}

func elapsed(seen []Time) (s []float64) {
	for _, t := range seen {
		s = append(s, t.Elapsed)
	}
	return s
}

// Conformance: 259
func TestCatchUp(t *testing.T) {
	type step struct {
		elapsed float64   // time of the world
		dt      float64   // step of the rate; 0 keeps it
		want    []float64 // times of the steps
	}
	tests := []struct {
		name    string
		dt, max float64
		steps   []step
	}{
		{"zero", 1, DefaultMaximumDelta, []step{{0, 0, []float64{0}}}},
		{"epsilon", 1, DefaultMaximumDelta, []step{{0.02, 0, []float64{0}}}},
		{"catch up", 1, 10, []step{
			{8.5, 0, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}},
			{8.5, 0, nil},
			{8.8, 0, nil},
			{9.1, 0, []float64{9}},
		}},
		{"changed step", 1, 10, []step{
			{4.6, 0, []float64{0, 1, 2, 3, 4}},
			{5.0, 0.125, []float64{4.125, 4.25, 4.375, 4.5, 4.625, 4.75, 4.875, 5}},
		}},
		{"gradual", 0.125, 0.25, []step{
			{7 * 0.125, 0, []float64{0, 0.125, 0.25}},
			{7 * 0.125, 0, []float64{0.375, 0.5}},
			{7 * 0.125, 0, []float64{0.625, 0.75}},
			{7 * 0.125, 0, []float64{0.875}},
			{7 * 0.125, 0, nil},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, c := newCatchUpRate(tt.dt), &Clock{MaximumDelta: tt.max}
			for i, s := range tt.steps {
				if s.dt > 0 {
					r.SetStep(s.dt)
				}
				c.SetNow(Time{Elapsed: s.elapsed, Delta: 0.01})
				seen := updateRate(t, r, c)
				if !slices.Equal(elapsed(seen), s.want) {
					t.Errorf("update %d at %v: steps at %v, want %v", i, s.elapsed, elapsed(seen), s.want)
				}
				for _, m := range seen {
					if m.Delta != r.step {
						t.Errorf("update %d: delta %v, want %v", i, m.Delta, r.step)
					}
				}
			}
		})
	}
}

// If each frame advances the world by exactly one step of the rate, the rate runs exactly one step in
// each frame, for any number of frames.
func TestCatchUpInStep(t *testing.T) {
	for _, hz := range []float64{60, 50, 30, 120, 7, 144} {
		r, c := CatchUpRate(1.0/hz), &Clock{MaximumDelta: DefaultMaximumDelta}
		for frame := range 20_000 {
			c.Advance(1 / hz)
			if seen := updateRate(t, r, c); len(seen) != 1 || seen[0] != c.Now() {
				t.Fatalf("%v Hz: frame %d at %v: steps %v", hz, frame, c.Now(), seen)
			}
		}
	}
}

// Conformance: 263
func TestStepLimits(t *testing.T) {
	for _, tt := range []struct{ step, want float64 }{
		{0, minimumStep}, {-1, minimumStep}, {11, maximumStep}, {math.Inf(1), maximumStep}, {0.5, 0.5},
	} {
		if got := newCatchUpRate(tt.step).step; got != tt.want {
			t.Errorf("CatchUpRate(%v) has step %v, want %v", tt.step, got, tt.want)
		}
		if got := newSimpleRate(tt.step).step; got != tt.want {
			t.Errorf("SimpleRate(%v) has step %v, want %v", tt.step, got, tt.want)
		}
	}
}

// Conformance: 264
func TestSimple(t *testing.T) {
	r, c := newSimpleRate(0.25), &Clock{}
	for k := range 10 {
		c.SetNow(Time{Elapsed: float64(k * k), Delta: 3})
		want := []Time{{0.25 * float64(k), 0.25}}
		if seen := updateRate(t, r, c); !slices.Equal(seen, want) {
			t.Errorf("update %d: %v, want %v", k, seen, want)
		}
	}
	r.SetStep(0.5) // continues at its current time
	if seen, want := updateRate(t, r, c), []Time{{2.5, 0.5}}; !slices.Equal(seen, want) {
		t.Errorf("after SetStep: %v, want %v", seen, want)
	}
	if seen, want := updateRate(t, r, c), []Time{{3, 0.5}}; !slices.Equal(seen, want) {
		t.Errorf("after SetStep: %v, want %v", seen, want)
	}
}

func TestVariable(t *testing.T) {
	now := 5 * time.Second
	r, c := newIntervalRate(100*time.Millisecond, func() time.Duration { return now }), &Clock{}
	steps := []struct {
		passed time.Duration
		want   []Time
	}{
		{0, []Time{{0, 0}}}, // the first call runs at once
		{50 * time.Millisecond, nil},
		{60 * time.Millisecond, []Time{{0.11, 0.11}}},
		{0, nil},
		{time.Second, []Time{{1.11, 1}}}, // does not catch up
		{99 * time.Millisecond, nil},
		{time.Millisecond, []Time{{1.21, 0.1}}},
	}
	for i, s := range steps {
		now += s.passed
		seen := updateRate(t, r, c)
		if len(seen) != len(s.want) {
			t.Fatalf("update %d: %v, want %v", i, seen, s.want)
		}
		for j, m := range seen {
			if math.Abs(m.Elapsed-s.want[j].Elapsed) > 1e-9 || math.Abs(m.Delta-s.want[j].Delta) > 1e-9 {
				t.Errorf("update %d: %v, want %v", i, m, s.want[j])
			}
		}
	}
	if got := newIntervalRate(0, nil).interval; got != time.Millisecond {
		t.Errorf("interval %v, want at least 1ms", got)
	}
}

// A variable rate without its own clock uses the time of the world.
func TestVariableWorldTime(t *testing.T) {
	r, c := newIntervalRate(66*time.Millisecond, nil), &Clock{}
	runs := 0
	for range 61 { // 60 steps of 1/60 s after the first
		c.Advance(1.0 / 60)
		runs += len(updateRate(t, r, c))
	}
	if runs != 1+15 { // every fourth step has 66 ms
		t.Errorf("%d runs in a second, want 16", runs)
	}
}

func TestClock(t *testing.T) {
	c := &Clock{}
	if c.Now() != (Time{}) {
		t.Errorf("a new clock shows %v", c.Now())
	}
	for i, want := range []Time{{0, 0.5}, {0.5, 0.5}, {1, 0.5}} {
		if c.Advance(0.5); c.Now() != want {
			t.Errorf("step %d: %v, want %v", i, c.Now(), want)
		}
	}
	c.Push(Time{7, 1})
	c.Push(Time{8, 2})
	if c.Now() != (Time{8, 2}) || c.depth() != 2 {
		t.Errorf("pushed time is %v at depth %d", c.Now(), c.depth())
	}
	c.SetNow(Time{9, 3}) // replaces only the top moment
	for _, want := range []Time{{7, 1}, {1, 0.5}} {
		if err := c.Pop(); err != nil || c.Now() != want {
			t.Errorf("popped to %v (%v), want %v", c.Now(), err, want)
		}
	}
	if err := c.Pop(); !errors.Is(err, ecs.ErrState) {
		t.Errorf("Pop of an empty stack: %v", err)
	}
}

func FuzzCatchUp(f *testing.F) {
	f.Add(0.1, 0.3, []byte{1, 2, 200, 0, 7})
	f.Fuzz(func(t *testing.T, dt, maximum float64, deltas []byte) {
		if !(maximum >= 0 && maximum < 10) || !(dt > 0.001 && dt < 10) || len(deltas) > 100 {
			return
		}
		r, c := newCatchUpRate(dt), &Clock{MaximumDelta: maximum}
		last := math.Inf(-1)
		for _, d := range deltas {
			c.Advance(float64(d) / 100)
			now := c.Now().Elapsed
			begin := r.lastStep
			seen := 0
			for r.Next(c) {
				at := c.Now().Elapsed
				if at <= last || seen > 0 && at > now+1e-9 || at > begin+max(maximum, dt)+1e-9 {
					t.Fatalf("step at %v after %v; the world is at %v", at, last, now)
				}
				last = at
				if seen++; seen > 20_000 {
					t.Fatal("the rate never ends")
				}
			}
		}
	})
}

// TestCatchUpEnds: an update ends even if a step is too small to change the time.
func TestCatchUpEnds(t *testing.T) {
	const border = 1 << 40 // from here on the smallest step is less than an ulp
	r, c := newCatchUpRate(minimumStep), &Clock{MaximumDelta: border}
	r.lastStep, r.steps = border-0.001, 1
	c.SetNow(Time{Elapsed: 2 * border})
	if due := r.Due(c); due < 1<<20 {
		t.Errorf("%v steps are due", due)
	}
	seen := 0
	for r.Next(c) {
		if seen++; seen > 1000 {
			t.Fatal("the rate never ends")
		}
	}
	if seen == 0 || c.depth() != 0 {
		t.Errorf("%d steps, depth %d", seen, c.depth())
	}
}

// TestLoadStateRefuses checks that LoadState refuses a state if the rate would then run its group
// endlessly, or never.
func TestLoadStateRefuses(t *testing.T) {
	for _, r := range []interface {
		AppendState([]byte) []byte
		LoadState([]byte) error
	}{newCatchUpRate(0.5), newSimpleRate(0.5)} {
		good := r.AppendState(nil)
		if err := r.LoadState(good); err != nil {
			t.Fatalf("%T: its own state: %v", r, err)
		}
		for _, at := range []float64{-1, -1e300, 1e300, math.Inf(1), math.NaN()} {
			bad := slices.Clone(good)
			binary.LittleEndian.PutUint64(bad[9:], math.Float64bits(at))
			if err := r.LoadState(bad); err == nil {
				t.Errorf("%T: a state at %v was taken", r, at)
			}
		}
		bad := slices.Clone(good)
		binary.LittleEndian.PutUint64(bad[len(bad)-8:], 1<<63)
		if err := r.LoadState(bad); err == nil {
			t.Errorf("%T: a state of less than no steps was taken", r)
		}
	}
}

func TestNaNIsNoStep(t *testing.T) {
	for name, do := range map[string]func(){
		"CatchUpRate": func() { CatchUpRate(math.NaN()) },
		"SimpleRate":  func() { SimpleRate(math.NaN()) },
		"SetStep":     func() { newSimpleRate(1).SetStep(math.NaN()) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p := recover(); p == nil {
					t.Error("no panic")
				}
			}()
			do()
		})
	}
}

// TestNotFinite checks that every call refuses a number that would silently stop groups with fixed
// steps. A refused call changes nothing.
func TestNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, call := range map[string]func(c *Clock){
		"Clock.Advance: delta is NaN":                           func(c *Clock) { c.Advance(nan) },
		"Clock.Advance: delta is +Inf":                          func(c *Clock) { c.Advance(inf) },
		"Clock.Advance: delta is -Inf":                          func(c *Clock) { c.Advance(-inf) },
		"Clock.Advance: delta is -0.5":                          func(c *Clock) { c.Advance(-0.5) },
		"Clock.Advance: delta is 1.7e+308":                      func(c *Clock) { c.SetNow(Time{Elapsed: 1e308}); c.Advance(1.7e308) },
		"Clock.SetNow: the moment has Elapsed NaN":              func(c *Clock) { c.SetNow(Time{Elapsed: nan}) },
		"Clock.SetNow: the moment has Elapsed 1 and Delta +Inf": func(c *Clock) { c.SetNow(Time{1, inf}) },
		"Clock.Push: the moment has Elapsed -Inf":               func(c *Clock) { c.Push(Time{Elapsed: -inf}) },
		"Clock.Push: the moment has Elapsed 0 and Delta NaN":    func(c *Clock) { c.Push(Time{Delta: nan}) },
		"Clock.SetScale: scale is NaN":                          func(c *Clock) { c.SetScale(nan) },
		"Clock.MaximumDelta is NaN":                             func(c *Clock) { c.MaximumDelta = nan; CatchUpRate(1).Next(c) },
		"a fixed step or its rate is NaN":                       func(*Clock) { CatchUpRate(1.0 / nan) },
		"a fixed step or its rate is NaN, must be a number of":  func(*Clock) { SimpleRate(1).(*simpleRate).SetStep(nan) },
	} {
		c := &Clock{MaximumDelta: DefaultMaximumDelta}
		c.Advance(1)
		c.Advance(1)
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, name) {
					t.Errorf("panic %q, want %q", text, name)
				}
			}()
			call(c)
		}()
		if now := c.Now(); c.depth() != 0 || now != (Time{1, 1}) && now.Elapsed != 1e308 {
			t.Errorf("%s: the clock is at %v with %d below", name, now, c.depth())
		}
	}
}
