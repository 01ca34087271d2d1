package swarm

import (
	"context"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Run steps the world by n frames of a sixtieth of a second. If ctx ends it, the
// world is closed.
func Run(ctx context.Context, w *ecs.World, n int) error {
	return system.Run(ctx, w, system.Frames(n), system.Step(step))
}
