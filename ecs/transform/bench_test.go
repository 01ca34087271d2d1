package transform_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// mover is a system that marks everything as moved in every frame, and computes nothing.
type mover struct {
	_ system.Before[transform.Group]
	q *ecs.Query
}

func (s *mover) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[transform.Translation]())
	return nil
}
func (s *mover) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *mover) Chunk(c *ecs.Chunk)           { ecs.Column[transform.Translation](c) }

// localMover is a mover of entities with LocalTransform.
type localMover struct {
	_ system.Before[transform.Group]
	q *ecs.Query
}

func (s *localMover) Create(u *system.Setup) error {
	s.q = u.Query(ecs.Write[transform.LocalTransform]())
	return nil
}
func (s *localMover) Update(f *system.Frame) error { f.ParallelFor(s.q, s); return nil }
func (s *localMover) Chunk(c *ecs.Chunk)           { ecs.Column[transform.LocalTransform](c) }

func newMoving(b *testing.B, pool *jobs.Pool, moving bool) *bench {
	types := transforms()
	if moving {
		types = append(types, system.Of[mover](), system.Of[localMover]())
	}
	w, err := system.NewWorld(b.Name(), system.OnPool(pool), system.Only(types...))
	if err != nil {
		b.Fatal(err)
	}
	return &bench{TB: b, w: w}
}

// measureFrames measures frames of the world.
func (b *bench) measureFrames(tb *testing.B, entities int) {
	measure(tb, entities, func() {
		if err := system.Update(b.w); err != nil {
			tb.Fatal(err)
		}
	})
}

// measure reports the mean time and the smallest time of a step. The smallest time depends less on
// other load of the machine.
func measure(b *testing.B, entities int, step func()) {
	for range 5 {
		step()
	}
	least := time.Duration(math.MaxInt64)
	timed := func() {
		start := time.Now()
		step()
		least = min(least, time.Since(start))
	}
	b.ReportAllocs()
	for b.Loop() {
		timed()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(entities), "ns/entity")
	b.ReportMetric(float64(least.Nanoseconds())/float64(entities), "least-ns/entity")
}

func flat(b *bench, n int) []ecs.Entity {
	ids := make([]ecs.Entity, n)
	b.ok(b.w.CreateInto(b.w.Archetype(ecs.With[transform.Translation](), ecs.With[transform.Rotation](), ecs.With[transform.NonUniformScale](), ecs.With[transform.LocalToWorld]()), ids))
	for c := range b.w.Query(ecs.Write[transform.Rotation](), ecs.Write[transform.NonUniformScale]()).Chunks() {
		rot, scale := ecs.Column[transform.Rotation](c), ecs.Column[transform.NonUniformScale](c)
		kernels.Fill(rot.W, 1)
		kernels.Fill(scale.X, 1)
		kernels.Fill(scale.Y, 1)
		kernels.Fill(scale.Z, 1)
	}
	return ids
}

