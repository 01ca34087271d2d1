// Package ecs stands for the library's: what imports it is looked at.
package ecs

// A Chunk is what jobs get.
type Chunk struct{}
