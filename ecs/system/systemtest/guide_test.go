package systemtest_test

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/system/systemtest"
)

type (
	Position struct{ X float32 }
	Velocity struct{ X float32 }
	Move     struct {
		moving *ecs.Query
		dt     float32
	}
)

func (Position) Column() (c []float32) { return }
func (Velocity) Column() (c []float32) { return }

func (m *Move) Create(s *system.Setup) error {
	m.moving = s.Query(ecs.Write[Position](), ecs.Read[Velocity]())
	return nil
}

func (m *Move) Update(f *system.Frame) error {
	m.dt = float32(f.Delta())
	f.ParallelFor(m.moving, m)
	return nil
}

func (m *Move) Chunk(c *ecs.Chunk) {
	pos, vel := *ecs.Column[Position](c), *ecs.Column[Velocity](c)
	for i := range pos {
		pos[i] += float32(vel[i] * m.dt)
	}
}

func TestMove(t *testing.T) {
	w := systemtest.World(t, system.Of[Move]())
	e := w.Spawn(Position{X: 1}, Velocity{X: 60})
	systemtest.Step(t, w, 2)
	if p, err := ecs.Get[Position](w, e); err != nil || p.X != 3 {
		t.Errorf("moved to %v (%v), want 3", p.X, err)
	}
}

func TestMoveOnWorkers(t *testing.T) {
	systemtest.AssertDeterministic(t, 60, func(w *ecs.World) {
		for i := range 1000 {
			w.Spawn(Position{}, Velocity{X: float32(i)})
		}
	}, system.Only(system.Of[Move]()))
}
