//go:build !race && !lanewise_guard

package bench

import (
	"flag"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

var full = flag.Bool("lanewise.full", false, "the tests of a million entities: make full")

// million is the size of a world that is larger than any cache.
const million = 1_000_000

// TestMillionIsQuiet steps a world of a million entities that spin and follow their parents. By
// default, it uses only a tenth of these entities. After the first frames, a frame must allocate
// nothing.
func TestMillionIsQuiet(t *testing.T) {
	n := million / 10
	if *full {
		n = million
	}
	w := largeWorld(t, n)
	for range 20 {
		w.step()
	}
	if n := allocations(w); n != 0 {
		t.Errorf("%v allocations a frame, want none", n)
	}
}

// TestMillionIsInterruptible stops the world while frames of a million entities run. A stop must take
// less than a millisecond. An emulated machine takes longer even when idle, so the test does not check
// the time there. If other processes keep the cores busy, many stops wait for them, so only the
// quickest quarter of several rounds counts.
func TestMillionIsInterruptible(t *testing.T) {
	if !*full {
		t.Skip("measures time, which says nothing on a busy machine: make full")
	}
	const limit = time.Millisecond
	if idle := quickStop(); idle > limit/4 {
		t.Skipf("three of four stops of an idle process take %v or more: this machine cannot tell", idle)
	}
	w := largeWorld(t, million)
	var quit atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !quit.Load() {
			w.step()
		}
	}()
	best := quickStop()
	for round := 0; round < 40 && best >= limit; round++ {
		best = min(best, quickStop())
	}
	quit.Store(true)
	<-done
	if best >= limit {
		t.Errorf("three of four stops take %v or more, want less than %v", best, limit)
	}
}

// largeWorld creates a world of n entities and steps it a few times. A frame takes hundredths of a
// second; on an emulated machine it takes much longer.
func largeWorld(t *testing.T, n int) work {
	const limit = time.Second / 2
	w := hierarchyWorld(2)(t, n)
	w.step()
	best := time.Hour
	for range 5 {
		start := time.Now()
		w.step()
		best = min(best, time.Since(start))
	}
	if best > limit {
		t.Skipf("a frame takes %v: this machine is too slow for %d entities", best, n)
	}
	return w
}

// quickStop stops the world again and again and returns a duration that a quarter of the stops do not
// exceed.
func quickStop() time.Duration {
	var stats runtime.MemStats
	took := make([]time.Duration, 31)
	for i := range took {
		time.Sleep(time.Millisecond)
		start := time.Now()
		runtime.ReadMemStats(&stats) // stops the world
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took[len(took)/4]
}
