package transform

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// wantNoAllocations checks that a frame, in the steady state, allocates nothing.
func wantNoAllocations(t *testing.T, frame func()) {
	t.Helper()
	for range 20 {
		frame()
	}
	n := testing.AllocsPerRun(50, frame)
	for round := 0; n != 0 && round < 10; round++ {
		n = testing.AllocsPerRun(50, frame) // a worker that had slept until now needs memory once
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

// writes returns what marks every chunk with C as written.
func writes[C ecs.Columned[V], V any](w *ecs.World) func() {
	q := w.Query(ecs.Write[C]())
	return func() {
		for c := range q.Chunks() {
			ecs.Column[C](c)
		}
	}
}

// Every family of components as a root and as a child, of which something is
// written in every frame.
func testFamiliesAllocateNothing[T kernels.Float](t *testing.T) {
	world := LocalToWorldOf[T]{}
	for name, family := range map[string]struct {
		values []any
		writes func(*ecs.World) func()
	}{
		"Translation":     {[]any{TranslationOf[T]{}}, writes[TranslationOf[T]]},
		"Rotation":        {[]any{RotationOf[T]{W: 1}}, writes[RotationOf[T]]},
		"Scale":           {[]any{TranslationOf[T]{}, ScaleOf[T]{1}}, writes[ScaleOf[T]]},
		"NonUniformScale": {[]any{NonUniformScaleOf[T]{1, 2, 3}}, writes[NonUniformScaleOf[T]]},
		"LocalTransform":  {[]any{LocalTransformOf[T]{Scale: 1, QW: 1}}, writes[LocalTransformOf[T]]},
		"PostTransform":   {[]any{LocalTransformOf[T]{Scale: 1, QW: 1}, PostTransformMatrixOf[T]{}}, writes[PostTransformMatrixOf[T]]},
		"given":           {nil, writes[LocalToWorldOf[T]]},
	} {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 2} {
				b := newBench(t, system.OnPool(newPool(t, workers)))
				parent := b.w.Spawn(TranslationOf[T]{}, ScaleOf[T]{2}, world)
				values := append(family.values, world)
				for range 150 {
					b.w.Spawn(values...)
					b.w.Spawn(append(values, Parent{parent})...)
					b.w.Spawn(append(values, Parent{parent}, LocalToParentOf[T]{})...)
				}
				write, scale := family.writes(b.w), writes[ScaleOf[T]](b.w) // the latter of the parents as well
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

// testClaimedAllocateNothing has chunks in which another system makes the matrix of
// every second row.
func testClaimedAllocateNothing[T kernels.Float](t *testing.T) {
	b := newBench(t, system.OnPool(newPool(t, 1)))
	for i := range 400 {
		world := b.w.Spawn(TranslationOf[T]{}, LocalToWorldOf[T]{}, claim[LocalToWorldOf[T]]{})
		b.ok(ecs.SetEnabled[claim[LocalToWorldOf[T]]](b.w, world, i%2 == 0))
	}
	move := writes[TranslationOf[T]](b.w)
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
