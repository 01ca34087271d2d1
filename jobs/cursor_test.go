package jobs

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestSeatsTakeEachBlockOnce: seats with a share of a loop and seats without one take its
// blocks in any order of turns, one or several at a time.
func TestSeatsTakeEachBlockOnce(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 4))
		const n = 100
		shares := 1 + rng.IntN(4)
		lp := &loop{shares: make([]blockShare, shares), maxTake: uint32(1 + rng.IntN(2)*rng.IntN(30))}
		lp.node = new(jobNode)
		lp.openToWorkers(uint64(seed%3), n, -1)
		lp.maxTake = uint32(1 + rng.IntN(2)*rng.IntN(30))
		var cursors []*blockCursor
		for i := range 1 + rng.IntN(6) {
			c := newBlockCursor(lp, newWorkerContext(p, (i+rng.IntN(3))%7))
			if i > 0 && c.ownShare != nil {
				c.ownShare = nil // a share has one owner
			}
			cursors = append(cursors, &c)
		}
		var ran [n]int
		for len(cursors) > 0 {
			i := rng.IntN(len(cursors))
			if c := cursors[i]; c.nextBlocks() {
				for b := c.lo; b < c.hi; b++ {
					ran[b]++
				}
			} else {
				cursors = append(cursors[:i], cursors[i+1:]...)
			}
		}
		for b, k := range ran {
			if want := 1; b < int(seed%3) && k != 0 || b >= int(seed%3) && k != want {
				t.Fatalf("seed %d: block %d was taken %d times", seed, b, k)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestManyWaitForOneLoop: goroutines that have no share of a loop steal its blocks, and
// each runs once.
func TestManyWaitForOneLoop(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	stolen := func() (n uint64) {
		for _, wc := range (*p.contexts.Load())[p.workers:] {
			n += wc.counters.steals.Load()
		}
		return n
	}
	for round := 0; round < 20 || stolen() < 100; round++ {
		var ran [200]atomic.Int32
		h := p.ParallelFor(RangeFunc(func(_ *Task, lo, _ int) {
			ran[lo].Add(1)
			runtime.Gosched()
		}), len(ran), 1)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if err := h.Wait(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for i := range ran {
			if n := ran[i].Load(); n != 1 {
				t.Fatalf("round %d: block %d ran %d times", round, i, n)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
