package bench

import (
	"flag"
	"fmt"
	"math"
	"testing"
	"time"
)

var growthRows = flag.Int("bench.growth", 0, "BenchmarkGrowth goes up to so many `rows`, and fails where a ratio grows more than 1.3 times")

// BenchmarkGrowth compares a step of each kind of iteration with the same loop over flat lanes, for
// 1,000 rows and more. The two run in turn. The metric x/flat is the ratio of their least times. The
// metric x/1000-rows is that ratio divided by the ratio at 1,000 rows. A growing ratio reveals a
// performance cliff.
func BenchmarkGrowth(b *testing.B) {
	most := max(*growthRows, 100_000)
	for _, way := range []side{
		{"ecs", integrateECS(nil)},
		{"jobs/workers=1", integrateJobs(1)},
		{"runs/workers=1", integrateRuns(1)},
		{"ecs/chunk=160", integrateECS(ballasted)},
	} {
		first := 0.0
		for rows := 1_000; rows <= most; rows *= 10 {
			b.Run(fmt.Sprintf("via=%s/rows=%d", way.via, rows), func(b *testing.B) {
				ours, flat := way.make(b, rows).step, integrateLanes(b, rows).step
				repeat := max(1, 1_000_000/rows)
				least, bare := math.Inf(1), math.Inf(1)
				for b.Loop() {
					bare = min(bare, seconds(flat, repeat))
					least = min(least, seconds(ours, repeat))
				}
				ratio := least / bare
				if rows == 1_000 {
					first = ratio
				}
				b.ReportMetric(least/float64(repeat*rows)*1e9, "ns/row")
				b.ReportMetric(ratio, "x/flat")
				if first > 0 {
					b.ReportMetric(ratio/first, "x/1000-rows")
				}
				if *growthRows > 0 && first > 0 && ratio > 1.3*first {
					b.Errorf("%.2f of flat lanes, and %.2f at 1,000 rows", ratio, first)
				}
			})
		}
	}
}

// seconds returns the time of the given number of steps.
func seconds(step func(), repeat int) float64 {
	start := time.Now()
	for range repeat {
		step()
	}
	return time.Since(start).Seconds()
}
