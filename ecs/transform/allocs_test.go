package transform_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// wantNoAllocations checks that a frame in the steady state allocates nothing.
func wantNoAllocations(t *testing.T, frame func()) {
	t.Helper()
	for range 20 {
		frame()
	}
	n := testing.AllocsPerRun(50, frame)
	for round := 0; n != 0 && round < 10; round++ {
		n = testing.AllocsPerRun(50, frame) // a worker that has slept allocates once
	}
	if n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if guard || raceEnabled {
		t.Skip("race and guard builds allocate for their checks")
	}
	for _, workers := range []int{1, 2} {
		pool := newPool(t, workers)
		b := newTurning(t, pool)
		forest(b, 200, 2, 8)
		forest(b, 2, 100, 1)
		wantNoAllocations(t, func() {
			system.ClockOf(b.w).Advance(0.1)
			b.ok(system.Update(b.w))
		})
	}
}

// writes returns a function that marks every chunk with C as written.
func writes[C ecs.Columned[V], V any](w *ecs.World) func() {
	q := w.Query(ecs.Write[C]())
	return func() {
		for c := range q.Chunks() {
			ecs.Column[C](c)
		}
	}
}

// Each family of components is tested for roots and for children, and in each frame some component is
// written.
func testFamiliesAllocateNothing[T kernels.Float](t *testing.T) {
	world := transform.LocalToWorldOf[T]{}
	for name, family := range map[string]struct {
		values []any
		writes func(*ecs.World) func()
	}{
		"Translation":     {[]any{transform.TranslationOf[T]{}}, writes[transform.TranslationOf[T]]},
		"Rotation":        {[]any{transform.RotationOf[T]{W: 1}}, writes[transform.RotationOf[T]]},
		"Scale":           {[]any{transform.TranslationOf[T]{}, transform.ScaleOf[T]{Value: 1}}, writes[transform.ScaleOf[T]]},
		"NonUniformScale": {[]any{transform.NonUniformScaleOf[T]{X: 1, Y: 2, Z: 3}}, writes[transform.NonUniformScaleOf[T]]},
		"LocalTransform":  {[]any{transform.LocalTransformOf[T]{Scale: 1, QW: 1}}, writes[transform.LocalTransformOf[T]]},
		"PostTransform":   {[]any{transform.LocalTransformOf[T]{Scale: 1, QW: 1}, transform.PostTransformMatrixOf[T]{}}, writes[transform.PostTransformMatrixOf[T]]},
		"given":           {nil, writes[transform.LocalToWorldOf[T]]},
	} {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 2} {
				b := newBench(t, system.OnPool(newPool(t, workers)))
				parent := b.w.Spawn(transform.TranslationOf[T]{}, transform.ScaleOf[T]{Value: 2}, world)
				values := append(family.values, world)
				for range 150 {
					b.w.Spawn(values...)
					b.w.Spawn(append(values, transform.Parent{Entity: parent})...)
					b.w.Spawn(append(values, transform.Parent{Entity: parent}, transform.LocalToParentOf[T]{})...)
				}
				write, scale := family.writes(b.w), writes[transform.ScaleOf[T]](b.w) // the second writes the parents too
				wantNoAllocations(t, func() {
					write()
					scale()
					b.update()
				})
			}
		})
	}
	t.Run("claimed", testClaimedAllocateNothing[T])
}

// testClaimedAllocateNothing uses chunks in which another system computes the matrices of half of the
// rows.
func testClaimedAllocateNothing[T kernels.Float](t *testing.T) {
	b := newBench(t, system.OnPool(newPool(t, 1)))
	for i := range 400 {
		world := b.w.Spawn(transform.TranslationOf[T]{}, transform.LocalToWorldOf[T]{}, claim[transform.LocalToWorldOf[T]]{})
		b.ok(ecs.SetEnabled[claim[transform.LocalToWorldOf[T]]](b.w, world, i%2 == 0))
	}
	move := writes[transform.TranslationOf[T]](b.w)
	wantNoAllocations(t, func() {
		move()
		b.update()
	})
}

func TestFamiliesAllocateNothing(t *testing.T) {
	if guard || raceEnabled {
		t.Skip("race and guard builds allocate for their checks")
	}
	t.Run("float32", testFamiliesAllocateNothing[float32])
	t.Run("float64", testFamiliesAllocateNothing[float64])
}
