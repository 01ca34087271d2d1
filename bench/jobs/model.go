package main

import (
	"container/heap"
	"fmt"
	"os"
	"text/tabwriter"
)

// We have no machine with many cores, so this is a simulation. The simulation runs a loop of n
// equal blocks on some processors, as a series of events, with times in nanoseconds. The simulation
// models the transfer of cache lines, but not memory bandwidth, NUMA nodes or clock speeds.
type model struct {
	line  float64 // to transfer a contended cache line
	take  float64 // to take a block from the worker's share
	steal float64
	wake  float64 // cost of waking a worker; 0: all are awake
	start float64 // time until a woken worker runs
	skew  float64 // relative difference of the blocks' times
}

// startTimes returns the time at which each worker begins. Sleeping workers are woken in a tree:
// each woken worker wakes two more.
func (m model) startTimes(workers int) []float64 {
	at := make([]float64, workers)
	for i := 1; i < workers; i++ {
		if m.wake == 0 {
			at[i] = 2 * m.line
			continue
		}
		second := float64(2 - i%2)
		at[i] = at[(i-1)/2] + float64(m.wake*second) + m.start
	}
	return at
}

// block returns the time of block i.
func (m model) block(i int, mean float64) float64 {
	return float64(mean * (1 + float64(m.skew*(float64((uint32(i)*2654435761)>>8&255)/255-0.5))))
}

// event is a time at which a worker becomes free.
type event struct {
	at     float64
	worker int
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// counter returns the time of a loop whose workers take k blocks at a time from
// a shared counter.
func (m model) counter(workers, n, k int, mean float64) (end float64) {
	var queue events
	for w, at := range m.startTimes(workers) {
		heap.Push(&queue, event{at, w})
	}
	free, next := 0.0, 0
	for queue.Len() > 0 && next < n {
		e := heap.Pop(&queue).(event)
		free = max(free, e.at) + m.line
		at := free
		for range min(k, n-next) {
			at += m.block(next, mean)
			next++
		}
		end = max(end, at)
		heap.Push(&queue, event{at, e.worker})
	}
	return end + m.line
}

// shares returns the time of a loop whose workers have one share each. A worker that is done steals
// half of the largest remaining share.
func (m model) shares(workers, n int, mean float64) (end float64) {
	lo, hi := make([]int, workers), make([]int, workers)
	var queue events
	for w, at := range m.startTimes(workers) {
		lo[w], hi[w] = n*w/workers, n*(w+1)/workers
		heap.Push(&queue, event{at, w})
	}
	run := func(w int, at float64) {
		at += m.block(lo[w], mean)
		lo[w]++
		end = max(end, at)
		heap.Push(&queue, event{at, w})
	}
	for queue.Len() > 0 {
		e := heap.Pop(&queue).(event)
		w := e.worker
		if lo[w] < hi[w] {
			run(w, e.at+m.take)
			continue
		}
		victim := 0
		for v := range lo {
			if hi[v]-lo[v] > hi[victim]-lo[victim] {
				victim = v
			}
		}
		if hi[victim]-lo[victim] < 1 {
			continue // it leaves
		}
		mid := lo[victim] + (hi[victim]-lo[victim])/2
		lo[w], hi[w], hi[victim] = mid, hi[victim], mid
		run(w, e.at+m.steal) // at once, because otherwise workers could steal it from each other without end
	}
	return end + m.line
}

// printModel prints speed-ups over one worker, up to 64.
func printModel() {
	awake := model{line: 60, take: 6, steal: 250, skew: 0.3}
	asleep := awake
	asleep.wake, asleep.start = 1500, 5000
	processors := []int{2, 4, 8, 16, 32, 64}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprint(w, "| calculated: speed-up on\t| 2\t| 4\t| 8\t| 16\t| 32\t| 64\t|\n| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|\n")
	row := func(name string, n int, time func(workers int) float64) {
		fmt.Fprintf(w, "| %s\t|", name)
		for _, p := range processors {
			fmt.Fprintf(w, " %.1f\t|", float64(n)*1000/time(p))
		}
		fmt.Fprintln(w)
	}
	for _, n := range []int{64, 1024, 16384} {
		row(fmt.Sprintf("%d x 1us, a shared counter", n), n, func(p int) float64 { return awake.counter(p, n, 1, 1000) })
		row(fmt.Sprintf("%d x 1us, shares", n), n, func(p int) float64 { return awake.shares(p, n, 1000) })
	}
	row("1024 x 1us, shares, workers asleep (1.5 us a call, 5 us to start)", 1024, func(p int) float64 { return asleep.shares(p, 1024, 1000) })
	w.Flush()
}
