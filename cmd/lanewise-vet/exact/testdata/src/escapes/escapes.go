// Package escapes returns products as parts of values.
package escapes

import _ "github.com/lanewise/lanewise/ecs"

type Vec struct{ X, Y float64 }

func (v Vec) Scale(s float64) Vec { return Vec{v.X * s, float64(v.Y * s)} } // want `v.X \* s leaves Scale as a part of a value: a caller in another package that adds it cannot round it; write float64\(…\)`

func (v *Vec) Grow(s float64) { v.X *= s } // want `v.X \*= s leaves Grow as a part of a value`

func Both(a, b float64) (float64, error) { return inner(a, b), nil }

func inner(a, b float64) float64 { return a * b } // want `a \* b leaves Both as a part of a value`

func Alone(a, b float64) float64 { return a * b }

func (v Vec) hidden(s float64) Vec { return Vec{v.X * s, v.Y} }

func Sum(a, b float64) (v Vec) { v.X = a*b + 1; return v } // want `a \* b meets the sum`
