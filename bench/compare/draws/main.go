// Command draws compares random.Uniform for float32 with Philox in C
// (source/draw.c, with AVX2 and AVX-512 intrinsics). The command measures draws by index
// and draws by id, and prints nanoseconds for each of 1,024 rows.
//
//	go run ./draws [-rounds 25] [-cc clang]
//
// All sides take turns within a round; the table has the medians of the rounds.
// C is compiled with -O3 and converts the same random words to the same
// numbers; it supports only multiples of 32 rows.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/lanewise/lanewise/bench/compare/native"
	"github.com/lanewise/lanewise/internal/benchbin"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

//go:embed source
var source embed.FS

func main() {
	rounds := flag.Int("rounds", 25, "rounds")
	cc := flag.String("cc", "clang", "the C compiler")
	flag.Parse()
	if err := run(os.Stdout, *rounds, *cc); err != nil {
		fmt.Fprintln(os.Stderr, "draws:", err)
		os.Exit(1)
	}
}

const rows = 1024

func run(w io.Writer, rounds int, cc string) error {
	p, err := start(cc)
	if err != nil {
		return err
	}
	defer p.Stop()
	fmt.Fprintln(w, "| rows | path | C | ours | ours/C |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- |")
	for _, what := range []string{"index", "ids"} {
		for _, path := range []struct {
			name string
			bits int
		}{{"avx2", 256}, {"avx512", 512}} {
			if !slices.Contains(kernels.Paths(), path.name) {
				continue
			}
			if err := kernels.Use(path.name); err != nil {
				return err
			}
			var c, ours []float64
			draw := drawFunc(what)
			for range rounds + 1 {
				ns, err := p.ask(what, path.bits, calls)
				if err != nil {
					return err
				}
				c, ours = append(c, ns/rows), append(ours, timeCall(draw)/rows)
			}
			in, us := benchbin.Median(c[1:]), benchbin.Median(ours[1:]) // the first fills caches
			fmt.Fprintf(w, "| by %s | %s | %.3f | %.3f | %.2f |\n", what, path.name, in, us, us/in)
		}
	}
	return nil
}

const calls = 500 // of a side in a round

// timeCall returns the time of one call. As in draw.c, one additional call is not
// timed.
func timeCall(f func()) float64 {
	f()
	begin := time.Now()
	for range calls {
		f()
	}
	return float64(time.Since(begin)) / calls
}

// lane receives the numbers that we draw.
var lane [rows]float32

// drawFunc returns a function that draws the numbers of draw.c.
func drawFunc(what string) func() {
	key := random.Key{Seed: 0x9abcdef0<<32 | 0x12345678, Tick: 7, Stream: 3}
	from := key.Rows(0)
	if what == "ids" {
		ids := make([]uint64, rows)
		for i := range ids {
			ids[i] = uint64(i) * 0x9E3779B97F4A7C15
		}
		from = key.IDs(ids)
	}
	return func() { random.Uniform(lane[:], from) }
}

// A program is the running process of source/draw.c.
type program struct{ *native.Program }

func start(cc string) (*program, error) {
	p, err := native.Start(source, "draw.c", cc, []string{"-O3", "-ffp-contract=off"})
	return &program{p}, err
}

// ask makes C draw the given number of times, and returns the time of one draw.
// If times is 0, it returns a checksum of the results.
func (p *program) ask(what string, bits, times int) (answer float64, err error) {
	if err = p.Ask(&answer, what, bits, rows, times); err == nil && answer == -1 {
		err = fmt.Errorf("C has no vectors of %d bits here", bits)
	}
	return answer, err
}
