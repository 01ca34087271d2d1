package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/swarm"
	"github.com/lanewise/lanewise/ecs/app"
)

const hashDoes = `Hash steps a fixed world of 121,000 moving, rotating entities, a fifth of them
in trees, and prints its hash: the same number on every machine, for any number
of workers and on every path.`

// hashFrames is the number of frames after which the hash must have the golden
// value.
const hashFrames = 24

// hashCommand implements the subcommand hash.
func hashCommand(ctx context.Context, args []string, t *terminal) error {
	var m machine
	fs := newFlags("hash", hashDoes, t)
	frames := fs.Int("frames", hashFrames, "step the world by `N` frames")
	m.flags(fs)
	if err := parse(fs, args); err != nil {
		return err
	}
	if *frames < 0 {
		return newUsageError("-frames %d: want 0 or more", *frames)
	}
	if err := m.use(); err != nil {
		return err
	}
	hash, err := hashOf(ctx, *frames, &m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "%016x\n", hash)
	return err
}

// hashOf steps the world on a separate pool, and returns the hash of the world.
func hashOf(ctx context.Context, frames int, m *machine) (hash uint64, err error) {
	pool := m.pool()
	defer func() { err = errors.Join(err, pool.Close()) }()
	w, err := swarm.New(pool)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, app.Stop()) }()
	if err := swarm.Run(ctx, w, frames); err != nil {
		return 0, err
	}
	return w.Hash(), nil
}
