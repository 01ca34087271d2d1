// Package systemtest helps with tests of systems:
//
//	func TestMove(t *testing.T) {
//		w := systemtest.World(t, system.Of[Move]())
//		e := w.Spawn(Position{X: 1}, Velocity{X: 60})
//		systemtest.Step(t, w, 2)
//		if p, err := ecs.Get[Position](w, e); err != nil || p.X != 3 {
//			t.Errorf("moved to %v (%v)", p, err)
//		}
//	}
package systemtest

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// World creates a world with the default groups and a system of each given type. It ignores
// registered types. The world has the name of the test, and is closed at the end of the test. If an
// error occurs, the test fails. The test logs warnings about systems and their order.
func World(t testing.TB, types ...*system.Type) *ecs.World {
	t.Helper()
	return WorldWith(t, system.Only(types...))
}

// WorldWith does the same as World with options, for example plugins or a pool. Without
// [system.Only] the world has the registered systems.
func WorldWith(t testing.TB, options ...system.Option) *ecs.World {
	t.Helper()
	w, err := system.NewWorld(t.Name(), options...)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("systemtest: World: %v", err)
		}
	})
	if err != nil {
		t.Fatalf("systemtest: World: %v", err)
	}
	for _, warning := range system.Warnings(w) {
		t.Log(warning)
	}
	return w
}

// Step runs n frames of w, each [system.DefaultStep] seconds long, and fails the test if a frame
// returns an error. The first frame of a world is at time 0.
func Step(t testing.TB, w *ecs.World, n int) {
	t.Helper()
	StepBy(t, w, n, system.DefaultStep)
}

// StepBy does the same as [Step] with frames of the given length in seconds.
func StepBy(t testing.TB, w *ecs.World, n int, seconds float64) {
	t.Helper()
	frame := 0
	err := app.Run(t.Context(), w, app.Frames(n), app.Step(seconds),
		app.OnError(func(at int, err error) error {
			frame = at
			return err
		}))
	if err != nil {
		t.Fatalf("systemtest: Step: frame %d of %d: %v", frame, n, err)
	}
}
