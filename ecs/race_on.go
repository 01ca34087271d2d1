//go:build race

package ecs

import "runtime"

// raceEnabled is true in builds with the race detector, to which structural changes are then
// announced.
const raceEnabled = true

// raceWriteChunk tells the race detector that the whole chunk is written. So the detector reports a goroutine
// that still reads the chunk during a structural change.
func raceWriteChunk(r *chunkData) {
	for i, size := range r.arch.shape.RowSizes() {
		runtime.RaceWriteRange(r.Lane(uint32(i)), r.RowCapacity()*int(size))
	}
}
