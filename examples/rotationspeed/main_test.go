package main

import (
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// golden is the hash of 60 frames of 1,000 cubes: on every machine and path,
// with any number of workers.
const golden = 0x8c3a20fd906f3175

func TestHash(t *testing.T) {
	defer use(t, kernels.Path())
	workers := []int{1, 2, 3, 8, 64}
	if testing.Short() {
		workers = []int{3}
	}
	for _, path := range kernels.Paths() {
		use(t, path)
		for _, workers := range workers {
			t.Run(fmt.Sprintf("path=%s/workers=%d", path, workers), func(t *testing.T) {
				pool := jobs.New(jobs.Workers(workers))
				defer pool.Close()
				hash, err := run(1000, 60, system.OnPool(pool))
				if err != nil {
					t.Fatal(err)
				}
				if hash != golden {
					t.Errorf("hash is %#016x, want %#016x", hash, uint64(golden))
				}
			})
		}
	}
}

func use(t *testing.T, path string) {
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
}
