// Package calls uses package vec.
package calls

import (
	_ "github.com/lanewise/lanewise/ecs"
	"vec"
)

func step(p, v vec.V, dt float64) vec.V  { return p.Plus(v.Scale(dt)) } // want `what v.Scale returns is a product, or has one in it \(vec/vec.go:8\)`
func exact(p, v vec.V, dt float64) vec.V { return p.Plus(v.Rounded(dt)) }
func scalar(a, b float64) float64        { return vec.Product(a, b) + 1 } // want `what vec.Product returns is a product.*vec.go:13.*; write float64`
func half(a, b float64) float64          { return b - vec.Div(a, 2) }     // want `what vec.Div returns is a product.*vec.go:14`
func third(a, b float64) float64         { return b - vec.Div(a, 3) }
func shift(v vec.V, a, b float64) vec.V  { return v.Plus(vec.V{X: a * b}) }                      // want `a \* b meets the sum`
func behind(v vec.V) float64             { v.Grow(3); return v.X + 1 }                           // want `what v.Grow returns`
func far(v vec.V) float64                { return vec.Length(v) + vec.Fine(v) + vec.Vouched(v) } // want `vec.Length is not exact: vec/vec.go:16: math.Hypot has other bits`
func dot(v vec.V) float64                { return v.Dot(v) }                                     // want `vec.Dot is not exact: vec/vec.go:10`
