package bench

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// In the scenario Hierarchy, everything spins, and translation, rotation and scale become a matrix.
// Nine of ten entities are children that follow their root.

type spin struct{ X, Y, Z float32 }

func (spin) Column() (c kernels.Vec3s[float32]) { return }

// Each row reads rotation, spin, translation and scale, and writes rotation and two matrices. The two
// matrices of a child are read once more.
var hierarchy = scenario{rowBytes: (4 + 3 + 3 + 3 + 4 + 4*16) * 4, sides: []side{
	{"go", hierarchyGo},
	{"lanes", hierarchyLanes},
	{"ecs", hierarchyWorld(1)},
	{"jobs/workers=2", hierarchyWorld(2)},
}}

func BenchmarkHierarchy(b *testing.B)      { hierarchy.run(b) }
func TestHierarchySidesAgree(t *testing.T) { hierarchy.checkAgreement(t) }

// rootsOf returns the number of roots, which are the first rows.
func rootsOf(rows int) int { return (rows + 9) / 10 }

// A forest holds the data for the sides that use no world: first the roots, then their children in
// turn.
type forest struct {
	roots        int
	rot          kernels.Quats[float32]
	spin         kernels.Vec3s[float32]
	place, scale kernels.Vec3s[float32]
	local, world kernels.Mat4s[float32]
	parent       []int32 // the root of each child
}

func newForest(rows int) *forest {
	f := &forest{
		roots: rootsOf(rows),
		rot:   soa.Make[kernels.Quats[float32]](rows),
		spin:  soa.Make[kernels.Vec3s[float32]](rows),
		place: soa.Make[kernels.Vec3s[float32]](rows),
		scale: soa.Make[kernels.Vec3s[float32]](rows),
		local: soa.Make[kernels.Mat4s[float32]](rows),
		world: soa.Make[kernels.Mat4s[float32]](rows),
	}
	for i := range rows {
		f.rot.X[i], f.rot.Y[i], f.rot.Z[i], f.rot.W[i] = unit(i)
		f.spin.X[i], f.spin.Y[i], f.spin.Z[i] = seed(i, 0), seed(i, 1), seed(i, 2)
		f.place.X[i], f.place.Y[i], f.place.Z[i] = seed(i, 3), seed(i, 4), seed(i, 5)
		f.scale.X[i], f.scale.Y[i], f.scale.Z[i] = 1+float32(seed(i, 6)/2), 1+float32(seed(i, 7)/2), 1+float32(seed(i, 8)/2)
		if i >= f.roots {
			f.parent = append(f.parent, int32((i-f.roots)%f.roots))
		}
	}
	return f
}

// result returns the matrices in the world, root by root and child by child.
func (f *forest) result() (all []float32) {
	for i := range f.world.M {
		all = append(all, f.world.M[i][:]...)
	}
	return all
}

func hierarchyLanes(_ testing.TB, rows int) work {
	f := newForest(rows)
	return work{f.byKernels, f.result}
}

func (f *forest) byKernels() {
	f.rot.Integrate(&f.rot, &f.spin, dt)
	f.local.Compose(&f.place, &f.rot, &f.scale)
	copy(f.world.M[:f.roots], f.local.M)
	children, local := kernels.Mat4s[float32]{M: f.world.M[f.roots:]}, kernels.Mat4s[float32]{M: f.local.M[f.roots:]}
	children.MulAffineByParent(&kernels.Mat4s[float32]{M: f.world.M[:f.roots]}, f.parent, &local)
}

func hierarchyGo(_ testing.TB, rows int) work {
	f := newForest(rows)
	return work{f.byLoops, f.result}
}

func (f *forest) byLoops() {
	plainIntegrateQuats(&f.rot, &f.spin, dt)
	plainCompose(f.local.M, &f.place, &f.rot, &f.scale)
	copy(f.world.M[:f.roots], f.local.M)
	for i, root := range f.parent {
		plainMul(&f.world.M[f.roots+i], &f.world.M[root], &f.local.M[f.roots+i])
	}
}

func plainIntegrateQuats(rot *kernels.Quats[float32], spin *kernels.Vec3s[float32], dt float32) {
	n, half := rot.Len(), 0.5*dt
	qx, qy, qz, qw := rot.X, rot.Y[:n], rot.Z[:n], rot.W[:n]
	sx, sy, sz := spin.X[:n], spin.Y[:n], spin.Z[:n]
	for i := range qx {
		ox, oy, oz := float32(sx[i]*half), float32(sy[i]*half), float32(sz[i]*half)
		a, b, c, d := qx[i], qy[i], qz[i], qw[i]
		x := a + ((float32(ox*d) + float32(oy*c)) - float32(oz*b))
		y := b + ((float32(oy*d) + float32(oz*a)) - float32(ox*c))
		z := c + ((float32(oz*d) + float32(ox*b)) - float32(oy*a))
		w := d - ((float32(ox*a) + float32(oy*b)) + float32(oz*c))
		r := 1 / float32(math.Sqrt(float64(((float32(x*x)+float32(y*y))+float32(z*z))+float32(w*w))))
		qx[i], qy[i], qz[i], qw[i] = float32(x*r), float32(y*r), float32(z*r), w*r
	}
}

