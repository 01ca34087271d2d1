package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/lanewise/lanewise/bench/compare/native"
	"github.com/lanewise/lanewise/internal/crowd"
	finds "github.com/lanewise/lanewise/near"
)

// searchTrees searches for the 8 nearest points in a grid and in nanoflann's kd-tree,
// and compares the two. The points are evenly or unevenly distributed in a
// cube. searchTrees prints the minimum time of the rounds, on one worker.
func searchTrees(w io.Writer, n, rounds int, cc string) error {
	p, err := native.Start(source, "tree.cpp", cc, []string{"-O3", "-march=native"})
	if err != nil {
		return err
	}
	defer p.Stop()
	fmt.Fprintln(w, "| points | nanoflann: build | 8 nearest | ours | build | 8 nearest | ours/nanoflann |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- |")
	for uneven, name := range []string{"even", "uneven"} {
		x, y, z := cloud(n, uneven == 1)
		var tree [2]float64
		for range rounds {
			for k, what := range []string{"build", "nearest"} {
				var ns float64
				if err := p.Ask(&ns, n, uneven, what); err != nil {
					return err
				}
				if tree[k] == 0 || ns < tree[k] {
					tree[k] = ns
				}
			}
		}
		print := func(ours string, build, nearest float64) {
			fmt.Fprintf(w, "| %d %s | %.0f | %.0f | %s | %.0f | %.0f | %.2f |\n", n, name, tree[0], tree[1], ours, build, nearest, nearest/tree[1])
		}
		var t finds.Tree[float32]
		build, nearest := measure(x, y, z, rounds, t.Build, t.AppendNearest)
		print("Tree", build, nearest)
		side := crowd.Side(n)
		for _, cells := range []int{side, side + side/2, 2 * side, 4 * side} {
			g := finds.New(finds.Space[float32]{Dims: 3, High: finds.Point[float32]{X: 1, Y: 1, Z: 1}, Cell: 0.9999 / float32(cells)})
			build, nearest := measure(x, y, z, rounds, g.Build, g.AppendNearest)
			print(fmt.Sprintf("Grid, cells of 1/%d", cells), build, nearest)
		}
	}
	return nil
}

// measure measures one of our structures. It returns the nanoseconds for each point of a
// build, and for each search.
func measure(x, y, z []float32, rounds int, build func(x, y, z []float32), nearest func([]finds.Found[float32], finds.Point[float32], int) []finds.Found[float32]) (point, question float64) {
	build(x, y, z)
	var found []finds.Found[float32]
	var builds, asks []float64
	for range rounds {
		begin := time.Now()
		build(x, y, z)
		builds = append(builds, float64(time.Since(begin))/float64(len(x)))
		begin = time.Now()
		questions := 0
		for i := 0; i < len(x); i += 7 {
			found = nearest(found[:0], finds.Point[float32]{X: x[i], Y: y[i], Z: z[i]}, 8)
			questions++
		}
		asks = append(asks, float64(time.Since(begin))/float64(questions))
	}
	return slices.Min(builds), slices.Min(asks)
}

// cloud draws the points that tree.cpp draws.
func cloud(n int, uneven bool) (x, y, z []float32) {
	state := uint32(1)
	next := func() float32 {
		state = state*1664525 + 1013904223
		return float32(state>>8) * 0x1p-24
	}
	var middle [10][3]float32
	for k := range middle {
		middle[k] = [3]float32{next(), next(), next()}
	}
	for i := range n {
		p := [3]float32{next(), next(), next()}
		if uneven && i%10 > 0 {
			for a, v := range p {
				p[a] = middle[i%10][a] + float32(0.02*((v-0.5)*float32(math.Abs(float64(v-0.5)))))
			}
		}
		x, y, z = append(x, p[0]), append(y, p[1]), append(z, p[2])
	}
	return x, y, z
}
