package jobs

import (
	"context"
	"math"
	"runtime"
	"testing"
)

// TestFramesKeepNothing runs many frames whose jobs are only waited for, never
// stolen: entries of the deque and jobs that stand for readers must not pile up.
//
// Each round runs as many frames as all before it together. What piles up
// grows in each of them, even where it grows by doubling; a list that a worker
// begins to fill only now, or a goroutine of another test, shows in one.
func TestFramesKeepNothing(t *testing.T) {
	limit(t)
	const systems, readers, warm, rounds = 100, 10, 100, 3
	for _, workers := range []int{1, 2} {
		p := New(Workers(workers))
		s := p.Scope(context.Background())
		if err := s.End(); err != nil {
			t.Fatal(err)
		}
		var all [systems + systems/readers]Handle
		body := RangeFunc(func(*Task, int, int) {})
		run := func(frames int) {
			for range frames {
				s.Begin(context.Background())
				handles := all[:0]
				for i := range systems {
					handles = append(handles, s.ParallelFor(body, 1, 1))
					if n := len(handles); i%readers == readers-1 { // one job stands for those since the last
						handles = append(handles, Combine(handles[n-readers:]...))
					}
				}
				if err := WaitAll(handles...); err != nil {
					t.Fatal(err)
				}
				if err := s.End(); err != nil {
					t.Fatal(err)
				}
			}
		}
		run(warm)
		leastBytes, leastEdges := math.Inf(1), math.Inf(1) // kept by a frame
		for round := range rounds {
			frames := warm << round
			bytes, used := heapBytes(), edgesUsed()
			run(frames)
			leastBytes = min(leastBytes, float64(heapBytes()-bytes)/float64(frames))
			leastEdges = min(leastEdges, float64(edgesUsed()-used)/float64(frames))
		}
		if leastBytes > 64 || leastEdges > 2 { // a seat keeps some hundred edges, a frame uses that many
			t.Errorf("%d workers: a frame keeps %.1f bytes and %.2f edges", workers, leastBytes, leastEdges)
		}
		for _, wc := range *p.contexts.Load() {
			if got := len(wc.queue.deque.ring.Load().items); got != dequeSize {
				t.Errorf("%d workers: the deque of seat %d has grown to %d entries", workers, wc.index, got)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func heapBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func edgesUsed() int {
	edges.mu.Lock()
	defer edges.mu.Unlock()
	return int(edges.used)
}

// TestClosedPoolsKeepNothing opens and closes pools: each gives back the edges
// that its seats have kept.
func TestClosedPoolsKeepNothing(t *testing.T) {
	limit(t)
	round := func() {
		p := New(Workers(2))
		if err := WaitAll(p.Schedule(&nothing{}, p.Schedule(&nothing{})), p.Schedule(&nothing{})); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	round()
	before := edgesUsed()
	for range 20 {
		round()
	}
	if grown := edgesUsed() - before; grown > 0 {
		t.Errorf("20 pools keep %d edges", grown)
	}
}
