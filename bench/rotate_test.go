package bench

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// In the scenario Rotate, every entity turns a direction from the axes of its body to those of the world.

type (
	attitude struct{ X, Y, Z, W float32 }
	forward  struct{ X, Y, Z float32 }
	heading  struct{ X, Y, Z float32 }
)

func (attitude) Column() (c kernels.Quats[float32]) { return }
func (forward) Column() (c kernels.Vec3s[float32])  { return }
func (heading) Column() (c kernels.Vec3s[float32])  { return }

var rotate = scenario{rowBytes: 10 * 4, sides: []side{
	{"go", rotateGo},
	{"lanes", rotateLanes},
	{"ecs", rotateECS},
	{"jobs/workers=2", rotateJobs},
}}

func BenchmarkRotate(b *testing.B)      { rotate.run(b) }
func TestRotateSidesAgree(t *testing.T) { rotate.checkAgreement(t) }

// turners are the quaternions and vectors with which every side starts.
type turners struct {
	rot     kernels.Quats[float32]
	in, out kernels.Vec3s[float32]
}

func newTurners(rows int) *turners {
	t := &turners{soa.Make[kernels.Quats[float32]](rows), soa.Make[kernels.Vec3s[float32]](rows), soa.Make[kernels.Vec3s[float32]](rows)}
	for i := range rows {
		t.rot.X[i], t.rot.Y[i], t.rot.Z[i], t.rot.W[i] = unit(i)
		t.in.X[i], t.in.Y[i], t.in.Z[i] = seed(i, 0), seed(i, 1), seed(i, 2)
	}
	return t
}

func rotateLanes(_ testing.TB, rows int) work {
	t := newTurners(rows)
	return work{func() { t.out.Rotate(&t.rot, &t.in) }, func() []float32 { return rowsOf(&t.out) }}
}

func rotateGo(_ testing.TB, rows int) work {
	t := newTurners(rows)
	return work{func() { plainRotate(&t.out, &t.rot, &t.in) }, func() []float32 { return rowsOf(&t.out) }}
}

// plainRotate is v + w·t + u×t with t = 2·u×v, for q = (u, w).
func plainRotate(out *kernels.Vec3s[float32], rot *kernels.Quats[float32], in *kernels.Vec3s[float32]) {
	n := len(out.X)
	ox, oy, oz := out.X, out.Y[:n], out.Z[:n]
	ix, iy, iz := in.X[:n], in.Y[:n], in.Z[:n]
	qx, qy, qz, qw := rot.X[:n], rot.Y[:n], rot.Z[:n], rot.W[:n]
	for i := range ox {
		x, y, z, w := qx[i], qy[i], qz[i], qw[i]
		a, b, c := ix[i], iy[i], iz[i]
		tx := float32(y*c) - float32(z*b)
		ty := float32(z*a) - float32(x*c)
		tz := float32(x*b) - float32(y*a)
		tx, ty, tz = tx+tx, ty+ty, tz+tz
		ox[i] = a + float32(w*tx) + (float32(y*tz) - float32(z*ty))
		oy[i] = b + float32(w*ty) + (float32(z*tx) - float32(x*tz))
		oz[i] = c + float32(w*tz) + (float32(x*ty) - float32(y*tx))
	}
}

// turns contains the job and the loop over chunks.
type turns struct{ turning *ecs.Query }

func (t *turns) Chunk(c *ecs.Chunk) {
	out, rot, in := ecs.Column[heading](c), ecs.Column[attitude](c), ecs.Column[forward](c)
	out.Rotate(rot, in)
}

func (t *turns) sweep() {
	for c := range t.turning.Chunks() {
		t.Chunk(c)
	}
}

func (t *turns) result() (all []float32) {
	for c := range t.turning.Chunks() {
		all = append(all, rowsOf(ecs.ReadColumn[heading](c))...)
	}
	return all
}

func newTurns(tb testing.TB, rows, workers int) *turns {
	w := newWorld(tb, workers)
	from, at := newTurners(rows), 0
	a := w.Archetype(ecs.With[attitude](), ecs.With[forward](), ecs.With[heading]())
	for c := range w.Create(a, rows).Chunks() {
		end := at + c.Len()
		rot := ecs.Column[attitude](c)
		copy(rot.X, from.rot.X[at:end])
		copy(rot.Y, from.rot.Y[at:end])
		copy(rot.Z, from.rot.Z[at:end])
		copy(rot.W, from.rot.W[at:end])
		copyLanes(ecs.Column[forward](c), from.in.Slice(at, end))
		at = end
	}
	return &turns{w.Query(ecs.Write[heading](), ecs.Read[attitude](), ecs.Read[forward]())}
}

func rotateECS(tb testing.TB, rows int) work {
	t := newTurns(tb, rows, 1)
	return work{t.sweep, t.result}
}

func rotateJobs(tb testing.TB, rows int) work {
	t := newTurns(tb, rows, 2)
	return work{func() {
		if err := t.turning.ParallelFor(t).Wait(); err != nil {
			tb.Fatal(err)
		}
	}, t.result}
}
