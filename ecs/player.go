package ecs

// player plays what Commands have recorded into a world.
type player struct{ *World }
