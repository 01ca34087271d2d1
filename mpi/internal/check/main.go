// Command check runs the test cases that the tests start with mpirun, on all
// ranks. Rank 0 prints the results to compare.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/mpi"
	"github.com/lanewise/lanewise/mpi/internal/wire"
)

var (
	name      = flag.String("case", "", "what to do: one case or more, with commas")
	workers   = flag.Int("workers", 1, "of each rank")
	again     = flag.String("again", "", "workers, balance and bricks of more runs after the first, as 2/10/0,0,0, with spaces: a launch takes longer than most of them")
	ticks     = flag.Int("ticks", 20, "to go")
	worldRows = flag.Int("rows", 3000, "of the world")
	size      = flag.Float64("size", 30, "of the square's sides")
	bricks    = flag.String("bricks", "0,0,0", "along each axis")
	balance   = flag.Int("balance", 0, "ticks between looks at the load, 0 for never")
	control   = flag.Bool("control", false, "rows in the order in which they came: the sums of ranks differ")
	piece     = flag.Int("piece", wire.Piece, "bytes of a message at most")
	crowd     = flag.Bool("crowd", false, "all begin in a quarter of the square")
	save      = flag.String("save", "", "directory for a snapshot at the end")
	load      = flag.String("load", "", "directory of one to begin with")
	worlds    = flag.Int("worlds", 200, "that are made at random")
	stats     = flag.Bool("stats", false, "print what was exchanged")
	profile   = flag.String("profile", "", "file for a profile of each rank, whose number is added")
)

var cases = map[string]func(*mpi.Comm) error{
	"flock": flock, "dam": dam, "zoo": zoo, "worlds": randomWorlds, "sums": compareSums, "bytes": anyBytes,
	"many": manyRanks, "twice": repeatID, "lost": loseRow, "blobs": moveBlobs, "gather": gather, "thread": thread, "allocs": countAllocs, "edges": checkEdges, "lamps": changeLamps, "melt": melt, "bright": checkBright, "fields": checkFields, "heat": cool, "slab": cutTooOften,
	"error": func(c *mpi.Comm) error {
		return runOn(c, 1, func() error { c.Tick = 17; return errors.New("no more coffee") })
	},
	"panic": func(c *mpi.Comm) error { return runOn(c, 1, func() error { panic("no more tea") }) },
	"abort": func(c *mpi.Comm) error {
		return runOn(c, 1, func() error { c.Abort(7, errors.New("seven")); return nil })
	},
	"exit": func(c *mpi.Comm) error { return runOn(c, 1, func() error { os.Exit(9); return nil }) },
	"kill": func(c *mpi.Comm) error {
		return runOn(c, 1, func() error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) })
	},
	"late": func(c *mpi.Comm) error {
		c.Timeout = 500 * time.Millisecond
		return runOn(c, 1, func() error { time.Sleep(time.Minute); return nil })
	},
	"version": func(c *mpi.Comm) error { say(c, "%s", c.Library()); return nil },
}

// runOn makes one rank do something while the others wait.
func runOn(c *mpi.Comm, rank int, do func() error) error {
	if c.Rank() == rank {
		if err := do(); err != nil {
			return err
		}
	}
	for range 100 {
		if _, err := c.Exchange(make([][]byte, c.Size())); err != nil {
			return err
		}
	}
	return nil
}

// run runs the requested cases. It repeats the cases with other numbers of workers and
// other cuts.
func run(c *mpi.Comm, all []func(*mpi.Comm) error) error {
	next := append([]string{""}, strings.Fields(*again)...)
	for _, text := range next {
		if text != "" {
			c.Tick = 0
			if _, err := fmt.Sscanf(text, "%d/%d/%s", workers, balance, bricks); err != nil {
				return fmt.Errorf("again: %q: %w", text, err)
			}
		}
		for _, one := range all {
			if err := one(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func main() {
	flag.Parse()
	wire.Piece = *piece
	var all []func(*mpi.Comm) error
	for name := range strings.SplitSeq(*name, ",") {
		if cases[name] == nil {
			fmt.Fprintln(os.Stderr, "check: no such case:", name)
			os.Exit(2)
		}
		all = append(all, cases[name])
	}
	mpi.Main(func(c *mpi.Comm) error {
		if *profile == "" {
			return run(c, all)
		}
		f, err := os.Create(fmt.Sprint(*profile, c.Rank()))
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		err = run(c, all)
		pprof.StopCPUProfile()
		return errors.Join(err, f.Close())
	})
}

// say prints on rank 0.
func say(c *mpi.Comm, format string, args ...any) {
	if c.Rank() == 0 {
		fmt.Printf(format+"\n", args...)
	}
}

// pool returns a pool with the requested number of workers.
func pool() *jobs.Pool { return jobs.New(jobs.Workers(*workers)) }

// requestedBricks returns the requested number of bricks along each axis.
func requestedBricks() (n [3]int) {
	if _, err := fmt.Sscan(strings.ReplaceAll(*bricks, ",", " "), &n[0], &n[1], &n[2]); err != nil {
		panic(err)
	}
	return n
}
