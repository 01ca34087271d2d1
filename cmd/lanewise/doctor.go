package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/doctor"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/goals"
	"github.com/lanewise/lanewise/internal/fpmode"
	"github.com/lanewise/lanewise/kernels"
)

const doctorDoes = `Doctor says which CPU and which path of the kernels this is and why, compares
every kernel on every path with the generic one, bit for bit, and measures it:
nanoseconds a row and gigabytes of operands a second, beside a copy. Measured
are ordinary numbers in aligned lanes, 256 KiB of them at most. Then come the
goals of functions, random numbers, sums, order, neighbours and forces: what is
measured here on the path in use, what it is to be, and whether it is. It exits
with 1 if anything differs, or if a thread takes subnormal numbers for zero; a
goal that is missed is no fault.

-json prints
	{"cpu": …, "path": …, "kernels": [{"name", "type", "path", "agree", "ns", "gbps"} …],
	 "goals": [{"name", "what", "aim", "more", "from", "measured", "met"} …]}
and beside cpu and path: cpus, build, why (that path), memory_gbps and cache_gbps
(of the copy), each_seconds (of a measurement). A row that differs has a why, and so
has a goal that this machine cannot measure. Of one that is more, more is better.`

// listKernels returns the kernels that doctor examines. Tests replace it by a
// function that returns faulty kernels.
var listKernels = doctor.List

// checkThreads checks the floating-point mode of the threads. A test replaces
// it by a function that fails.
var checkThreads = fpmode.Check

// doctorCommand implements the subcommand doctor.
func doctorCommand(ctx context.Context, args []string, t *terminal) error {
	o := doctor.Usual
	fs := newFlags("doctor", doctorDoes, t)
	asJSON := fs.Bool("json", false, "print JSON instead of a table")
	onlyGoals := fs.Bool("goals", false, "measure the goals, and no kernels")
	only := fs.String("only", "", "examine what this regular `expression` matches, as in Vec3s.Rotate/f32; without -goals no goals")
	fs.DurationVar(&o.Each, "each", o.Each, "let one measurement take this `time`")
	if err := parse(fs, args); err != nil {
		return err
	}
	filter, err := regexp.Compile(*only)
	if err != nil {
		return newUsageError("-only: %v", err)
	}
	if o.Each <= 0 {
		return newUsageError("-each %v: want more than 0", o.Each)
	}
	var list []*doctor.Kernel
	var aims []goals.Goal
	if !*onlyGoals {
		if list = listKernels(filter); len(list) == 0 {
			return newUsageError("-only %s: no kernel has such a name", *only)
		}
	}
	if *onlyGoals || *only == "" {
		aims = slices.DeleteFunc(goals.List(), func(g goals.Goal) bool { return !filter.MatchString(g.Name) })
		if len(aims) == 0 {
			return newUsageError("-only %s: no goal has such a name", *only)
		}
	}
	if err := checkThreads(); err != nil {
		return err
	}
	return examine(ctx, list, aims, &o, *asJSON, t)
}

// A found holds the report of the doctor and the results of the goals.
type found struct {
	*doctor.Report
	Goals []goals.Result `json:"goals,omitempty"`
}

