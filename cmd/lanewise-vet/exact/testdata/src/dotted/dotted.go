// Package dotted calls functions of package math without its name.
package dotted

import (
	. "math"

	_ "github.com/lanewise/lanewise/near"
)

func dotted(x float64) float64 { return Sin(x) + Sqrt(x) } // want `math.Sin has other bits`
