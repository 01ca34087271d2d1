// Package accept vouches for some findings.
package accept

import (
	"math"

	_ "github.com/lanewise/lanewise/ecs"
)

func line(a, b, c float64) float64 {
	return a*b + c //lanewise:inexact a picture
}

func below(a, b, c float64) float64 {
	//lanewise:inexact a picture
	return a*b +
		math.Sin(c)
}

// whole is for pictures.
//
//lanewise:inexact a picture
func whole(a, b, c float64) float64 {
	d := a*b + c
	return math.Cos(d)
}

func reasonless(a, b, c float64) float64 {
	return a*b + c //lanewise:inexact // want `a \* b meets` `needs a reason`
}

//lanewise:inexact nothing is wrong here // want `accepts nothing here`
func clean(a, b float64) float64 { return a + b }

func other(a, b, c float64) float64 {
	x := a*b + 1 // want `a \* b meets`
	return x
}
