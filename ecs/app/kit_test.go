package app

import (
	"github.com/lanewise/lanewise/ecs/system"

	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Helpers of several test files.

// Sleepers returns the number of loops that sleep.
func Sleepers() int {
	sleepers.mu.Lock()
	defer sleepers.mu.Unlock()
	return len(sleepers.sleeping)
}

var errBroken = errors.New("broken")

// stepper records the time of each update.
type stepper struct {
	seen []system.Time
	then func(*system.Frame) error
}

func (s *stepper) Update(f *system.Frame) error {
	s.seen = append(s.seen, system.Time{Elapsed: f.Elapsed(), Delta: f.Delta()})
	if s.then != nil {
		return s.then(f)
	}
	return nil
}

func newStepper(t *testing.T) (*ecs.World, *stepper) {
	t.Helper()
	w := newWorld(t, system.Only(system.Of[stepper]()))
	return w, system.Find[stepper](w)
}

func newWorld(t *testing.T, opts ...system.Option) *ecs.World {
	t.Helper()
	w, err := system.NewWorld(t.Name(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

type hooked struct {
	create, destroy func(*system.Setup) error
	update, stop    func(*system.Frame) error
}

func call[A any](f func(A) error, a A) error {
	if f == nil {
		return nil
	}
	return f(a)
}

func (h *hooked) Create(s *system.Setup) error      { return call(h.create, s) }
func (h *hooked) Destroy(s *system.Setup) error     { return call(h.destroy, s) }
func (h *hooked) Update(f *system.Frame) error      { return call(h.update, f) }
func (h *hooked) StopRunning(f *system.Frame) error { return call(h.stop, f) }

// newSimulation creates a world with the default groups, and adds h to the
// group Simulation.
func newSimulation(t *testing.T, h *hooked) *ecs.World {
	t.Helper()
	w := newWorld(t, system.Only())
	must(t, system.Adopt(w, h))
	must(t, system.GetOrCreate[system.Simulation](w).Add(h))
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// nothing is a system without effects.
type nothing struct{}

func (*nothing) Update(*system.Frame) error { return nil }

type alpha struct{ Value int32 }

func (alpha) Column() (c []int32) { return }

// tree lists the short names of a group and of all systems below it, with a tab for each
// level.
func tree(g *system.Group, indent string) string {
	var b strings.Builder
	for _, m := range g.Members() {
		name := m.Type().String()
		b.WriteString(indent + name[strings.LastIndexByte(name, '.')+1:] + "\n")
		if m.Group() != nil {
			b.WriteString(tree(m.Group(), indent+"\t"))
		}
	}
	return b.String()
}

// worldTree returns the trees of all root groups of a world.
func worldTree(w *ecs.World) string {
	return "Initialization\n" + tree(&system.Find[system.Initialization](w).Group, "\t") +
		"Simulation\n" + tree(&system.Find[system.Simulation](w).Group, "\t") +
		"Presentation\n" + tree(&system.Find[system.Presentation](w).Group, "\t")
}

type (
	placeManual struct {
		nothing
		_ system.Manual
	}
	placeEditor struct {
		nothing
		_ system.For[system.EditorWorld]
	}
)

type chunkFunc func(*ecs.Chunk)

func (f chunkFunc) Chunk(c *ecs.Chunk) { f(c) }
