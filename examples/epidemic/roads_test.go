package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/epidemic/model"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/random"
)

// TestRoads runs a town through every road: it is saved, forked, replayed, moved and more. The
// model has a second copy of the people, as bits. Each tick reads the people from the world
// again, because the world may have been restored since the last tick.
func TestRoads(t *testing.T) {
	models := map[*ecs.World]*model.Epidemic{}
	roads.Test(t, roads.Subject{
		New: func(pool *jobs.Pool) (*ecs.World, error) {
			m := &model.Epidemic{Side: 40, Beta: 0.3, Gamma: 0.1, First: 5}
			w := m.Begin("epidemic", pool, random.Key{Seed: 3, Stream: model.StreamFirst})
			models[w] = m
			return w, nil
		},
		Tick: func(w *ecs.World) error {
			m, clock := models[w], system.ClockOf(w)
			defer clock.Advance(1)
			m.Take()
			_, err := m.NextDay(w.Pool(), random.Key{Seed: 3, Tick: uint32(clock.Now().Elapsed), Stream: model.StreamDay})
			return err
		},
	}, roads.Options{})
}
