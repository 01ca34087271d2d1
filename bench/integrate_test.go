package bench

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// In the scenario Integrate, positions advance by one step of their velocity.

type (
	position struct{ X, Y, Z float32 }
	velocity struct{ X, Y, Z float32 }
	ballast  struct{ M [16]float32 } // makes a row 100 bytes: 160 a chunk instead of 512
)

func (position) Column() (c kernels.Vec3s[float32]) { return }
func (velocity) Column() (c kernels.Vec3s[float32]) { return }

const dt = 1.0 / 60

// ballasted adds a large component, so that chunks have few rows.
var ballasted = []ecs.Term{ecs.With[ballast]()}

var integrate = scenario{rowBytes: 9 * 4, sides: []side{
	{"go", integrateGo},
	{"structs", integrateStructs},
	{"lanes", integrateLanes},
	{"chunks/chunk=512", integrateChunks(nil)},
	{"ecs/chunk=512", integrateECS(nil)},
	{"jobs/chunk=512/workers=1", integrateJobs(1)},
	{"jobs/chunk=512/workers=2", integrateJobs(2)},
	{"chunks/chunk=160", integrateChunks(ballasted)},
	{"ecs/chunk=160", integrateECS(ballasted)},
}}

func BenchmarkIntegrate(b *testing.B)      { integrate.run(b) }
func TestIntegrateSidesAgree(t *testing.T) { integrate.checkAgreement(t) }

// plainIntegrate does the work in a plain loop without this library.
func plainIntegrate(pos, vel *kernels.Vec3s[float32], dt float32) {
	n := len(pos.X)
	px, py, pz := pos.X, pos.Y[:n], pos.Z[:n]
	vx, vy, vz := vel.X[:n], vel.Y[:n], vel.Z[:n]
	for i := range px {
		px[i] += float32(vx[i] * dt)
		py[i] += float32(vy[i] * dt)
		pz[i] += float32(vz[i] * dt)
	}
}

func integrateGo(_ testing.TB, rows int) work {
	pos, vel := newMovers(rows)
	return work{func() { plainIntegrate(&pos, &vel, dt) }, func() []float32 { return rowsOf(&pos) }}
}

func integrateLanes(_ testing.TB, rows int) work {
	pos, vel := newMovers(rows)
	return work{func() { pos.AddScaled(&pos, &vel, dt) }, func() []float32 { return rowsOf(&pos) }}
}

type mover struct {
	position
	velocity
}

func moveStructs(movers []mover, dt float32) {
	for i := range movers {
		m := &movers[i]
		m.position.X += float32(m.velocity.X * dt)
		m.position.Y += float32(m.velocity.Y * dt)
		m.position.Z += float32(m.velocity.Z * dt)
	}
}

func integrateStructs(_ testing.TB, rows int) work {
	pos, vel := newMovers(rows)
	movers := make([]mover, rows)
	for i := range movers {
		movers[i] = mover{position{pos.X[i], pos.Y[i], pos.Z[i]}, velocity{vel.X[i], vel.Y[i], vel.Z[i]}}
	}
	return work{func() { moveStructs(movers, dt) }, func() (all []float32) {
		for _, m := range movers {
			all = append(all, m.position.X, m.position.Y, m.position.Z)
		}
		return all
	}}
}

// moves contains the job and the loop over chunks.
type moves struct {
	moving *ecs.Query
	dt     float32
}

func (m *moves) Chunk(c *ecs.Chunk) {
	pos, vel := ecs.Column[position](c), ecs.Column[velocity](c)
	pos.AddScaled(pos, vel, m.dt)
}

func (m *moves) sweep() {
	for c := range m.moving.Chunks() {
		m.Chunk(c)
	}
}

func (m *moves) result() (all []float32) {
	for c := range m.moving.Chunks() {
		all = append(all, rowsOf(ecs.ReadColumn[position](c))...)
	}
	return all
}

// populate creates the movers in a world with the given number of workers.
func populate(tb testing.TB, rows, workers int, more []ecs.Term) *moves {
	w := newWorld(tb, workers)
	pos, vel := newMovers(rows)
	at := 0
	for c := range w.Create(w.Archetype(append([]ecs.Term{ecs.With[position](), ecs.With[velocity]()}, more...)...), rows).Chunks() {
		end := at + c.Len()
		copyLanes(ecs.Column[position](c), pos.Slice(at, end))
		copyLanes(ecs.Column[velocity](c), vel.Slice(at, end))
		at = end
	}
	return &moves{w.Query(ecs.Write[position](), ecs.Read[velocity]()), dt}
}

func integrateECS(more []ecs.Term) func(testing.TB, int) work {
	return func(tb testing.TB, rows int) work {
		m := populate(tb, rows, 1, more)
		return work{m.sweep, m.result}
	}
}

func integrateJobs(workers int) func(testing.TB, int) work {
	return func(tb testing.TB, rows int) work {
		m := populate(tb, rows, workers, nil)
		return work{func() {
			if err := m.moving.ParallelFor(m).Wait(); err != nil {
				tb.Fatal(err)
			}
		}, m.result}
	}
}

// integrateChunks finds the columns once, so that only the kernel is measured.
func integrateChunks(more []ecs.Term) func(testing.TB, int) work {
	return func(tb testing.TB, rows int) work {
		m := populate(tb, rows, 1, more)
		var found []movers
		for c := range m.moving.Chunks() {
			found = append(found, movers{*ecs.Column[position](c), *ecs.Column[velocity](c)})
		}
		return work{func() { moveAll(found, m.dt) }, m.result}
	}
}

type movers struct{ pos, vel kernels.Vec3s[float32] }

func moveAll(chunks []movers, dt float32) {
	for i := range chunks {
		c := &chunks[i]
		c.pos.AddScaled(&c.pos, &c.vel, dt)
	}
}

// newMovers returns the initial positions and velocities of every side.
func newMovers(rows int) (pos, vel kernels.Vec3s[float32]) {
	pos, vel = soa.Make[kernels.Vec3s[float32]](rows), soa.Make[kernels.Vec3s[float32]](rows)
	for k, lane := range [][]float32{pos.X, pos.Y, pos.Z, vel.X, vel.Y, vel.Z} {
		for i := range lane {
			lane[i] = seed(i, k)
		}
	}
	return pos, vel
}

func copyLanes(dst *kernels.Vec3s[float32], src kernels.Vec3s[float32]) {
	copy(dst.X, src.X)
	copy(dst.Y, src.Y)
	copy(dst.Z, src.Z)
}

// rowsOf returns vectors row after row.
func rowsOf(v *kernels.Vec3s[float32]) []float32 {
	n := v.Len()
	all, x, y, z := make([]float32, 0, 3*n), v.X[:n], v.Y[:n], v.Z[:n]
	for i := range n {
		all = append(all, x[i], y[i], z[i])
	}
	return all
}
