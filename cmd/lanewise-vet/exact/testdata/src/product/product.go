// Package product has products that meet sums, near and far.
package product

import (
	"math/cmplx"

	_ "github.com/lanewise/lanewise/ecs"
)

type V struct{ X, Y, Z float32 }

func (v V) Scale(s float32) V {
	return V{v.X * s, v.Y * s, v.Z * s} // want `v.X \* s meets the sum in line 24` `v.Y \* s meets` `v.Z \* s meets`
}
func (v V) Add(w V) V { return V{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }
func (v V) Dot(w V) float32 {
	return v.X*w.X + // want `v.X \* w.X meets the sum in line 17`
		v.Y*w.Y + // want `v.Y \* w.Y meets the sum in line 17`
		v.Z*w.Z // want `v.Z \* w.Z meets the sum in line 18`
}
func (v *V) Grow(s float32)  { v.X *= s } // want `v.X \*= s meets the sum in line 25`
func (v *V) Shift(s float32) { v.X += s }

func step(p, v V, dt float32) V { return p.Add(v.Scale(dt)) }
func memory(v V) V              { v.Grow(2.5); v.Shift(1); return v }

func lerp(a, b, t float64) float64 { return a + t*(b-a) } // want `t \* \(b - a\) meets the sum in line 27: where Go rounds the two at once, as on arm64, the bits differ; write float64`
func kept(a, b, t float64) float64 { return a + float64(t*(b-a)) }
func only(a, b, t float64) float64 { return t * (b - a) }

func loop(x, v []float32, dt float32) {
	for i := range x {
		x[i] += v[i] * dt // want `v\[i\] \* dt meets the sum`
	}
}

func name(x, y, z float32) float32 {
	p := x * y // want `x \* y meets the sum in line 40`
	p = -p
	return z + p
}
func converted(x, y, z float32) float32 {
	p := x * y
	return z + float32(p)
}
func branch(x, y float64, c bool) float64 {
	t := x
	if c {
		t = x * y // want `x \* y meets`
	}
	return t + 1
}

func square(x float64) float64     { return x * x } // want `x \* x meets the sum in line 55`
func inlined(x, y float64) float64 { return square(x) + y }

//go:noinline
func apart(x float64) float64    { return x * x }
func far(x, y float64) float64   { return apart(x) + y }
func sum(x, y float64) float64   { return x + y }
func given(x, y float64) float64 { return sum(x*y, 1) } // want `x \* y meets the sum`

func half(a, b float32) float32  { return b - a/2 } // want `a / 2 is a product to Go, since the divisor is a power of two, and meets the sum`
func third(a, b float32) float32 { return b - a/3 }
func byName(a, b float32) float32 {
	eight := float32(8)
	return b - a/eight // want `a / eight is a product to Go`
}
func div(a, b float32) float32     { return a / b } // want `a / b is a product to Go`
func quarter(a, c float32) float32 { return c - div(a, 4) }
func fifth(a, c float32) float32   { return c - div2(a, 5) }
func div2(a, b float32) float32    { return a / b }

func twice(a, b float32) float32 { return a * b * 2 }

func generic[T float32 | float64](a, b, c T) T { return a*b + c } // want `a \* b meets the sum in line 76: .*; write T`
func rounded[T float32 | float64](a, b, c T) T { return T(a*b) + c }
func integer[T int | uint](a, b, c T) T        { return a*b + c }

type Metres float64

func named(a, b, c Metres) Metres { return a*b - c } // want `write Metres`

func stored(x, y []float64, i int) float64 {
	x[i] = y[i] * 3 // want `y\[i\] \* 3 meets`
	return x[i] + 1
}
func elsewhere(x, y []float64, i, j int) float64 {
	x[i] = y[i] * 3
	return x[j] + 1
}
func earlier(x, y []float64, i int) float64 {
	s := x[i] + 1
	x[i] = y[i] * 3
	return s
}

func parts(a, b complex128) complex128  { return a * b } // want `a complex product`
func ratio(a, b complex64) complex64    { return a / b } // want `a complex quotient`
func narrow(a, b complex64) complex64   { return a * b }
func compound(a, b, c float64) float64  { a *= b + c; return a + c }                                       // want `a \*= b \+ c meets`
func nested(a, b, c, d float64) float64 { return (a*b+c)*d + a*b*2 }                                       // want `a \* b meets` `\(a \* b \+ c\) \* d meets`
func closure(a, b float64) float64      { t := a * b; return func() float64 { return t + 1 }() }           // want `a \* b meets`
func value(a, b float64) float64        { f := func(x float64) float64 { return x * x }; return f(a) + b } // want `x \* x meets`

type doer interface{ Do(x float64) float64 }
type squarer struct{}

func (squarer) Do(x float64) float64 { return x * x } // want `x \* x meets`
func called(x float64) float64       { var d doer = squarer{}; return d.Do(x) + 1 }

func shadowed(float64 func(x int) int, a, b, c Metres) Metres { return a*b + c } // want `write Metres`

const c2 = 2 * 3.5

func constants(x float64) float64 { return x + c2*2 }

type wave complex128

func waves(a wave, b []wave, i int, t complex128) wave {
	b[i] *= a                      // want `a complex product`
	t = t * complex(float64(i), 0) // want `a complex product`
	c := a * b[i] * wave(2i)       // want `a complex product` `a complex product`
	return c + a*next()            // want `a complex product`
}

func power(z complex128) float64 { return real(z * cmplx.Conj(z)) } // want `a complex product`

func next() wave { return 1 }

// either has no fix, because there is no real part of a type parameter.
func either[T complex64 | complex128](a, b T) T { return a * b } // want `a complex product`

func one[T ~complex128](a, b T) T {
	a *= b       // want `a complex product`
	return 2 * a // want `a complex product`
}
