package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
)

// golden is the hash of 60 frames of 1,000 cubes. It is the same on every machine and path, with any
// number of workers.
const golden = 0x8c3a20fd906f3175

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		return run(1000, 60, system.OnPool(pool))
	})
}
