package jobs

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// readySlots makes slots that look like queued jobs.
func readySlots(n int) []*jobNode {
	all := make([]*jobNode, n)
	for i := range all {
		all[i] = &jobNode{n: i}
		all[i].markReady()
	}
	return all
}

// TestDequeModel drives a deque as its owner and as a thief, in turns, and
// compares it with a slice.
func TestDequeModel(t *testing.T) {
	limit(t)
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var d deque
		d.init()
		var model []*jobNode
		bias := 2 + rng.IntN(4) // of pushes: some runs grow past the ring
		for step := range 3000 {
			switch k := rng.IntN(bias + 3); {
			case k < bias:
				node := readySlots(1)[0]
				d.push(node)
				model = append(model, node)
			case k == bias:
				var want *jobNode
				if len(model) > 0 {
					want, model = model[0], model[1:]
				}
				if got := d.steal(); got != want {
					t.Fatalf("seed %d, step %d: stole %p, want %p", seed, step, got, want)
				}
			default:
				var want *jobNode
				if last := len(model) - 1; last >= 0 {
					want, model = model[last], model[:last]
				}
				if got := d.newest(); got != want {
					t.Fatalf("seed %d, step %d: newest is %p, want %p", seed, step, got, want)
				}
				if got := d.pop(); got != want {
					t.Fatalf("seed %d, step %d: popped %p, want %p", seed, step, got, want)
				}
			}
			if d.size() != len(model) {
				t.Fatalf("seed %d, step %d: size %d, want %d", seed, step, d.size(), len(model))
			}
		}
	}
}

// TestDequeThieves lets thieves work against the owner: each entry comes out
// once.
func TestDequeThieves(t *testing.T) {
	limit(t)
	const n = 20_000
	var d deque
	d.init()
	all := readySlots(n)
	var seen [n]atomic.Int32
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !stop.Load() {
				if node := d.steal(); node != nil {
					seen[node.n].Add(1)
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := 0; i < n; {
		for range rng.IntN(20) {
			if i < n {
				d.push(all[i])
				i++
			}
		}
		for range rng.IntN(10) {
			if node := d.pop(); node != nil {
				seen[node.n].Add(1)
			}
		}
	}
	for d.size() > 0 {
		if node := d.pop(); node != nil {
			seen[node.n].Add(1)
		}
	}
	stop.Store(true)
	wg.Wait()
	for i := range seen {
		if got := seen[i].Load(); got != 1 {
			t.Fatalf("entry %d came out %d times", i, got)
		}
	}
}

// TestDequeDropsClaimed fills a deque with jobs that waiters have claimed: it
// does not grow.
func TestDequeDropsClaimed(t *testing.T) {
	limit(t)
	var d deque
	d.init()
	for _, node := range readySlots(10 * dequeSize) {
		d.push(node)
		if !node.claimReady() {
			t.Fatal("not ready")
		}
	}
	if got := len(d.ring.Load().items); got != dequeSize {
		t.Errorf("the ring has grown to %d entries", got)
	}
}
