package own

import (
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

type (
	in    = kerneltest.Input
	quats = kernels.Quats[float32]
)

func f32(i *in) []float32 { return kerneltest.Lane[float32](i) }
func f64(i *in) []float64 { return kerneltest.Lane[float64](i) }

func TestNames(t *testing.T) {
	kerneltest.Same(t, func(i *in) (want, got func()) {
		p := &points{X: kerneltest.Lane[metre](i), Y: kerneltest.Lane[metre](i), Seen: kerneltest.Lane[int32](i), note: "not read"}
		return func() { names(p, 3) }, func() { Names(p, 3) }
	})
}

func TestAliases(t *testing.T) {
	kerneltest.Same(t, func(i *in) (want, got func()) {
		n := i.Rows()
		if n < 3 {
			return func() {}, func() {}
		}
		y, x, v := f32(i), kerneltest.Slice[float32](i, n+2), kerneltest.View[kernels.Vec3s[float32]](i)
		return func() { aliases(y, x, v, n) }, func() { Aliases(y, x, v, n) }
	})
}

func TestValues(t *testing.T) {
	kerneltest.Same(t, func(i *in) (want, got func()) {
		x, y, c := f64(i), f64(i), kerneltest.Slice[float64](i, i.Rows()%4)
		return func() { values(x, y, c) }, func() { Values(x, y, c) }
	})
}

func TestChoices(t *testing.T) {
	for n := range 4 {
		kerneltest.Same(t, func(i *in) (want, got func()) {
			x, y := f32(i), f32(i)
			return func() { choices(x, y, n&1 != 0, n&2 != 0) }, func() { Choices(x, y, n&1 != 0, n&2 != 0) }
		})
	}
}

func TestClean(t *testing.T) {
	kerneltest.Same(t, func(i *in) (want, got func()) {
		x, y, h, s := f32(i), f32(i), kerneltest.Lane[uint32](i), kerneltest.Value[float32](i)
		return func() { clean(x, y, h, s) }, func() { Clean(x, y, h, s) }
	})
}

func TestCleanWide(t *testing.T) {
	kerneltest.Same(t, func(i *in) (want, got func()) {
		x, h := f64(i), kerneltest.Lane[uint64](i)
		return func() { cleanWide(x, h) }, func() { CleanWide(x, h) }
	})
}

func TestShifts(t *testing.T) {
	kerneltest.Same(t, func(i *in) (want, got func()) {
		k, h, f := kerneltest.Lane[int64](i), kerneltest.Lane[uint64](i), f64(i)
		return func() { shifts(k, h, f) }, func() { Shifts(k, h, f) }
	})
}

func TestInPlace(t *testing.T) {
	kerneltest.Same(t, func(i *in) (want, got func()) {
		x, y, turns := f32(i), f32(i), kerneltest.Lane[int32](i)
		if i.Rows()%2 == 0 {
			y = x
		}
		return func() { inPlace(x, y, turns, 3) }, func() { InPlace(x, y, turns, 3) }
	})
}

func TestQuotients(t *testing.T) {
	kerneltest.Same(t, func(i *in) (want, got func()) {
		x := f64(i)
		return func() { quotients(x) }, func() { Quotients(x) }
	})
}

func TestHelpers(t *testing.T) {
	kerneltest.Same(t, func(i *in) (want, got func()) {
		x, y, c := f64(i), f64(i), kerneltest.Slice[float64](i, 5)
		return func() { helpers(x, y, c, 5) }, func() { Helpers(x, y, c, 5) }
	})
}

func TestPressure(t *testing.T) {
	kerneltest.Same(t, func(i *in) (want, got func()) {
		var v [7]*quats
		for k := range v {
			v[k] = kerneltest.View[quats](i)
		}
		n := kerneltest.Lane[int32](i)
		return func() { pressure(v[0], v[1], v[2], v[3], v[4], v[5], v[6], n) }, func() { Pressure(v[0], v[1], v[2], v[3], v[4], v[5], v[6], n) }
	})
}
