//go:build !purego

package near

import "github.com/lanewise/lanewise/kernels"

// copyRuns32AVX2 copies runs of a lane, one behind the other. It reads and writes up to spill
// elements more than a run has.
//
//go:noescape
func copyRuns32AVX2(dst, lane []float32, runs []Run)

// copyRuns64AVX2 is the same, with half as many.
//
//go:noescape
func copyRuns64AVX2(dst, lane []float64, runs []Run)

// copyRunsFast copies what it can of the front of runs, and returns how many that are: behind those
// there are spill elements to read and to write.
func copyRunsFast[T kernels.Float](dst, lane []T, runs []Run) int {
	if kernels.Vector() == 0 {
		return 0
	}
	n, end := len(runs), rowsOf(runs)
	for n > 0 && (int(runs[n-1].Hi)+spill > len(lane) || end+spill > len(dst)) {
		n--
		end -= int(runs[n].Hi - runs[n].Lo)
	}
	if n == 0 {
		return 0
	}
	switch dst := any(dst).(type) {
	case []float32:
		copyRuns32AVX2(dst, any(lane).([]float32), runs[:n])
	case []float64:
		copyRuns64AVX2(dst, any(lane).([]float64), runs[:n])
	}
	return n
}
