// Command benchguard compares the benchmarks of two commits. It builds two
// sets of benchmarks in a temporary folder: from the files of the base
// commit, and from the files in the current tree. Then it runs the two sets
// alternately. For each benchmark, it prints the time of these files divided
// by the time of the base commit.
//
//	go run ./internal/benchguard -base main~3 [-only Gather] [-rounds 7]
//
// In each round, a benchmark has several short runs, of which only the shortest
// time is used. A ratio is the median of the ratios of all rounds. The command
// fails if a ratio is above 1.05 in three measurements. If a benchmark is too
// slow, the command repeats its measurement up to twice, because other programs
// can disturb a measurement.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/internal/benchbin"
)

func main() {
	base := flag.String("base", "", "commit to compare with")
	only := flag.String("only", ".", "regular expression of the groups to measure, such as Gather or ./order")
	rounds := flag.Int("rounds", 7, "rounds")
	flag.Parse()
	if err := run(os.Stdout, *base, *only, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "benchguard:", err)
		os.Exit(1)
	}
}

// A group holds benchmarks of one package that report times in the same units.
type group struct {
	work string
	pkg  string
	spec benchbin.Spec
	unit string // regular expression of the units to compare
}

// groups lists the benchmarks of work whose speed users notice.
var groups = []group{
	{"loops over entities", "./ecs", benchbin.Spec{Pattern: "Flat/ecs/(10000|1000000)$", Time: "5ms", CPU: 1, Count: 4}, "ns/op"},
	{"random access", "./bench", benchbin.Spec{Pattern: "Gather/do=.*/via=(Get|Gather|Set|Scatter)/entities=(1000|100000)$", Time: "5ms", CPU: 1, Count: 4}, "least-ns"},
	{"wide rows", "./bench", benchbin.Spec{Pattern: "Wide/rows=(10000|100000)$", Time: "7x", CPU: 1}, "(chunks|jobs).*-ns"},
	{"small archetypes", "./bench", benchbin.Spec{Pattern: "SparseVisit/archetypes=(1000|10000)$", Time: "5ms", CPU: 1, Count: 4}, "least-ns"},
	{"queries, spawning, shared values", "./bench", benchbin.Spec{Pattern: "(NewQuery|OnlyOne|^BenchmarkSpawn$|CommandsSpawn)", Time: "5ms", CPU: 1, Count: 4}, "least-ns"},
	{"batches", "./bench", benchbin.Spec{Pattern: "Batches", Time: "15x", CPU: 1}, "least-ns"},
	{"movement", "./bench", benchbin.Spec{Pattern: "Integrate/rows=(10000|1000000)$/via=(ecs|jobs)", Time: "5ms", CPU: 1, Count: 4}, "ns/op"},
	{"a step on a pool", "./bench", benchbin.Spec{Pattern: "Integrate/rows=1000000$/via=jobs/.*/workers=2", Time: "8ms", Count: 4}, "ns/op"},
	{"kernels", "./kernels", benchbin.Spec{Pattern: "(AddScaledVec3s|Rotate|Sincos)$/path=(avx|neon).*/type=f32/n=1024$", Time: "3ms", CPU: 1, Count: 4}, "ns/op"},
	{"kernels of lanec", "./examples/lanec", benchbin.Spec{Pattern: "Kernels/.*/by=(lanec|hand)", Time: "5ms", CPU: 1, Count: 4}, "ns/op"},
	{"forces", "./kernels/forces", benchbin.Spec{Pattern: "Forces/.*/kernel=(Gravity|Springs)$", Time: "5ms", CPU: 1, Count: 4}, "ns/pair"},
	{"jobs", "./jobs", benchbin.Spec{Pattern: "Schedule|Range/body=empty", Time: "5ms", Count: 4}, "ns/op"},
	{"systems", "./ecs/system", benchbin.Spec{Pattern: "EmptySystem|JobSystems|OneComponent", Time: "8ms", Count: 4}, "ns/op"},
	{"transforms", "./ecs/transform", benchbin.Spec{Pattern: "Flat$/n=(10000|1000000)$/workers=1|Hierarchy/trees=.*/depth=.*/fan=.*/workers=1$|Archetypes/.*/moving=true", Time: "15x", CPU: 1}, "least-ns.*"},
	{"sorts", "./order", benchbin.Spec{Pattern: "Sort/(keys|pairs)/workers=1/type=(uint32|float32)/n=(1024|1000000)", Time: "5ms", CPU: 1, Count: 4}, "ns/op"},
	{"grids", "./near", benchbin.Spec{Pattern: "Grid/(build|tiles|nearest)/n=.*/workers=1$", Time: "8ms", CPU: 1, Count: 4}, "ns/op"},
	{"the hash", "./ecs", benchbin.Spec{Pattern: "HashAndRead/hash", Time: "8x", Count: 4}, "ns/op"},
	{"images", "./ecs", benchbin.Spec{Pattern: "ImageRatios/rows=100000$", Time: "15x"}, "(capture|capture1|restore1|restore100)/memcpy"},
	{"files", "./ecs/snapshot", benchbin.Spec{Pattern: "Bytes", Time: "5x"}, ".*/memcpy"},
}

