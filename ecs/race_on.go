//go:build race

package ecs

import "runtime"

// race reports whether structural changes are announced to the race detector.
const race = true

// announce tells the race detector that the whole chunk is written, so that it reports a goroutine that
// still reads the chunk during a structural change.
func announce(r *record) {
	for i, size := range r.arch.shape.Lanes() {
		runtime.RaceWriteRange(r.Lane(uint32(i)), r.Rows()*int(size))
	}
}
