package replay

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// The test flips one bit at tick 37. The comparison must find the tick, system, component, entity,
// lane, chunk, row and both values. It must do so with a hash in each tick, and with hashes in
// only a few ticks.
//
// Conformance: 362
func TestFlippedBit(t *testing.T) {
	for _, every := range []int{1, 10, 64} {
		a, _, ids := newRun(t, 3000, 2)
		b, m, _ := newRun(t, 3000, 2)
		m.when, m.whose, m.again = 37, ids[2345], true
		d, err := Compare(a, b, 100, every)
		ok(t, err)
		const want = "tick 37: replay.move: entity 2345:1: replay.position.Y is 2345.289 and 2345.2893 (archetype "
		if got := d.String(); !strings.HasPrefix(got, want) || d.First.Entity != ids[2345] || d.A == d.B {
			t.Errorf("every %d: got %s, want %s", every, got, want)
		}
		if f, n := d.First, a.World.ArchetypeAt(d.First.Archetype).Capacity(); f.Row != 2345%n || f.Chunk != 2345/n {
			t.Errorf("chunk %d row %d, of %d", f.Chunk, f.Row, n)
		}
	}
}

// A difference that comes from hidden state of a system does not happen again in the second run.
// For such a difference the comparison finds the row, but not the system.
func TestHiddenState(t *testing.T) {
	a, _, ids := newRun(t, 100, 2)
	b, m, _ := newRun(t, 100, 2)
	m.when, m.whose = 37, ids[23]
	d, err := Compare(a, b, 100)
	ok(t, err)
	if got, want := d.String(), "tick 37: entity 23:1: replay.position.Y is 23.289062 and 23.289064 "; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := d.Advice(); got != "" { // it would be about recordings, and both runs are worlds
		t.Errorf("the advice is %q", got)
	}
}

// If a step fails only when it is repeated, Compare and FirstDifference must return the error, and the ticks in one of
// which the runs part.
func TestRepeatedStepFails(t *testing.T) {
	sad := errors.New("sad")
	for k := range 4 {
		bisect := k > 0 // with no checkpoints, or with checkpoints before and after the difference, of which the second history has no or other ones
		a, _, _ := newRun(t, 100, 1)
		b, m, ids := newRun(t, 100, 1)
		m.when, m.whose, m.again = 37, ids[23], true
		last, step := uint64(0), b.Step
		b.Step = func(tick uint64) error {
			if tick <= last {
				return sad
			}
			last = tick
			return step(tick)
		}
		var d *Divergence
		var err error
		if bisect {
			x, err2 := NewHistory(a, Interval([]int{0, 1000, 10, 15}[k]))
			ok(t, err2)
			y, err2 := NewHistory(b, Interval([]int{0, 1000, 1000, 20}[k]))
			ok(t, err2)
			d, err = FirstDifference(x, y, 50)
			ok(t, errors.Join(x.Close(), y.Close()))
		} else {
			d, err = Compare(a, b, 50, 10)
		}
		if !errors.Is(err, sad) {
			t.Errorf("case %d: got error %v, want %v", k, err, sad)
		}
		if d == nil || d.Tick < 37 || d.Tick-d.Skipped > 37 || d.A == d.B {
			t.Errorf("case %d: got %v, want ticks with 37 among them", k, d)
		}
		if !bisect && !d.Exact {
			t.Errorf("got %v, without the values of the difference that was known", d)
		}
	}
}

// The test checks that the number of workers does not change the results. It compares two worlds
// side by side, and a world with a recording.
//
// Conformance: 363
func TestWorkers(t *testing.T) {
	a, _, _ := newRun(t, 5000, 1)
	b, _, _ := newRun(t, 5000, 8)
	d, err := Compare(a, b, 60, 7)
	ok(t, err)
	if d != nil {
		t.Error(d)
	}
	var file bytes.Buffer
	record(t, &file, 5000, 1, 0, BySystem())
	c, _, _ := newRun(t, 5000, 8)
	if d, err := replay(&file, c); d != nil || err != nil {
		t.Error(d, err)
	}
}

// If a run has no world or no step, the error must contain the number of the run.
func TestCompareNothing(t *testing.T) {
	w := ecs.NewWorld("w")
	whole := Run{w, func(uint64) error { return nil }}
	for i, pair := range [][2]Run{{{}, whole}, {whole, {World: w}}} {
		_, err := Compare(pair[0], pair[1], 1)
		if !errors.Is(err, ecs.ErrArgument) || !strings.Contains(err.Error(), fmt.Sprintf("replay: Compare: run %d", i+1)) {
			t.Error(err)
		}
	}
}
