package main

import (
	"flag"
	"fmt"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

var ticks = flag.Int("rollback.ticks", 400, "how many ticks of 10,000 entities TestLong plays: make rollback")

// golden is the hash of the world after a game with the settings short. It is the same on every
// machine, with any number of workers.
const golden = 0xbf22e060bed202a7

var short = settings{ticks: 150, motes: 2500, window: 8, loss: 0.15, delay: 2, jitter: 5, seed: 3}

// TestHash checks that the worlds of two peers with a bad link equal the world of a peer that knows
// all inputs in time.
// Conformance: 357
func TestHash(t *testing.T) {
	workers := []int{1, 2, 3, 8, 64}
	if testing.Short() {
		workers = []int{3}
	}
	for _, workers := range workers {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			pool := jobs.New(jobs.Workers(workers))
			defer func() { _ = pool.Close() }()
			r, err := play(short, pool)
			if err != nil {
				t.Fatal(err)
			}
			want, err := playStraight(short, pool)
			if err != nil || r.hash != want || want != golden {
				t.Errorf("hash is %#016x, of a straight run %#016x, want %#016x; error %v", r.hash, want, uint64(golden), err)
			}
			for p, own := range r.peers {
				if st := own.session.Stats(); st.Rollbacks < 10 || st.Deepest < 5 || st.Sums == 0 {
					t.Errorf("player %d: the link was too good: %+v", p, st)
				}
			}
			for _, l := range r.links {
				if l.lost == 0 || l.late == 0 {
					t.Errorf("the link has lost %d and mixed up %d of %d packets", l.lost, l.late, l.sent)
				}
			}
		})
	}
}

// TestLong checks that there is no desync in 100,000 ticks of 10,000 entities; by default it runs
// fewer ticks.
func TestLong(t *testing.T) {
	s := settings{ticks: *ticks, motes: 10_000, window: 8, loss: 0.1, delay: 3, jitter: 4, seed: 5}
	r, err := play(s, jobs.Default())
	if err != nil {
		t.Fatal(err)
	}
	want, err := playStraight(s, jobs.Default())
	if err != nil || r.hash != want {
		t.Errorf("hash is %#016x, of a straight run %#016x; error %v", r.hash, want, err)
	}
	if st := r.peers[0].session.Stats(); st.Sums < uint64(s.ticks/32) || int(st.Ticks) != s.ticks {
		t.Errorf("%+v", st)
	}
	t.Logf("%+v", r.peers[0].session.Stats())
}

// TestRun checks that a peer that had to wait for the other peer continues when a packet arrives.
func TestRun(t *testing.T) {
	if err := run(settings{ticks: 60, motes: 200, window: 2, workers: 1, loss: 0.3, delay: 4, jitter: 3, seed: 1}); err != nil {
		t.Error(err)
	}
}
