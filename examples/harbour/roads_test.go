package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// TestRoads sends a harbour down every road while its tiles come and go.
func TestRoads(t *testing.T) {
	v := Voyage{Side: 3, Rows: 20, Budget: 7}
	files := tiles(t, v)
	roads.Test(t, roads.Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
		return v.open(files, nil, system.OnPool(pool))
	}}, roads.Options{})
}
