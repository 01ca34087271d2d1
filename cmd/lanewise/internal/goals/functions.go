package goals

import (
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

// A function is measured on arguments between lo and hi. Its goal is a
// fraction of the time of SLEEF 3.5.1, within 1.0 ulp and with AVX2 and FMA,
// on two cores of a Zen 3.
type function struct {
	name     string
	lo, hi   float64
	share    float64 // goal as a fraction of SLEEF's time
	f32, f64 float64 // SLEEF's, ns a row
	single   func(dst, x, y []float32)
	double   func(dst, x, y []float64)
}

const (
	most = 1.1 // largest fraction of SLEEF's time for any function
	less = 0.7 // for the most frequent ones, of float32
)

func functions() (all []Goal) {
	for _, f := range []function{
		{"Exp", -10, 10, less, 0.95, 2.2, unaryAsBinary(kernels.Exp[float32]), unaryAsBinary(kernels.Exp[float64])},
		{"Log", 0.1, 10, less, 1.39, 4.1, unaryAsBinary(kernels.Log[float32]), unaryAsBinary(kernels.Log[float64])},
		{"Sin", -10, 10, less, 1.33, 5.1, unaryAsBinary(kernels.Sin[float32]), unaryAsBinary(kernels.Sin[float64])},
		{"Tan", -10, 10, most, 2.4, 0, unaryAsBinary(kernels.Tan[float32]), nil},
		{"Atan2", -4, 4, less, 2.8, 6.0, kernels.Atan2[float32], kernels.Atan2[float64]},
		{"Pow", 0.1, 10, most, 5.6, 11.5, kernels.Pow[float32], kernels.Pow[float64]},
		{"Cbrt", -10, 10, most, 3.7, 0, unaryAsBinary(kernels.Cbrt[float32]), nil},
		{"Tanh", -4, 4, most, 2.9, 0, unaryAsBinary(kernels.Tanh[float32]), nil},
		{"Erf", -4, 4, most, 4.3, 0, unaryAsBinary(kernels.Erf[float32]), nil},
	} {
		all = append(all, timed(f.name+"/f32", f.share*f.f32, share(f.share), f.lo, f.hi, f.single))
		if f.double != nil {
			all = append(all, timed(f.name+"/f64", most*f.f64, share(most), f.lo, f.hi, f.double))
		}
	}
	return all
}

func share(of float64) string {
	if of == less {
		return "0.7 × SLEEF on a Zen 3"
	}
	return "1.1 × SLEEF on a Zen 3"
}

// unaryAsBinary returns a function of two arguments that ignores the second
// argument.
func unaryAsBinary[T kernels.Float](f func(dst, x []T)) func(dst, x, y []T) {
	return func(dst, x, _ []T) { f(dst, x) }
}

func timed[T kernels.Float](name string, aim float64, from string, lo, hi float64, call func(dst, x, y []T)) Goal {
	return Goal{Name: name, What: "ns a row", Aim: aim, From: from, measure: func(o *Options) (float64, string) {
		dst, x, y := make([]T, o.Rows), make([]T, o.Rows), make([]T, o.Rows)
		key := random.Key{Seed: 1}
		random.Range(x, key.Rows(0), T(lo), T(hi))
		random.Range(y, key.Rows(uint64(o.Rows)), T(lo), T(hi))
		return o.timeEach(o.Rows, func() { call(dst, x, y) }), ""
	}}
}

// drawGoals returns the goals of package random.
func drawGoals() []Goal {
	uniform := func(rows func(key random.Key, n int) random.Rows) func(o *Options) (float64, string) {
		return func(o *Options) (float64, string) {
			dst, r := make([]float32, o.Rows), rows(random.Key{Seed: 1}, o.Rows)
			return o.timeEach(o.Rows, func() { random.Uniform(dst, r) }), ""
		}
	}
	return []Goal{
		{Name: "Uniform by index/f32", What: "ns a row", Aim: 0.5, From: "a time", measure: uniform(func(key random.Key, _ int) random.Rows { return key.Rows(0) })},
		{Name: "Uniform by ids/f32", What: "ns a row", Aim: 1.1 * 2.033, From: "1.1 × C, AVX2, on a Xeon", measure: uniform(func(key random.Key, n int) random.Rows {
			ids := make([]uint64, n)
			for i := range ids {
				ids[i] = uint64(i) * 0x9e3779b97f4a7c15
			}
			return key.IDs(ids)
		})},
	}
}

// sums returns the goals of exact sums.
func sums() []Goal {
	return []Goal{exact[float32]("SumExact/f32", 4), exact[float64]("SumExact/f64", 8)}
}

func exact[T kernels.Float](name string, size int) Goal {
	return Goal{Name: name, What: "times Sum, past the caches", Aim: 4, From: "a ratio", measure: func(o *Options) (float64, string) {
		x, sum := make([]T, o.Memory/size), T(0)
		random.Uniform(x, random.Key{Seed: 1}.Rows(0))
		plain := o.timeEach(1, func() { sum = kernels.Sum(x) })
		return o.timeEach(1, func() { sum += kernels.SumExact(x) }) / plain, ""
	}}
}
