package images

import "github.com/lanewise/lanewise/ecs"

// Fork returns a new world that contains what the image does: ids, free ids, chunks, shared
// values, capacities of buffers and the order of everything included, so that all that happens to
// it happens as it would have to the world that was captured. What managed components point to
// is the same in both. Queries, systems and commands are not of the image: the new world has none.
//
// What other packages keep with a world, as values of system.Resource, is not of the image
// either. The error is of category ErrArgument if the image is released.
func Fork(m *ecs.Image, name string, opts ...ecs.Option) (*ecs.World, error) {
	return dynamic.Fork(m, name, opts...)
}

// Len returns how many entities there are, as [ecs.World.Len] does.
func Len(m *ecs.Image) int { return dynamic.Len(m) }
