package swarm

import (
	"context"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
)

// Run steps the world by n frames of a sixtieth of a second. If ctx ends before
// the last frame, Run closes the world.
func Run(ctx context.Context, w *ecs.World, n int) error {
	return app.Run(ctx, w, app.Frames(n), app.Step(step))
}
