package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lanewise/lanewise/kernels"
)

// block is how many arguments go to the checker at once.
const block = 1 << 20

// A function is one of package kernels for one type.
type function struct {
	name, element string
	arity         int
	limit         float64 // ulps
	all           bool    // its arguments are few enough for all of them
	rows          func(block, n, stride uint64) []byte
}

// A domain is where the arguments of a function are worth looking at.
type domain struct{ lo, hi, lo2, hi2 float64 }

// list returns the functions of one type.
func list[T kernels.Float](element string) (all []function) {
	one := func(name string, f func(dst, x []T), lo, hi float64) {
		all = append(all, function{name, element, 1, 1, element == "f32", func(b, n, stride uint64) []byte {
			x := make([]T, n)
			if element == "f32" {
				for i := range x {
					x[i] = T(math.Float32frombits(uint32((b*block + uint64(i)) * stride)))
				}
			} else {
				arguments(x, b, 1, lo, hi)
			}
			dst := make([]T, n)
			f(dst, x)
			return together(x, dst)
		}})
	}
	two := func(name string, f func(dst, x, y []T), d domain) {
		all = append(all, function{name, element, 2, 1, false, func(b, n, _ uint64) []byte {
			x, y, dst := make([]T, n), make([]T, n), make([]T, n)
			arguments(x, b, 1, d.lo, d.hi)
			arguments(y, b, 2, d.lo2, d.hi2)
			f(dst, x, y)
			return together(x, y, dst)
		}})
	}
	one("Exp", kernels.Exp[T], -750, 720)
	one("Exp2", kernels.Exp2[T], -1080, 1030)
	one("Expm1", kernels.Expm1[T], -3, 3)
	one("Log", kernels.Log[T], 0, 4)
	one("Log2", kernels.Log2[T], 0, 4)
	one("Log10", kernels.Log10[T], 0, 4)
	one("Log1p", kernels.Log1p[T], -1, 3)
	one("Rsqrt", kernels.Rsqrt[T], 0, 4)
	all[len(all)-1].limit = 1.5
	one("Sin", kernels.Sin[T], -100, 100)
	one("Cos", kernels.Cos[T], -100, 100)
	one("Tan", kernels.Tan[T], -100, 100)
	one("Asin", kernels.Asin[T], -1, 1)
	one("Acos", kernels.Acos[T], -1, 1)
	one("Atan", kernels.Atan[T], -4, 4)
	one("Sinh", kernels.Sinh[T], -4, 4)
	one("Cosh", kernels.Cosh[T], -4, 4)
	one("Tanh", kernels.Tanh[T], -4, 4)
	one("Cbrt", kernels.Cbrt[T], -4, 4)
	one("Erf", kernels.Erf[T], -6, 6)
	two("Pow", kernels.Pow[T], domain{0, 8, -300, 300})
	two("Atan2", kernels.Atan2[T], domain{-4, 4, -4, 4})
	two("Hypot", kernels.Hypot[T], domain{-4, 4, -4, 4})
	two("Mod", kernels.Mod[T], domain{-1000, 1000, -4, 4})
	all[len(all)-1].limit = 0
	return all
}

// arguments are half bits of all kinds, and half numbers between lo and hi: evenly, or with small exponents.
func arguments[T kernels.Float](x []T, block uint64, stream uint64, lo, hi float64) {
	r := rand.New(rand.NewPCG(block, stream))
	for i := range x {
		switch v := lo + (hi-lo)*r.Float64(); i % 8 {
		case 0, 1, 2:
			x[i] = bits[T](r)
		case 3:
			x[i] = T(math.Ldexp(v, -r.IntN(60)))
		default:
			x[i] = T(v)
		}
	}
}

func bits[T kernels.Float](r *rand.Rand) T {
	if v, ok := any(math.Float32frombits(r.Uint32())).(T); ok {
		return v
	}
	return T(math.Float64frombits(r.Uint64()))
}

// together puts rows one after another.
func together[T kernels.Float](columns ...[]T) []byte {
	var all []byte
	if x, ok := any(columns).([][]float32); ok {
		all = make([]byte, 0, 4*len(x)*len(x[0]))
		for i := range x[0] {
			for _, c := range x {
				all = binary.LittleEndian.AppendUint32(all, math.Float32bits(c[i]))
			}
		}
		return all
	}
	x := any(columns).([][]float64)
	all = slices.Grow(all, 8*len(x)*len(x[0]))
	for i := range x[0] {
		for _, c := range x {
			all = binary.LittleEndian.AppendUint64(all, math.Float64bits(c[i]))
		}
	}
	return all
}
