package transform_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// wander writes other translations each time.
func wander[T kernels.Float](b *bench, frame int) {
	for c := range b.w.Query(ecs.Write[transform.TranslationOf[T]]()).Chunks() {
		pos := ecs.Column[transform.TranslationOf[T]](c)
		for i := range pos.X {
			pos.X[i], pos.Y[i], pos.Z[i] = T(c.Index()), T(i), T(frame)
		}
	}
	for c := range b.w.Query(ecs.Write[transform.LocalTransformOf[T]]()).Chunks() {
		trs := ecs.Column[transform.LocalTransformOf[T]](c)
		for i := range trs.X {
			trs.X[i], trs.Z[i], trs.Scale[i], trs.QW[i] = T(c.Index()), T(frame), T(i), 1
		}
	}
}

// Matrices that are written past the caches have the same bits, with any number of workers. The
// test checks matrices of flat entities, and of trees below them.
func TestPastCaches(t *testing.T) { bothWidths(t, testPastCaches[float32], testPastCaches[float64]) }

func bothWidths(t *testing.T, narrow, wide func(*testing.T)) {
	t.Run("float32", narrow)
	t.Run("float64", wide)
}

func testPastCaches[T kernels.Float](t *testing.T) {
	var want []uint64
	eachPool(t, func(t *testing.T, pool *jobs.Pool) {
		for _, least := range []int64{1, 1 << 40} {
			b := newBench(t, system.OnPool(pool))
			transform.StreamFrom[T](b.w, least)
			spawnFlat[T](b, 1000, true)
			spawnLocal[T](b, 1000)
			spawnLocal[T](b, 500, ecs.With[transform.PostTransformMatrixOf[T]]())
			above := b.w.Spawn(transform.LocalTransformOf[T]{}, transform.LocalToWorldOf[T]{})
			b.w.Spawn(transform.LocalTransformOf[T]{}, transform.Parent{Entity: above}, transform.LocalToWorldOf[T]{})
			root := b.w.Spawn(transform.TranslationOf[T]{X: 1}, transform.LocalToWorldOf[T]{})
			for x := range 20 {
				b.w.Spawn(transform.TranslationOf[T]{X: T(x)}, transform.Parent{Entity: root}, transform.LocalToParentOf[T]{}, transform.LocalToWorldOf[T]{})
			}
			var got []uint64
			for frame := range 4 {
				wander[T](b, frame)
				b.update()
				for i, past := range transform.Streams[T](b.w) {
					if want := frame > 0 && least == 1; past != want {
						t.Errorf("frame %d, from %d rows on, system %d: past the caches: %v, want %v", frame, least, i, past, want)
					}
				}
				got = append(got, b.w.Hash())
			}
			b.update()
			b.update()
			for i, past := range transform.Streams[T](b.w) {
				if past {
					t.Errorf("system %d: past the caches after an update without work", i)
				}
			}
			if want == nil {
				want = got
			}
			for frame := range want {
				if got[frame] != want[frame] {
					t.Errorf("frame %d, from %d rows on: hash %#x, want %#x", frame, least, got[frame], want[frame])
				}
			}
		}
	})
}

// spawnFlat makes roots without children, with a uniform or non-uniform scale.
func spawnFlat[T kernels.Float](b *bench, n int, even bool) {
	scale := ecs.With[transform.NonUniformScaleOf[T]]()
	if even {
		scale = ecs.With[transform.ScaleOf[T]]()
	}
	b.ok(b.w.CreateInto(b.w.Archetype(ecs.With[transform.TranslationOf[T]](), ecs.With[transform.RotationOf[T]](), scale, ecs.With[transform.LocalToWorldOf[T]]()), make([]ecs.Entity, n)))
}

// spawnLocal makes roots with LocalTransform.
func spawnLocal[T kernels.Float](b *bench, n int, more ...ecs.Term) {
	types := append(more, ecs.With[transform.LocalTransformOf[T]](), ecs.With[transform.LocalToWorldOf[T]]())
	b.ok(b.w.CreateInto(b.w.Archetype(types...), make([]ecs.Entity, n)))
}

// Writing past the caches needs more moved matrices than a cache holds.
func TestPastCachesFrom(t *testing.T) {
	b := newBench(t)
	spawnFlat[float32](b, transform.ManyBytes/64+5000, false)
	b.update() // all are new
	wander[float32](b, 1)
	b.update()
	if !transform.Streams[float32](b.w)[0] {
		t.Errorf("%d bytes of matrices stay in a cache", transform.ManyBytes)
	}
	moved := 0
	for c := range b.w.Query(ecs.Read[transform.LocalToWorld](), ecs.Read[transform.Translation]()).Chunks() {
		if moved++; moved > 100 {
			break
		}
		b.ok(ecs.Set(b.w, c.Entities()[0], transform.Translation{}))
	}
	b.update()
	b.update()
	if transform.Streams[float32](b.w)[0] {
		t.Errorf("%d chunks that moved do not stay in a cache", moved)
	}
}
