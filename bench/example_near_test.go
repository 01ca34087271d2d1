package bench_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/order"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/spatial/kdtree"
)

// gonum's kd-tree finds the same neighbours as a grid and a tree of this library. The grid and the
// tree of this library sort the points into separate lanes and keep their ids.
func Example_gonumNeighbours() {
	r := rand.New(rand.NewPCG(1, 2))
	const n, k = 2000, 5
	x, y := make([]float64, n), make([]float64, n)
	points := make(kdtree.Points, n)
	for i := range x {
		x[i], y[i] = r.Float64(), r.Float64()
		points[i] = kdtree.Point{x[i], y[i]}
	}
	p := near.Point[float64]{X: 0.5, Y: 0.5}

	keep := kdtree.NewNKeeper(k)
	kdtree.New(points, false).NearestSet(keep, kdtree.Point{p.X, p.Y})
	var theirs []float64 // squares of distances from gonum
	for _, found := range keep.Heap {
		theirs = append(theirs, found.Dist)
	}
	slices.Sort(theirs)

	grid := near.New(near.Space[float64]{Dims: 2, High: near.Point[float64]{X: 1, Y: 1}, Cell: 1. / 32})
	grid.Build(x, y, nil)
	var tree near.Tree[float64]
	tree.Build(x, y, nil)
	ours, others := grid.AppendNearest(nil, p, k), tree.AppendNearest(nil, p, k)
	for i, found := range ours {
		// The result of gonum may contain fused products, depending on the compiler.
		if math.Abs(found.Square-theirs[i]) > 1e-15 || others[i].ID != found.ID {
			fmt.Println("another one:", found, others[i], theirs[i])
		}
	}
	fmt.Println(len(ours), "are the same")
	// Output: 5 are the same
}

// Argsort of gonum also moves the keys, and does not define the order of equal keys. Argsort of
// package order leaves the keys in place and is stable.
func Example_gonumArgsort() {
	keys := []float64{0.5, 0.25, 2, -1, 1}
	theirs, sorted := make([]int, len(keys)), slices.Clone(keys)
	floats.Argsort(sorted, theirs)

	var s order.Sorter[float64, int32]
	ours := make([]int32, len(keys))
	order.Argsort(&s, ours, keys)
	fmt.Println(theirs, sorted)
	fmt.Println(ours, keys)
	// Output:
	// [3 1 0 4 2] [-1 0.25 0.5 1 2]
	// [3 1 0 4 2] [0.5 0.25 2 -1 1]
}
