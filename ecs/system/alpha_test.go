package system

import (
	"math"
	"testing"
)

// lagging is a second group with fixed steps.
type lagging struct{ Group }

// Alpha is the elapsed fraction of a fixed step, from 0 to 1. Alpha is also correct in frames without a
// step.
func TestAlpha(t *testing.T) {
	b := newBench(t)
	fixed := GetOrCreate[FixedStep](b.w)
	fixed.SetRate(CatchUpRate(0.25))
	other, err := Create[lagging](b.w)
	b.ok(err)
	other.SetRate(CatchUpRate(1))
	b.ok(GetOrCreate[Simulation](b.w).Add(fixed, other))
	early, _ := b.add("early")
	inside, _ := b.add("inside")
	late, _ := b.add("late")
	var before, in, after, slowly []float64
	early.update = func(f *Frame) error { before = append(before, f.Alpha()); return nil }
	inside.update = func(f *Frame) error { in = append(in, f.Alpha()); return nil }
	late.update = func(f *Frame) error {
		after, slowly = append(after, f.Alpha()), append(slowly, Find[lagging](f.World()).Alpha())
		return nil
	}
	b.ok(GetOrCreate[Initialization](b.w).Add(early))
	b.ok(fixed.Add(inside))
	b.ok(GetOrCreate[Presentation](b.w).Add(late))
	same := func(what string, got *[]float64, want ...float64) {
		t.Helper()
		if len(*got) != len(want) {
			t.Errorf("%s: %v, want %v", what, *got, want)
		}
		for i := range min(len(*got), len(want)) {
			if math.Abs((*got)[i]-want[i]) > 1e-12 {
				t.Errorf("%s: %v, want %v", what, *got, want)
			}
		}
		*got = nil
	}
	if a := fixed.Alpha(); a != 0 {
		t.Errorf("before the first frame: %v", a)
	}
	for range 5 { // at 0, 0.125, 0.25, 0.375, 0.5: a step in every other frame
		ClockOf(b.w).Advance(0.125)
		b.ok(Update(b.w))
	}
	same("after", &after, 0, 0.5, 0, 0.5, 0)
	same("before", &before, 0, 0, 0.5, 0, 0.5) // Alpha before a frame is that of the frame before
	same("inside", &in, 0, 0, 0)
	same("slowly", &slowly, 0, 0.125, 0.25, 0.375, 0.5)
	for range 4 { // frames without a step
		ClockOf(b.w).Advance(0.0625)
		b.ok(Update(b.w))
	}
	same("after", &after, 0.25, 0.5, 0.75, 0)
	same("inside", &in, 0)
	ClockOf(b.w).Advance(10) // it falls behind, and catches up by at most a third of a second in an update
	b.ok(Update(b.w))
	same("after", &after, 1)
	same("inside", &in, 0)
	if a := fixed.Alpha(); a != 1 {
		t.Errorf("between frames: %v", a)
	}
	fixed.SetRate(SimpleRate(0.25)) // the last state of its group is always the current one
	ClockOf(b.w).Advance(0.1)
	b.ok(Update(b.w))
	fixed.SetRate(nil)
	b.ok(Update(b.w))
	same("after", &after, 1, 1)
	InstanceOf(b.w, fixed).SetEnabled(false)
	b.ok(Update(b.w))
	b.ok(Destroy(b.w, fixed))
	b.ok(Update(b.w))
	same("after", &after, 1, 1)
}

// A group that does not run any more keeps its Alpha. If Quit ends the update of a group before all due
// steps have run, the group's Alpha is 1.
func TestAlphaStopped(t *testing.T) {
	b := newBench(t)
	fixed := GetOrCreate[FixedStep](b.w)
	fixed.SetRate(CatchUpRate(0.25))
	b.ok(GetOrCreate[Simulation](b.w).Add(fixed))
	quit, _ := b.add("quit")
	b.ok(fixed.Add(quit))
	for range 2 {
		ClockOf(b.w).Advance(0.125)
		b.ok(Update(b.w))
	}
	InstanceOf(b.w, fixed).SetEnabled(false)
	ClockOf(b.w).Advance(0.1)
	b.ok(Update(b.w))
	if a := fixed.Alpha(); a != 0.5 {
		t.Errorf("a group that does not run: %v, want that of its last state", a)
	}
	InstanceOf(b.w, fixed).SetEnabled(true)
	quit.update = func(f *Frame) error { f.Quit(); return nil }
	ClockOf(b.w).Advance(1)
	b.ok(Update(b.w))
	if a := fixed.Alpha(); a != 1 {
		t.Errorf("a group whose update was ended: %v", a)
	}
}
