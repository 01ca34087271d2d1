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

// million is a world larger than any cache.
const million = 1_000_000

// TestMillionIsQuiet steps a world of a million entities that spin and follow
// their parents, or by default of a tenth of them: once it runs, a frame allocates
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

// TestMillionIsInterruptible stops the world while frames of a million entities
// run: it takes less than a millisecond. An emulated machine takes longer even
// when nothing runs; there is nothing to judge on it. Where other processes keep
// the cores busy many stops wait for those, so the quick quarter of several
// rounds is looked at.
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

// largeWorld makes a world of n entities, once it has stepped a few times. A frame
// takes hundredths of a second; where it takes long, the machine is emulated.
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

// quickStop stops the world again and again; a quarter of the stops are as quick
// as what it returns.
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
