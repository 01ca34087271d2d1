package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/flock/model"
	"github.com/lanewise/lanewise/jobs"
)

// TestRoads runs a flock through every road: it is saved, forked, replayed, moved and more. The clock
// of the world counts the ticks, because the noise of a bird depends on the tick.
func TestRoads(t *testing.T) {
	models := map[*ecs.World]*model.Flock{}
	roads.Test(t, roads.Subject{
		New: func(pool *jobs.Pool) (*ecs.World, error) {
			m := &model.Flock{Birds: 300, Size: 12, View: 1, Pace: 0.1, Noise: 0.4}
			w, err := m.Make("flock", pool, 3)
			models[w] = m
			return w, err
		},
		Tick: func(w *ecs.World) error {
			clock := system.ClockOf(w)
			defer clock.Advance(1)
			return models[w].Tick(int(clock.Now().Elapsed))
		},
	}, roads.Options{})
}
