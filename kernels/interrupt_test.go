package kernels

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// TestInterruptible stops the world again and again while another goroutine sweeps over 16 M rows,
// which takes 10 ms or more. Assembly cannot be interrupted, so most stops would take 10 ms or more
// if a kernel did not divide its rows into pieces. With pieces, half of the stops take less than 1
// ms. A busy machine can delay stops too, so the test has several rounds.
func TestInterruptible(t *testing.T) {
	if !*full || raceEnabled {
		t.Skip("measures time on 400 MB, which says nothing on a busy machine or with the race detector: make full")
	}
	const rows, rounds = 16 << 20, 40
	v := &Vec3s[float32]{make([]float32, rows), make([]float32, rows), make([]float32, rows)}
	w := &Vec3s[float32]{make([]float32, rows), make([]float32, rows), make([]float32, rows)}
	eachPath(t, func(t *testing.T) {
		var quit atomic.Bool
		sweeps := make(chan time.Duration)
		go func() {
			start, n := time.Now(), 0
			for ; !quit.Load() || n == 0; n++ {
				v.AddScaled(v, w, 0.1)
			}
			sweeps <- time.Since(start) / time.Duration(n)
		}()
		var best []time.Duration
		for range rounds {
			took := stopWorld(21)
			if best == nil || took[len(took)/2] < best[len(best)/2] {
				best = took
			}
			if best[len(best)/2] < time.Millisecond {
				break
			}
		}
		quit.Store(true)
		sweep := <-sweeps
		t.Logf("a sweep takes %v; stops %v to %v", sweep, best[0], best[len(best)-1])
		limit := max(time.Millisecond, sweep/100) // an emulated CPU takes longer for all
		if half := best[len(best)/2]; half >= limit {
			t.Errorf("half of the stops take %v or more, want less than %v: a sweep takes %v", half, limit, sweep)
		}
		if sweep < 2*time.Millisecond {
			t.Errorf("a sweep takes %v: too short to show anything", sweep)
		}
	})
}

// stopWorld stops the world n times and returns the durations in ascending order.
func stopWorld(n int) []time.Duration {
	var stats runtime.MemStats
	took := make([]time.Duration, n)
	for i := range took {
		time.Sleep(time.Millisecond)
		start := time.Now()
		runtime.ReadMemStats(&stats) // stops the world
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took
}
