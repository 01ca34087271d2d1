package transform

import (
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
)

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if guard || raceEnabled {
		t.Skip("checks of this build allocate")
	}
	for _, workers := range []int{1, 2} {
		pool := newPool(t, workers)
		b := newTurning(t, pool)
		forest(b, 200, 2, 8)
		forest(b, 2, 100, 1)
		frame := func() {
			system.ClockOf(b.w).Advance(0.1)
			b.ok(system.Update(b.w))
		}
		for range 20 {
			frame()
		}
		n := testing.AllocsPerRun(50, frame)
		for round := 0; n != 0 && round < 10; round++ {
			n = testing.AllocsPerRun(50, frame) // a worker that had slept until now needs memory once
		}
		if n != 0 {
			t.Errorf("%d workers: %v allocations a frame", workers, n)
		}
	}
}
