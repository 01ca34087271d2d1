//go:build race

package ecs

import "runtime"

// race says that structural changes are announced to the race detector.
const race = true

// announce tells the race detector that all of a chunk is written: what still
// looks at it from another goroutine is in a race with the structural change.
func announce(r *record) {
	for i, size := range r.arch.shape.Lanes() {
		runtime.RaceWriteRange(r.Lane(uint32(i)), r.Rows()*int(size))
	}
}
