// Package benchbin builds the benchmarks of a package, runs them, and reads the
// numbers that they print. Programs that compare benchmarks run the binaries
// alternately, so that a change of the machine's speed affects all of them.
package benchbin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Binary is a compiled test program.
type Binary struct{ path, dir string }

// Build compiles the tests of a package into a folder. The package is a path such as
// ./ecs/transform, relative to root, which is the folder of a module.
func Build(root, pkg, into string) (*Binary, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(into, strings.ReplaceAll(strings.TrimPrefix(pkg, "./"), "/", "-")+".test")
	cmd := exec.Command("go", "test", "-c", "-trimpath", "-o", path, pkg) // without folders in the binary, two trees share compiled packages
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go test -c %s: %w\n%s", pkg, err, out)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%s has no tests", pkg)
	}
	return &Binary{path, filepath.Join(root, pkg)}, nil
}

// A Spec selects the benchmarks to run, by the flags -test.bench,
// -test.benchtime, -test.cpu and -test.count. If CPU or Count is 0, its flag
// is left out.
type Spec struct {
	Pattern, Time string
	CPU, Count    int
}

// Run runs benchmarks once.
func (b *Binary) Run(s Spec) (Results, error) {
	args := []string{"-test.run", "^$", "-test.bench", s.Pattern, "-test.benchtime", s.Time}
	if s.CPU != 0 {
		args = append(args, "-test.cpu", strconv.Itoa(s.CPU))
	}
	if s.Count != 0 {
		args = append(args, "-test.count", strconv.Itoa(s.Count))
	}
	cmd := exec.Command(b.path, args...)
	cmd.Dir = b.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s -test.bench %s: %w\n%s", filepath.Base(b.path), s.Pattern, err, out)
	}
	return Parse(string(out)), nil
}

// Results holds the numbers of each benchmark by unit. For example,
// results["Flat/n=10000/bare"]["ns/op"] is the time of one operation.
type Results map[string]map[string]float64

// Parse reads the output of a benchmark. The names in the result have neither
// the prefix Benchmark nor the number of CPUs. If a benchmark ran several
// times, Parse keeps the least number of each unit, because other programs on
// the machine can only make a time longer.
func Parse(out string) Results {
	r := Results{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		if _, err := strconv.Atoi(f[1]); err != nil {
			continue
		}
		name := strings.TrimPrefix(f[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			if _, err := strconv.Atoi(name[i+1:]); err == nil {
				name = name[:i]
			}
		}
		if r[name] == nil {
			r[name] = map[string]float64{}
		}
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if least, seen := r[name][f[i+1]]; err == nil && (!seen || v < least) {
				r[name][f[i+1]] = v
			}
		}
	}
	return r
}

// Median returns the median of a list, which it does not change. For an even number of values, it
// returns the mean of the two values in the middle.
func Median(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	m := len(s) / 2
	if len(s)%2 == 0 {
		return (s[m-1] + s[m]) / 2
	}
	return s[m]
}
