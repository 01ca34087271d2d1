package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A lammps runs the program LAMMPS from the same initial state.
type lammps struct {
	program string
	dir     string
}

// A style is a way in which LAMMPS computes the forces.
type style struct {
	name   string
	pair   string   // the pair style
	check  bool     // make a new list when an atom has moved by half of the skin, as this library does; otherwise every 20 steps, as in LAMMPS' benchmark
	single bool     // terms are float32
	flags  []string // of the command, for packages that LAMMPS may have been compiled without
}

var styles = []style{
	{name: "lj/cut/opt", pair: "lj/cut/opt"},
	{name: "lj/cut/opt, check yes", pair: "lj/cut/opt", check: true},
	{name: "lj/cut", pair: "lj/cut"},
	{name: "lj/cut/omp", pair: "lj/cut", flags: []string{"-sf", "omp", "-pk", "omp", "1"}},
	{name: "lj/cut/intel, double", pair: "lj/cut", flags: []string{"-sf", "intel", "-pk", "intel", "0", "omp", "1", "mode", "double"}},
	{name: "lj/cut/intel, mixed", pair: "lj/cut", single: true, flags: []string{"-sf", "intel", "-pk", "intel", "0", "omp", "1", "mode", "mixed"}},
	{name: "lj/cut/intel, single", pair: "lj/cut", single: true, flags: []string{"-sf", "intel", "-pk", "intel", "0", "omp", "1", "mode", "single"}},
}

// errNoPackage says that LAMMPS was compiled without the package of a style.
var errNoPackage = errors.New("this LAMMPS was compiled without the package")

// newLAMMPS writes the start for LAMMPS into a directory. newLAMMPS returns nil if the program is not
// installed.
func newLAMMPS(program, dir string, s *start) (*lammps, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "A crystal of Lennard-Jones atoms\n\n%d atoms\n1 atom types\n\n", s.pos.Len())
	for _, axis := range []string{"x", "y", "z"} {
		fmt.Fprintf(&b, "0 %v %slo %shi\n", s.side, axis, axis)
	}
	b.WriteString("\nMasses\n\n1 1\n\nAtoms # atomic\n\n")
	for i := range s.pos.X {
		fmt.Fprintf(&b, "%d 1 %v %v %v\n", i+1, s.pos.X[i], s.pos.Y[i], s.pos.Z[i])
	}
	b.WriteString("\nVelocities\n\n")
	for i := range s.vel.X {
		fmt.Fprintf(&b, "%d %v %v %v\n", i+1, s.vel.X[i], s.vel.Y[i], s.vel.Z[i])
	}
	return &lammps{path, dir}, os.WriteFile(filepath.Join(dir, "start.data"), b.Bytes(), 0o644)
}

// run does some steps with a style. It returns the last state, and the time of the steps by the clock and on
// the CPU.
func (l *lammps) run(by style, steps int) (took times, last thermo, err error) {
	modify := "delay 0 every 20 check no"
	if by.check {
		modify = "delay 0 every 1 check yes"
	}
	input := fmt.Sprintf(`units lj
atom_style atomic
read_data start.data
pair_style %s %v
pair_coeff 1 1 1.0 1.0
neighbor 0.3 bin
neigh_modify %s
fix 1 all nve
timestep %v
thermo %d
thermo_style custom step temp pe press
thermo_modify format float %%.12f
run %d
`, by.pair, cutoff, modify, dt, max(1, steps), steps)
	cmd := exec.Command(l.program, append([]string{"-log", "none", "-echo", "none"}, by.flags...)...)
	cmd.Dir, cmd.Stdin, cmd.Env = l.dir, strings.NewReader(input), append(os.Environ(), "OMP_NUM_THREADS=1")
	out, err := cmd.CombinedOutput()
	if err != nil && hasNoPackage(out) {
		err = errNoPackage
	}
	if err != nil {
		return took, last, fmt.Errorf("%s %s: %w: %s", l.program, strings.Join(by.flags, " "), err, out)
	}
	seconds, busy := 0.0, 0.0
	in := bufio.NewScanner(bytes.NewReader(out))
	for in.Scan() {
		words := strings.Fields(in.Text())
		switch {
		case len(words) == 4 && words[0] == strconv.Itoa(steps):
			for i, to := range []*float64{&last.temperature, &last.potential, &last.pressure} {
				if *to, err = strconv.ParseFloat(words[i+1], 64); err != nil {
					return took, last, err
				}
			}
		case len(words) > 3 && words[0] == "Loop":
			if seconds, err = strconv.ParseFloat(words[3], 64); err != nil {
				return took, last, err
			}
		case len(words) > 3 && words[1] == "CPU" && words[2] == "use":
			if busy, err = strconv.ParseFloat(strings.TrimSuffix(words[0], "%"), 64); err != nil {
				return took, last, err
			}
		}
	}
	if seconds == 0 || busy == 0 || last == (thermo{}) {
		return took, last, fmt.Errorf("%s: its output has no time or no energies: %s", l.program, out)
	}
	took.clock = time.Duration(seconds * 1e9)
	took.cpu = time.Duration(seconds * busy * 1e7)
	return took, last, nil
}

// hasNoPackage reports whether an error of LAMMPS is about a package that it was compiled without.
func hasNoPackage(out []byte) bool {
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "ERROR") && strings.Contains(line, "without") && strings.Contains(line, "package") {
			return true
		}
	}
	return false
}
