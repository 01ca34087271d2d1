package order_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/order"
)

// Argsort returns the rows in ascending order and leaves the lanes unchanged.
func ExampleArgsort() {
	distance := []float32{4.5, 1.25, 9, 1.25, 0.5}
	name := []string{"ash", "birch", "cedar", "dogwood", "elm"}

	var s order.Sorter[float32, int32]
	index := make([]int32, len(distance))
	order.Argsort(&s, index, distance)
	for _, row := range index[:3] {
		fmt.Println(name[row], distance[row])
	}
	// Output:
	// elm 0.5
	// birch 1.25
	// dogwood 1.25
}

// SortPairs sorts rows by their cell on all workers. The sort is stable, so rows of one cell keep
// their order.
func ExampleSorter_SortPairs() {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()

	cell := []uint32{7, 3, 7, 0, 3, 7}
	row := []int32{0, 1, 2, 3, 4, 5}
	s := order.Sorter[uint32, int32]{Pool: pool}
	s.SortPairs(cell, row)
	fmt.Println(cell, row)
	// Output: [0 3 3 7 7 7] [3 1 4 0 2 5]
}

// Rows sorted by cell form groups, and each group is a slice.
func ExampleGroups() {
	cell := []uint32{7, 3, 7, 0, 3, 7}
	mass := []float64{1, 2, 4, 8, 16, 32}
	var s order.Sorter[uint32, float64]
	s.SortPairs(cell, mass)

	starts := order.Groups(nil, cell)
	for g, lo := range starts[:len(starts)-1] {
		fmt.Println("cell", cell[lo], "holds", mass[lo:starts[g+1]])
	}
	// Output:
	// cell 0 holds [8]
	// cell 3 holds [2 16]
	// cell 7 holds [1 4 32]
}

// Floats have a total order: −0 before 0, and NaN last.
func ExampleSorter_Sort() {
	x := []float64{2, math.NaN(), 0, math.Inf(1), -1, math.Copysign(0, -1), math.Inf(-1)}
	var s order.Sorter[float64, struct{}]
	s.Sort(x)
	fmt.Println(x)
	// Output: [-Inf -1 -0 0 2 +Inf NaN]
}

// Merge inserts today's arrivals among the earlier ones. At equal times the earlier arrivals come
// first.
func ExampleSorter_Merge() {
	old, oldID := []uint64{10, 20, 30}, []int32{1, 2, 3}
	today, todayID := []uint64{20, 25}, []int32{7, 8}

	all, id := make([]uint64, 5), make([]int32, 5)
	var s order.Sorter[uint64, int32]
	s.Merge(all, id, old, oldID, today, todayID)
	fmt.Println(all, id)
	// Output: [10 20 20 25 30] [1 2 7 8 3]
}

// Nth finds the median without sorting all values. To find the three smallest values in order, the
// example also sorts the first three values.
func ExampleSorter_Nth() {
	x := []float32{9, 2, 7, 4, 1, 8, 3}
	var s order.Sorter[float32, struct{}]
	s.Nth(x, nil, len(x)/2)
	fmt.Println("median", x[len(x)/2])

	s.Nth(x, nil, 2)
	s.Sort(x[:3])
	fmt.Println("least", x[:3])
	// Output:
	// median 4
	// least [1 2 3]
}

// To sort by several keys, sort by the least important key first, because each sort keeps the order of
// equal rows.
func Example() {
	team := []int32{2, 1, 2, 1}
	points := []float32{10, 30, 20, 30}

	var byPoints order.Sorter[float32, int32]
	var byTeam order.Sorter[int32, int32]
	index := make([]int32, 4)
	order.Argsort(&byPoints, index, points)

	teams := make([]int32, 4)
	for i, row := range index {
		teams[i] = team[row]
	}
	byTeam.SortPairs(teams, index)
	for _, row := range index {
		fmt.Println("team", team[row], "points", points[row])
	}
	// Output:
	// team 1 points 30
	// team 1 points 30
	// team 2 points 10
	// team 2 points 20
}
