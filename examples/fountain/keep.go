package main

import (
	"context"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
)

// keep runs the fountain with two files: it loads the world from the first file, and saves it to the
// second file at the end. An empty name means no file.
func keep(sparks, frames int, load, save string, options ...system.Option) (uint64, error) {
	if load == "" && save == "" {
		return run(sparks, frames, options...)
	}
	system.Register[Turn]()
	system.Register[Fly]()
	w, err := app.Play("fountain", options...)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	if load == "" {
		light(w, sparks)
	} else {
		light(w, 0) // registers the types in the file; Load replaces the entities
		if err := snapshot.Load(w, load); err != nil {
			return 0, err
		}
	}
	if err := app.Run(context.Background(), w, app.Frames(frames), app.Step(1.0/60)); err != nil {
		return 0, err
	}
	if save != "" {
		image, err := ecs.Capture(w, nil)
		if err != nil {
			return 0, err
		}
		if err := snapshot.Save(save, image); err != nil {
			return 0, err
		}
	}
	return w.Hash(), nil
}
