package system

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/clock"
)

// Conformance: 264
func TestUpdateTime(t *testing.T) {
	w, s := newStepper(t)
	clk := ClockOf(w)
	Find[Simulation](w).SetRate(clock.NewSimple(0.5))
	for k := range 4 {
		outer := clock.Time{Elapsed: float64(k), Delta: 1}
		clk.Set(outer)
		if err := Update(w); err != nil {
			t.Fatal(err)
		}
		if clk.Now() != outer {
			t.Errorf("the world's time is %v, was %v", clk.Now(), outer)
		}
	}
	if want := []clock.Time{{Elapsed: 0, Delta: 0.5}, {Elapsed: 0.5, Delta: 0.5}, {Elapsed: 1, Delta: 0.5}, {Elapsed: 1.5, Delta: 0.5}}; !slices.Equal(s.seen, want) {
		t.Errorf("simple rate: %v, want %v", s.seen, want)
	}
	s.seen = nil
	Find[Simulation](w).SetRate(clock.NewCatchUp(1))
	clk.MaximumDelta = 10
	clk.Set(clock.Time{Elapsed: 2.5})
	if err := Update(w); err != nil {
		t.Fatal(err)
	}
	if want := []clock.Time{{Elapsed: 0, Delta: 1}, {Elapsed: 1, Delta: 1}, {Elapsed: 2, Delta: 1}}; !slices.Equal(s.seen, want) {
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
	s.then = func(f *Frame) error { ClockOf(f.World()).Push(clock.Time{}); return nil }
	if err := Update(w); !errors.Is(err, ecs.ErrState) || ClockOf(w).Depth() != 0 {
		t.Errorf("time pushed and not popped: %v, depth %d", err, ClockOf(w).Depth())
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
	first := sequenceOf(a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b, c := newWorld(t, Only()), newWorld(t, Only())
	if sequenceOf(b) != first+1 || sequenceOf(c) != first+2 {
		t.Errorf("sequence numbers %d, %d, %d", first, sequenceOf(b), sequenceOf(c))
	}
}