// BenchmarkFlat composes the matrices of entities without parents, all moving.
func BenchmarkFlat(b *testing.B) {
	for _, n := range []int{10_000, 20_000, 1_000_000} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/workers=%d", n, workers), func(b *testing.B) {
				pool := newPool(b, workers)
				bn := newMoving(b, pool, true)
				flat(bn, n)
				bn.measureFrames(b, n)
			})
		}
		b.Run(fmt.Sprintf("n=%d/bare", n), func(b *testing.B) {
			pos, scale := soa.Make[kernels.Vec3s[float32]](n), soa.Make[kernels.Vec3s[float32]](n)
			rot, m := soa.Make[kernels.Quats[float32]](n), soa.Make[kernels.Mat4s[float32]](n)
			fillOnes(pos.X, pos.Y, pos.Z, rot.X, rot.Y, rot.Z, rot.W, scale.X, scale.Y, scale.Z)
			measure(b, n, func() { m.Compose(&pos, &rot, &scale) })
		})
		b.Run(fmt.Sprintf("n=%d/chunks", n), func(b *testing.B) {
			bn := newMoving(b, newPool(b, 1), false)
			flat(bn, n)
			chunks := columnsOf(bn.w)
			measure(b, n, func() { composeAll(chunks) })
		})
		b.Run(fmt.Sprintf("n=%d/copy", n), func(b *testing.B) {
			from, to := soa.Make[kernels.Mat4s[float32]](n), soa.Make[kernels.Mat4s[float32]](n)
			for i := range from.M {
				from.M[i] = transform.IdentityMatrix[float32]()
			}
			measure(b, n, func() { copy(to.M, from.M) })
		})
		b.Run(fmt.Sprintf("n=%d/go=lanes", n), func(b *testing.B) {
			pos, scale := soa.Make[kernels.Vec3s[float32]](n), soa.Make[kernels.Vec3s[float32]](n)
			rot, m := soa.Make[kernels.Quats[float32]](n), soa.Make[kernels.Mat4s[float32]](n)
			fillOnes(pos.X, pos.Y, pos.Z, rot.X, rot.Y, rot.Z, rot.W, scale.X, scale.Y, scale.Z)
			measure(b, n, func() { composeLanes(m.M, &pos, &rot, &scale) })
		})
		b.Run(fmt.Sprintf("n=%d/go=structs", n), func(b *testing.B) {
			all := make([]plain, n)
			for i := range all {
				all[i].rot, all[i].scale = [4]float32{1, 1, 1, 1}, [3]float32{1, 1, 1}
			}
			measure(b, n, func() { composeStructs(all) })
		})
	}
}

// BenchmarkFlatLocal is BenchmarkFlat for entities with LocalTransform.
func BenchmarkFlatLocal(b *testing.B) {
	for _, n := range []int{10_000, 20_000, 1_000_000} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/workers=%d", n, workers), func(b *testing.B) {
				bn := newMoving(b, newPool(b, workers), true)
				spawnLocal[float32](bn, n)
				for c := range bn.w.Query(ecs.Write[transform.LocalTransform]()).Chunks() {
					trs := ecs.Column[transform.LocalTransform](c)
					fillOnes(trs.Scale, trs.QW)
				}
				bn.measureFrames(b, n)
			})
		}
	}
}

// fillOnes writes to lanes. The benchmarks need this because memory that was never written is a single
// shared page of zeros, which is always in a cache.
func fillOnes(lanes ...[]float32) {
	for _, l := range lanes {
		kernels.Fill(l, 1)
	}
}

// columns holds the columns of one chunk.
type columns struct {
	m          kernels.Mat4s[float32]
	pos, scale kernels.Vec3s[float32]
	rot        kernels.Quats[float32]
}

// columnsOf finds the columns of all chunks before the measurement, so that it measures only the
// kernel on the systems' memory.
func columnsOf(w *ecs.World) (all []columns) {
	q := w.Query(ecs.Write[transform.LocalToWorld](), ecs.Read[transform.Translation](), ecs.Read[transform.Rotation](), ecs.Read[transform.NonUniformScale]())
	for c := range q.Chunks() {
		all = append(all, columns{*ecs.Column[transform.LocalToWorld](c), *ecs.Column[transform.Translation](c), *ecs.Column[transform.NonUniformScale](c), *ecs.Column[transform.Rotation](c)})
	}
	return all
}

func composeAll(all []columns) {
	for i := range all {
		c := &all[i]
		c.m.Compose(&c.pos, &c.rot, &c.scale)
	}
}

// plain is an entity of a hypothetical program that does not use an ECS.
type plain struct {
	pos, scale [3]float32
	rot        [4]float32
	world      [16]float32
}

// composeStructs computes the matrices of the structs. It writes only the elements that can differ from
// the identity matrix.
func composeStructs(all []plain) {
	for i := range all {
		e := &all[i]
		x, y, z, w := e.rot[0], e.rot[1], e.rot[2], e.rot[3]
		x2, y2, z2 := x+x, y+y, z+z
		xx, xy, xz := float32(x*x2), float32(x*y2), float32(x*z2)
		yy, yz, zz := float32(y*y2), float32(y*z2), float32(z*z2)
		wx, wy, wz := float32(w*x2), float32(w*y2), float32(w*z2)
		m, sx, sy, sz := &e.world, e.scale[0], e.scale[1], e.scale[2]
		m[0] = (1 - (yy + zz)) * sx
		m[1] = (xy + wz) * sx
		m[2] = (xz - wy) * sx
		m[4] = (xy - wz) * sy
		m[5] = (1 - (xx + zz)) * sy
		m[6] = (yz + wx) * sy
		m[8] = (xz + wy) * sz
		m[9] = (yz - wx) * sz
		m[10] = (1 - (xx + yy)) * sz
		m[12], m[13], m[14] = e.pos[0], e.pos[1], e.pos[2]
	}
}

