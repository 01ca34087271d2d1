package near_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
	"github.com/lanewise/lanewise/order"
)

type point = near.Point[float32]

func Example() {
	x := []float32{1, 1.5, 7, 1, 9.5}
	y := []float32{1, 1, 7, 2, 1}
	g := near.New(near.Space[float32]{Dims: 2, High: point{X: 10, Y: 10}, Cell: 1})
	g.Build(x, y, nil)
	for _, f := range g.AppendWithin(nil, point{X: 1, Y: 1.1}, 1) {
		fmt.Printf("point %d, at a distance of %.2f\n", f.ID, math.Sqrt(float64(f.Square)))
	}
	// Output:
	// point 0, at a distance of 0.10
	// point 1, at a distance of 0.51
	// point 3, at a distance of 0.90
}

func ExampleSpace() {
	x, y := []float32{0.5, 9.5, 5}, []float32{5, 5, 5}
	for _, border := range []near.Border{near.Walled, near.Periodic} {
		g := near.New(near.Space[float32]{Dims: 2, High: point{X: 10, Y: 10}, Cell: 1, Border: border})
		g.Build(x, y, nil)
		fmt.Println(len(g.AppendWithin(nil, point{X: 0.5, Y: 5}, 1)))
	}
	// Output:
	// 1
	// 2
}

func ExampleGrid_Add() {
	g := near.New(near.Space[float64]{Dims: 3, Cell: 2, Border: near.Endless})
	g.Clear()
	g.Add([]float64{1e9, 0}, []float64{0, 0}, []float64{0, 0})
	g.Add([]float64{1e9 + 1, math.NaN()}, []float64{0, 0}, []float64{0, 0})
	g.Sort()
	for _, f := range g.AppendWithin(nil, near.Point[float64]{X: 1e9}, 2) {
		fmt.Println("point", f.ID)
	}
	fmt.Println("nowhere:", g.Nowhere())
	// Output:
	// point 0
	// point 2
	// nowhere: [3]
}

func ExampleGrid_Put() {
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()
	const n = 100_000
	g := near.New(near.Space[float32]{Dims: 2, High: point{X: n, Y: 1}, Cell: 1})
	g.Pool = pool
	g.Resize(n)
	err := pool.Range(n, 1000, func(lo, hi int) { // a job over chunks does the same
		x, y := make([]float32, hi-lo), make([]float32, hi-lo)
		for i := range x {
			x[i] = float32(lo+i) + 0.5
		}
		g.Put(lo, x, y, nil)
	})
	g.Sort()
	fmt.Println(g.Len(), err)
	fmt.Println(g.AppendNearest(nil, point{X: 77_777.4}, 2))
	// Output:
	// 100000 <nil>
	// [{77777 77777 0.010314941} {77776 77776 0.80718994}]
}

func ExampleGrid_AppendNearest() {
	g := near.New(near.Space[float32]{Dims: 2, High: point{X: 10, Y: 10}, Cell: 1})
	g.Build([]float32{1, 2, 8, 9}, []float32{1, 2, 8, 9}, nil)
	for _, f := range g.AppendNearest(nil, point{X: 6, Y: 6}, 3) {
		fmt.Println("point", f.ID)
	}
	if _, ok := g.Any(point{X: 5, Y: 5}, 1); !ok {
		fmt.Println("none within 1")
	}
	// Output:
	// point 2
	// point 3
	// point 1
	// none within 1
}

func ExampleGrid_Pairs() {
	g := near.New(near.Space[float32]{Dims: 2, High: point{X: 10, Y: 10}, Cell: 1})
	g.Build([]float32{9, 1, 1.5, 9.5, 1}, []float32{9, 1, 1, 9, 1.5}, nil)
	var lists near.Lists
	if err := g.Pairs(&lists, 0.6); err != nil {
		fmt.Println(err)
	}
	ids := g.IDs()
	for i := range ids {
		for _, j := range lists.Row[lists.Start[i]:lists.Start[i+1]] {
			fmt.Println(ids[i], "and", ids[j])
		}
	}
	if err := g.Neighbours(&lists, 0.6); err == nil {
		fmt.Println(len(lists.Row), "of both sides")
	}
	// Output:
	// 1 and 2
	// 1 and 4
	// 0 and 3
	// 6 of both sides
}

