package main

import (
	"slices"
	"time"
)

// key names a measured series: the operation and the library.
type key struct {
	section string // fork, empty, graph, kernel, …
	side    string // lanewise, openmp-static, …
	n       int
	gap     string // the caller's work between two dispatches
}

// series has the median times of one dispatch, by key, with one entry for each
// round.
type series map[key][]float64

func (s series) add(k key, ns float64) { s[k] = append(s[k], ns) }

// median returns the median over the rounds; 0 if there are none.
func (s series) median(k key) float64 { return medianOf(s[k]) }

func medianOf(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

var epoch = time.Now()

func now() int64 { return int64(time.Since(epoch)) }

// busy keeps the processor of the caller busy for a time.
func busy(d time.Duration) {
	for end := now() + int64(d); now() < end; {
	}
}

// gaps maps names to the work that the caller does between two dispatches.
var gaps = map[string]func(){
	"hot":  func() {},
	"50us": func() { busy(50 * time.Microsecond) },
	"1ms":  func() { time.Sleep(time.Millisecond) },
}

// quietShare is the share of the machine that other processes may use during a
// series. If other processes use more, the series is repeated up to quietTries
// times, until retryUntil has passed.
const quietShare = 0.05

var (
	quietTries = 6
	retryUntil int64

	taken, disturbed int // number of series, and of those without an undisturbed try
)

// measure returns the median time of f in nanoseconds, one dispatch at a time,
// without the cost of reading the clock.
func measure(estimate time.Duration, gap string, f func()) float64 {
	reps := min(max(int(40*time.Millisecond/(estimate+5*time.Microsecond)), 15), 4000)
	switch gap {
	case "50us":
		reps = min(reps, 400)
	case "1ms":
		reps = min(reps, 40)
	}
	between := gaps[gap]
	times := make([]float64, reps)
	best, bestShare := 0.0, 2.0
	for try := 0; try == 0 || try < quietTries && bestShare > quietShare && now() < retryUntil; try++ {
		for range max(5, reps/20) {
			f()
		}
		before := readLoad()
		for i := range times {
			between()
			start := now()
			f()
			times[i] = float64(now() - start)
		}
		if share := readLoad().foreignShare(before); share < bestShare {
			best, bestShare = medianOf(times), share
		}
	}
	taken++
	if bestShare > quietShare {
		disturbed++
	}
	return max(best-clockCost, 0.1)
}

// clockCost is the time that two reads of the clock add to a measurement.
var clockCost = func() float64 {
	times := make([]float64, 1000)
	for i := range times {
		start := now()
		times[i] = float64(now() - start)
	}
	return medianOf(times)
}()
