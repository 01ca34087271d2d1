package roads_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// planted is the base of systems with a fault. The fault begins in the sixth tick.
type planted struct{ all *ecs.Query }

func (s *planted) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Write[Size]())
	return nil
}

// isLate reports whether the fault has begun: the first tick is at time 0.
func isLate(f *system.Frame) bool { return f.Elapsed() > 4.5/60 }

// put writes a number to all animals.
func (s *planted) put(f *system.Frame, kg float64) error {
	if !isLate(f) {
		kg = 0
	}
	for c := range s.all.Chunks() {
		size := *ecs.Column[Size](c)
		for i := range size {
			size[i] = kg
		}
	}
	return nil
}

// The systems with faults.
type (
	// Clockwork depends on the time of day.
	Clockwork struct{ planted }
	// Dice depends on a global random generator.
	Dice struct{ planted }
	// Shuffle depends on the order of a map.
	Shuffle struct {
		planted
		kg map[float64]bool
	}
	// Tally keeps a count outside of the world.
	Tally struct {
		planted
		n float64
	}
	// Crew depends on the number of workers.
	Crew struct{ planted }
	// Stealth writes a component that it only reads.
	Stealth struct{ planted }
	// Forgetful saves its count, but not its step.
	Forgetful struct {
		planted
		n, step float64
	}
)

func (s *Clockwork) Update(f *system.Frame) error { return s.put(f, float64(time.Now().UnixNano())) }

func (s *Dice) Update(f *system.Frame) error { return s.put(f, rand.Float64()) }

func (s *Shuffle) Update(f *system.Frame) error {
	if s.kg == nil {
		s.kg = map[float64]bool{}
		for i := range 1000 {
			s.kg[float64(i)] = true
		}
	}
	for kg := range s.kg {
		return s.put(f, kg)
	}
	return nil
}

func (s *Tally) Update(f *system.Frame) error {
	s.n++
	return s.put(f, s.n)
}

func (s *Crew) Update(f *system.Frame) error { return s.put(f, float64(f.World().Pool().Workers())) }

func (s *Stealth) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Read[Size]())
	return nil
}

func (s *Stealth) Update(f *system.Frame) error {
	for c := range s.all.Chunks() {
		for i := range *ecs.Column[Size](c) {
			if isLate(f) {
				(*ecs.Column[Size](c))[i] = f.Elapsed()
			}
		}
	}
	return nil
}

func (s *Forgetful) Update(f *system.Frame) error {
	if s.n++; isLate(f) {
		s.step++
	}
	return s.put(f, s.n+float64(s.step*s.step))
}

func (s *Forgetful) AppendState(out []byte) []byte { return append(out, byte(s.n)) }

func (s *Forgetful) LoadState(in []byte) error {
	s.n = float64(in[0])
	return nil
}

// TestFaults checks that the test fails for each kind of fault, and that the message names the tick,
// the system, the component and the cause.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		system *system.Type
		wants  []string
	}{
		{system.Of[Clockwork](), []string{"Clockwork", "global random generator"}},
		{system.Of[Dice](), []string{"Dice", "global random generator"}},
		{system.Of[Shuffle](), []string{"Shuffle", "order of a map"}},
		{system.Of[Tally](), []string{"Tally", "state outside of the world"}},
		{system.Of[Crew](), []string{"Crew", "number of workers"}},
		{system.Of[Stealth](), []string{"Stealth", "without marking"}},
		{system.Of[Forgetful](), []string{"Forgetful", "state outside of the world"}},
	} {
		name := fmt.Sprint(c.system)
		t.Run(name[strings.LastIndex(name, ".")+1:], func(t *testing.T) {
			message := report(t, herd(60, c.system), roads.Options{Seed: 5})
			if guarded && c.system == system.Of[Stealth]() {
				wantTexts(t, message, []string{"Stealth", "roads_test.Size", "the column was written, but the query only reads it"}...)
				return // the guard refuses this write before the worlds differ
			}
			wantTexts(t, message, append(c.wants, "tick 6: ", "roads_test.Size", ".Kg is ")...)
		})
	}
}

// TestOutsideOfSystems checks the faults that no system has.
func TestOutsideOfSystems(t *testing.T) {
	t.Run("tick", func(t *testing.T) {
		s, n := herd(60), 0.0
		s.Tick = func(w *ecs.World) error {
			n++
			var last ecs.Entity // the first one dies
			for e := range w.Entities() {
				last = e
			}
			if err := ecs.Set(w, last, Size{n}); err != nil {
				return err
			}
			system.ClockOf(w).Advance(system.DefaultStep)
			return system.Update(w)
		}
		wantTexts(t, report(t, s, roads.Options{}), "roads_test.Size", "Kg is", "global random generator")
	})
	t.Run("goroutine", func(t *testing.T) {
		s, end := herd(60), make(chan bool)
		defer close(end)
		plain := s.New
		s.New = func(pool *jobs.Pool) (*ecs.World, error) {
			go func() { <-end }()
			return plain(pool)
		}
		wantTexts(t, report(t, s, roads.Options{Only: []string{"nothing"}}), "goroutines are left", "a program with roads fails")
	})
	t.Run("world", func(t *testing.T) {
		s := herd(60)
		var left []*ecs.World
		s.Close = func(w *ecs.World) error {
			left = append(left, w)
			return nil
		}
		message := report(t, s, roads.Options{Only: []string{"nothing"}})
		for _, w := range left {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
		wantTexts(t, message, "open worlds are left")
	})
	// A system makes a world of its contents, with NewWorld or Fork, and forgets to close it.
	for name, open := range map[string]func(w *ecs.World) (*ecs.World, error){
		"NewWorld": func(w *ecs.World) (*ecs.World, error) {
			away := ecs.NewWorld("away")
			_, err := ecs.CopyEntities(away, w, slices.Collect(w.Entities()))
			return away, err
		},
		"Fork": func(w *ecs.World) (*ecs.World, error) {
			m, err := ecs.Capture(w, nil)
			if err != nil {
				return nil, err
			}
			return ecs.Fork(m, "guess")
		},
	} {
		t.Run(name, func(t *testing.T) {
			var left []*ecs.World
			forgets := true
			s := herd(60)
			s.Tick = func(w *ecs.World) error {
				other, err := open(w)
				if err != nil {
					return err
				}
				if forgets && w.Pool().Workers() > 1 { // the run without roads has one worker
					left = append(left, other)
				} else if err := other.Close(); err != nil {
					return err
				}
				system.ClockOf(w).Advance(system.DefaultStep)
				return system.Update(w)
			}
			o := roads.Options{Program: "workers=2 procs=1 path=generic: 1 nothing#1"}
			message := report(t, s, o)
			for _, w := range left {
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			}
			wantTexts(t, message, "open worlds are left", "a program with roads fails")
			forgets = false
			roads.Test(t, s, o)
		})
	}
	t.Run("new", func(t *testing.T) {
		s, n := herd(60), 0.0
		plain := s.New
		s.New = func(pool *jobs.Pool) (*ecs.World, error) {
			w, err := plain(pool)
			n++
			w.Spawn(Size{n})
			return w, err
		}
		wantTexts(t, report(t, s, roads.Options{}), "tick 0: entity 60:1", "Kg is")
	})
}
