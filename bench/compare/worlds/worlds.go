// Package worlds does the same work in three ways: in a world of this library,
// in a world of Ark (another library for Go), and in Go on flat slices. The
// commands entities and compare measure it.
package worlds

import "time"

// A Task is work that several ways do, on N rows.
type Task struct {
	Name string
	N    int
	Ways []Way
}

// A Way is one implementation of a task. The time of Do is measured, and the time of Before is not.
type Way struct {
	Name   string
	Before func()
	Do     func()
	Result func() []float32 // the numbers after Do, which are the same for all ways
}

// Tasks lists functions that create the tasks. Each task has separate worlds.
var Tasks = []struct {
	Name string
	Make func(n int) Task
	N    []int
}{
	{"loop", Loops, []int{1_000, 10_000, 100_000, 1_000_000}},
	{"access", Access, []int{1_000, 10_000, 1_000_000}},
	{"access64", Access64, []int{1_000, 10_000, 1_000_000}},
	{"set", Sets, []int{1_000, 10_000, 1_000_000}},
	{"has", Has, []int{1_000, 10_000, 1_000_000}},
	{"spawn", Spawns, []int{1_000}},
	{"batch", Batches, []int{100_000}},
	{"change", Changes, []int{1_000}},
	{"visit", Visits, []int{1_000, 10_000}},
	{"query", Queries, []int{1_000, 10_000}},
}

// Time returns the time of a number of calls of Do. If a way has a function
// Before, Time calls the way once.
func (w Way) Time(calls int) time.Duration {
	if w.Before != nil {
		w.Before()
	}
	start := time.Now()
	for range calls {
		w.Do()
	}
	return time.Since(start)
}
