package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/bench/compare/native"
	"github.com/lanewise/lanewise/bench/compare/worlds"
	"github.com/lanewise/lanewise/internal/benchbin"
	"github.com/lanewise/lanewise/kernels"
)

//go:embed sorts/source neighbours/source draws/source
var otherSources embed.FS

// A rig holds the programs that several rows share, and the results of benchmarks that several rows use.
type rig struct {
	rounds   int
	cc       string
	dir      string
	natives  map[string]*native.Program
	binaries map[string]*benchbin.Binary
	runs     map[string][]benchbin.Results
	closers  []func() error
}

func newRig(rounds int, cc string) (*rig, error) {
	dir, err := os.MkdirTemp("", "claims")
	return &rig{rounds, cc, dir, map[string]*native.Program{}, map[string]*benchbin.Binary{}, map[string][]benchbin.Results{}, nil}, err
}

// close stops the programs and removes the binaries.
func (r *rig) close() {
	for _, p := range r.natives {
		p.Stop()
	}
	for _, f := range r.closers {
		_ = f()
	}
	os.RemoveAll(r.dir)
}

// forget drops the results of benchmarks, so that they run again.
func (r *rig) forget() { clear(r.runs) }

// native returns the running C or C++ program of a folder.
func (r *rig) native(folder, file string, flags []string) (*native.Program, error) {
	key := folder + "/" + file
	if p := r.natives[key]; p != nil {
		return p, nil
	}
	compiler := r.cc
	if strings.HasSuffix(file, ".cpp") {
		compiler += "++"
	}
	if runtime.GOARCH != "amd64" {
		return nil, errMissing("the C programs are for amd64")
	}
	if _, err := exec.LookPath(compiler); err != nil {
		return nil, errMissing("there is no " + compiler)
	}
	var files fs.FS = source
	if folder != "." {
		sub, err := fs.Sub(otherSources, folder)
		if err != nil {
			return nil, err
		}
		files = sub
	}
	p, err := native.Start(files, file, compiler, flags)
	if err == nil {
		r.natives[key] = p
	}
	return p, err
}

// askingSide returns a side that asks a C program to make calls. The program answers with the nanoseconds
// of one call. The words of the question end with the number of calls. A negative answer says that the
// program has no such side.
func askingSide(p *native.Program, words ...any) side {
	return side{fmt.Sprint(words...), func(times int) (ns float64, err error) {
		if err = p.Ask(&ns, append(slices.Clone(words), times)...); err == nil && ns < 0 {
			err = fmt.Errorf("C has no %v", words)
		}
		return ns, err
	}}
}

// run runs benchmarks of a package of the library in each round.
func (r *rig) run(pkg string, s benchbin.Spec) ([]benchbin.Results, error) {
	key := fmt.Sprint(pkg, s)
	if runs := r.runs[key]; runs != nil {
		return runs, nil
	}
	b := r.binaries[pkg]
	if b == nil {
		var err error
		if b, err = benchbin.Build("../..", pkg, r.dir); err != nil {
			return nil, err
		}
		r.binaries[pkg] = b
	}
	for range max(1, r.rounds-2) {
		found, err := b.Run(s)
		if err != nil {
			return nil, err
		}
		r.runs[key] = append(r.runs[key], found)
	}
	return r.runs[key], nil
}

// kernelSides finds sides in the table of kernels by their names. It returns our side first, then the
// rivals.
func kernelSides(name string, bits, n int, ours string, rivals ...string) func(r *rig) (side, []side, error) {
	return func(r *rig) (side, []side, error) {
		if !slices.Contains(kernels.Paths(), ours) {
			return side{}, nil, errMissing("there is no " + ours + " here")
		}
		i := slices.IndexFunc(columnList, func(k kernel) bool { return k.name == name })
		all := columnList[i].sides(bits, n)
		if slices.ContainsFunc(rivals, func(name string) bool { return strings.HasPrefix(name, "C ") }) {
			p, err := r.native(".", "kernels.c", kernelFlags)
			if err != nil {
				return side{}, nil, err
			}
			all = append(all, (&program{p}).sides(name, bits, n)...)
		}
		var us side
		var them []side
		for _, s := range all {
			if s.name == ours {
				us = s
			}
			if slices.Contains(rivals, s.name) {
				them = append(them, s)
			}
		}
		if us.time == nil || len(them) == 0 {
			return side{}, nil, fmt.Errorf("%s: no %s, or none of %v", name, ours, rivals)
		}
		return us, them, nil
	}
}

// waySides returns ways of a task: the first way whose name contains ours, and all ways whose names begin
// with rivals.
func waySides(t func(n int) worlds.Task, n int, ours, rivals string) func(r *rig) (side, []side, error) {
	return func(*rig) (us side, them []side, err error) {
		for _, w := range t(n).Ways {
			s := side{w.Name, func(times int) (float64, error) {
				if w.Before != nil {
					times = 1
				}
				return float64(w.Time(times)) / float64(times), nil
			}}
			if strings.Contains(w.Name, ours) && us.time == nil {
				us = s
			}
			if strings.HasPrefix(w.Name, rivals) {
				them = append(them, s)
			}
		}
		if us.time == nil || len(them) == 0 {
			return us, nil, fmt.Errorf("no way %s, or none %s", ours, rivals)
		}
		return us, them, nil
	}
}