func ExampleGrid_Hit() {
	g := near.New(near.Space[float32]{Dims: 2, High: point{X: 10, Y: 10}, Cell: 1})
	g.Build([]float32{8, 5, 2}, []float32{5.2, 5.1, 9}, nil)
	hit, along, ok := g.Hit(point{X: 0, Y: 5}, point{X: 10, Y: 5}, 0.5)
	fmt.Printf("point %d after %.2f of the way: %v\n", hit.ID, along, ok)
	// Output: point 1 after 0.45 of the way: true
}

func ExampleGrid_AppendRuns() {
	x := []float32{1.5, 2.5, 3.5, 2.5, 9}
	y := []float32{1.5, 1.5, 1.5, 2.5, 9}
	g := near.New(near.Space[float32]{Dims: 2, High: point{X: 10, Y: 10}, Cell: 1})
	g.Build(x, y, nil)
	at, p, sum := g.At(), point{X: 2.5, Y: 1.5}, float32(0)
	for _, run := range g.AppendRuns(nil, p, 1) {
		x, y := at.X[run.Lo:run.Hi], at.Y[run.Lo:run.Hi]
		for j := range min(len(x), len(y)) { // a loop for a kernel
			dx, dy := x[j]-p.X, y[j]-p.Y
			sum += max(0, 1-(float32(dx*dx)+float32(dy*dy)))
		}
	}
	fmt.Println(sum)
	// Output: 1
}

func ExampleTile() {
	x, y, mass := make([]float32, 400), make([]float32, 400), make([]float32, 400)
	for i := range x {
		x[i], y[i], mass[i] = float32(i%20)/2, float32(i/20)/2, float32(i%3)
	}
	g := near.New(near.Space[float32]{Dims: 2, High: point{X: 10, Y: 10}, Cell: 1})
	g.Build(x, y, nil)
	at, sorted, density := g.At(), make([]float32, 400), make([]float32, 400)
	for row, id := range g.IDs() {
		sorted[row] = mass[id]
	}
	var tile near.Tile[float32] // of one worker
	var masses []float32
	for k := range g.Tiles() {
		tile.Load(g, k, 1)
		masses = tile.Gather(masses, sorted)
		rows := tile.Rows
		sums(density[rows.Lo:rows.Hi], at.X[rows.Lo:rows.Hi], at.Y[rows.Lo:rows.Hi], tile.At.X, tile.At.Y, masses)
	}
	fmt.Println(density[:5])
	// Output: [2.25 4 4.25 6 4.5]
}

// sums is a function that lanec can compile to a kernel.
func sums(sum, x, y, cx, cy, mass []float32) {
	for i := range sum {
		s := float32(0)
		for j, m := range mass {
			dx, dy := cx[j]-x[i], cy[j]-y[i]
			if d := 1 - (float32(dx*dx) + float32(dy*dy)); d > 0 {
				s += float32(m * d)
			}
		}
		sum[i] = s
	}
}

func ExampleTree() {
	x := []float64{0, 1e-6, 2e-6, 3e-6, 1000, 2000}
	y := make([]float64, len(x))
	var t near.Tree[float64]
	t.Build(x, y, nil)
	for _, f := range t.AppendNearest(nil, near.Point[float64]{X: 900}, 2) {
		fmt.Println("point", f.ID, math.Sqrt(f.Square))
	}
	fmt.Println(len(t.AppendWithin(nil, near.Point[float64]{}, 1e-3)), "within a millimetre")
	// Output:
	// point 4 100
	// point 3 899.999997
	// 4 within a millimetre
}

