//go:build !js

// Duel is a game of two players with rollback netcode. In a browser, each player has a tab or a
// half of a page; the tabs send each other packets over a BroadcastChannel, of which 5 % are lost and
// the others take 150 ms. The page shows that both worlds have the same hash. To play it, run make gallery, and then
//
//	go run ./examples/gallery -serve bin/gallery    # http://localhost:8080/duel/
//
// Without a browser, the program lets two robots play in simulated time, and compares their worlds with a world that knows all inputs in time.
package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/lanewise/lanewise/examples/duel/match"
	"github.com/lanewise/lanewise/jobs"
)

func main() {
	ticks := flag.Uint64("ticks", 1200, "play so many `ticks`, 60 a second")
	seed := flag.Uint64("seed", 1, "the `seed` of the network")
	flag.Parse()
	if err := run(*ticks, *seed); err != nil {
		log.Fatal(err)
	}
}

// run plays a game and prints its result.
func run(ticks, seed uint64) error {
	peers, err := match.Play(ticks, seed, jobs.Default())
	if err != nil {
		return err
	}
	for p, own := range peers {
		st := own.Session.Stats()
		fmt.Printf("player %d: %d ticks, went back %d times, %d ticks at most; lost %d of %d packets; ", p, st.Ticks, st.Rollbacks, st.Deepest, own.Lost, own.Sent)
		if err := own.Close(); err != nil {
			return err
		}
		if own.Agreed == 0 {
			fmt.Println("no hashes are compared, because the game was too short")
			continue
		}
		fmt.Printf("the world before tick %d has the hash %#x here and there\n", own.Agreed, own.Hash)
		if want, err := match.Straight(own.Agreed); err != nil || own.Hash != want {
			return fmt.Errorf("player %d: before tick %d the hash is %#x, and %#x when all inputs are known in time (error: %v)", p, own.Agreed, own.Hash, want, err)
		}
	}
	return nil
}
