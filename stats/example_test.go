package stats_test

import (
	"fmt"

	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/stats"
)

// measure returns samples of a quantity that changes slowly, so that each sample resembles
// the sample before it. Its mean is 0.
func measure(seed uint64, n int) []float64 {
	x := make([]float64, n)
	random.Normal(x, random.Key{Seed: seed}.Rows(0), 0, 1)
	for i := range n - 1 {
		x[i+1] += float64(0.9 * x[i])
	}
	return x
}

// Example prints the average of correlated samples, and the autocorrelation time.
func Example() {
	var s stats.Series
	for _, x := range measure(1, 10_000) {
		s.Add(x)
	}
	time, _ := s.Time()
	fmt.Printf("%v\n%d samples, of which %.0f are independent\n", &s, s.N(), float64(s.N())/time)
	// Output:
	// 0.13 ± 0.10
	// 10000 samples, of which 585 are independent
}

// ExampleSeries_Block prints the standard errors of all levels. The errors grow with the
// level as long as the blocks depend on each other. The last errors come from few blocks
// and are uncertain.
func ExampleSeries_Block() {
	var s stats.Series
	for _, x := range measure(1, 10_000) {
		s.Add(x)
	}
	for level := range s.Levels() {
		e, uncertainty, blocks := s.Block(level)
		fmt.Printf("%5d blocks of %4d: %.3f ± %.3f\n", blocks, 1<<level, e, uncertainty)
	}
	// Output:
	// 10000 blocks of    1: 0.023 ± 0.000
	//  5000 blocks of    2: 0.032 ± 0.000
	//  2500 blocks of    4: 0.043 ± 0.001
	//  1250 blocks of    8: 0.057 ± 0.001
	//   625 blocks of   16: 0.072 ± 0.002
	//   312 blocks of   32: 0.084 ± 0.003
	//   156 blocks of   64: 0.091 ± 0.005
	//    78 blocks of  128: 0.090 ± 0.007
	//    39 blocks of  256: 0.095 ± 0.011
	//    19 blocks of  512: 0.107 ± 0.018
	//     9 blocks of 1024: 0.092 ± 0.023
	//     4 blocks of 2048: 0.134 ± 0.055
	//     2 blocks of 4096: 0.190 ± 0.135
}

// ExampleSeries_Merge averages three runs that use different random numbers.
func ExampleSeries_Merge() {
	var all stats.Series
	for seed := range uint64(3) {
		var run stats.Series
		for _, x := range measure(seed, 10_000) {
			run.Add(x)
		}
		fmt.Println("run", seed, &run)
		all.Merge(&run)
	}
	fmt.Println("all  ", &all)
	// Output:
	// run 0 0.03 ± 0.09
	// run 1 0.13 ± 0.10
	// run 2 0.01 ± 0.09
	// all   0.06 ± 0.05
}

func ExampleAutocorrelationTime() {
	time, window := stats.AutocorrelationTime(measure(1, 10_000))
	fmt.Printf("%.1f samples, from the first %d correlations\n", time, window)
	// Output:
	// 18.2 samples, from the first 91 correlations
}

func ExampleAutocorrelation() {
	correlations := make([]float64, 5)
	stats.Autocorrelation(correlations, measure(1, 10_000))
	fmt.Printf("%.2f\n", correlations)
	// Output:
	// [1.00 0.90 0.81 0.73 0.66]
}
