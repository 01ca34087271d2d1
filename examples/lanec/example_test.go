package main

import "fmt"

// Example calls kernels that lanec has compiled from loops of this program. The result of each call has
// the same bits as the result of the loop in Go.
func Example() {
	x, v := []float32{0, 1, 2, 3}, make([]float32, 4)
	for range 100 {
		Spring(x, v, 1, 3, 0.5, 10, 1.0/64) // a step of springs that pull x towards 1
	}
	fmt.Println(x)
	// Output:
	// [1.5662553 1 0.43374488 -0.1325101]
}
