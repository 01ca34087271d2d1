package golden

import (
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/order"
)

// orderRow sorts integers and floats, in short lanes and in lanes long enough for all workers.
func orderRow(_ *testing.T, pool *jobs.Pool) uint64 {
	s := newSum()
	for _, n := range []int{20, 3000, 70_000} {
		d := draw(n)
		cells, rows := make([]uint32, n), make([]int32, n)
		for i := range cells {
			cells[i], rows[i] = uint32(d.intBelow(n/3)), int32(i)
		}
		byCell := order.Sorter[uint32, int32]{Pool: pool}
		byCell.SortPairs(cells, rows)
		starts := order.Groups(nil, cells)
		for i := 0; i < n; i += 1 + n/500 {
			s.add(uint64(cells[i]), uint64(rows[i]), uint64(starts[i/5]))
		}
		if n < 10_000 {
			sortFloats[float32](s, pool, n)
			sortFloats[float64](s, pool, n)
		}
	}
	return s.Sum64()
}

func sortFloats[T kernels.Float](s sum, pool *jobs.Pool, n int) {
	d := draw(n)
	a, b, index, all := lane[T](&d, n), lane[T](&d, n), make([]int32, n), make([]T, 2*n)
	sorter := order.Sorter[T, int32]{Pool: pool}
	order.Argsort(&sorter, index, a)
	for _, row := range index {
		s.add(uint64(row))
	}
	sorter.Sort(a)
	sorter.Sort(b)
	sorter.Merge(all, nil, a, nil, b, nil)
	addFloats(s, all)
	sorter.Nth(b, index, n/3)
	addFloats(s, b)
}
