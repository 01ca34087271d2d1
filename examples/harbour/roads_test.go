package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// TestRoads runs a harbour through every road while its tiles are loaded and
// unloaded: it is saved, forked, replayed, moved and more.
func TestRoads(t *testing.T) {
	v := Voyage{Side: 3, Rows: 20, Budget: 7}
	files := tiles(t, v)
	roads.Test(t, roads.Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
		return v.open(files, nil, system.OnPool(pool))
	}}, roads.Options{})
}