func run(w io.Writer, base, only string, rounds int) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if base == "" {
		return errors.New("name the commit to compare with: make bench-guard BASE=main")
	}
	dir, err := os.MkdirTemp("", "benchguard")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return fmt.Errorf("to find the base %s: git rev-parse --show-toplevel: %w: run benchguard in a clone", base, err)
	}
	tree := filepath.Join(dir, "base")
	root := strings.TrimSpace(string(top))
	if err := extract(root, base, tree); err != nil {
		return err
	}

	var slower []string
	matched := false
	sides := builder{root: root, tree: tree, into: dir, built: map[string]*benchbin.Binary{}}
	for _, g := range groups {
		if !pattern.MatchString(g.work + " " + g.pkg + " " + g.spec.Pattern) {
			continue
		}
		matched = true
		old, now, err := sides.build(g.pkg)
		if err != nil {
			return err
		}
		lost, err := g.compare(w, old.Run, now.Run, rounds)
		if err != nil {
			return err
		}
		slower = append(slower, lost...)
	}
	if !matched {
		return fmt.Errorf("no group matches %q", only)
	}
	fmt.Fprintf(w, "%d benchmarks are slower than %s by more than %.0f %%\n", len(slower), base, 100*(limit-1))
	if len(slower) > 0 {
		return fmt.Errorf("slower: %q", slower)
	}
	return nil
}

// extract writes the files of a commit into a folder. It does not use a work
// tree of git, because that would leave entries in the repository if the
// program is killed.
func extract(root, commit, into string) error {
	if err := os.MkdirAll(into, 0o777); err != nil {
		return err
	}
	archive := into + ".tar"
	for _, args := range [][]string{{"git", "archive", "-o", archive, commit}, {"tar", "-xf", archive, "-C", into}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	return nil
}

// A builder builds each package once in both trees.
type builder struct {
	root, tree, into string
	built            map[string]*benchbin.Binary
}

func (b *builder) build(pkg string) (old, now *benchbin.Binary, err error) {
	for k, side := range []struct{ name, root string }{{"old", b.tree}, {"new", b.root}} {
		key := side.name + " " + pkg
		if b.built[key] == nil {
			into := filepath.Join(b.into, side.name)
			if err := os.MkdirAll(into, 0o777); err != nil {
				return nil, nil, err
			}
			if b.built[key], err = benchbin.Build(side.root, pkg, into); err != nil {
				return nil, nil, err
			}
		}
		if k == 0 {
			old = b.built[key]
		} else {
			now = b.built[key]
		}
	}
	return old, now, nil
}

// limit is the ratio above which a benchmark has become slower.
const limit = 1.05

// A runner runs benchmarks once.
type runner func(benchbin.Spec) (benchbin.Results, error)

// compare prints the ratios of a group, and returns the names of the benchmarks
// that were slower in each of three measurements.
func (g *group) compare(w io.Writer, old, now runner, rounds int) (slower []string, err error) {
	best, err := g.measureRatios(old, now, rounds)
	if err != nil {
		return nil, err
	}
	for range 2 {
		if slices.Max(slices.Collect(maps.Values(best))) <= limit { //lanewise:inexact the largest of them, in any order
			break
		}
		again, err := g.measureRatios(old, now, rounds)
		if err != nil {
			return nil, err
		}
		for name, r := range again {
			if best[name] > limit {
				best[name] = min(best[name], r)
			}
		}
	}
	fmt.Fprintf(w, "%s (%s)\n", g.work, g.pkg)
	for _, name := range slices.Sorted(maps.Keys(best)) {
		note := ""
		if best[name] > limit {
			note = "  SLOWER"
			slower = append(slower, g.pkg+" "+name)
		}
		fmt.Fprintf(w, "  %-60s %.3f%s\n", name, best[name], note)
	}
	return slower, nil
}

// measureRatios runs both sides alternately, and returns the median ratio for
// each benchmark and unit. The side that runs first alternates from round to
// round. Benchmarks that only one side has are left out.
func (g *group) measureRatios(old, now runner, rounds int) (map[string]float64, error) {
	unit, err := regexp.Compile("^(?:" + g.unit + ")$")
	if err != nil {
		return nil, err
	}
	all := map[string][]float64{}
	for round := range rounds {
		var found [2]benchbin.Results
		for k := range 2 {
			side := (k + round) % 2
			if found[side], err = []runner{old, now}[side](g.spec); err != nil {
				return nil, err
			}
		}
		for name, units := range found[1] { //lanewise:inexact each has a list of its own
			for u, ours := range units { //lanewise:inexact each has a list of its own
				if theirs := found[0][name][u]; unit.MatchString(u) && theirs > 0 {
					all[name+" "+u] = append(all[name+" "+u], ours/theirs)
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no benchmark %s that reports %s in both commits", g.pkg, g.spec.Pattern, g.unit)
	}
	medians := map[string]float64{}
	for name, list := range all { //lanewise:inexact each has a median of its own
		medians[name] = benchbin.Median(list)
	}
	return medians, nil
}
