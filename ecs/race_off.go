//go:build !race

package ecs

// raceEnabled reports whether structural changes are announced to the race detector.
const raceEnabled = false

func raceWriteChunk(*chunkData) {}
