package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/examples/dam/model"
	"github.com/lanewise/lanewise/jobs"
)

// TestRoads runs the water through every road: it is saved, forked, replayed, moved and more. The
// model stores data outside of its world, but the next tick needs none of these data.
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