func plainCompose(m [][16]float32, place *kernels.Vec3s[float32], rot *kernels.Quats[float32], scale *kernels.Vec3s[float32]) {
	n := len(m)
	px, py, pz := place.X[:n], place.Y[:n], place.Z[:n]
	qx, qy, qz, qw := rot.X[:n], rot.Y[:n], rot.Z[:n], rot.W[:n]
	sx, sy, sz := scale.X[:n], scale.Y[:n], scale.Z[:n]
	for i := range m {
		x, y, z, w := qx[i], qy[i], qz[i], qw[i]
		xx, xy, xz := float32(x*(x+x)), float32(x*(y+y)), float32(x*(z+z))
		yy, yz, zz := float32(y*(y+y)), float32(y*(z+z)), float32(z*(z+z))
		wx, wy, wz := float32(w*(x+x)), float32(w*(y+y)), float32(w*(z+z))
		o, a, b, c := &m[i], sx[i], sy[i], sz[i] // a literal of 16 numbers would be built elsewhere and copied
		o[0], o[1], o[2], o[3] = (1-(yy+zz))*a, (xy+wz)*a, (xz-wy)*a, 0
		o[4], o[5], o[6], o[7] = (xy-wz)*b, (1-(xx+zz))*b, (yz+wx)*b, 0
		o[8], o[9], o[10], o[11] = (xz+wy)*c, (yz-wx)*c, (1-(xx+yy))*c, 0
		o[12], o[13], o[14], o[15] = px[i], py[i], pz[i], 1
	}
}

func plainMul(out, parent, local *[16]float32) {
	for j := 0; j < 16; j += 4 {
		x, y, z := local[j], local[j+1], local[j+2]
		out[j] = (float32(parent[0]*x) + float32(parent[4]*y)) + float32(parent[8]*z)
		out[j+1] = (float32(parent[1]*x) + float32(parent[5]*y)) + float32(parent[9]*z)
		out[j+2] = (float32(parent[2]*x) + float32(parent[6]*y)) + float32(parent[10]*z)
		out[j+3] = (float32(parent[3]*x) + float32(parent[7]*y)) + float32(parent[11]*z)
	}
	out[12], out[13], out[14], out[15] = out[12]+parent[12], out[13]+parent[13], out[14]+parent[14], out[15]+parent[15]
}

// spinning turns everything that spins, before the transforms are computed.
type spinning struct {
	_       system.Before[transform.Group]
	turning *ecs.Query
	dt      float32
}

func (s *spinning) Create(u *system.Setup) error {
	s.turning = u.Query(ecs.Write[transform.Rotation](), ecs.Read[spin]())
	return nil
}

func (s *spinning) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.turning, s)
	return nil
}

func (s *spinning) Chunk(c *ecs.Chunk) {
	rot := ecs.Column[transform.Rotation](c)
	rot.Integrate(rot, ecs.Column[spin](c), s.dt)
}

// hierarchyWorld puts the forest into a world and steps it with systems.
func hierarchyWorld(workers int) func(testing.TB, int) work {
	return func(tb testing.TB, rows int) work {
		w := newSystemWorld(tb, workers)
		from := newForest(rows)
		ids := make([]ecs.Entity, 0, rows)
		parts := []ecs.Term{
			ecs.With[transform.Rotation](), ecs.With[spin](), ecs.With[transform.Translation](),
			ecs.With[transform.NonUniformScale](), ecs.With[transform.LocalToWorld](),
		}
		roots := w.Archetype(parts...)
		children := w.Archetype(append(parts, ecs.With[transform.Parent](), ecs.With[transform.LocalToParent]())...)
		for c := range w.Create(roots, from.roots).Chunks() {
			ids = plant(c, from, ids)
		}
		for c := range w.Create(children, rows-from.roots).Chunks() {
			parent := *ecs.Column[transform.Parent](c)
			for i := range parent {
				parent[i] = ids[from.parent[len(ids)-from.roots+i]]
			}
			ids = plant(c, from, ids)
		}
		clock := system.ClockOf(w)
		step := func() {
			clock.Advance(dt)
			if err := system.Update(w); err != nil {
				tb.Fatal(err)
			}
		}
		return work{step, func() (all []float32) {
			for _, e := range ids {
				m, err := ecs.Get[transform.LocalToWorld](w, e)
				if err != nil {
					tb.Fatal(err)
				}
				all = append(all, m.M[:]...)
			}
			return all
		}}
	}
}

// plant fills the rows of a new chunk with the next rows of the forest.
func plant(c *ecs.Chunk, from *forest, ids []ecs.Entity) []ecs.Entity {
	at, end := len(ids), len(ids)+c.Len()
	rot := ecs.Column[transform.Rotation](c)
	copy(rot.X, from.rot.X[at:end])
	copy(rot.Y, from.rot.Y[at:end])
	copy(rot.Z, from.rot.Z[at:end])
	copy(rot.W, from.rot.W[at:end])
	copyLanes(ecs.Column[spin](c), from.spin.Slice(at, end))
	copyLanes(ecs.Column[transform.Translation](c), from.place.Slice(at, end))
	copyLanes(ecs.Column[transform.NonUniformScale](c), from.scale.Slice(at, end))
	return append(ids, c.Entities()...)
}

// newSystemWorld returns newWorld with systems. A step of this world lasts dt.
func newSystemWorld(tb testing.TB, workers int) *ecs.World {
	system.Register[spinning]()
	pool := jobs.New(jobs.Workers(workers))
	w, err := system.NewWorld("bench", system.OnPool(pool))
	if err != nil {
		tb.Fatal(err)
	}
	closeLater(tb, w, pool)
	return w
}
