package main

import (
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// TestKeep saves a fountain and loads it with another number of workers. It must end with the hash of
// an uninterrupted fountain.
func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fountain")
	for _, part := range []struct {
		load, save      string
		frames, workers int
	}{{"", path, 40, 3}, {path, path, 13, 1}, {path, "", 37, 2}} {
		pool := jobs.New(jobs.Workers(part.workers))
		hash, err := keep(5_000, part.frames, part.load, part.save, system.OnPool(pool))
		if err != nil {
			t.Fatal(err)
		}
		if err := pool.Close(); err != nil {
			t.Fatal(err)
		}
		if part.save == "" && hash != golden {
			t.Errorf("hash is %#016x, want %#016x", hash, uint64(golden))
		}
	}
}
