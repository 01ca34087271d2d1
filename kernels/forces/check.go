package forces

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

// view and lane give operands the type that they have.
func view[To, T kernels.Float](v *kernels.Vec3s[T]) *kernels.Vec3s[To] {
	return any(v).(*kernels.Vec3s[To])
}

func lane[To, T kernels.Float](x []T) []To { return any(x).([]To) }

// checkView panics unless all lanes of a view have so many rows.
func checkView[T kernels.Float](kernel, name string, v *kernels.Vec3s[T], rows int, of string) {
	for i, n := range [3]int{len(v.X), len(v.Y), len(v.Z)} {
		if n != rows {
			panic(fmt.Sprintf("forces: %s: len(%s.%c) is %d, %s is %d", kernel, name, "XYZ"[i], n, of, rows))
		}
	}
}
