// Package vec does not import ecs: what is wrong here is reported where it is used.
package vec

import "math"

type V struct{ X, Y float64 }

func (v V) Scale(s float64) V      { return V{v.X * s, v.Y * s} }
func (v V) Plus(w V) V             { return V{v.X + w.X, v.Y + w.Y} }
func (v V) Dot(w V) float64        { return v.X*w.X + v.Y*w.Y }
func (v V) Rounded(s float64) V    { return V{float64(v.X * s), float64(v.Y * s)} }
func (v *V) Grow(s float64)        { v.X *= s }
func Product(a, b float64) float64 { return a * b }
func Div(a, b float64) float64     { return a / b }
func Length(v V) float64           { return length(v) }
func length(v V) float64           { return math.Hypot(v.X, v.Y) }
func Fine(v V) float64             { return v.X - v.Y }
func Each(m map[string]int) (n int) {
	for range m {
		n++
	}
	return n
}

func Vouched(v V) float64 { return v.X*v.X + v.Y } //lanewise:inexact a picture
