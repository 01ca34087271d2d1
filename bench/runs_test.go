package bench

import (
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// The Runs benchmarks do the same step as Integrate, on data larger than the caches. One job gets
// one chunk at a time; the other gets runs of adjacent chunks.

var runs = scenario{rowBytes: 9 * 4, sides: []side{
	{"lanes", integrateLanes},
	{"chunks/workers=1", integrateJobs(1)},
	{"runs/workers=1", integrateRuns(1)},
	{"chunks/workers=2", integrateJobs(2)},
	{"runs/workers=2", integrateRuns(2)},
}}

func BenchmarkRuns(b *testing.B) {
	for _, rows := range []int{100_000, 1_000_000, 4_000_000} {
		for _, side := range runs.sides {
			b.Run(fmt.Sprintf("rows=%d/via=%s", rows, side.via), func(b *testing.B) {
				step := side.make(b, rows).step
				step()
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
				reportPer(b, rows, "ns/row")
			})
		}
	}
}

func TestRunsSidesAgree(t *testing.T) { runs.checkAgreement(t) }

// Run moves the entities of a run of chunks.
func (m *moves) Run(c *ecs.Chunk) { m.Chunk(c) }

func integrateRuns(workers int) func(testing.TB, int) work {
	return func(tb testing.TB, rows int) work {
		m := populate(tb, rows, workers, nil)
		return work{func() {
			if err := m.moving.ParallelForSpans(m).Wait(); err != nil {
				tb.Fatal(err)
			}
		}, m.result}
	}
}
