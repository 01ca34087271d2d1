package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// A scenario is a task on rows that several sides do, each in its own way.
type scenario struct {
	rowBytes int // bytes that one row reads and writes in one step
	sides    []side
}

// A side is one way to do the work.
type side struct {
	via  string
	make func(tb testing.TB, rows int) work
}

// work is a prepared side: a function for one step, and a function that returns the results so far,
// row by row.
type work struct {
	step   func()
	result func() []float32
}

// run measures every side at every size. The timed code is a separate function, because the
// compiler generates slower code for statements inside the braces of the loop.
func (s *scenario) run(b *testing.B) {
	for _, rows := range []int{1_000, 10_000, 100_000, 1_000_000} {
		for _, side := range s.sides {
			b.Run(fmt.Sprintf("rows=%d/via=%s", rows, side.via), func(b *testing.B) {
				step := side.make(b, rows).step
				step()
				b.SetBytes(int64(rows * s.rowBytes))
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
				b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// checkAgreement steps every side three times and compares the bits with the bits of the first side.
func (s *scenario) checkAgreement(t *testing.T) {
	for _, rows := range []int{1, 700, 5000} {
		var want []float32
		for _, side := range s.sides {
			w := side.make(t, rows)
			for range 3 {
				w.step()
			}
			got := w.result()
			if want == nil {
				want = got
			}
			if len(got) != len(want) {
				t.Fatalf("rows=%d via=%s: %d numbers, want %d", rows, side.via, len(got), len(want))
			}
			for i := range got {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
					t.Fatalf("rows=%d via=%s: number %d is %v, want %v", rows, side.via, i, got[i], want[i])
				}
			}
		}
	}
}

// seed returns the initial number of row i in lane k. The number is between -1 and 1 and the same
// on every side.
func seed(i, k int) float32 {
	x := uint32(i)*2654435761 + uint32(k)*40503 + 1
	x ^= x >> 15
	x *= 2246822519
	x ^= x >> 13
	return float32(float32(int32(x)) / (1 << 31))
}

// unit returns the initial quaternion of row i.
func unit(i int) (x, y, z, w float32) {
	x, y, z, w = seed(i, 20), seed(i, 21), seed(i, 22), seed(i, 23)
	l := float32(math.Sqrt(float64(float32(x*x) + float32(y*y) + float32(z*z) + float32(w*w))))
	return x / l, y / l, z / l, w / l
}

// newWorld makes a world with a separate pool. The world and the pool live as long as the test.
func newWorld(tb testing.TB, workers int) *ecs.World {
	pool := jobs.New(jobs.Workers(workers))
	w := ecs.NewWorld("bench", ecs.OnPool(pool))
	closeLater(tb, w, pool)
	return w
}

func closeLater(tb testing.TB, w *ecs.World, pool *jobs.Pool) {
	tb.Cleanup(func() {
		if err := w.Close(); err != nil {
			tb.Error(err)
		}
		if err := pool.Close(); err != nil {
			tb.Error(err)
		}
	})
}
