// Command entities compares worlds of entities with Ark, another library for
// Go, and with Go on flat slices. The command compares the loop that a user writes, access
// to single entities, spawning, changes of components, archetypes with one entity each, and
// new queries.
//
//	go run ./entities [-only loop] [-rounds 15]
//
// Each row of the table is one way to do the work. It shows nanoseconds per entity or
// archetype: the minimum and the median of the rounds. It also shows the median divided by
// the median of Ark's fastest way with the same checks. All ways take turns within a round.
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

	"github.com/lanewise/lanewise/bench/compare/worlds"
)

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
	for _, t := range worlds.Tasks {
		for _, n := range t.N {
			if !pattern.MatchString(fmt.Sprintf("%s/%d", t.Name, n)) {
				continue
			}
			t := t.Make(n)
			print(w, t, measure(t, rounds))
			runtime.GC() // the worlds of the task are garbage
		}
	}
	return nil
}

// In one round, a way runs for at least the time sample, in at least as many groups of
// calls as the constant groups says. Each group of calls takes at least the time group,
// because reading the clock twice for each group takes time too.
const sample, groups, group = 2 * time.Millisecond, 12, 20 * time.Microsecond

// measure returns for each way the sorted times of the rounds, in nanoseconds
// for each row. The time of a round is the time of its shortest group, because
// other programs on the machine can only make a group longer.
func measure(t worlds.Task, rounds int) [][]float64 {
	times := make([][]float64, len(t.Ways))
	for range rounds {
		for i, w := range t.Ways {
			calls := 1
			if once := w.Time(1); w.Before == nil { // this call also fills the caches that the way before has emptied
				calls += int(group / max(once, 1))
			}
			best := time.Hour
			for k, took := 0, time.Duration(0); took < sample || k < groups; k++ {
				one := w.Time(calls)
				took += one
				best = min(best, one)
			}
			times[i] = append(times[i], float64(best)/float64(calls)/float64(t.N))
		}
	}
	for _, list := range times {
		slices.Sort(list)
	}
	return times
}

// print prints a row for each way.
func print(w io.Writer, t worlds.Task, times [][]float64) {
	median := func(i int) float64 { return times[i][len(times[i])/2] }
	ark := math.Inf(1)
	for i, way := range t.Ways {
		if strings.HasPrefix(way.Name, "Ark: ") {
			ark = min(ark, median(i))
		}
	}
	for i, way := range t.Ways {
		fmt.Fprintf(w, "| %s | %d | %s | %.2f | %.2f | %.2f |\n", t.Name, t.N, way.Name, times[i][0], median(i), median(i)/ark)
	}
}
