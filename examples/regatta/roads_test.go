package regatta

import (
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// TestRoads runs a race through every road: it is saved, forked, replayed, moved and more. It
// does so with a step for each frame, and with interpolated steps.
func TestRoads(t *testing.T) {
	for _, rate := range []float64{0, 25} {
		roads.Test(t, roads.Subject{New: func(pool *jobs.Pool) (*ecs.World, error) {
			race, err := New(Options{Boats: 8, Rate: rate}, system.OnPool(pool))
			if err != nil {
				return nil, err
			}
			return race.World, nil
		}}, roads.Options{Programs: 3})
	}
}
