package system

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/clock"
)

// What the tests of several files need.

// stepper notes the time of each update.
type stepper struct {
	seen []clock.Time
	then func(*Frame) error
}

func (s *stepper) Update(f *Frame) error {
	s.seen = append(s.seen, clock.Time{Elapsed: f.Elapsed(), Delta: f.Delta()})
	if s.then != nil {
		return s.then(f)
	}
	return nil
}

func newStepper(t *testing.T) (*ecs.World, *stepper) {
	t.Helper()
	w := newWorld(t, Only(Of[stepper]()))
	return w, Find[stepper](w)
}

func namedWorld(t *testing.T, name string, opts ...Option) *ecs.World {
	t.Helper()
	w, err := NewWorld(name, append(opts, Only(Of[stepper]()))...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// cleanRegister gives a test a process that has registered nothing.
func cleanRegister(t *testing.T) {
	t.Helper()
	clean := func() {
		registered.Lock()
		registered.types, registered.sets = nil, nil
		registered.Unlock()
	}
	kept, sets := Types(), Sets()
	clean()
	t.Cleanup(func() {
		clean()
		register(kept...)
		for _, s := range sets {
			s.Register()
		}
	})
}

// runFrames runs n frames of w, each of so many seconds.
func runFrames(w *ecs.World, n int, seconds float64) error {
	c := ClockOf(w)
	for range n {
		c.Advance(float64(seconds * c.Scale()))
		if err := Update(w); err != nil || attachmentOf(w).quit {
			return err
		}
	}
	return nil
}

// Systems of a group of their own, one level and another.
type (
	serverGroup struct{ Group }
	serverInner struct {
		Group
		_ In[serverGroup]
	}
	serverSystem struct {
		stepper
		_ In[serverInner]
	}
)
