package system

import (
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if guard || raceEnabled {
		t.Skip("race and guard builds allocate for their checks")
	}
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		w := newWorld(t, Only(Of[adder](), Of[turnover](), Of[counter]()), OnPool(pool))
		if err := GetOrCreate[Simulation](w).Add(newSystems(t, w, 20)...); err != nil {
			t.Fatal(err)
		}
		spawnAlphas(w, 20_000)
		frame := func() {
			ClockOf(w).Advance(DefaultStep)
			if err := Update(w); err != nil {
				t.Fatal(err)
			}
		}
		for range 50 {
			frame()
		}
		n := testing.AllocsPerRun(100, frame)
		for round := 0; n != 0 && round < 10; round++ {
			n = testing.AllocsPerRun(100, frame) // a worker that had slept until now needs memory once
		}
		if n != 0 {
			t.Errorf("%v allocations a frame", n)
		}
	})
}
