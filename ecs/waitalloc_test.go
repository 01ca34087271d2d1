package ecs_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestScheduleAndWaitAllocates checks that a job over a query and the wait for it allocate nothing
// outside of frames, for any number of workers and chunks.
func TestScheduleAndWaitAllocates(t *testing.T) {
	if ecs.Race || ecs.Guard {
		t.Skip("the race detector and the guard build allocate")
	}
	for _, workers := range []int{1, 2, 3, 8} {
		for _, n := range []int{10, 5000} {
			w := newWorld(t, workers)
			for i := range n {
				if w.Spawn(Position{}); i%2 == 0 {
					w.Spawn(Position{}, A{})
				}
			}
			q, job := w.Query(ecs.Write[Position]()), &nothingToDo{}
			run := func() {
				if err := q.ParallelFor(job).Wait(); err != nil {
					t.Error(err)
				}
			}
			for range 50 {
				run()
			}
			if got := testing.AllocsPerRun(100, run); got > 0 {
				t.Errorf("%d workers, %d entities: %v allocations", workers, n, got)
			}
		}
	}
}

type nothingToDo struct{}

func (*nothingToDo) Chunk(*ecs.Chunk) {}
