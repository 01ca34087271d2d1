package main

import (
	"reflect"

	"github.com/lanewise/lanewise/kernels"
	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// A kernel is one row of the list: its sides for n rows of each type, with its
// name in kernels.c.
type kernel struct {
	name     string
	f32, f64 func(n int) []side
}

// sides returns the sides of a kernel. The operands are created as in kernels.c.
func (k *kernel) sides(bits, n int) []side {
	made = 0
	if bits == 64 {
		return k.f64(n)
	}
	return k.f32(n)
}

// kernelList lists the compared kernels.
var kernelList = []kernel{
	{"sum", sum32, sum64},
	{"dot", dot32, dot64},
	{"min", min32, min64},
	{"add", add32, add64},
	{"mul", mul32, mul64},
	{"scale", scale32, scale64},
	{"mulAdd", mulAdd[float32], mulAdd[float64]},
	{"lerp", lerp[float32], lerp[float64]},
	{"minimum", minimum32, minimum64},
}

// made is the number of lanes created for the current kernel.
var made int

// value returns a number between 0.25 and 1.25.
func value(i int) float64 { return 0.25 + float64(uint32(i)*2654435761%1000003)/1000003 }

// page is the distance at which addresses conflict in the caches. The constant stride is the
// offset in a page from one lane to the next.
const page, stride = 4096, 192

// lane returns n numbers between 0.25 and 1.25. Like kernels.c, it places them at a multiple of
// 64 bytes, and at a different offset in a page than the other lanes. With equal offsets, a
// store to one lane would delay loads from another.
func lane[T kernels.Float](n int) []T {
	size := int(reflect.TypeFor[T]().Size())
	x := make([]T, (page+made*stride)/size+n)
	into := int(reflect.ValueOf(x).Pointer() % page)
	x = x[((page-into)%page+made*stride)/size:][:n]
	made++
	for i := range x {
		x[i] = T(value(i))
	}
	return x
}

// sink stores results, so that the compiler does not remove their computation.
var sink float64

func sum32(n int) []side {
	x := lane[float32](n)
	return append(ourSides(func() { sink = float64(kernels.Sum(x)) }, func() { sink = float64(plainSum(x)) }),
		calls("vek", "", func() { sink = float64(vek32.Sum(x)) }))
}

func sum64(n int) []side {
	x := lane[float64](n)
	return append(ourSides(func() { sink = kernels.Sum(x) }, func() { sink = plainSum(x) }),
		calls("vek", "", func() { sink = vek.Sum(x) }), calls("gonum", "", func() { sink = floats.Sum(x) }))
}

func dot32(n int) []side {
	x, y := lane[float32](n), lane[float32](n)
	bx, by := blas32.Vector{N: n, Data: x, Inc: 1}, blas32.Vector{N: n, Data: y, Inc: 1}
	return append(ourSides(func() { sink = float64(kernels.Dot(x, y)) }, func() { sink = float64(plainDot(x, y)) }),
		calls("vek", "", func() { sink = float64(vek32.Dot(x, y)) }), calls("gonum", "", func() { sink = float64(blas32.Dot(bx, by)) }))
}

func dot64(n int) []side {
	x, y := lane[float64](n), lane[float64](n)
	bx, by := blas64.Vector{N: n, Data: x, Inc: 1}, blas64.Vector{N: n, Data: y, Inc: 1}
	return append(ourSides(func() { sink = kernels.Dot(x, y) }, func() { sink = plainDot(x, y) }),
		calls("vek", "", func() { sink = vek.Dot(x, y) }), calls("gonum", "", func() { sink = blas64.Dot(bx, by) }))
}

func min32(n int) []side {
	x := lane[float32](n)
	return append(ourSides(func() { sink = float64(kernels.Min(x)) }, func() { sink = float64(plainMin(x)) }),
		calls("vek", "", func() { sink = float64(vek32.Min(x)) }))
}

func min64(n int) []side {
	x := lane[float64](n)
	return append(ourSides(func() { sink = kernels.Min(x) }, func() { sink = plainMin(x) }),
		calls("vek", "", func() { sink = vek.Min(x) }), calls("gonum", "", func() { sink = floats.Min(x) }))
}

func add32(n int) []side {
	dst, x, y := lane[float32](n), lane[float32](n), lane[float32](n)
	return append(ourSides(func() { kernels.Add(dst, x, y) }, func() { plainAdd(dst, x, y) }),
		calls("vek", "", func() { vek32.Add_Into(dst, x, y) }))
}

func add64(n int) []side {
	dst, x, y := lane[float64](n), lane[float64](n), lane[float64](n)
	return append(ourSides(func() { kernels.Add(dst, x, y) }, func() { plainAdd(dst, x, y) }),
		calls("vek", "", func() { vek.Add_Into(dst, x, y) }), calls("gonum", "", func() { floats.AddTo(dst, x, y) }))
}

func mul32(n int) []side {
	dst, x, y := lane[float32](n), lane[float32](n), lane[float32](n)
	return append(ourSides(func() { kernels.Mul(dst, x, y) }, func() { plainMul(dst, x, y) }),
		calls("vek", "", func() { vek32.Mul_Into(dst, x, y) }))
}

func mul64(n int) []side {
	dst, x, y := lane[float64](n), lane[float64](n), lane[float64](n)
	return append(ourSides(func() { kernels.Mul(dst, x, y) }, func() { plainMul(dst, x, y) }),
		calls("vek", "", func() { vek.Mul_Into(dst, x, y) }), calls("gonum", "", func() { floats.MulTo(dst, x, y) }))
}

func scale32(n int) []side {
	dst, x := lane[float32](n), lane[float32](n)
	return append(ourSides(func() { kernels.Scale(dst, x, 0.5) }, func() { plainScale(dst, x, 0.5) }),
		calls("vek", "", func() { vek32.MulNumber_Into(dst, x, 0.5) }))
}

func scale64(n int) []side {
	dst, x := lane[float64](n), lane[float64](n)
	return append(ourSides(func() { kernels.Scale(dst, x, 0.5) }, func() { plainScale(dst, x, 0.5) }),
		calls("vek", "", func() { vek.MulNumber_Into(dst, x, 0.5) }), calls("gonum", "", func() { floats.ScaleTo(dst, 0.5, x) }))
}

func mulAdd[T kernels.Float](n int) []side {
	dst, x, y, z := lane[T](n), lane[T](n), lane[T](n), lane[T](n)
	return ourSides(func() { kernels.MulAdd(dst, x, y, z) }, func() { plainMulAdd(dst, x, y, z) })
}

func lerp[T kernels.Float](n int) []side {
	dst, x, y := lane[T](n), lane[T](n), lane[T](n)
	return ourSides(func() { kernels.Lerp(dst, x, y, 0.5) }, func() { plainLerp(dst, x, y, 0.5) })
}

func minimum32(n int) []side {
	dst, x, y := lane[float32](n), lane[float32](n), lane[float32](n)
	return append(ourSides(func() { kernels.Minimum(dst, x, y) }, func() { plainMinimum(dst, x, y) }),
		calls("vek", "", func() { vek32.Minimum_Into(dst, x, y) }))
}

func minimum64(n int) []side {
	dst, x, y := lane[float64](n), lane[float64](n), lane[float64](n)
	return append(ourSides(func() { kernels.Minimum(dst, x, y) }, func() { plainMinimum(dst, x, y) }),
		calls("vek", "", func() { vek.Minimum_Into(dst, x, y) }))
}
