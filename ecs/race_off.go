//go:build !race

package ecs

// race says that structural changes are announced to the race detector.
const race = false

func announce(*record) {}
