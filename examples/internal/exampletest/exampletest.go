// Package exampletest provides helpers that the tests of several examples share. It compares hashes on every path and
// number of workers, and it replaces the ranks of module mpi.
package exampletest

import (
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/near"
)

// Hash checks that run returns the golden hash on each path of this CPU, with 1 to 64 workers. With
// -short, it tries only three of these numbers of workers.
func Hash(t *testing.T, golden uint64, run func(pool *jobs.Pool) (uint64, error)) {
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
				defer func() { _ = pool.Close() }()
				hash, err := run(pool)
				if err != nil {
					t.Fatal(err)
				}
				if hash != golden {
					t.Errorf("hash is %#016x, want %#016x", hash, golden)
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

// Ranks simulates all ranks in one world. The ID of an entity is also its row. Some rows are
// complete before Finish, and all other rows after it.
type Ranks struct {
	Rows     int
	finished bool
}

// Start begins a tick.
func (r *Ranks) Start() error { r.finished = false; return nil }

// Finish ends the exchange.
func (r *Ranks) Finish() error { r.finished = true; return nil }

// Progress does nothing.
func (*Ranks) Progress() error { return nil }

// Part returns all cells.
func (*Ranks) Part() near.Part { return near.Part{} }

// Len returns the number of rows.
func (r *Ranks) Len() int { return r.Rows }

// Counts reports whether a row is complete now and was not complete before.
func (r *Ranks) Counts(row int32) bool { return row/7%3 == 1 == r.finished }

// AppendRows appends the rows of IDs.
func (*Ranks) AppendRows(rows []int32, ids []uint64) []int32 {
	for _, id := range ids {
		rows = append(rows, int32(id))
	}
	return rows
}
