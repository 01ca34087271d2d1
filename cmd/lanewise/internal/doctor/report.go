package doctor

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/lanewise/lanewise/kernels"
)

// A Report is the result of an examination.
type Report struct {
	CPU    string  `json:"cpu"`
	CPUs   int     `json:"cpus"`
	Build  string  `json:"build"`
	Path   string  `json:"path"`         // the path in use at the start
	Why    string  `json:"why"`          // that path
	Memory float64 `json:"memory_gbps"`  // of a copy in memory, reads and writes together
	Cache  float64 `json:"cache_gbps"`   // of a copy that fills the kernels' footprint
	Each   float64 `json:"each_seconds"` // duration of one measurement
	Rows   []Row   `json:"kernels"`
}

// A Row is the result of one kernel for one type on one path.
type Row struct {
	Name  string  `json:"name"`
	Type  string  `json:"type"`
	Path  string  `json:"path"`
	Agree bool    `json:"agree"` // the bits equal those of the generic path
	NS    float64 `json:"ns"`    // of one row
	GBps  float64 `json:"gbps"`  // of all operands together
	Why   string  `json:"why,omitempty"`
}

// Options select the comparisons, and the duration and size of the
// measurements.
type Options struct {
	Lengths   []int         // numbers of rows of the compared runs
	Each      time.Duration // of one measurement
	Footprint int           // size of the operands of a measured call, in bytes
	Memory    int           // size of the copy in memory, in bytes
}

// Usual holds the default options. With these lengths, kernels process tails
// of every kind and more than one iteration of the widest loop. The operands
// fit in the second-level cache.
var Usual = Options{
	Lengths:   []int{0, 1, 2, 3, 5, 8, 13, 16, 31, 64, 77, 160, 257, 515},
	Each:      25 * time.Millisecond,
	Footprint: 256 << 10,
	Memory:    128 << 20,
}

// Machine returns a report without kernels.
func Machine(o *Options) *Report {
	return &Report{
		CPU: cpu(), CPUs: runtime.NumCPU(), Build: buildTarget(), Path: kernels.Path(), Why: choiceReason(),
		Memory: copyRate(o.Each, o.Memory), Cache: copyRate(o.Each, o.Footprint), Each: o.Each.Seconds(),
	}
}

// Examine compares and measures a kernel on every path of this machine, adds the
// rows to the report and returns them. Other goroutines must not call kernels
// at the same time.
func (r *Report) Examine(ctx context.Context, k *Kernel, o *Options) (rows []Row, err error) {
	before := kernels.Path()
	defer func() { err = errors.Join(err, kernels.Use(before)) }()
	for _, path := range kernels.Paths() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		difference, err := k.difference(path, o.Lengths)
		if err != nil {
			return nil, err
		}
		if err := kernels.Use(path); err != nil {
			return nil, err
		}
		ns, rowBytes, panicked := k.tryMeasure(o)
		if difference == "" && panicked != "" {
			difference = "when measured: panic " + panicked
		}
		row := Row{Name: k.Name, Type: k.Type, Path: path, Agree: difference == "", NS: ns, Why: difference}
		if ns > 0 {
			row.GBps = rowBytes / ns
		}
		rows = append(rows, row)
	}
	r.Rows = append(r.Rows, rows...)
	return rows, nil
}

// Differences returns the rows whose bits differ from the generic path.
func (r *Report) Differences() (rows []Row) {
	for _, row := range r.Rows {
		if !row.Agree {
			rows = append(rows, row)
		}
	}
	return rows
}
