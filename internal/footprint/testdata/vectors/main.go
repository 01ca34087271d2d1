// Vectors names one view of package kernels.
package main

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

func main() {
	v := kernels.Vec3s[float32]{X: make([]float32, 8), Y: make([]float32, 8), Z: make([]float32, 8)}
	v.AddScaled(&v, &v, 2)
	fmt.Println(v.X[0])
}
