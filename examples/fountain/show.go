package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/inspect"
)

func init() {
	addr := flag.String("inspect", "", "go on until Ctrl-C, at 60 frames a second, and serve the inspector at `address`, as localhost:6060")
	sparks := flag.Int("sparks", 200_000, "throw so `many` with -inspect")
	inspected = func() (bool, error) {
		if *addr == "" {
			return false, nil
		}
		return true, show(context.Background(), *addr, *sparks)
	}
}

// Throw creates a new spark for each spark that has touched the ground, so that the fountain never
// stops.
type Throw struct {
	_      system.In[system.Initialization]
	sparks *ecs.Query
	want   int
}

// Create declares the query that the system counts.
func (t *Throw) Create(s *system.Setup) error {
	t.sparks = s.Query(ecs.With[Velocity]())
	return nil
}

// Update throws a few sparks.
func (t *Throw) Update(f *system.Frame) error {
	if n := min(t.want-t.sparks.Count(), t.want/100+1); n > 0 {
		throw(f.World(), n)
	}
	return nil
}

// show runs a fountain with the given number of sparks until ctx ends, at 60 frames a second, and
// serves the inspector at addr.
func show(ctx context.Context, addr string, sparks int, options ...app.RunOption) error {
	system.Register[Turn]()
	system.Register[Fly]()
	w, err := app.Play("fountain")
	if err != nil {
		return err
	}
	defer w.Close()
	light(w, sparks)
	name(w)
	if err := system.AddSystems(w, system.Of[Throw]()); err != nil {
		return err
	}
	system.Find[Throw](w).want = sparks
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served := make(chan error, 1)
	go func() {
		served <- inspect.Serve(ctx, addr, os.Stderr, inspect.Allow(inspect.Control|inspect.Edit), inspect.SlowFrames(0))
		cancel() // without the inspector there is nothing to show
	}()
	err = app.Run(ctx, w, append([]app.RunOption{app.Signals(), app.Step(1.0 / 60), app.Pace(60)}, options...)...)
	cancel()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, <-served)
}

// name gives names to the wheel and the lamps.
func name(w *ecs.World) {
	lamps := 0
	for c := range w.Query(ecs.With[transform.Parent]()).Chunks() {
		for _, e := range c.Entities() {
			lamps++
			_ = w.SetEntityName(e, fmt.Sprint("lamp ", lamps)) // the entity exists, so no error is possible
		}
	}
	for c := range w.Query(ecs.With[Spin](), ecs.Without[Velocity]()).Chunks() {
		_ = w.SetEntityName(c.Entities()[0], "wheel")
	}
}