func ExampleSpace_Hilbert() {
	space := near.Space[float32]{Dims: 2, High: point{X: 4, Y: 4}}
	x := []float32{0.5, 3.5, 0.5, 3.5, 1.5, 2.5}
	y := []float32{0.5, 0.5, 3.5, 3.5, 1.5, 1.5}
	keys, row := make([]uint64, 6), []int32{0, 1, 2, 3, 4, 5}
	space.Hilbert(keys, x, y, nil)
	var s order.Sorter[uint64, int32]
	s.SortPairs(keys, row)
	for _, i := range row {
		fmt.Println(x[i], y[i])
	}
	space.Morton(keys, x, y, nil)
	fmt.Println(keys[0]>>58, keys[1]>>58, keys[2]>>58, keys[3]>>58) // of 16 cells
	// Output:
	// 0.5 0.5
	// 1.5 1.5
	// 0.5 3.5
	// 3.5 3.5
	// 2.5 1.5
	// 3.5 0.5
	// 0 5 10 15
}

func ExampleGrid_Move() {
	g := near.New(near.Space[float32]{Dims: 2, High: point{X: 10, Y: 10}, Cell: 1})
	g.Build([]float32{1, 2, 3}, []float32{5, 5, 5}, nil)
	at := g.At()
	for row, id := range g.IDs() {
		if id == 0 {
			at.X[row] += 8
		}
	}
	g.Move()
	fmt.Println(g.IDs(), g.At().X)
	// Output: [1 2 0] [2 3 9]
}

func ExampleClusters() {
	box := near.Space[float64]{Dims: 3, High: near.Point[float64]{X: 9, Y: 9, Z: 9}, Border: near.Periodic}
	list := near.NewClusters(box, 1, 0.4)
	if err := list.Build([]float64{8.9, 5, 0.3, 5.6}, []float64{2, 5, 2, 5}, []float64{2, 5, 2, 5}); err != nil {
		fmt.Println(err)
	}
	speed := []float64{0.1, 0, 0.2, 0} // another column of the points
	list.Reorder(speed)
	made := 1
	for range 5 {
		at := list.At()
		for i := range at.X {
			at.X[i] += speed[i]
		}
		rebuilt, err := list.Move()
		if err != nil {
			fmt.Println(err)
		}
		if rebuilt {
			list.Reorder(speed)
			made++
		}
	}
	all, images, ids := list.All(), list.Images(), list.IDs()
	start, row := list.List()
	for i := range ids {
		cluster := i / list.ListWidth()
		for _, k := range row[start[cluster]:start[cluster+1]] {
			dx, dy, dz := all.X[k]-all.X[i], all.Y[k]-all.Y[i], all.Z[k]-all.Z[i]
			if int(k) == i || float64(dx*dx)+float64(dy*dy)+float64(dz*dz) > 1 {
				continue
			}
			if int(k) >= list.Len() {
				k = images[int(k)-list.Len()]
			}
			fmt.Printf("point %d is near point %d, at x = %.1f\n", ids[k], ids[i], all.X[i])
		}
	}
	fmt.Println(made, "lists")
	// Output:
	// point 2 is near point 0, at x = 0.4
	// point 0 is near point 2, at x = 1.3
	// point 3 is near point 1, at x = 5.0
	// point 1 is near point 3, at x = 5.6
	// 3 lists
}

// This example determines the species of rows and images, for a kernel that computes different
// forces for different species.
func ExampleClusters_Images() {
	species := []int32{0, 1, 1} // by id
	list := near.NewClusters(near.Space[float64]{Dims: 3, High: near.Point[float64]{X: 4, Y: 4, Z: 4}, Border: near.Periodic}, 1, 0.1)
	if err := list.Build([]float64{3.9, 0.2, 2}, []float64{3, 2, 1.5}, []float64{2, 2, 2}); err != nil {
		fmt.Println(err)
	}
	kinds := make([]int32, list.Len()+len(list.Images()))
	rows, images := kinds[:list.Len()], kinds[list.Len():]
	kernels.Gather(rows, species, list.IDs())
	kernels.Gather(images, rows, list.Images())
	fmt.Println(list.IDs(), rows, images)
	// Output: [2 1 0] [1 1 0] [0 1 0 0]
}
