package roads

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lanewise/lanewise/kernels"
)

// Program is a run of the world with roads in it.
type Program struct {
	Workers int    // of the world's pool
	Procs   int    // GOMAXPROCS
	Path    string // of package kernels
	Steps   []Step
}

// Step is one step of a Program: some ticks, and then a road.
type Step struct {
	Ticks int    // before the road
	Road  string // its name
	Seed  uint32 // of [Trip.Rand]
}

// String returns the program as one line, for [Options.Program].
func (p Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "workers=%d procs=%d path=%s:", p.Workers, p.Procs, p.Path)
	for _, s := range p.Steps {
		fmt.Fprintf(&b, " %d %s#%x", s.Ticks, s.Road, s.Seed)
	}
	return b.String()
}

// roadNames returns the names of the roads.
func (p Program) roadNames() (list []string) {
	for _, s := range p.Steps {
		list = append(list, s.Road)
	}
	return list
}

// ticks returns about the number of ticks of the steps.
func (p Program) ticks() (n int) {
	const ofRoad = 3
	for _, s := range p.Steps {
		n += s.Ticks + ofRoad
	}
	return n
}

// parseProgram reads the form of String.
func parseProgram(text string) (p Program, err error) {
	wrong := func(err error) (Program, error) {
		return p, fmt.Errorf("roads: Test: Options.Program is %q: copy it from the message of a failure (%v)", text, err)
	}
	head, tail, _ := strings.Cut(text, ":")
	if _, err := fmt.Sscanf(head, "workers=%d procs=%d path=%s", &p.Workers, &p.Procs, &p.Path); err != nil {
		return wrong(err)
	}
	words := strings.Fields(tail)
	if p.Workers < 1 || p.Procs < 1 || len(words)%2 != 0 {
		return wrong(fmt.Errorf("%d workers, %d words", p.Workers, len(words)))
	}
	for pair := range slices.Chunk(words, 2) {
		ticks, err := strconv.Atoi(pair[0])
		if err != nil || ticks < 0 {
			return wrong(fmt.Errorf("%q is no number of ticks", pair[0]))
		}
		name, hex, _ := strings.Cut(pair[1], "#")
		seed, err := strconv.ParseUint(hex, 16, 32)
		if err != nil {
			return wrong(err)
		}
		p.Steps = append(p.Steps, Step{ticks, name, uint32(seed)})
	}
	return p, nil
}

// The machines of drawn programs. A pool has one worker, which is the owner, fewer workers than
// most machines have cores, an odd number of workers, or more workers than most machines have
// cores.
var (
	drawnWorkers = []int{1, 2, 3, 8}
	drawnProcs   = []int{1, 2}
)

// draw returns a program with the given roads. All other properties come from the random numbers.
func draw(rng *rand.Rand, names ...string) Program {
	paths := kernels.Paths()
	p := Program{
		Workers: drawnWorkers[rng.IntN(len(drawnWorkers))],
		Procs:   drawnProcs[rng.IntN(len(drawnProcs))],
		Path:    paths[rng.IntN(len(paths))],
	}
	for _, name := range names {
		ticks := rng.IntN(4)
		if rng.IntN(3) == 0 {
			ticks = rng.IntN(12)
		}
		p.Steps = append(p.Steps, Step{ticks, name, rng.Uint32()})
	}
	return p
}

