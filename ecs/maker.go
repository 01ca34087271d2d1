package ecs

// maker makes rows of values.
type maker struct {
	matcher
	recipes recipeCache // recipes of Spawn and SpawnBundle
}
