package jobs

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestAtomicsInOrder asks the machine for what deque.pop and parking stand on:
// of two goroutines that each swap and then load what the other swaps, one sees
// the value of the other. By the memory model of Go that holds for stores too;
// qemu 7.2 for arm64 does not keep it for those.
func TestAtomicsInOrder(t *testing.T) {
	limit(t)
	const n = 100_000
	type cell struct {
		v atomic.Int64
		_ [56]byte
	}
	var stored [2]cell
	var saw [2][n + 1]int64
	var start, wg sync.WaitGroup
	start.Add(2)
	for me := range 2 {
		wg.Go(func() {
			start.Done()
			start.Wait()
			for i := range int64(n) {
				stored[me].v.Swap(i + 1)
				saw[me][i+1] = stored[1-me].v.Load()
			}
		})
	}
	wg.Wait()
	passed := 0
	for mine := int64(1); mine <= n; mine++ {
		if next := saw[0][mine] + 1; next <= n && saw[1][next] < mine {
			passed++ // the other stored next, which I did not see, and then did not see mine
		}
	}
	if passed > 0 {
		t.Errorf("a load of sync/atomic passed an earlier swap %d times in %d: package jobs cannot work on this machine; "+
			"an emulator that does so has to keep to one CPU (.ci/one-cpu)", passed, n)
	}
}
