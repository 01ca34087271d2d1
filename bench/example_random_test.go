package bench

import (
	"fmt"

	"github.com/lanewise/lanewise/random"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Distributions that package random lacks come from gonum, which draws from a
// source of one id. What gonum computes by package math may differ in the last bit
// between CPUs.
func Example_gonumDistributions() {
	key := random.Key{Seed: 2026, Tick: 3, Stream: 1}
	var src random.Source
	visits := distuv.Poisson{Lambda: 4, Src: &src}
	count := make([]float64, 5)
	for id := range count {
		src.Reset(key.ID(uint64(id)))
		count[id] = visits.Rand()
	}
	fmt.Println(count)

	// The same distribution in both: gonum draws one after another, here whole lanes.
	x := make([]float64, 10_000)
	random.Normal(x, key.Rows(0), 5, 2)
	mean, deviation := stat.MeanStdDev(x, nil)
	fmt.Printf("%.1f %.1f\n", mean, deviation)

	src.Reset(key.ID(0))
	normal := distuv.Normal{Mu: 5, Sigma: 2, Src: &src}
	for i := range x {
		x[i] = normal.Rand()
	}
	mean, deviation = stat.MeanStdDev(x, nil)
	fmt.Printf("%.1f %.1f\n", mean, deviation)
	// Output:
	// [3 8 1 7 3]
	// 5.0 2.0
	// 5.0 2.0
}
