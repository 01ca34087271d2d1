//go:build race

package ecs

import (
	"runtime"

	"github.com/lanewise/lanewise/chunk"
)

// race says that structural changes are announced to the race detector.
const race = true

// announce tells the race detector that all of a block is written: whoever still
// looks at it from another goroutine is in a race with the structural change.
func announce(b *chunk.Block) { runtime.RaceWriteRange(pointer(b), chunk.Size) }
