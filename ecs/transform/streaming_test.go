package transform

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// wander writes other translations every time.
func wander[T kernels.Float](b *bench, frame int) {
	for c := range b.w.Query(ecs.Write[TranslationOf[T]]()).Chunks() {
		pos := ecs.Column[TranslationOf[T]](c)
		for i := range pos.X {
			pos.X[i], pos.Y[i], pos.Z[i] = T(c.Index()), T(i), T(frame)
		}
	}
	for c := range b.w.Query(ecs.Write[LocalTransformOf[T]]()).Chunks() {
		trs := ecs.Column[LocalTransformOf[T]](c)
		for i := range trs.X {
			trs.X[i], trs.Z[i], trs.Scale[i], trs.QW[i] = T(c.Index()), T(frame), T(i), 1
		}
	}
}

// Matrices that are written past the caches have the bits of those that are not,
// with any number of workers: of flat entities, and of trees whose roots they are.
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
			both := []*streaming[T]{
				&system.GetOrCreate[TRSToLocalToWorldOf[T]](b.w).streaming,
				&system.GetOrCreate[LocalTransformToWorldOf[T]](b.w).streaming,
			}
			for _, past := range both {
				past.least = least
			}
			spawnFlat[T](b, 1000, true)
			spawnLocal[T](b, 1000)
			spawnLocal[T](b, 500, ecs.With[PostTransformMatrixOf[T]]())
			above := b.w.Spawn(LocalTransformOf[T]{}, LocalToWorldOf[T]{})
			b.w.Spawn(LocalTransformOf[T]{}, Parent{above}, LocalToWorldOf[T]{})
			root := b.w.Spawn(TranslationOf[T]{X: 1}, LocalToWorldOf[T]{})
			for x := range 20 {
				b.w.Spawn(TranslationOf[T]{X: T(x)}, Parent{root}, LocalToParentOf[T]{}, LocalToWorldOf[T]{})
			}
			var got []uint64
			for frame := range 4 {
				wander[T](b, frame)
				b.update()
				for i, past := range both {
					if want := frame > 0 && least == 1; past.now != want {
						t.Errorf("frame %d, from %d rows on, system %d: past the caches: %v, want %v", frame, least, i, past.now, want)
					}
				}
				got = append(got, b.w.Hash())
			}
			b.update()
			b.update()
			for i, past := range both {
				if past.now {
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

// spawnFlat makes roots without children, scaled evenly or not.
func spawnFlat[T kernels.Float](b *bench, n int, even bool) {
	scale := ecs.With[NonUniformScaleOf[T]]()
	if even {
		scale = ecs.With[ScaleOf[T]]()
	}
	b.ok(b.w.CreateInto(b.w.Archetype(ecs.With[TranslationOf[T]](), ecs.With[RotationOf[T]](), scale, ecs.With[LocalToWorldOf[T]]()), make([]ecs.Entity, n)))
}

// spawnLocal makes roots with LocalTransform.
func spawnLocal[T kernels.Float](b *bench, n int, more ...ecs.Term) {
	types := append(more, ecs.With[LocalTransformOf[T]](), ecs.With[LocalToWorldOf[T]]())
	b.ok(b.w.CreateInto(b.w.Archetype(types...), make([]ecs.Entity, n)))
}

// It takes as many matrices as are more than a cache holds, of those that moved.
func TestPastCachesFrom(t *testing.T) {
	b := newBench(t)
	s := system.GetOrCreate[TRSToLocalToWorldOf[float32]](b.w)
	spawnFlat[float32](b, manyBytes/64+5000, false)
	b.update() // all are new
	wander[float32](b, 1)
	b.update()
	if !s.streaming.now {
		t.Errorf("%d bytes of matrices stay in a cache", manyBytes)
	}
	moved := 0
	for c := range b.w.Query(ecs.Read[LocalToWorld](), ecs.Read[Translation]()).Chunks() {
		if moved++; moved > 100 {
			break
		}
		b.ok(ecs.Set(b.w, c.Entities()[0], Translation{}))
	}
	b.update()
	b.update()
	if s.streaming.now {
		t.Errorf("%d chunks that moved do not stay in a cache", moved)
	}
}
