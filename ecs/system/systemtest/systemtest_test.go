package systemtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

type (
	position struct{ X float64 }
	velocity struct{ X float64 }
)

func (position) Column() (c []float64) { return }
func (velocity) Column() (c []float64) { return }

// move moves entities, and fails when one is past 100.
type move struct {
	_      system.Before[absent]
	moving *ecs.Query
}

// absent is in no world.
type absent struct{}

func (*absent) Update(*system.Frame) error { return nil }

func (m *move) Create(s *system.Setup) error {
	m.moving = s.Query(ecs.Write[position](), ecs.Read[velocity]())
	return nil
}

func (m *move) Update(f *system.Frame) error {
	for c := range m.moving.Chunks() {
		pos, vel := *ecs.Column[position](c), *ecs.Column[velocity](c)
		for i := range pos {
			if pos[i] += float64(vel[i] * f.Delta()); pos[i] > 100 {
				return errors.New("past the edge")
			}
		}
	}
	return nil
}

// never cannot be created.
type never struct{}

func (*never) Create(*system.Setup) error { return errors.New("not today") }
func (*never) Update(*system.Frame) error { return nil }

// A world that is created with options has the named systems and the systems of a plugin, and is
// closed when the test ends.
func TestWorldWith(t *testing.T) {
	set := &system.Plugin{Name: "moving", Types: []*system.Type{system.Of[move]()}}
	var w *ecs.World
	t.Run("inner", func(t *testing.T) {
		w = WorldWith(t, system.Only(), system.WithPlugins(set))
		e := w.Spawn(position{1}, velocity{60})
		Step(t, w, 2)
		if p, err := ecs.Get[position](w, e); err != nil || p.X != 3 {
			t.Errorf("moved to %v (%v), want 3", p, err)
		}
		if w.Name() != t.Name() {
			t.Errorf("the world is called %q", w.Name())
		}
	})
	if w.Close() == nil {
		t.Error("the world has not ended with the test")
	}
}

func TestStep(t *testing.T) {
	w := World(t, system.Of[move]())
	e := w.Spawn(position{1}, velocity{60})
	Step(t, w, 2)
	StepBy(t, w, 2, 0.25)
	if p, err := ecs.Get[position](w, e); err != nil || p.X != 33 {
		t.Errorf("moved to %v (%v), want 33", p.X, err)
	}
	if now := system.ClockOf(w).Now(); now.Delta != 0.25 {
		t.Errorf("time %v", now)
	}
}

// told is a testing.TB that records its messages.
type told struct {
	testing.TB
	log, fatal []string
	cleanup    []func()
}

func (t *told) Helper()                  {}
func (t *told) Name() string             { return "told" }
func (t *told) Context() context.Context { return context.Background() }
func (t *told) Cleanup(f func())         { t.cleanup = append(t.cleanup, f) }
func (t *told) Log(args ...any)          { t.log = append(t.log, fmt.Sprint(args...)) }
func (t *told) Errorf(format string, args ...any) {
	t.log = append(t.log, fmt.Sprintf(format, args...))
}
func (t *told) Fatalf(format string, args ...any) {
	t.fatal = append(t.fatal, fmt.Sprintf(format, args...))
}

func TestFailures(t *testing.T) {
	fake := &told{TB: t}
	w := World(fake, system.Of[move]())
	if len(fake.log) != 1 || !strings.Contains(fake.log[0], "systemtest.move before github.com/lanewise/lanewise/ecs/system/systemtest.absent") {
		t.Errorf("warnings %q", fake.log)
	}
	w.Spawn(position{98}, velocity{60})
	Step(fake, w, 5)
	if want := "systemtest: Step: frame 2 of 5: "; len(fake.fatal) != 1 || !strings.HasPrefix(fake.fatal[0], want) || !strings.HasSuffix(fake.fatal[0], "past the edge") {
		t.Errorf("failed by %q, want %q", fake.fatal, want)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	World(fake, system.Of[never]())
	if len(fake.fatal) != 2 || !strings.Contains(fake.fatal[1], "not today") {
		t.Errorf("failed by %q", fake.fatal)
	}
	for _, f := range fake.cleanup {
		f()
	}
	if last := fake.log[len(fake.log)-1]; len(fake.log) != 2 || !strings.Contains(last, "closed already") {
		t.Errorf("log %q", fake.log)
	}
}
