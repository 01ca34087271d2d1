package check_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/check"
	"github.com/lanewise/lanewise/ecs/system"
)

// Angle is in radians.
type Angle struct{ Value float32 }

// Turn changes all angles. In one frame it writes NaN.
type Turn struct{ turning *ecs.Query }

func (t *Turn) Create(s *system.Setup) error {
	t.turning = s.Query(ecs.Write[Angle]())
	return nil
}

func (t *Turn) Update(f *system.Frame) error {
	for c := range t.turning.Chunks() {
		angles := ecs.Column[Angle](c).Value
		for i, a := range angles {
			angles[i] = float32(math.Acos(float64(a + 0.3)))
		}
	}
	return nil
}

func (Angle) Column() (c struct{ Value []float32 }) { return }

func Example() {
	w, err := system.NewWorld("game", system.Only(system.Of[Turn]()))
	w.Spawn(Angle{0.9})
	defer check.Finite(w).Stop()

	fmt.Println(err, app.Run(context.Background(), w, app.Frames(10)))
	fmt.Print(check.Of(w))
	// Output:
	// <nil> <nil>
	// frame 1: check_test.Turn wrote NaN to check_test.Angle.Value of entity 0:1
}

// This example uses a check.Check directly. It reports each fault immediately, accepts infinities,
// and skips a component that may have any value.
func ExampleFinite() {
	w, err := system.NewWorld("game", system.Only(system.Of[Turn]()))
	w.Spawn(Angle{0.9})
	c := check.Finite(w, check.NaN(), check.Except[Secret](), check.Report(func(f check.Fault) {
		fmt.Println(f.Frame, f.Lane, f.Entity, f.Value)
	}))
	defer c.Stop()
	fmt.Println(errors.Join(err, app.Run(context.Background(), w, app.Frames(3))))
	// Output:
	// 1 Value 0:1 NaN
	// <nil>
}

// Secret may have any value.
type Secret struct{ X float32 }
