package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/doctor"
	"github.com/lanewise/lanewise/kernels"
)

const doctorDoes = `Doctor says which CPU and which path of the kernels this is and why, compares
every kernel on every path with the generic one, bit for bit, and measures it:
nanoseconds a row and gigabytes of operands a second, beside a copy. Measured
are ordinary numbers in aligned lanes, 256 KiB of them at most. It exits with 1
if anything differs.

-json prints
	{"cpu": …, "path": …, "kernels": [{"name", "type", "path", "agree", "ns", "gbps"} …]}
and beside cpu and path: cpus, build, why (that path), memory_gbps and cache_gbps
(of the copy), each_seconds (of a measurement). A row that differs has a why.`

// listKernels are those that doctor examines; its tests put wrong ones there.
var listKernels = doctor.List

// doctorCommand is the subcommand doctor.
func doctorCommand(ctx context.Context, args []string, t *terminal) error {
	o := doctor.Usual
	fs := newFlags("doctor", doctorDoes, t)
	asJSON := fs.Bool("json", false, "print JSON instead of a table")
	only := fs.String("only", "", "examine what this regular `expression` matches, as in Vec3s.Rotate/f32")
	fs.DurationVar(&o.Each, "each", o.Each, "let one measurement take this `time`")
	if err := parse(fs, args); err != nil {
		return err
	}
	filter, err := regexp.Compile(*only)
	if err != nil {
		return wrong("-only: %v", err)
	}
	if o.Each <= 0 {
		return wrong("-each %v: want more than 0", o.Each)
	}
	list := listKernels(filter)
	if len(list) == 0 {
		return wrong("-only %s: no kernel has such a name", *only)
	}
	return examine(ctx, list, &o, *asJSON, t)
}

// examine prints what the doctor finds about each kernel of the list. Its error
// tells of differences.
func examine(ctx context.Context, list []*doctor.Kernel, o *doctor.Options, asJSON bool, t *terminal) error {
	r := doctor.Machine(o)
	if !asJSON {
		if err := doctorHead(t.out, r, list); err != nil {
			return err
		}
	}
	for _, k := range list {
		rows, err := r.Examine(ctx, k, o)
		if err != nil {
			return err
		}
		if !asJSON {
			if err := doctorRow(t.out, k, rows, list); err != nil {
				return err
			}
		}
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
	if asJSON {
		return nil
	}
	_, err := fmt.Fprintf(t.out, "\n%d comparisons, 0 differences\n", len(r.Rows))
	return err
}

func doctorHead(w io.Writer, r *doctor.Report, list []*doctor.Kernel) error {
	_, err := fmt.Fprintf(w, `CPU    %s, %d of them
build  %s
path   %s of %s: %s
copy   %.1f GB/s in memory, %.1f GB/s where the kernels' operands are
`, r.CPU, r.CPUs, r.Build, r.Path, strings.Join(kernels.Paths(), ", "), r.Why, r.Memory, r.Cache)
	if err != nil {
		return err
	}
	line := fmt.Sprintf("\n%-*s  type", nameWidth(list), "kernel")
	for _, path := range kernels.Paths() {
		line += fmt.Sprintf("  │ %8s ns   GB/s", path)
	}
	_, err = fmt.Fprintln(w, line)
	return err
}

// doctorRow prints one kernel, a group of columns for each path.
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
