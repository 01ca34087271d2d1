package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// TestRoads runs the fountain through every road: it is saved, forked, replayed, moved and more.
// It must continue like a fountain that is left alone.
func TestRoads(t *testing.T) {
	roads.Test(t, roads.Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
		w, err := system.NewWorld("fountain", system.OnPool(pool), system.Only(system.Of[Turn](), system.Of[Fly]()), system.WithPlugins(transform.Systems()))
		if err == nil {
			light(w, 1_000)
		}
		return w, err
	}}, roads.Options{})
}
