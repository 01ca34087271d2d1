// Command rollback plays a game of two players over a link that is slow, loses packets and
// reorders them. Both peers run in one process. Each peer continues at once with a guess of the
// other player's input, and rolls back if the guess was wrong. At the end, the command plays the
// same game in a single world with all inputs known in time, and compares the worlds.
//
//	rollback -ticks 3600 -motes 10000 -loss 0.1 -delay 3 -jitter 4
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/lanewise/lanewise/jobs"
)

func main() {
	var s settings
	flag.IntVar(&s.ticks, "ticks", 1200, "ticks to play, 60 of them a second")
	flag.IntVar(&s.motes, "motes", 10_000, "entities")
	flag.Float64Var(&s.loss, "loss", 0.1, "share of packets that are lost")
	flag.IntVar(&s.delay, "delay", 3, "ticks that a packet takes at least")
	flag.IntVar(&s.jitter, "jitter", 4, "ticks that it takes more, at most")
	flag.IntVar(&s.window, "window", 8, "ticks that are run before they are confirmed, at most")
	flag.Uint64Var(&s.seed, "seed", 1, "of the players and of the link")
	flag.IntVar(&s.workers, "workers", 0, "of the pool; 0: one a core")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "rollback:", err)
		os.Exit(1)
	}
}

// run plays the game and prints the result.
func run(s settings) error {
	pool := jobs.Default()
	if s.workers > 0 {
		pool = jobs.New(jobs.Workers(s.workers))
		defer func() { _ = pool.Close() }()
	}
	r, err := play(s, pool)
	if err != nil {
		return err
	}
	for p, peer := range r.peers {
		st := peer.session.Stats()
		fmt.Printf("player %d: %d ticks, went back %d times, %d ticks at most, and ran %d again; waited %d times; compared %d checksums\n",
			p, st.Ticks, st.Rollbacks, st.Deepest, st.Again, st.Waits, st.Sums)
	}
	for p, l := range r.links {
		fmt.Printf("link to player %d: %d packets, %d lost, %d after later ones\n", p, l.sent, l.lost, l.late)
	}
	want, err := playStraight(s, pool)
	if err != nil {
		return err
	}
	if want != r.hash {
		return fmt.Errorf("the world has hash %#016x, and %#016x when all inputs are known in time", r.hash, want)
	}
	fmt.Printf("world %#016x: the same for both, and when all inputs are known in time\n", r.hash)
	return nil
}
