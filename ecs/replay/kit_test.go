package replay

import (
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

type position struct{ X, Y, Z float32 }

type velocity struct{ X, Y, Z float32 }

// push adds its force to the velocities of all entities. The inputs of a tick set the force.
type push struct {
	of    *ecs.Query
	force float32
}

func (p *push) Create(s *system.Setup) error {
	p.of = s.Query(ecs.Write[velocity]())
	return nil
}

func (p *push) Update(f *system.Frame) error {
	f.ParallelFor(p.of, p)
	return nil
}

type lanes struct{ X, Y, Z []float32 }

func (position) Column() (l lanes) { return }

func (velocity) Column() (l lanes) { return }

func (p *push) Chunk(c *ecs.Chunk) {
	v := ecs.Column[velocity](c)
	for i := range v.X {
		v.X[i] += p.force
	}
}

// move moves entities. If a test has set a tick, it also flips one bit at this tick.
type move struct {
	_     system.After[push]
	of    *ecs.Query
	dt    float32
	flip  bool // in the current tick
	when  int
	whose ecs.Entity
	again bool // the flip depends on the world's time, so it happens again after a restore
	done  bool
}

func (m *move) Create(s *system.Setup) error {
	m.of = s.Query(ecs.Write[position](), ecs.Read[velocity]())
	return nil
}

func (m *move) Update(f *system.Frame) error {
	m.dt = float32(f.Delta())
	tick := 1 + int(math.Round(f.Elapsed()*64))
	m.flip = m.when > 0 && tick == m.when && (m.again || !m.done)
	m.done = m.done || m.flip
	f.ParallelFor(m.of, m)
	return nil
}

func (m *move) Chunk(c *ecs.Chunk) {
	p, v := ecs.Column[position](c), ecs.Column[velocity](c)
	for i := range p.X {
		p.X[i] += float32(v.X[i] * m.dt)
		p.Y[i] += float32(v.Y[i] * m.dt)
		if m.flip && c.Entities()[i] == m.whose {
			p.Y[i] = math.Float32frombits(math.Float32bits(p.Y[i]) ^ 1)
		}
	}
}

// breed creates and destroys entities, so rows come and go.
type breed struct {
	_ system.After[move]
}

func (b *breed) Update(f *system.Frame) error {
	w := f.World()
	if tick := int(math.Round(f.Elapsed() * 64)); tick%5 == 0 {
		w.Spawn(position{X: float32(tick)})
	}
	return nil
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newRun returns a run of n moving entities on the given number of workers, with additional
// systems.
func newRun(t testing.TB, n, workers int, more ...*system.Type) (Run, *move, []ecs.Entity) {
	pool := jobs.New(jobs.Workers(workers))
	w, err := system.NewWorld("run", system.OnPool(pool), system.Only(append(more, system.Of[push](), system.Of[move](), system.Of[breed]())...))
	ok(t, err)
	t.Cleanup(func() {
		ok(t, w.Close())
		ok(t, pool.Close())
	})
	var ids []ecs.Entity
	for i := range n {
		ids = append(ids, w.Spawn(position{Y: float32(i)}, velocity{X: 1, Y: 0.5}))
	}
	ok(t, system.Update(w)) // all systems have had their first turn
	step := func(tick uint64) error {
		system.Find[push](w).force = float32(tick%7) - 3
		system.ClockOf(w).Advance(1. / 64)
		return system.Update(w)
	}
	return Run{w, step}, system.Find[move](w), ids
}
