package kernels_test

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// This is the README's program. It first uses ordinary slices, then columns from package soa.
func Example() {
	x, y := []float64{1, 2, 3}, []float64{10, 20, 30}
	kernels.AddScaled(x, x, y, 0.5) // x[i] += 0.5*y[i]: your slices, any length
	fmt.Println(x)

	pos := soa.Make[kernels.Vec3s[float32]](10_000) // three lanes, 64-byte aligned
	vel := soa.Make[kernels.Vec3s[float32]](10_000)
	kernels.Fill(vel.Y, 8)
	pos.AddScaled(&pos, &vel, 1.0/64) // one step of movement, one call
	fmt.Println(pos.Y[9_999])
	// Output:
	// [6 12 18]
	// 0.125
}
