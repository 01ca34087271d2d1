package transform

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// Each order turns about its first axis first.
func testEuler[T kernels.Float](t *testing.T, limit float64) {
	x, y, z := 0.3, -1.2, 2.5
	axes := map[byte]matrix{
		'X': rotation(math.Sin(x/2), 0, 0, math.Cos(x/2)),
		'Y': rotation(0, math.Sin(y/2), 0, math.Cos(y/2)),
		'Z': rotation(0, 0, math.Sin(z/2), math.Cos(z/2)),
	}
	a, o, d := T(x), T(y), T(z)
	for order, pair := range map[string][2]any{
		"XYZ": {RotationEulerOf[T, XYZ]{a, o, d}, PostRotationEulerOf[T, XYZ]{a, o, d}},
		"XZY": {RotationEulerOf[T, XZY]{a, o, d}, PostRotationEulerOf[T, XZY]{a, o, d}},
		"YXZ": {RotationEulerOf[T, YXZ]{a, o, d}, PostRotationEulerOf[T, YXZ]{a, o, d}},
		"YZX": {RotationEulerOf[T, YZX]{a, o, d}, PostRotationEulerOf[T, YZX]{a, o, d}},
		"ZXY": {RotationEulerOf[T, ZXY]{a, o, d}, PostRotationEulerOf[T, ZXY]{a, o, d}},
		"ZYX": {RotationEulerOf[T, ZYX]{a, o, d}, PostRotationEulerOf[T, ZYX]{a, o, d}},
	} {
		b := newBench(t)
		want := axes[order[2]].mul(axes[order[1]]).mul(axes[order[0]])
		plain := b.w.Spawn(pair[0], RotationOf[T]{}, LocalToWorldOf[T]{})
		twice := b.w.Spawn(pair[0], pair[1], RotationOf[T]{}, PostRotationOf[T]{}, CompositeRotationOf[T]{}, LocalToWorldOf[T]{})
		b.update()
		if got := get[LocalToWorldOf[T]](b, plain).M; !(off(got, want) <= limit) {
			t.Errorf("%s: matrix %v, want %v", order, got, want)
		}
		if got := get[LocalToWorldOf[T]](b, twice).M; !(off(got, want.mul(want)) <= limit) {
			t.Errorf("%s, twice: matrix %v, want %v", order, got, want.mul(want))
		}
	}
}

func TestEuler(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testEuler[float32](t, 1e-6) })
	t.Run("float64", func(t *testing.T) { testEuler[float64](t, 1e-14) })
}

// Angles that do not change leave Rotation to others.
func TestEulerUnchanged(t *testing.T) {
	b := newBench(t)
	e := b.root(RotationEulerXYZ{X: 1}, Identity)
	b.update()
	b.ok(ecs.Set(b.w, e, Identity))
	b.update()
	if got := get[Rotation](b, e); got != Identity {
		t.Errorf("rotation %v, and the angles have not changed", got)
	}
	b.ok(ecs.Set(b.w, e, RotationEulerXYZ{X: 1}))
	b.update()
	if got := get[Rotation](b, e); math.Abs(float64(got.X)-math.Sin(0.5)) > 1e-6 {
		t.Errorf("rotation %v after the angles were written", got)
	}
}
