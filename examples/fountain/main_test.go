package main

import (
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/internal/exampletest"
	"github.com/lanewise/lanewise/jobs"
)

// golden is the hash of 90 frames of a fountain with 5,000 sparks. It is the same on every machine and
// path, with any number of workers.
const golden = 0xc4e17414c1bdc812

func TestHash(t *testing.T) {
	exampletest.Hash(t, golden, func(pool *jobs.Pool) (uint64, error) {
		return run(5_000, 90, system.OnPool(pool))
	})
}