// programs returns the programs of a test. These are one program for each road, and then random
// pairs and triples, or the pairs of Options.Pairs.
func (r *runner) programs() (iter.Seq[Program], error) {
	if r.options.Program != "" {
		p, err := parseProgram(r.options.Program)
		if err != nil {
			return nil, err
		}
		for _, name := range p.roadNames() {
			if _, ok := r.roads[name]; !ok {
				return nil, fmt.Errorf("roads: Test: Options.Program: there is no road %q", name)
			}
		}
		return func(yield func(Program) bool) { yield(p) }, nil
	}
	end := r.end()
	if r.options.Pairs != nil {
		return r.pairs(end)
	}
	n := r.options.Programs
	if n == 0 {
		n = 8
	}
	return func(yield func(Program) bool) {
		for i, name := range r.names {
			if !yield(draw(rand.New(rand.NewPCG(r.options.Seed, uint64(i)<<32)), name)) {
				return
			}
		}
		for i := 0; r.options.For == 0 && i < n || r.options.For > 0 && time.Now().Before(end); i++ {
			rng := rand.New(rand.NewPCG(r.options.Seed, 1+uint64(i)))
			names := make([]string, 2+rng.IntN(2))
			for k := range names {
				names[k] = r.names[rng.IntN(len(r.names))]
			}
			if !yield(draw(rng, names...)) {
				return
			}
		}
	}, nil
}

// longestChain is the largest number of roads in a program of pairs.
const longestChain = 8

// pairs returns the programs of Options.Pairs. Each program is a chain in which every road and the next one are a pair,
// because a program of only two roads spends most of its time on the ticks at its end and on the making of its world.
func (r *runner) pairs(end time.Time) (iter.Seq[Program], error) {
	var list [][2]string
	for _, first := range r.names {
		for _, second := range r.names {
			if r.options.Pairs(first, second) {
				list = append(list, [2]string{first, second})
			}
		}
	}
	if len(list) == 0 {
		return nil, errors.New("roads: Test: Options.Pairs returns false for every pair of roads: choose at least one pair, or leave it nil")
	}
	rng := rand.New(rand.NewPCG(r.options.Seed, 3))
	rng.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return func(yield func(Program) bool) {
		for left := list; len(left) > 0; {
			if len(left) < len(list) && r.options.For > 0 && time.Now().After(end) {
				r.t.Logf("roads: Test: the time suffices for %d of %d pairs of roads", len(list)-len(left), len(list))
				return
			}
			var names []string
			names, left = r.chain(left)
			if !yield(draw(rng, names...)) {
				return
			}
		}
	}, nil
}

// chain takes the first pair of a list, and others that come before or after it without a gap. It returns the roads of the chain and the
// pairs that are left. After a road with Changes, the ticks inside of later roads are not compared. Therefore all pairs
// of a chain have such a road, or none of them has.
func (r *runner) chain(list [][2]string) (names []string, left [][2]string) {
	changes := func(p [2]string) bool { return r.roads[p[0]].Changes || r.roads[p[1]].Changes }
	names, left = []string{list[0][0], list[0][1]}, slices.Clone(list[1:])
	for len(names) < longestChain {
		after := slices.IndexFunc(left, func(p [2]string) bool {
			return p[0] == names[len(names)-1] && changes(p) == changes(list[0])
		})
		if after >= 0 {
			names, left = append(names, left[after][1]), slices.Delete(left, after, after+1)
			continue
		}
		before := slices.IndexFunc(left, func(p [2]string) bool {
			return p[1] == names[0] && changes(p) == changes(list[0])
		})
		if before < 0 {
			break
		}
		names, left = slices.Insert(names, 0, left[before][0]), slices.Delete(left, before, before+1)
	}
	return names, left
}

// end returns the time at which Options.For is over. A tenth of the time of the test is reserved for
// a failure, because Test runs a failed program again many times.
func (r *runner) end() time.Time {
	end := time.Now().Add(r.options.For)
	t, ok := r.t.(interface{ Deadline() (time.Time, bool) })
	if !ok || r.options.For == 0 {
		return end
	}
	if deadline, ok := t.Deadline(); ok {
		if last := deadline.Add(-time.Until(deadline) / 10); last.Before(end) {
			r.t.Logf("roads: Test: programs are drawn for %v only, because go test stops the test after its -timeout: set -timeout 0", time.Until(last).Round(time.Second))
			return last
		}
	}
	return end
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
