package kernels_test

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// MulAdd converts celsius to fahrenheit on plain slices, and Clamp limits the result to the scale of a
// thermometer.
func ExampleMulAdd() {
	celsius := []float32{-60, -40, 0, 21.5, 100}
	ratio, offset := make([]float32, 5), make([]float32, 5)
	kernels.Fill(ratio, 1.8)
	kernels.Fill(offset, 32)

	fahrenheit := make([]float32, 5)
	kernels.MulAdd(fahrenheit, celsius, ratio, offset)
	kernels.Clamp(fahrenheit, fahrenheit, -58, 122)
	fmt.Println(fahrenheit)
	// Output: [-58 -40 32 70.7 122]
}

// A mask has one bit per row. Select chooses rows by it, and Compress keeps them.
func ExampleCompress() {
	name := []float64{10, 11, 12, 13, 14, 15}
	mass := []float64{3, 0.5, 7, 0.25, 1, 9}
	mask := make([]uint64, kernels.MaskLen(len(mass)))
	kernels.AtLeast(mask, mass, 1)

	kept := make([]float64, len(mass))
	n := kernels.Compress(kept, name, mask)
	kernels.Compress(mass, mass, mask) // in place
	fmt.Println(kept[:n], mass[:n])
	// Output: [10 12 14 15] [3 7 1 9]
}

// The order of the additions is fixed, so the sum is exactly the same on every CPU.
func ExampleSum() {
	x := make([]float32, 1000)
	for i := range x {
		x[i] = 1 / float32(i+1)
	}
	fmt.Printf("%v %x\n", kernels.Sum(x), kernels.Sum(x))
	// Output: 7.485471 0x1.df11f4p+02
}

// Two machines sum parts of the rows in any order and then merge their sums. The result is exact, so
// it does not depend on the parts.
func ExampleExactSum() {
	x := []float64{1e100, -1e100, 3, 1e-30}
	var here, there kernels.ExactSum[float64]
	here.Add(x[:1])
	there.Add(x[1:])
	message, _ := there.MarshalBinary()

	var arrived kernels.ExactSum[float64]
	if err := arrived.UnmarshalBinary(message); err != nil {
		fmt.Println(err)
	}
	here.Merge(&arrived)
	fmt.Println(here.Value(), kernels.SumExact(x), kernels.Sum(x))
	// Output: 3 3 0
}

// Two machines measure different rows. The mean and the variance of all rows do not depend on which machine
// measured which row.
func ExampleExactMoments() {
	x := []float64{4, 7, 13, 16}
	var here, there kernels.ExactMoments[float64]
	here.Add(x[:3])
	there.Add(x[3:])
	here.Merge(&there)
	fmt.Println(here.N(), here.Mean(), here.Variance(), kernels.Variance(x))
	// Output: 4 10 30 30
}

func ExampleHistogram() {
	ages := []float32{0, 3, 17, 18, 44, 64, 65, 90, 104}
	counts := make([]int, 5)
	older := kernels.Histogram(counts, ages, 0, 100)
	fmt.Println(counts, older)
	// Output: [4 0 1 2 1] 1
}

func ExampleGather() {
	height := []float32{10, 20, 30, 40}
	near := make([]float32, 3)
	kernels.Gather(near, height, []int32{3, 0, 3})
	fmt.Println(near)
	// Output: [40 10 40]
}

func ExampleArgMin() {
	depth := []float32{4, 2.5, 9, 2.5}
	i := kernels.ArgMin(depth)
	fmt.Println(i, depth[i], kernels.Max(depth))
	// Output: 1 2.5 9
}

// Columns of soa.Make are aligned to 64 bytes. Kernels see their lanes as ordinary slices.
func ExamplePrefixSum_columns() {
	step := soa.Make[kernels.Vec3s[float64]](5)
	kernels.Fill(step.X, 1)
	kernels.Fill(step.Y, 0.5)
	kernels.Scale(step.Y, step.Y, -2)

	path := soa.Make[kernels.Vec3s[float64]](5)
	kernels.PrefixSum(path.X, step.X)
	kernels.PrefixSum(path.Y, step.Y)
	fmt.Println(path.X, path.Y)
	// Output: [1 2 3 4 5] [-1 -2 -3 -4 -5]
}
