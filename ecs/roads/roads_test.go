package roads_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// The components of a herd: animals that walk, grow, follow another animal and give birth.
type (
	Place  struct{ X, Y float64 }
	Speed  struct{ X, Y float64 }
	Size   struct{ Kg float64 }
	Leader struct{ Entity ecs.Entity }
	Grazes struct {
		ecs.Enableable
		Since int32
	}
	Herd struct {
		ecs.Shared
		Number int32
	}
	Seen struct{ At float64 }
)

type (
	Places []Place
)

// Walk moves all animals in a job.
type Walk struct {
	moving *ecs.Query
	dt     float64
}

func (s *Walk) Create(u *system.Setup) error {
	s.moving = u.Query(ecs.Write[Place](), ecs.Read[Speed]())
	return nil
}

func (s *Walk) Update(f *system.Frame) error {
	s.dt = f.Delta()
	f.ParallelFor(s.moving, s)
	return nil
}

type twoLanes struct{ X, Y []float64 }

func (Place) Column() (c twoLanes)  { return }
func (Speed) Column() (c twoLanes)  { return }
func (Size) Column() (c []float64)  { return }
func (Seen) Column() (c []float64)  { return }
func (Leader) Column() (c []Leader) { return }

func (s *Walk) Chunk(c *ecs.Chunk) {
	p, v := ecs.Column[Place](c), ecs.Column[Speed](c)
	for i := range p.X {
		p.X[i] += float64(v.X[i] * s.dt)
		p.Y[i] += float64(v.Y[i] * s.dt)
	}
}

// Breed makes a new animal, and lets the oldest one die, by commands.
type Breed struct {
	_   system.After[Walk]
	all *ecs.Query
}

func (s *Breed) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Read[Place](), ecs.Read[Speed]())
	return nil
}

func (s *Breed) Update(f *system.Frame) error {
	ids := s.all.AppendEntities(nil)
	c := system.Commands[system.EndSimulation](f)
	for i, e := range ids {
		if i%37 == 0 {
			if err := c.Destroy(e); err != nil {
				return err
			}
			p, err := ecs.Get[Place](f.World(), e)
			if err != nil {
				return err
			}
			if _, err := c.Spawn(p, Speed{X: -p.Y, Y: p.X}, Size{}, Leader{ids[len(ids)-1]}, Herd{Number: int32(i % 3)}, Seen{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Look copies the x of animals that have moved, and skips the others by their change versions.
type Look struct {
	_    system.After[Walk]
	seen *ecs.Query
}

func (s *Look) Create(u *system.Setup) error {
	s.seen = u.Query(ecs.Read[Place](), ecs.Write[Seen](), ecs.Changed[Place]())
	return nil
}

func (s *Look) Update(f *system.Frame) error {
	f.ParallelFor(s.seen, s)
	return nil
}

func (s *Look) Chunk(c *ecs.Chunk) {
	p, seen := ecs.Column[Place](c), *ecs.Column[Seen](c)
	copy(seen, p.X)
}

// herd makes the subject with more systems.
func herd(n int, more ...*system.Type) roads.Subject {
	types := append([]*system.Type{system.Of[Walk](), system.Of[Breed](), system.Of[Look]()}, more...)
	return roads.Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
		w, err := system.NewWorld("herd", system.OnPool(pool), system.Only(types...))
		if err != nil {
			return w, err
		}
		var first ecs.Entity
		for i := range n {
			x := float64(i)
			e := w.Spawn(Place{x, -x}, Speed{1 / (x + 1), x}, Size{x}, Leader{first}, Herd{Number: int32(i % 5)}, Seen{})
			if i%3 == 0 {
				if err := ecs.Add(w, e, Grazes{Since: int32(i)}); err != nil {
					return w, err
				}
				if err := ecs.SetEnabled[Grazes](w, e, i%2 == 0); err != nil {
					return w, err
				}
			}
			if i%50 == 0 {
				first = e
			}
		}
		return w, w.SetEntityName(first, "first")
	}}
}

func TestHerd(t *testing.T) {
	counts := map[string]int{}
	roads.Test(t, herd(400), roads.Options{Seed: 3, Programs: 8, Passed: func(p roads.Program) {
		for _, s := range p.Steps {
			counts[s.Road]++
		}
	}})
	for _, road := range roads.All() {
		if counts[road.Name] == 0 {
			t.Errorf("road %s was not taken", road.Name)
		}
	}
}

// failing is a testing.TB that keeps the message of Fatal.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Fatal(args ...any) {
	f.said = fmt.Sprint(args...)
	panic(f)
}

// report runs a subject that must fail, and returns the message.
func report(t *testing.T, s roads.Subject, o roads.Options) string {
	t.Helper()
	f := &failing{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != any(f) {
				panic(v)
			}
		}()
		roads.Test(f, s, o)
	}()
	if f.said == "" {
		t.Error("the test passes")
	}
	return f.said
}

// wantTexts checks that a message has all texts.
func wantTexts(t *testing.T, message string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(message, text) {
			t.Errorf("the message lacks %q:\n%s", text, message)
		}
	}
}
