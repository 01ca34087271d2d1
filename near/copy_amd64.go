//go:build !purego

package near

import "github.com/lanewise/lanewise/kernels"

// copyRuns32AVX2 copies runs of a lane, one after the other. After a run, it may read and write up to copySlack
// further elements.
//
//go:noescape
func copyRuns32AVX2(dst, lane []float32, runs []Run)

// copyRuns64AVX2 does the same for 8-byte elements. After a run, it may read and write up to half
// as many further elements.
//
//go:noescape
func copyRuns64AVX2(dst, lane []float64, runs []Run)

// copyRunsFast copies the first runs and returns how many it copied. It copies a run only if there are
// copySlack elements to read and to write after the run. If the runs are not in order, it copies none of
// them, because the last run of the list may not be the run that ends last. This can happen if the caller has
// created the runs.
func copyRunsFast[T kernels.Float](dst, lane []T, runs []Run) int {
	if kernels.VectorBytes() == 0 {
		return 0
	}
	n, end, last := len(runs), 0, int32(0)
	for _, run := range runs {
		if run.Lo < last || run.Hi < run.Lo {
			return 0
		}
		end, last = end+int(run.Hi-run.Lo), run.Hi
	}
	for n > 0 && (int(runs[n-1].Hi)+copySlack > len(lane) || end+copySlack > len(dst)) {
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
