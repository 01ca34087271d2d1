package systemtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// failing is a testing.TB that keeps its errors.
type failing struct {
	testing.TB
	said []string
}

func (f *failing) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

// shared does its work in jobs, one for each chunk.
type shared struct{ moving *ecs.Query }

func (s *shared) Create(u *system.Setup) error {
	s.moving = u.Query(ecs.Write[position](), ecs.Read[velocity]())
	return nil
}

func (s *shared) Update(f *system.Frame) error {
	f.ParallelFor(s.moving, s)
	return nil
}

func (*shared) Chunk(c *ecs.Chunk) {
	pos, vel := *ecs.Column[position](c), *ecs.Column[velocity](c)
	for i := range pos {
		pos[i] += vel[i]
	}
}

// counting is a system whose result depends on the number of workers from the third frame on.
type counting struct {
	moving  *ecs.Query
	workers int
	frames  int
}

func (s *counting) Create(u *system.Setup) error {
	s.moving, s.workers = u.Query(ecs.Write[position]()), u.World().Pool().Workers()
	return nil
}

func (s *counting) Update(*system.Frame) error {
	if s.frames++; s.frames < 3 {
		return nil
	}
	for c := range s.moving.Chunks() {
		(*ecs.Column[position](c))[0] = float64(s.workers)
	}
	return nil
}

func fill(w *ecs.World) {
	for i := range 3000 {
		w.Spawn(position{X: 1}, velocity{X: float64(i)})
	}
}

// TestAssertDeterministic checks that a result is accepted if it is the same on all pools. If the
// results differ, the failure must name the first frame that differs.
func TestAssertDeterministic(t *testing.T) {
	AssertDeterministic(t, 4, fill, system.Only(system.Of[shared]()))
	AssertDeterministic(t, 0, fill, system.Only())

	f := &failing{TB: t}
	AssertDeterministic(f, 5, fill, system.Only(system.Of[shared](), system.Of[counting]()))
	if len(f.said) != 1 || !strings.HasPrefix(f.said[0], "systemtest: AssertDeterministic: after frame 3 of 5: with 2 workers the hash is 0x") {
		t.Errorf("said %q", f.said)
	}
	f = &failing{TB: t}
	AssertDeterministic(f, 5, func(*ecs.World) {}, system.Only(system.Of[shared]()))
	if len(f.said) != 1 || !strings.Contains(f.said[0], "the world has no entities") {
		t.Errorf("said %q", f.said)
	}
	f, worlds := &failing{TB: t}, 0
	AssertDeterministic(f, 5, func(w *ecs.World) {
		worlds++
		w.Spawn(position{X: float64(worlds)})
	}, system.Only(system.Of[shared]()))
	if len(f.said) != 1 || !strings.Contains(f.said[0], "before the first frame: fill makes another world each time") {
		t.Errorf("said %q", f.said)
	}
}
