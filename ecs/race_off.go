//go:build !race

package ecs

// race reports whether structural changes are announced to the race detector.
const race = false

func announce(*record) {}
