// Command entities compares worlds of entities with Ark, another library for
// Go, and with Go on flat slices: the loop that a user writes, access to single
// entities, spawning, changes of components, and archetypes with one entity
// each.
//
//	go run ./entities [-only loop] [-rounds 15]
//
// Each row of the table is one way to do the work: nanoseconds per entity (or
// archetype), the least and the median of the rounds, and the median divided by
// the median of Ark's fastest way that does the same checks. All ways take
// turns within a round.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// A task is work that several ways do, on n rows.
type task struct {
	name string
	n    int
	ways []way
}

// A way is one implementation of a task. The time of do is measured, and the time of before is not.
type way struct {
	name   string
	before func()
	do     func()
	result func() []float32 // the numbers after do, which are the same for all ways
}

// tasks lists functions that create the tasks. Each task has separate worlds.
var tasks = []struct {
	name string
	make func(n int) task
	n    []int
}{
	{"loop", loops, []int{1_000, 10_000, 100_000, 1_000_000}},
	{"access", access, []int{1_000, 10_000, 1_000_000}},
	{"access64", access64, []int{1_000, 10_000, 1_000_000}},
	{"spawn", spawns, []int{1_000}},
	{"batch", batches, []int{100_000}},
	{"change", changes, []int{1_000}},
	{"visit", visits, []int{1_000, 10_000}},
}

func main() {
	only := flag.String("only", ".", "regular expression of the tasks to measure, such as loop or access/1000")
	rounds := flag.Int("rounds", 15, "rounds")
	flag.Parse()
	if err := run(os.Stdout, *only, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "entities:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, only string, rounds int) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if rounds < 1 {
		return fmt.Errorf("%d rounds: at least one is needed", rounds)
	}
	fmt.Fprintf(w, "%s, %s, %d rounds\n\n", cpuid.CPU.BrandName, runtime.Version(), rounds)
	fmt.Fprintln(w, "| task | rows | way | least, ns | median, ns | to Ark |\n| --- | --- | --- | --- | --- | --- |")
	for _, t := range tasks {
		for _, n := range t.n {
			if !pattern.MatchString(fmt.Sprintf("%s/%d", t.name, n)) {
				continue
			}
			t := t.make(n)
			t.print(w, t.measure(rounds))
			runtime.GC() // the worlds of the task are garbage
		}
	}
	return nil
}

// A way runs in one round for at least sample, in at least that many groups of
// calls. Each group of calls takes at least the time group, because reading the
// clock twice for each group takes time too.
const sample, groups, group = 2 * time.Millisecond, 12, 20 * time.Microsecond

// measure returns for each way the sorted times of the rounds, in nanoseconds
// for each row. The time of a round is the time of its shortest group, because
// other programs on the machine can only make a group longer.
func (t task) measure(rounds int) [][]float64 {
	times := make([][]float64, len(t.ways))
	for range rounds {
		for i, w := range t.ways {
			calls := 1
			if once := w.run(1); w.before == nil { // this call also fills the caches that the way before has emptied
				calls += int(group / max(once, 1))
			}
			best := time.Hour
			for k, took := 0, time.Duration(0); took < sample || k < groups; k++ {
				one := w.run(calls)
				took += one
				best = min(best, one)
			}
			times[i] = append(times[i], float64(best)/float64(calls)/float64(t.n))
		}
	}
	for _, list := range times {
		slices.Sort(list)
	}
	return times
}

// run returns the time of a number of calls. If a way has a function before,
// run calls the way once.
func (w way) run(calls int) time.Duration {
	if w.before != nil {
		w.before()
	}
	start := time.Now()
	for range calls {
		w.do()
	}
	return time.Since(start)
}

// print prints a row for each way.
func (t task) print(w io.Writer, times [][]float64) {
	median := func(i int) float64 { return times[i][len(times[i])/2] }
	ark := math.Inf(1)
	for i, way := range t.ways {
		if strings.HasPrefix(way.name, "Ark: ") {
			ark = min(ark, median(i))
		}
	}
	for i, way := range t.ways {
		fmt.Fprintf(w, "| %s | %d | %s | %.2f | %.2f | %.2f |\n", t.name, t.n, way.name, times[i][0], median(i), median(i)/ark)
	}
}
