package ecs

// maker makes rows of values.
type maker struct {
	matcher
	cooks cookbook // recipes of Spawn and Make
}
