// Command neighbours compares grids of package near with the same algorithm in
// C, with AVX2 intrinsics (source/near.c). It measures the time to build the grid, and the
// time to sum over all points within a cell's width of each point. The command prints
// nanoseconds for each point.
//
//	go run ./neighbours [-n 100000,1000000] [-rounds 9] [-cc clang]
//	go run ./neighbours -tree
//
// All sides take turns within a round. The table has the medians of the rounds,
// or with -least their minima. The C programs are compiled with -O3 -mavx2
// -ffp-contract=off. The C programs support one size of cube and check nothing. "C sums"
// processes eight candidates of one point at a time. "C tiles" processes the candidates of
// eight points at a time, as package near does. Each program adds in its own order.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lanewise/lanewise/bench/compare/native"
	"github.com/lanewise/lanewise/internal/crowd"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

//go:embed source
var source embed.FS

func main() {
	sizes := flag.String("n", "100000,1000000", "points")
	rounds := flag.Int("rounds", 9, "rounds")
	cc := flag.String("cc", "clang", "the C compiler")
	least := flag.Bool("least", false, "print the least of the rounds, on a machine that is not idle")
	path := flag.String("path", "avx2", "of the kernels")
	tree := flag.Bool("tree", false, "compare the nearest with nanoflann's kd-tree (Debian: libnanoflann-dev)")
	flag.Parse()
	if *tree {
		if err := searchTrees(os.Stdout, 100_000, *rounds, *cc+"++"); err != nil {
			fmt.Fprintln(os.Stderr, "neighbours:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(os.Stdout, *sizes, *rounds, *cc, *path, *least); err != nil {
		fmt.Fprintln(os.Stderr, "neighbours:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, sizes string, rounds int, cc, path string, least bool) error {
	if err := kernels.Use(path); err != nil {
		return err
	}
	p, err := start(cc)
	if err != nil {
		return err
	}
	defer p.Stop()
	fmt.Fprintln(w, "| points | what | C | C tiles | ours | two workers | ours/C | two workers' gain |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- | --- |")
	for field := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of points", field)
		}
		if err := p.compare(w, n, rounds, least); err != nil {
			return err
		}
	}
	return nil
}

// compare prints the rows of a number of points.
func (p *program) compare(w io.Writer, n, rounds int, least bool) error {
	var sides []func() (float64, error)
	for _, what := range []string{"build", "sums", "tiles"} {
		sides = append(sides, func() (float64, error) { return p.ask(n, what, calls) })
	}
	for _, workers := range []int{1, 2} {
		pool := jobs.New(jobs.Workers(workers))
		defer pool.Close()
		s := draw(n, pool)
		sides = append(sides, timeCall(func() error { s.Build(); return nil }), timeCall(s.Sum))
	}
	samples := make([][]float64, len(sides))
	for range rounds + 1 { // the first round fills caches and buffers
		for i, side := range sides {
			ns, err := side()
			if err != nil {
				return err
			}
			samples[i] = append(samples[i], ns/float64(n))
		}
	}
	var ns [7]float64
	for i, list := range samples {
		list = list[1:]
		slices.Sort(list)
		if ns[i] = list[len(list)/2]; least {
			ns[i] = list[0]
		}
	}
	best := min(ns[1], ns[2])
	fmt.Fprintf(w, "| %d | build | %.1f | – | %.1f | %.1f | %.2f | %.2f |\n", n, ns[0], ns[3], ns[5], ns[3]/ns[0], ns[3]/ns[5])
	fmt.Fprintf(w, "| %d | sums | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f |\n", n, ns[1], ns[2], ns[4], ns[6], ns[4]/best, ns[4]/ns[6])
	return nil
}

const calls = 2 // number of timed calls of a side in a round

// timeCall returns the time of one call of a function. One additional call is not
// timed, as in near.c, because it fills the caches.
func timeCall(f func() error) func() (float64, error) {
	return func() (float64, error) {
		if err := f(); err != nil {
			return 0, err
		}
		begin := time.Now()
		for range calls {
			if err := f(); err != nil {
				return 0, err
			}
		}
		return float64(time.Since(begin)) / calls, nil
	}
}

// draw draws the points that near.c draws.
func draw(n int, pool *jobs.Pool) *crowd.Crowd {
	var lanes [4][]float32
	for k := range lanes {
		lanes[k] = make([]float32, n)
	}
	state := uint32(1)
	for i := range n {
		for k := range lanes {
			state = state*1664525 + 1013904223
			lanes[k][i] = float32(state>>8) * 0x1p-24
		}
	}
	return crowd.New(pool, lanes[0], lanes[1], lanes[2], lanes[3])
}

// A program is the running process of source/near.c.
type program struct{ *native.Program }

func start(cc string) (*program, error) {
	p, err := native.Start(source, "near.c", cc, []string{"-O3", "-mavx2", "-ffp-contract=off"})
	return &program{p}, err
}

// ask makes C do an operation the given number of times, and returns the time
// of one operation. If times is 0, it returns the total of the sums.
func (p *program) ask(n int, what string, times int) (answer float64, err error) {
	err = p.Ask(&answer, n, crowd.Side(n), what, times)
	return answer, err
}
