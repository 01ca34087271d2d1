package jobs

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// A reduction is over when it returns: what its parts point at is its caller's, or
// garbage.
func TestReduceKeepsNothing(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		const parts = 40
		gone := make(chan int, parts)
		sum, err := Reduce(p, parts, func(lo, _ int) *[64]byte {
			part := new([64]byte)
			runtime.AddCleanup(part, func(at int) { gone <- at }, lo)
			return part
		}, func(a, _ *[64]byte) *[64]byte { return a })
		if err != nil || sum == nil {
			t.Fatal(sum, err)
		}
		runtime.GC()
		deadline := time.After(10 * time.Second)
		for range parts - 1 { // the first is the sum
			select {
			case <-gone:
			case <-deadline:
				t.Fatal("the pool keeps what the parts of a reduction pointed at")
			}
		}
		runtime.KeepAlive(sum)
		runtime.KeepAlive(p)
	})
}

// Scratch memory is taken back after each block, so that a loop of any length needs
// no more than one of its blocks does.
func TestScratchIsTakenBack(t *testing.T) {
	limit(t)
	p := New(Workers(1))
	defer p.Close()
	seen := map[*byte]int{}
	job := RangeFunc(func(task *Task, lo, _ int) { seen[unsafe.SliceData(task.Scratch(3000))]++ })
	if err := p.ParallelFor(job, 100, 1).Wait(); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 1 {
		t.Errorf("100 blocks had %d different pieces of memory, want one", len(seen))
	}
}

// A length that turns out to be negative is an error, whether the caller or the pool chooses the grain.
func TestLaterLengthIsNegative(t *testing.T) {
	limit(t)
	pools(t, func(t *testing.T, p *Pool) {
		for _, grain := range []int{0, 1, 100} {
			n := -3
			err := p.ParallelForLater(&nothing{}, &n, grain).Wait()
			if err == nil || !strings.Contains(err.Error(), "n is -3") {
				t.Errorf("grain %d: error %v, want one that tells of -3", grain, err)
			}
		}
	})
}
