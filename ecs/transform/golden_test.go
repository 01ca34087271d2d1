package transform

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// golden is the hash of goldenWorld: on every machine and path, with any number
// of workers.
const golden = 0xa3ac3b853a21eb9c

// numbers come from a linear congruential generator modulo 2³², that of Numerical
// Recipes, without its lowest bits.
type numbers[T kernels.Float] uint32

func (x *numbers[T]) next() int {
	*x = *x*1664525 + 1013904223
	return int(*x >> 8)
}

// some returns a number from −4 to 4, exactly.
func (x *numbers[T]) some() T { return T(x.next()-1<<23) / (1 << 21) }

// scale returns a number near 1.
func (x *numbers[T]) scale() T { return 1 + x.some()/64 }

func (x *numbers[T]) vector() TranslationOf[T] {
	return TranslationOf[T]{x.some(), x.some(), x.some()}
}

func (x *numbers[T]) turn() RotationOf[T] {
	q := kernels.Quats[T]{X: []T{x.some()}, Y: []T{x.some()}, Z: []T{x.some()}, W: []T{x.some()}}
	q.Normalize(&q)
	return RotationOf[T]{q.X[0], q.Y[0], q.Z[0], q.W[0]}
}

func (x *numbers[T]) localTransform() LocalTransformOf[T] {
	t, s, r := x.vector(), x.scale(), x.turn()
	return LocalTransformOf[T]{t.X, t.Y, t.Z, s, r.X, r.Y, r.Z, r.W}
}

func (x *numbers[T]) angles(order int) []any {
	a, b := x.vector(), x.vector()
	switch order {
	case 0:
		return []any{RotationEulerOf[T, XYZ](a), PostRotationEulerOf[T, XZY](b)}
	case 1:
		return []any{RotationEulerOf[T, XZY](a), PostRotationEulerOf[T, YXZ](b)}
	case 2:
		return []any{RotationEulerOf[T, YXZ](a), PostRotationEulerOf[T, YZX](b)}
	case 3:
		return []any{RotationEulerOf[T, YZX](a), PostRotationEulerOf[T, ZXY](b)}
	case 4:
		return []any{RotationEulerOf[T, ZXY](a), PostRotationEulerOf[T, ZYX](b)}
	}
	return []any{RotationEulerOf[T, ZYX](a), PostRotationEulerOf[T, XYZ](b)}
}

// family returns the components of one of six families, without those of children.
func (x *numbers[T]) family(i int) []any {
	switch i % 6 {
	case 0:
		return []any{x.localTransform()}
	case 1:
		m := [16]T{1, x.some(), 0, 0, 0, 1, 0, 0, x.some(), 0, 1, 0, x.some(), 0, 0, 1}
		return []any{x.localTransform(), PostTransformMatrixOf[T]{m}}
	case 2:
		return []any{x.vector(), x.turn(), NonUniformScaleOf[T]{x.scale(), x.scale(), 1}}
	case 3:
		return []any{
			x.vector(), x.turn(), ScaleOf[T]{x.scale()}, PostRotationOf[T](x.turn()), RotationPivotOf[T](x.vector()),
			CompositeRotationOf[T]{}, WorldToLocalOf[T]{},
		}
	case 4:
		return []any{x.vector(), ScaleOf[T]{x.scale()}, ScalePivotOf[T](x.vector()), ScalePivotTranslationOf[T](x.vector()), CompositeScaleOf[T]{}}
	}
	return append(x.angles(i/6%6), RotationOf[T]{}, PostRotationOf[T]{}, RotationPivotTranslationOf[T](x.vector()), CompositeRotationOf[T]{},
		ScaleOf[T]{x.scale()}, CompositeScaleOf[T]{}, WorldToLocalOf[T]{})
}

// addFamilies makes trees of entities of all families.
func addFamilies[T kernels.Float](w *ecs.World) {
	x := numbers[T](12345)
	var ids []ecs.Entity
	for i := range 2000 {
		values := append(x.family(i), LocalToWorldOf[T]{})
		if i > 20 && i%7 > 0 {
			values = append(values, Parent{ids[x.next()%i]})
			if i%6 > 1 {
				values = append(values, LocalToParentOf[T]{})
				if i%4 < 2 {
					values = append(values, ParentScaleInverseOf[T]{})
				}
			}
		}
		ids = append(ids, w.Spawn(values...))
	}
}

// goldenWorld returns the hash of a world with all families in both widths, after
// two frames.
func goldenWorld(t *testing.T, pool *jobs.Pool) uint64 {
	b := newBench(t, system.OnPool(pool))
	addFamilies[float32](b.w)
	addFamilies[float64](b.w)
	b.update()
	b.update()
	hash := b.w.Hash()
	b.ok(b.w.Close())
	return hash
}

func TestGolden(t *testing.T) {
	test := func(t *testing.T, pool *jobs.Pool) {
		if got := goldenWorld(t, pool); got != golden {
			t.Errorf("hash is %#016x, want %#016x", got, uint64(golden))
		}
	}
	eachPool(t, test)
	best := kernels.Path()
	defer use(t, best)
	for _, path := range kernels.Paths() {
		t.Run("path="+path, func(t *testing.T) {
			use(t, path)
			test(t, newPool(t, 2))
		})
	}
}

func use(t *testing.T, path string) {
	t.Helper()
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
}
