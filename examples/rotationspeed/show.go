package main

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/inspect"
)

func init() {
	addr := flag.String("inspect", "", "go on until Ctrl-C, at 60 frames a second, and serve the inspector at `address`, as localhost:6060")
	inspected = func() (bool, error) {
		if *addr == "" {
			return false, nil
		}
		return true, show(context.Background(), *addr, 1000)
	}
}

// show turns the given number of cubes until ctx ends, at 60 frames a second, and serves the
// inspector at addr.
func show(ctx context.Context, addr string, cubes int, options ...app.RunOption) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	system.Register[RotationSpeedSystem]()
	w, err := app.Play("rotationspeed")
	if err != nil {
		return err
	}
	defer w.Close()
	for i := range cubes {
		w.Spawn(transform.Identity, RotationSpeed(i), transform.LocalToWorld{})
	}
	served := make(chan error, 1)
	go func() {
		served <- inspect.Serve(ctx, addr, os.Stderr, inspect.Allow(inspect.Control|inspect.Edit))
		cancel() // nobody can look
	}()
	err = app.Run(ctx, w, append([]app.RunOption{app.Signals(), app.Step(1.0 / 60), app.Pace(60)}, options...)...)
	cancel()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, <-served)
}
