package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/examples/dam/model"
	"github.com/lanewise/lanewise/jobs"
)

// TestRoads sends the water down every road. The model of a world is outside of the world, but has no
// state that the next tick needs.
func TestRoads(t *testing.T) {
	models := map[*ecs.World]*model.Dam{}
	roads.Test(t, roads.Subject{
		New: func(pool *jobs.Pool) (*ecs.World, error) {
			w, d := ecs.NewWorld("dam", ecs.OnPool(pool)), &model.Dam{Drops: 300}
			d.Pour(w)
			models[w] = d
			return w, nil
		},
		Tick: func(w *ecs.World) error { return models[w].Tick(0) },
	}, roads.Options{})
}
