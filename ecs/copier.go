package ecs

// copier makes entities of others, in this world or another one.
type copier struct {
	editor
	copies       []Entity             // scratch of instantiate
	sources      []source             // the same
	ways         map[*archetype]*move // scratch of CopyEntities
	moving       EntityMap            // scratch of moves from another world
	targetGroups []targetGroup        // the same: where they go
}