// composeLanes does the same for lanes. composeLanes repeats the formulas, because a function for one
// matrix is too long for the compiler to inline, and calls would make the loop 50 % slower.
func composeLanes(all [][16]float32, pos *kernels.Vec3s[float32], rot *kernels.Quats[float32], scale *kernels.Vec3s[float32]) {
	n := len(all)
	px, py, pz := pos.X[:n], pos.Y[:n], pos.Z[:n]
	qx, qy, qz, qw := rot.X[:n], rot.Y[:n], rot.Z[:n], rot.W[:n]
	sx, sy, sz := scale.X[:n], scale.Y[:n], scale.Z[:n]
	for i := range all {
		x, y, z, w := qx[i], qy[i], qz[i], qw[i]
		x2, y2, z2 := x+x, y+y, z+z
		xx, xy, xz := float32(x*x2), float32(x*y2), float32(x*z2)
		yy, yz, zz := float32(y*y2), float32(y*z2), float32(z*z2)
		wx, wy, wz := float32(w*x2), float32(w*y2), float32(w*z2)
		m := &all[i]
		a := sx[i]
		m[0] = (1 - (yy + zz)) * a
		m[1] = (xy + wz) * a
		m[2] = (xz - wy) * a
		b := sy[i]
		m[4] = (xy - wz) * b
		m[5] = (1 - (xx + zz)) * b
		m[6] = (yz + wx) * b
		c := sz[i]
		m[8] = (xz + wy) * c
		m[9] = (yz - wx) * c
		m[10] = (1 - (xx + yy)) * c
		m[12] = px[i]
		m[13] = py[i]
		m[14] = pz[i]
	}
}

// TestPlain checks that the functions with which BenchmarkFlat is compared compute the same matrices as
// the kernel, bit by bit.
func TestPlain(t *testing.T) {
	const n = 100
	pos, scale, rot := soa.Make[kernels.Vec3s[float32]](n), soa.Make[kernels.Vec3s[float32]](n), soa.Make[kernels.Quats[float32]](n)
	lanes := [][]float32{pos.X, pos.Y, pos.Z, scale.X, scale.Y, scale.Z, rot.X, rot.Y, rot.Z, rot.W}
	for k, lane := range lanes {
		for i := range lane {
			lane[i] = float32((i*(k+3)+k)%17)/8 - 1
		}
	}
	rot.Normalize(&rot)
	want, got, all, one := soa.Make[kernels.Mat4s[float32]](n), make([][16]float32, n), make([]plain, n), transform.IdentityMatrix[float32]()
	want.Compose(&pos, &rot, &scale)
	for i := range all {
		got[i] = one
		all[i] = plain{
			world: one,
			pos:   [3]float32{pos.X[i], pos.Y[i], pos.Z[i]},
			scale: [3]float32{scale.X[i], scale.Y[i], scale.Z[i]},
			rot:   [4]float32{rot.X[i], rot.Y[i], rot.Z[i], rot.W[i]},
		}
	}
	composeLanes(got, &pos, &rot, &scale)
	composeStructs(all)
	for i := range n {
		if got[i] != want.M[i] {
			t.Fatalf("row %d: lanes give %v, want %v", i, got[i], want.M[i])
		}
		if all[i].world != want.M[i] {
			t.Fatalf("row %d: structs give %v, want %v", i, all[i].world, want.M[i])
		}
	}
}

