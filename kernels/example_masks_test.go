package kernels_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// A comparison produces one bit per row. And, Or, AndNot and Not combine masks; Count counts the
// bits and Indices lists them.
func ExampleLess() {
	age := []float32{4, 17, 35, 70, 18}
	limit := []float32{6, 16, 40, 65, 18}
	n := len(age)
	mask := func() []uint64 { return make([]uint64, kernels.MaskLen(n)) }

	younger, equal, notOlder, other := mask(), mask(), mask(), mask()
	kernels.Less(younger, age, limit)
	kernels.Equal(equal, age, limit)
	kernels.LessEqual(notOlder, age, limit)
	fmt.Printf("%05b %05b %05b\n", younger[0], equal[0], notOlder[0]) // the first row is the rightmost bit

	kernels.Or(other, younger, equal)
	fmt.Println("at most:", kernels.Count(other), other[0] == notOlder[0])
	kernels.AndNot(other, notOlder, equal)
	kernels.And(other, other, notOlder)
	fmt.Println("below:", kernels.Count(other), kernels.Any(other), kernels.All(other, n))
	kernels.Not(other, other, n)
	fmt.Println("others:", kernels.Count(other))
	// Output:
	// 00101 10000 10101
	// at most: 3 true
	// below: 2 true false
	// others: 3
}

// These functions compare rows with one number.
func ExampleAbove() {
	x := []float64{-1, 0, 2, 5}
	mask := make([]uint64, kernels.MaskLen(len(x)))
	for _, compare := range []func([]uint64, []float64, float64){kernels.Above[float64], kernels.AtMost[float64], kernels.AtLeast[float64], kernels.Below[float64], kernels.EqualTo[float64]} {
		compare(mask, x, 2)
		fmt.Printf("%04b ", mask[0])
	}
	fmt.Println()
	// Output: 1000 0111 1100 0011 0100
}

// AllFinite finds an infinity or NaN at the speed of memory.
func ExampleAllFinite() {
	speed := []float32{1, 2, 3}
	fmt.Println(kernels.AllFinite(speed))
	speed[1] = float32(math.NaN())
	fmt.Println(kernels.AllFinite(speed))
	// Output:
	// true
	// false
}

// Gather sorts balls by color, and Scatter restores their original order.
func ExampleScatter() {
	color := []string{"red", "green", "blue"}
	index := []int32{2, 0, 1}
	sorted, back := make([]string, 3), make([]string, 3)
	kernels.Gather(sorted, color, index)
	kernels.Scatter(back, index, sorted)
	fmt.Println(sorted, back)
	// Output: [blue red green] [red green blue]
}
