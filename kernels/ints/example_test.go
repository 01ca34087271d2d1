package ints_test

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/ints"
)

func Example() {
	hp := []int32{40, 3, 95, 12}
	damage := []int32{5, 7, -10, 12} // a negative one heals
	ints.Sub(hp, hp, damage)
	ints.Clamp(hp, hp, 0, 100)
	dead := make([]uint64, kernels.MaskLen(len(hp)))
	ints.AtMost(dead, hp, 0)
	fmt.Println(hp, kernels.Count(dead), ints.Sum(hp))
	// Output: [35 0 100 0] 2 135
}

// This example computes where the items of each row begin. The exclusive prefix sum of a row is its
// inclusive prefix sum minus the row itself.
func ExamplePrefixSum() {
	count := []uint32{3, 0, 2, 5}
	start := make([]uint32, len(count))
	ints.PrefixSum(start, count)
	ints.Sub(start, start, count)
	fmt.Println(start)
	// Output: [0 3 3 5]
}

func ExampleHistogram() {
	ages := []int32{31, 33, 32, 31, 70, 33, 33}
	counts := make([]int, 3)
	outside := ints.Histogram(counts, ages, 31)
	fmt.Println(counts, outside)
	// Output: [2 1 3] 1
}

// Compress keeps the rows that a mask chooses, and Indices lists them.
func ExampleCompress() {
	cell := []uint32{7, 2, 7, 9}
	mask := make([]uint64, 1)
	ints.EqualTo(mask, cell, 7)
	kept := make([]uint32, kernels.Count(mask))
	row := make([]int32, kernels.Count(mask))
	fmt.Println(ints.Compress(kept, cell, mask), kernels.Indices(row, mask), kept, row)
	// Output: 2 2 [7 7] [0 2]
}