// BenchmarkHierarchy computes trees that all move: about 200,000 entities of several depths, and
// about 8,000, which fit in a cache of 2 MB.
func BenchmarkHierarchy(b *testing.B) {
	for _, shape := range []struct{ trees, depth, fanOut int }{
		{22_000, 1, 8},
		{2_740, 2, 8},
		{43, 4, 8},
		{12_500, 16, 1},
		{2, 100_000, 1},
		{1, 1, 200_000},
		{110, 2, 8},
		{500, 16, 1},
	} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("trees=%d/depth=%d/fan=%d/workers=%d", shape.trees, shape.depth, shape.fanOut, workers), func(b *testing.B) {
				pool := newPool(b, workers)
				bn := newMoving(b, pool, true)
				n := shape.trees + len(forest(bn, shape.trees, shape.depth, shape.fanOut))
				bn.measureFrames(b, n)
			})
		}
	}
}

// BenchmarkStill runs a frame in which nothing moves, and a frame in which a single entity moves.
func BenchmarkStill(b *testing.B) {
	pool := newPool(b, 2)
	still := func(name string, n int, build func(*bench) ecs.Entity) {
		b.Run(name, func(b *testing.B) {
			bn := newMoving(b, pool, false)
			build(bn)
			bn.measureFrames(b, n)
		})
		b.Run(name+"/but=1", func(b *testing.B) {
			bn := newMoving(b, pool, false)
			e, x := build(bn), float32(0)
			frame := func() {
				x++
				bn.ok(ecs.Set(bn.w, e, transform.Translation{X: x}))
				bn.ok(system.Update(bn.w))
			}
			measure(b, n, frame)
		})
	}
	still("flat/n=1000000", 1_000_000, func(bn *bench) ecs.Entity {
		return flat(bn, 1_000_000)[0]
	})
	still("archetypes=1000/n=1000000", 1_000_000, func(bn *bench) ecs.Entity {
		return makeArchetypes(bn, 1000, 1000)
	})
	still("depth=2/n=200000", 2_740*73, func(bn *bench) ecs.Entity {
		return forest(bn, 2_740, 2, 8)[0]
	})
}

type (
	bit[N any] struct{ Value float32 }
	n0         struct{}
	n1         struct{}
	n2         struct{}
	n3         struct{}
	n4         struct{}
	n5         struct{}
	n6         struct{}
	n7         struct{}
	n8         struct{}
	n9         struct{}
	n10        struct{}
	n11        struct{}
	n12        struct{}
	n13        struct{}
)

// makeArchetypes creates the given number of archetypes, each with a different set of fourteen optional
// components, and the given number of entities in each. It returns one of them.
func makeArchetypes(b *bench, archetypes, entities int) (e ecs.Entity) {
	bits := [...]ecs.Term{
		ecs.With[bit[n0]](), ecs.With[bit[n1]](), ecs.With[bit[n2]](), ecs.With[bit[n3]](), ecs.With[bit[n4]](),
		ecs.With[bit[n5]](), ecs.With[bit[n6]](), ecs.With[bit[n7]](), ecs.With[bit[n8]](), ecs.With[bit[n9]](),
		ecs.With[bit[n10]](), ecs.With[bit[n11]](), ecs.With[bit[n12]](), ecs.With[bit[n13]](),
	}
	ids := make([]ecs.Entity, entities)
	for set := range archetypes {
		terms := []ecs.Term{ecs.With[transform.Translation](), ecs.With[transform.Rotation](), ecs.With[transform.LocalToWorld]()}
		for i, t := range bits {
			if set>>i&1 != 0 {
				terms = append(terms, t)
			}
		}
		b.ok(b.w.CreateInto(b.w.Archetype(terms...), ids))
	}
	return ids[0]
}

// BenchmarkReplan runs a frame in which one entity was added to one of many trees.
func BenchmarkReplan(b *testing.B) {
	pool := newPool(b, 2)
	bn := newMoving(b, pool, false)
	nodes := forest(bn, 2_740, 2, 8)
	b.Run(fmt.Sprintf("n=%d", len(nodes)), func(b *testing.B) {
		frame := func() {
			e := bn.child(nodes[0], transform.Translation{})
			if err := system.Update(bn.w); err != nil {
				b.Fatal(err)
			}
			bn.ok(bn.w.Destroy(e))
		}
		for b.Loop() {
			frame()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(nodes)), "ns/entity")
	})
}
