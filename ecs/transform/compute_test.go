package transform_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// spawnAny makes a random entity of one of the families, below one of the given entities or as a
// root.
func spawnAny[T kernels.Float](b *bench, r *rand.Rand, above []ecs.Entity) ecs.Entity {
	number := func() T { return T(r.Float64()*4 - 2) }
	turn := func() transform.RotationOf[T] { return rotationAbout[T](0.48, 0.6, 0.64, r.Float64()*6) }
	maybe := func() bool { return r.IntN(2) == 0 }
	l := transform.IdentityMatrix[T]()
	l[12] = number()
	values := []any{transform.LocalToWorldOf[T]{M: l}}
	add := func(v ...any) { values = append(values, v...) }
	local := r.IntN(3) == 0
	if local {
		q := turn()
		add(transform.LocalTransformOf[T]{X: number(), Y: number(), Z: number(), Scale: 1 + number()/8, QX: q.X, QY: q.Y, QZ: q.Z, QW: q.W})
		if maybe() {
			add(transform.PostTransformMatrixOf[T]{M: [16]T{0: 1, 4: number() / 4, 5: 1, 10: 1, 13: number(), 15: 1}})
		}
	}
	if !local || r.IntN(8) == 0 { // some have both
		add(transform.TranslationOf[T]{X: number(), Y: number(), Z: number()})
		if maybe() {
			add(turn())
		}
		switch r.IntN(4) {
		case 0:
			add(transform.ScaleOf[T]{Value: 1 + number()/8})
		case 1:
			add(transform.NonUniformScaleOf[T]{X: 1 + number()/8, Y: 1, Z: 1 + number()/8})
		case 2: // the Scale is ignored
			add(transform.ScaleOf[T]{Value: 1 + number()/8}, transform.NonUniformScaleOf[T]{X: 1 + number()/8, Y: 1, Z: -1})
		}
	}
	if len(above) > 0 && r.IntN(3) > 0 {
		add(transform.Parent{Entity: above[r.IntN(len(above))]})
		if !local || maybe() {
			add(transform.LocalToParentOf[T]{M: transform.IdentityMatrix[T]()})
		}
	}
	if r.IntN(8) == 0 {
		add(owned{})
	}
	return b.w.Spawn(values...)
}

// The test calls ComputeLocalToWorld before an update and compares the matrix with the update's matrix,
// bit for bit. The entities have all kinds of components, and the matrices are compared after spawning
// and after changes.
func testComputeBeforeUpdate[T kernels.Float](t *testing.T) {
	seeds := 4
	if *full {
		seeds = 40
	}
	for seed := range seeds {
		b, r := newBench(t), rand.New(rand.NewPCG(uint64(seed), 31))
		var ids []ecs.Entity
		for range 4 {
			for range 25 {
				ids = append(ids, spawnAny[T](b, r, ids))
			}
			for range 10 {
				e := ids[r.IntN(len(ids))]
				if ecs.Has[transform.ScaleOf[T]](b.w, e) {
					b.ok(ecs.Set(b.w, e, transform.ScaleOf[T]{Value: T(1 + r.Float64()/4)}))
				}
				if ecs.Has[transform.PostTransformMatrixOf[T]](b.w, e) {
					b.ok(ecs.Set(b.w, e, transform.PostTransformMatrixOf[T]{M: [16]T{0: T(r.Float64()), 5: 1, 10: 2, 15: 1}}))
				}
				if ecs.Has[transform.TranslationOf[T]](b.w, e) {
					b.ok(ecs.Set(b.w, e, transform.TranslationOf[T]{X: T(r.Float64()), Y: 1, Z: 2}))
				}
			}
			before := make([]transform.LocalToWorldOf[T], len(ids))
			for i, e := range ids {
				var err error
				before[i], err = transform.ComputeLocalToWorld[T](b.w, e)
				b.ok(err)
			}
			b.update()
			for i, e := range ids {
				if want := get[transform.LocalToWorldOf[T]](b, e); !transform.SameBits(before[i].M, want.M) {
					t.Fatalf("seed %d: entity %v of %v: %v before the update, after it %v", seed, e, b.w.ArchetypeOf(e), before[i].M, want.M)
				}
			}
		}
		b.ok(b.w.Close())
	}
}

func TestComputeBeforeUpdate(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testComputeBeforeUpdate[float32](t) })
	t.Run("float64", func(t *testing.T) { testComputeBeforeUpdate[float64](t) })
}
