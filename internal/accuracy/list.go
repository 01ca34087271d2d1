package main

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/lanewise/lanewise/kernels"
)

// block is the number of arguments in a block, which the program sends to the
// checker at once.
const block = 1 << 16

// A function is a function of package kernels, for one element type.
type function struct {
	name, element string
	arity         int
	limit         float64 // ulps
	all           bool    // so few arguments that all are tried
	rows          func(block, n, stride uint64) []byte
}

// blocks returns the number of blocks and the total number of arguments. Blocks
// of float32 come in pairs, so that the checker gets a block of positive
// numbers and then the same numbers with the other sign.
func (f *function) blocks(samples int, stride uint64) (blocks, total uint64) {
	if !f.all {
		return (uint64(samples) + block - 1) / block, uint64(samples)
	}
	half := (1<<31 + stride - 1) / stride
	return 2 * ((half + block - 1) / block), 2 * half
}

// size returns the number of arguments in block b.
func (f *function) size(b, total uint64) uint64 {
	if f.all {
		b, total = b/2, total/2
	}
	return min(block, total-b*block)
}

// A domain is the range of arguments for which a function has finite results that are not constant.
type domain struct{ lo, hi, lo2, hi2 float64 }

// list returns the functions of one type.
func list[T kernels.Float](element string) (all []function) {
	points := hardArguments[T]()
	one := func(name string, f func(dst, x []T), lo, hi float64) {
		all = append(all, function{name, element, 1, 1, element == "f32", func(b, n, stride uint64) []byte {
			x, dst := make([]T, n), make([]T, n)
			if single, ok := any(x).([]float32); ok {
				sign, at := uint32(b&1)<<31, uint32(b/2*block*stride)
				for i := range single {
					single[i] = math.Float32frombits((at + uint32(i)*uint32(stride)) | sign)
				}
				f(dst, x)
				return interleave(dst)
			}
			fillArguments(x, b, 1, lo, hi)
			if at := b * block; at < uint64(len(points)) {
				copy(x, points[at:])
			}
			f(dst, x)
			return interleave(x, dst)
		}})
	}
	two := func(name string, f func(dst, x, y []T), d domain) {
		all = append(all, function{name, element, 2, 1, false, func(b, n, _ uint64) []byte {
			x, y, dst := make([]T, n), make([]T, n), make([]T, n)
			fillArguments(x, b, 1, d.lo, d.hi)
			fillArguments(y, b, 2, d.lo2, d.hi2)
			if b < 16 {
				fillPairs(name, x, y, int(b))
			}
			f(dst, x, y)
			return interleave(x, y, dst)
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
	one("Erfc", kernels.Erfc[T], -6, 28)
	one("NormalCDF", kernels.NormalCDF[T], -39, 9)
	one("NormalQuantile", kernels.NormalQuantile[T], 0, 1)
	one("Sinc", kernels.Sinc[T], -20, 20)
	one("Lgamma", kernels.Lgamma[T], -20, 30)
	one("J0", kernels.J0[T], -40, 40)
	one("J1", kernels.J1[T], -40, 40)
	two("Pow", kernels.Pow[T], domain{0, 8, -300, 300})
	two("Atan2", kernels.Atan2[T], domain{-4, 4, -4, 4})
	two("Hypot", kernels.Hypot[T], domain{-4, 4, -4, 4})
	two("Mod", kernels.Mod[T], domain{-1000, 1000, -4, 4})
	all[len(all)-1].limit = 0
	return all
}

// fillArguments fills a block with random arguments. Nearly half of them have
// random bits. The others are between lo and hi, evenly distributed or scaled
// down by a random power of 2.
func fillArguments[T kernels.Float](x []T, block uint64, stream uint64, lo, hi float64) {
	r := rand.New(rand.NewPCG(block, stream))
	for i := range x {
		switch v := lo + float64((hi-lo)*r.Float64()); i % 8 {
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

// interleave interleaves columns, so that the values of a row follow each other.
func interleave[T kernels.Float](columns ...[]T) []byte {
	n := len(columns)
	if x, ok := any(columns).([][]float32); ok {
		all := make([]byte, 4*n*len(x[0]))
		for k, c := range x {
			for i, v := range c {
				binary.LittleEndian.PutUint32(all[4*(n*i+k):], math.Float32bits(v))
			}
		}
		return all
	}
	x := any(columns).([][]float64)
	all := make([]byte, 8*n*len(x[0]))
	for k, c := range x {
		for i, v := range c {
			binary.LittleEndian.PutUint64(all[8*(n*i+k):], math.Float64bits(v))
		}
	}
	return all
}
