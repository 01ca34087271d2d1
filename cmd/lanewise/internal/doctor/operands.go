package doctor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/lanewise/lanewise/kernels"
)

// A dice draws ordinary numbers, or raw numbers, all bits of which are random.
type dice struct {
	*rand.Rand
	raw   bool
	n     int  // rows
	timed bool // place lanes where they do not evict each other from the caches
	at    int  // if timed: the offset in a page of the next lane
}

func newDice(seed uint64, n int) *dice {
	return &dice{Rand: rand.New(rand.NewPCG(seed, uint64(n))), n: n}
}

// operands returns the arguments for one call of a kernel with n rows. It
// always returns the same values for the same parameters. The lanes start at
// different offsets from a multiple of the vector size.
func (k *Kernel) operands(n int, raw bool, seed uint64) []reflect.Value {
	d := newDice(seed, n)
	d.raw = raw
	return k.arguments(d)
}

func (k *Kernel) arguments(d *dice) []reflect.Value {
	args := make([]reflect.Value, k.call.Type().NumIn())
	for i := range args {
		args[i] = d.operand(k.call.Type().In(i))
	}
	for _, i := range k.none {
		args[i] = reflect.Zero(args[i].Type())
	}
	return args
}

// operand makes a slice, a view or a scalar.
func (d *dice) operand(t reflect.Type) reflect.Value {
	switch t.Kind() {
	case reflect.Pointer: // a view: a struct of slices
		v := reflect.New(t.Elem())
		for i := range t.Elem().NumField() {
			v.Elem().Field(i).Set(d.operand(t.Elem().Field(i).Type))
		}
		return v
	case reflect.Slice:
		n := d.n
		switch t.Elem().Kind() {
		case reflect.Uint64:
			n = kernels.MaskLen(n)
		case reflect.Struct:
			n = 6 // the planes of a frustum
		}
		v := d.slice(t, n)
		d.fill(v)
		return v
	default:
		v := reflect.New(reflect.ArrayOf(1, t)).Elem()
		d.fill(v.Slice(0, 1))
		return v.Index(0)
	}
}

// slice makes a slice of n elements.
func (d *dice) slice(t reflect.Type, n int) reflect.Value {
	if d.timed {
		return d.newApart(t, n)
	}
	skip := d.IntN(4)
	return reflect.MakeSlice(t, skip+n, skip+n).Slice(skip, skip+n)
}

// fill sets every element of a slice.
func (d *dice) fill(v reflect.Value) {
	switch p := v.Interface().(type) {
	case []float32:
		for i := range p {
			p[i] = number[float32](d)
		}
	case []float64:
		for i := range p {
			p[i] = number[float64](d)
		}
	case []uint64: // a mask
		for i := range p {
			p[i] = d.Uint64()
		}
	case []int32: // numbers of rows
		for i := range p {
			p[i] = int32(d.IntN(max(d.n, 1)))
		}
	case []uint32:
		for i := range p {
			p[i] = d.Uint32() >> d.IntN(32)
		}
	case []int64:
		for i := range p {
			p[i] = int64(d.Uint64()) >> d.IntN(64)
		}
	case []int: // counts
		clear(p)
	case []kernels.RotationOrder:
		for i := range p {
			p[i] = kernels.RotationOrder(d.IntN(int(kernels.OrderZYX) + 1))
		}
	default:
		if v.Type().Elem().Kind() == reflect.Struct { // planes
			for i := range v.Len() {
				for j := range v.Index(i).NumField() {
					one := v.Index(i).Field(j)
					one.Set(d.operand(one.Type()))
				}
			}
			return
		}
		if v.Type().Elem().Kind() != reflect.Array {
			panic(fmt.Sprintf("doctor: a kernel has a parameter of %v", v.Type().Elem()))
		}
		for i := range v.Len() {
			row := v.Index(i)
			d.fill(row.Slice(0, row.Len()))
		}
	}
}

// number returns a number between -2 and 2. If d is raw, it returns any float, for example NaN.
func number[T kernels.Float](d *dice) T {
	if !d.raw {
		return T(float64(d.Float64()*4) - 2)
	}
	special := [...]float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN()}
	switch d.IntN(4) {
	case 0:
		return T(special[d.IntN(len(special))])
	case 1: // moderate numbers with random exponents: for example, angles of many turns
		return T(math.Ldexp(float64(d.Float64()*2)-1, d.IntN(60)-30))
	}
	var x T
	switch p := any(&x).(type) { // random bits: huge numbers, denormals, NaN
	case *float32:
		*p = math.Float32frombits(d.Uint32() &^ (0x7f000000 * uint32(d.IntN(2))))
	case *float64:
		*p = math.Float64frombits(d.Uint64() &^ (0x7fc << 52 * uint64(d.IntN(2))))
	}
	return x
}

// lanes returns the slices among arguments and results, including the slices in
// views. A scalar becomes a slice of one element.
func lanes(values []reflect.Value) (all []reflect.Value) {
	for _, v := range values {
		switch v.Kind() {
		case reflect.Pointer:
			for i := range v.Type().Elem().NumField() {
				if !v.IsNil() {
					all = append(all, v.Elem().Field(i))
				}
			}
		case reflect.Slice:
			all = append(all, v)
		default:
			one := reflect.MakeSlice(reflect.SliceOf(v.Type()), 1, 1)
			one.Index(0).Set(v)
			all = append(all, one)
		}
	}
	return all
}

// appendBits appends the bits of the elements of a slice. It gives all NaN the same
// bits, because the sign and the payload of a NaN may differ between paths.
func appendBits(all []uint64, v reflect.Value) []uint64 {
	switch p := v.Interface().(type) {
	case []float32:
		for _, x := range p {
			if x != x {
				x = float32(math.NaN())
			}
			all = append(all, uint64(math.Float32bits(x)))
		}
	case []float64:
		for _, x := range p {
			if x != x {
				x = math.NaN()
			}
			all = append(all, math.Float64bits(x))
		}
	case []uint64:
		all = append(all, p...)
	default:
		for i := range v.Len() {
			switch e := v.Index(i); e.Kind() {
			case reflect.Array:
				all = appendBits(all, e.Slice(0, e.Len()))
			case reflect.Int, reflect.Int32, reflect.Int64:
				all = append(all, uint64(e.Int()))
			case reflect.Bool:
				all = append(all, 0)
				if e.Bool() {
					all[len(all)-1] = 1
				}
			case reflect.Struct: // a box, a plane
				for j := range e.NumField() {
					one := reflect.MakeSlice(reflect.SliceOf(e.Field(j).Type()), 1, 1)
					one.Index(0).Set(e.Field(j))
					all = appendBits(all, one)
				}
			default:
				all = append(all, e.Uint())
			}
		}
	}
	return all
}