// examine prints the results for each kernel of the list and for each goal. It
// returns an error if two paths of a kernel give different bits.
func examine(ctx context.Context, list []*doctor.Kernel, aims []goals.Goal, o *doctor.Options, asJSON bool, t *terminal) error {
	r := found{Report: doctor.Machine(o)}
	table := t.out
	if asJSON {
		table = io.Discard
	}
	if err := doctorHead(table, r.Report); err != nil {
		return err
	}
	if err := examineKernels(ctx, list, r.Report, o, table); err != nil {
		return err
	}
	if err := r.measure(ctx, aims, o, table); err != nil {
		return err
	}
	if asJSON {
		e := json.NewEncoder(t.out)
		e.SetIndent("", "\t")
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	if bad := r.Differences(); len(bad) > 0 {
		for _, row := range bad {
			t.say("%s/%s on %s: %s", row.Name, row.Type, row.Path, row.Why)
		}
		return fmt.Errorf("%d of %d differ from the generic path", len(bad), len(r.Rows))
	}
	return nil
}

// examineKernels prints a table of kernels, if the list is not empty.
func examineKernels(ctx context.Context, list []*doctor.Kernel, r *doctor.Report, o *doctor.Options, w io.Writer) error {
	if len(list) == 0 {
		r.Rows = []doctor.Row{} // an empty list instead of null
		return nil
	}
	line := fmt.Sprintf("\n%-*s  type", nameWidth(list), "kernel")
	for _, path := range kernels.Paths() {
		line += fmt.Sprintf("  │ %8s ns   GB/s", path)
	}
	if _, err := fmt.Fprintln(w, line); err != nil {
		return err
	}
	for _, k := range list {
		rows, err := r.Examine(ctx, k, o)
		if err != nil {
			return err
		}
		if err := doctorRow(w, k, rows, list); err != nil {
			return err
		}
	}
	if len(r.Differences()) > 0 {
		return nil // the final error reports them
	}
	_, err := fmt.Fprintf(w, "\n%d comparisons, 0 differences\n", len(r.Rows))
	return err
}

// measure measures goals and prints a table of them, if the list is not empty.
func (r *found) measure(ctx context.Context, aims []goals.Goal, o *doctor.Options, w io.Writer) error {
	if len(aims) == 0 {
		return nil
	}
	size := goals.Usual
	size.Each, size.Memory = o.Each, o.Memory
	name, what := len("goal"), 0
	for _, g := range aims {
		name, what = max(name, len(g.Name)), max(what, len(g.What))
	}
	if _, err := fmt.Fprintf(w, "\n%-*s  measured on %s\n", name, "goal", kernels.Path()); err != nil {
		return err
	}
	met, measured := 0, 0
	for _, g := range aims {
		if err := ctx.Err(); err != nil {
			return err
		}
		m := g.Measure(&size)
		r.Goals = append(r.Goals, m)
		bound, is, came := "at most", "missed", fmt.Sprintf("%.2f", m.Measured)
		if m.More {
			bound = "at least"
		}
		if m.Met {
			is = "met"
			met++
		}
		if m.Why != "" {
			is, came = "not measured: "+m.Why, "–"
		} else {
			measured++
		}
		if _, err := fmt.Fprintf(w, "%-*s  %8s %-*s  %-8s %6.2f  %s (%s)\n", name, m.Name, came, what, m.What, bound, m.Aim, is, m.From); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\n%d of %d goals met; the examples are to be three times as fast as plain Go, beside it:\n%s\n", met, measured, besidePlain)
	return err
}

// besidePlain is the command that compares the speed of the examples with their plain Go
// versions, which are in tests.
const besidePlain = "go test -run '^$' -bench Step github.com/lanewise/lanewise/examples/..."

func doctorHead(w io.Writer, r *doctor.Report) error {
	_, err := fmt.Fprintf(w, `CPU    %s, %d of them
build  %s
path   %s of %s: %s
copy   %.1f GB/s in memory, %.1f GB/s where the kernels' operands are
`, r.CPU, r.CPUs, r.Build, r.Path, strings.Join(kernels.Paths(), ", "), r.Why, r.Memory, r.Cache)
	return err
}

// doctorRow prints the row of one kernel. The row has a group of columns for
// each path.
func doctorRow(w io.Writer, k *doctor.Kernel, rows []doctor.Row, list []*doctor.Kernel) error {
	line := fmt.Sprintf("%-*s  %-4s", nameWidth(list), k.Name, k.Type)
	for _, row := range rows {
		mark := " "
		if !row.Agree {
			mark = "≠"
		}
		line += fmt.Sprintf("  │%s%11.3f %6.1f", mark, row.NS, row.GBps)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

func nameWidth(list []*doctor.Kernel) int {
	width := len("kernel")
	for _, k := range list {
		width = max(width, len(k.Name))
	}
	return width
}
