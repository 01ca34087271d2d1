// Command sorts compares sorts of package order with radix sorts in C++
// (source/sort.cpp). The command sorts keys alone, and pairs of a key and an int32. The
// command prints nanoseconds for each row, including the copy that restores the unsorted
// rows.
//
//	go run ./sorts [-n 1024,100000,1000000] [-rounds 9] [-cc clang++]
//
// All sides take turns within a round, and each sorts for a while before its
// timing begins. The table has the medians of the rounds. C++ is compiled with
// -O3 -march=native -ffp-contract=off for one pair of types and makes no
// checks. The variants have digits of 8 bits or of 11 bits, and pairs in two lanes or, for
// 32 bits, pairs in one word. The table shows the fastest variant.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/lanewise/lanewise/bench/compare/native"
	"github.com/lanewise/lanewise/internal/benchbin"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/order"
)

//go:embed source
var source embed.FS

func main() {
	sizes := flag.String("n", "1024,100000,1000000", "rows")
	rounds := flag.Int("rounds", 9, "rounds")
	cc := flag.String("cc", "clang++", "the C++ compiler")
	flag.Parse()
	if err := run(os.Stdout, *sizes, *rounds, *cc); err != nil {
		fmt.Fprintln(os.Stderr, "sorts:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, sizes string, rounds int, cc string) error {
	p, err := start(cc)
	if err != nil {
		return err
	}
	defer p.Stop()
	pool := jobs.New(jobs.Workers(2))
	defer pool.Close()
	fmt.Fprintln(w, "| keys | rows | what | C++ | its form | ours | two workers | C++/ours | two workers' gain |")
	fmt.Fprintln(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for field := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of rows", field)
		}
		for _, rows := range []func() error{
			func() error { return compare[uint32](w, p, pool, n, rounds) },
			func() error { return compare[uint64](w, p, pool, n, rounds) },
			func() error { return compare[float32](w, p, pool, n, rounds) },
		} {
			if err := rows(); err != nil {
				return err
			}
		}
	}
	return nil
}

// A side returns the nanoseconds of a call.
type side struct {
	name string
	time func(times int) (ns float64, err error)
}

// compare measures and prints the rows for one type of keys.
func compare[K order.Key](w io.Writer, p *program, pool *jobs.Pool, n, rounds int) error {
	for _, what := range []string{"keys", "pairs"} {
		sides := []side{ourSide[K](what, nil, n), ourSide[K](what, pool, n)}
		for _, form := range []string{what, "packed"} {
			if form == "packed" && (what == "keys" || is64[K]()) {
				continue
			}
			for _, digit := range []int{8, 11} {
				sides = append(sides, side{fmt.Sprintf("%s of %d bits", form, digit), func(times int) (float64, error) {
					return p.ask(form, fmt.Sprintf("%T", *new(K)), digit, n, times)
				}})
			}
		}
		ns, err := measure(sides, n, rounds)
		if err != nil {
			return err
		}
		best := 2
		for i := range ns[2:] {
			if ns[2+i] < ns[best] {
				best = 2 + i
			}
		}
		fmt.Fprintf(w, "| %T | %d | %s | %.2f | %s | %.2f | %.2f | %.2f | %.2f |\n", *new(K), n, what, ns[best], sides[best].name, ns[0], ns[1], ns[best]/ns[0], ns[0]/ns[1])
	}
	return nil
}

func is64[K order.Key]() bool {
	_, is := any(*new(K)).(uint64)
	return is
}

const sample = 1_000_000 // the minimum number of rows that a side sorts in a round

// measure runs the sides in turns. The results are the median times of the sides, in
// nanoseconds per row.
func measure(sides []side, n, rounds int) ([]float64, error) {
	samples := make([][]float64, len(sides))
	for range rounds + 1 { // the first round fills caches and buffers
		for i, s := range sides {
			ns, err := s.time(max(1, sample/n))
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], ns/float64(n))
		}
	}
	medians := make([]float64, len(sides))
	for i, list := range samples {
		medians[i] = benchbin.Median(list[1:])
	}
	return medians, nil
}

// A lane holds random keys, and memory to sort them in.
type lane[K order.Key] struct {
	sorter     order.Sorter[K, int32]
	keys, work []K
	values     []int32
}

// draw draws the keys that sort.cpp draws.
func draw[K order.Key](n int) *lane[K] {
	l := &lane[K]{keys: make([]K, n), work: make([]K, n), values: make([]int32, n)}
	state := uint32(1)
	next := func() uint32 {
		state = state*1664525 + 1013904223
		return state ^ state>>15
	}
	for i := range l.keys {
		switch k := any(&l.keys[i]).(type) {
		case *uint32:
			*k = next()
		case *uint64:
			*k = uint64(next()) << 32
			*k |= uint64(next())
		case *float32:
			*k = float32(float32(next()>>8)*0x1p-24) - 0.5
		}
		l.values[i] = int32(i)
	}
	return l
}

// sort sorts once.
func (l *lane[K]) sort(what string) {
	copy(l.work, l.keys)
	if what == "keys" {
		l.sorter.Sort(l.work)
	} else {
		l.sorter.SortPairs(l.work, l.values)
	}
}

// sum returns the checksum that sort.cpp returns for 0 times.
func (l *lane[K]) sum(what string) (sum float64) {
	for i, k := range l.work {
		sum += float64(float64(i%1000) * float64(k))
		if what != "keys" {
			sum += float64(float64(i%7) * float64(l.values[i]))
		}
	}
	return sum
}

// warm is the time for which a side sorts before its timing begins. The reason is the
// cache: the other sides have displaced the memory of this side. Therefore it sorts a
// million pairs a fifth slower until it has sorted several times.
const warm = 40 * time.Millisecond

// ourSide returns a side that calls package order.
func ourSide[K order.Key](what string, pool *jobs.Pool, n int) side {
	l := draw[K](n)
	l.sorter.Pool = pool
	return side{"ours", func(times int) (float64, error) {
		for begin := time.Now(); time.Since(begin) < warm; {
			l.sort(what)
		}
		begin := time.Now()
		for range times {
			l.sort(what)
		}
		return float64(time.Since(begin)) / float64(times), nil
	}}
}

// A program is the running process of source/sort.cpp.
type program struct{ *native.Program }

func start(cc string) (*program, error) {
	p, err := native.Start(source, "sort.cpp", cc, []string{"-std=c++17", "-O3", "-march=native", "-ffp-contract=off"})
	return &program{p}, err
}

// ask makes C++ sort the given number of times, and returns the time of one
// sort. If times is 0, it returns a checksum of the results.
func (p *program) ask(form, keys string, digit, n, times int) (answer float64, err error) {
	if err = p.Ask(&answer, form, keys, digit, n, times); err == nil && answer == -1 {
		err = fmt.Errorf("C++ has no %s of %s", form, keys)
	}
	return answer, err
}
