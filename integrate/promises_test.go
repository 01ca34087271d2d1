package integrate_test

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/kernels"
)

// timeOf returns the time of row i of a block.
func timeOf[T kernels.Float](b integrate.Block[T], i int) float64 {
	if b.Times != nil {
		return b.Times[i]
	}
	return b.Time
}

// TestLateTimes integrates cos t from the time 1e7 on. A float32 does not have such a time: its neighbours are 1 apart.
func TestLateTimes(t *testing.T) {
	const start, end = 1e7, 1e7 + 8
	want := math.Sin(end) - math.Sin(start)
	for _, coupled := range []bool{false, true} {
		o := integrate.ODE[float32]{Coupled: coupled, Rate: func(dst, _ [][]float32, b integrate.Block[float32]) error {
			for i := range dst[0] {
				dst[0][i] = float32(math.Cos(timeOf(b, i)))
			}
			return nil
		}}
		x := lanesOf[float32](1, 70)
		must(t, o.DormandPrince(x, start, end, &integrate.Control{Rtol: 1e-5, Atol: 1e-5}))
		for i, got := range x[0] {
			if math.Abs(float64(got)-want) > 1e-3 {
				t.Fatalf("coupled %v: row %d is %v, want %.4f", coupled, i, got, want)
			}
		}
	}
}
