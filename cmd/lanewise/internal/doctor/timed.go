package doctor

import (
	"math"
	"reflect"
	"strings"

	"github.com/lanewise/lanewise/kernels"
)

// timedOperands returns the operands of a measured call with n rows. A comparison may
// use any numbers, but a measurement uses typical numbers: unit quaternions,
// matrices that move, turn and scale, elliptic orbits, and eight children for
// each parent.
func (k *Kernel) timedOperands(n int) []reflect.Value {
	d := newDice(1, n)
	d.timed = true
	args := k.arguments(d)
	if k.Type == "f32" {
		useOrdinary[float32](k.Name, args)
	} else {
		useOrdinary[float64](k.Name, args)
	}
	return args
}

// useOrdinary replaces the drawn numbers between -2 and 2 by typical arguments
// of the kernel.
func useOrdinary[T kernels.Float](kernel string, args []reflect.Value) {
	for i, a := range args {
		switch v := a.Interface().(type) {
		case T: // a step, a bound, a fraction of the way
			args[i] = reflect.ValueOf(T(0.3))
		case []int32:
			for child := range v {
				v[child] = int32(child / 8)
			}
		case *kernels.Quats[T]:
			if v != nil {
				v.Normalize(v)
			}
		case *kernels.Boxes[T]:
			for _, half := range [][]T{v.HX, v.HY, v.HZ} {
				kernels.Abs(half, half)
			}
		case *kernels.Mat4s[T]:
			v.Compose(makeParts[T](v.Len()))
		case *kernels.Mat3x4s[T]:
			v.Compose(makeParts[T](v.Len()))
		}
	}
	lane := func(i int) []T { return args[i].Interface().([]T) }
	switch strings.TrimSuffix(kernel, "Rounded") {
	case "Any":
		clear(args[0].Interface().([]uint64)) // an empty mask, so that the kernel scans all of it
	case "Kepler":
		M, e := lane(1), lane(2)
		kernels.Scale(M, M, math.Pi/2)
		kernels.Abs(e, e)
		kernels.Scale(e, e, 0.49)
	case "Acos", "Asin":
		kernels.Scale(lane(1), lane(1), 0.125)
	case "NormalQuantile": // probabilities from 0.02 to 0.98
		kernels.Scale(lane(1), lane(1), 0.24)
		kernels.AddConst(lane(1), lane(1), 0.5)
	case "Sqrt", "Rsqrt", "Log", "Log2", "Log10", "Log1p", "Pow", "Lgamma":
		kernels.Abs(lane(1), lane(1))
	case "Clamp":
		args[2], args[3] = reflect.ValueOf(T(-1)), reflect.ValueOf(T(1))
	case "Quats.Between", "Quats.FromAxisAngle":
		for _, a := range args {
			if v, ok := a.Interface().(*kernels.Vec3s[T]); ok {
				v.Normalize(v)
			}
		}
	}
}

// makeParts makes translations, rotations and scales for matrices.
func makeParts[T kernels.Float](n int) (pos *kernels.Vec3s[T], rot *kernels.Quats[T], scale *kernels.Vec3s[T]) {
	d := newDice(2, n)
	pos = d.operand(reflect.TypeOf(pos)).Interface().(*kernels.Vec3s[T])
	rot = d.operand(reflect.TypeOf(rot)).Interface().(*kernels.Quats[T])
	scale = d.operand(reflect.TypeOf(scale)).Interface().(*kernels.Vec3s[T])
	for _, s := range [][]T{scale.X, scale.Y, scale.Z} {
		kernels.Abs(s, s)
		kernels.Clamp(s, s, 0.5, 2)
	}
	return pos, rot.Normalize(rot), scale
}

// newApart returns a slice that begins one cache line later in its page than the
// previous slice. If all lanes began at the same position in their pages, the
// elements of one row would share one set of the cache. A set is too small for
// them: three matrices have four times as many lanes as a set has entries.
func (d *dice) newApart(t reflect.Type, n int) reflect.Value {
	const page, line = 4096, 64
	size := int(t.Elem().Size())
	at := (d.at + size - 1) / size * size
	d.at = at + max(line, size)
	v := reflect.MakeSlice(t, n+page/size, n+page/size)
	skip := int((uintptr(at) - v.Pointer()) % page / uintptr(size))
	return v.Slice3(skip, skip+n, skip+n)
}
