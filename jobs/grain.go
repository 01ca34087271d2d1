package jobs

import (
	"fmt"
	"math"
)

// maxBlocks is how many blocks a parallel-for can have.
const maxBlocks = math.MaxUint32

// maxLeaves is how many parts a reduction, or a loop whose grain is chosen,
// has at most.
const maxLeaves = 256

// autoGrain is the grain that is chosen for n indices. It may depend on
// nothing but n: a panic reports the first index of its block, and a reduction
// joins its parts in a fixed tree.
func autoGrain(n int) int {
	return max(1, (n-1)/maxLeaves+1)
}

// checkGrain checks the arguments of a parallel-for and chooses a grain of 0.
func checkGrain(fn string, n, grain int) int {
	if n < 0 || grain < 0 {
		panic(fmt.Sprintf("jobs: %s: n is %d, grain is %d", fn, n, grain))
	}
	if grain == 0 {
		return autoGrain(n)
	}
	if uint64(n)/uint64(grain) >= maxBlocks {
		panic(fmt.Sprintf("jobs: %s: n is %d, grain is %d: more than %d blocks", fn, n, grain, int64(maxBlocks)))
	}
	return grain
}
