// Command md compares molecular dynamics with LAMMPS. Both programs melt a Lennard-Jones crystal, with the parameters
// of LAMMPS' benchmark in.lj. The command writes the initial state for LAMMPS, so that both begin with the same
// numbers, and runs both in turns.
//
//	go run ./bench/md            # the table, the energies and the hashes
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

func main() {
	cells := flag.Int("cells", 20, "how many `cells` the crystal has along a side; a cell has 4 atoms")
	steps := flag.Int("steps", 100, "`steps` of a round")
	rounds := flag.Int("rounds", 7, "how many `rounds`, of which the table has the least and the median time")
	until := flag.Int("until", 500, "the `step` whose energies and hashes are compared")
	program := flag.String("lammps", "lmp", "the LAMMPS `program`")
	flag.Parse()
	if err := run(*cells, *steps, *rounds, *until, *program); err != nil {
		log.Fatal(err)
	}
}

func run(cells, steps, rounds, until int, program string) error {
	s, err := newStart(cells)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "md")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	l, err := newLAMMPS(program, dir, s)
	if err != nil {
		return err
	}
	if l == nil {
		fmt.Printf("There is no program %s: install LAMMPS (Debian: lammps) to compare.\n", program)
	}
	two := jobs.New(jobs.Workers(2))
	defer func() { _ = two.Close() }()
	fmt.Printf("%d atoms, path %s\n\n", s.pos.Len(), kernels.Path())
	if err := race(s, l, two, steps, rounds); err != nil {
		return err
	}
	return compare(s, l, two, until)
}

// A runner is one program of the race.
type runner struct {
	name   string
	lammps bool
	single bool // terms are float32
	run    func() (times, error)
	took   []times
}

// times holds how long the steps of a round took: the time on the clock and the CPU time.
type times struct{ clock, cpu time.Duration }

// race measures all programs in turns, and prints steps per second.
func race(s *start, l *lammps, two *jobs.Pool, steps, rounds int) error {
	var all []*runner
	if l != nil {
		for _, by := range styles {
			if _, _, err := l.run(by, 1); errors.Is(err, errNoPackage) {
				fmt.Printf("not measured: LAMMPS %s: %v (%s)\n", by.name, errNoPackage, strings.Join(by.flags[:2], " "))
				continue
			} else if err != nil {
				return err
			}
			all = append(all, &runner{name: "LAMMPS " + by.name, lammps: true, single: by.single, run: func() (times, error) {
				took, _, err := l.run(by, steps)
				return took, err
			}})
		}
	}
	add := func(name string, single bool, run func() (times, error)) {
		all = append(all, &runner{name: name, single: single, run: run})
	}
	add("float64, ordered sums", false, func() (times, error) { return timeSteps[float64](s, nil, 0, steps) })
	add("float64, quanta", false, func() (times, error) { return timeSteps[float64](s, nil, termQuantum, steps) })
	add("float32, ordered sums", true, func() (times, error) { return timeSteps[float32](s, nil, 0, steps) })
	add("float64, ordered sums, two workers", false, func() (times, error) { return timeSteps[float64](s, two, 0, steps) })
	add("float64, quanta, two workers", false, func() (times, error) { return timeSteps[float64](s, two, termQuantum, steps) })
	for range rounds {
		for _, r := range all {
			took, err := r.run()
			if err != nil {
				return err
			}
			r.took = append(r.took, took)
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "steps in a second\tof CPU, median\tbest\ttimes the rival\ton the clock, median\tbest\ttimes the rival")
	byCPU := func(t times) time.Duration { return t.cpu }
	byClock := func(t times) time.Duration { return t.clock }
	for _, r := range all {
		fmt.Fprint(w, r.name)
		for _, by := range []func(t times) time.Duration{byCPU, byClock} {
			median, best := spread(r.took, by)
			fmt.Fprintf(w, "\t%.0f\t%.0f\t%.2f", float64(steps)/median, float64(steps)/best, rival(all, r.single, by)/median)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// rival returns the median time of the fastest LAMMPS whose terms have the same type. Without such a LAMMPS, it returns
// the median time of the fastest LAMMPS of any type. Without any LAMMPS, it returns the median time of the first
// program.
func rival(all []*runner, single bool, by func(times) time.Duration) float64 {
	var alike, every []float64
	for _, r := range all {
		if !r.lammps {
			continue
		}
		median, _ := spread(r.took, by)
		every = append(every, median)
		if r.single == single {
			alike = append(alike, median)
		}
	}
	switch {
	case len(alike) > 0:
		return slices.Min(alike)
	case len(every) > 0:
		return slices.Min(every)
	}
	median, _ := spread(all[0].took, by)
	return median
}

// spread returns the median and the least of some times, in seconds.
func spread(all []times, by func(t times) time.Duration) (median, best float64) {
	var list []float64
	for _, t := range all {
		list = append(list, by(t).Seconds())
	}
	slices.Sort(list)
	return list[len(list)/2], list[0]
}

// timeSteps runs some steps from the start, and returns their time. Like LAMMPS, it computes the energies only in the
// last step.
func timeSteps[T kernels.Float](s *start, pool *jobs.Pool, quantum T, steps int) (times, error) {
	g, err := newGas(s, pool, 0, 0.3, quantum)
	if err != nil {
		return times{}, err
	}
	begin, cpu := time.Now(), cpuTime()
	for k := range steps {
		if err := g.step(k == steps-1); err != nil {
			return times{}, err
		}
	}
	return times{time.Since(begin), cpuTime() - cpu}, nil
}

// compare prints the energies at a step next to the energies of LAMMPS, and the hashes of the order-free mode for
// several lists and numbers of workers.
func compare(s *start, l *lammps, pool *jobs.Pool, steps int) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "\nat step %d\ttemperature, energy, pressure\thash\tlists made\n", steps)
	if l != nil {
		_, last, err := l.run(style{pair: "lj/cut/opt", check: true}, steps)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "LAMMPS lj/cut/opt, check yes\t%v\n", last)
	}
	for _, c := range []struct {
		name    string
		pool    *jobs.Pool
		width   int
		skin    float64
		quantum float64
	}{
		{"ordered sums", nil, 0, 0.3, 0},
		{"ordered sums, clusters of 4, workers", pool, 4, 0.3, 0},
		{"quanta", nil, 0, 0.3, termQuantum},
		{"quanta, skin 0.2, workers", pool, 0, 0.2, termQuantum},
		{"quanta, skin 0.5, clusters of 16", nil, 16, 0.5, termQuantum},
		{"quanta, no skin, clusters of 4, workers", pool, 4, 0, termQuantum},
	} {
		g, err := newGas(s, c.pool, c.width, c.skin, c.quantum)
		if err != nil {
			return err
		}
		for k := range steps {
			if err := g.step(k == steps-1); err != nil {
				return err
			}
		}
		fmt.Fprintf(w, "%s\t%v\t%016x\t%d\n", c.name, g.observe(s), g.hash(), g.builds)
	}
	return w.Flush()
}
