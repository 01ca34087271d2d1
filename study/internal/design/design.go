package design

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/lanewise/lanewise/random"
)

// MaxRuns is the largest number of runs of a study.
const MaxRuns = 1<<31 - 1

// The kinds of designs.
const (
	Grid   = "grid"   // every combination of the axes' values; the last axis changes fastest
	Random = "random" // independent random points
	Latin  = "latin"  // Latin hypercube: each axis is divided into as many equal parts as there are points, and each part has one point
	Rows   = "list"   // the rows of a list
)

// These are the streams of a design's random numbers. The design's seed determines these numbers,
// whereas the seed of a run determines the numbers that a model draws.
const (
	streamPoint = 1 + iota
	streamStratum
	streamSeed
	streamOrder
)

// A Design is the rule that gives each run its parameters and its seed.
type Design struct {
	Kind       string     `json:"kind"`
	Fixed      []Setting  `json:"fixed,omitempty"` // parameters with the same value in all runs, if it is not the default
	Axes       []Axis     `json:"axes,omitempty"`
	Columns    []string   `json:"columns,omitempty"` // of a list: names of the parameters
	List       [][]string `json:"list,omitempty"`    // of a list: a point for each row
	Points     int        `json:"points"`
	Replicates int        `json:"replicates"`
	Seed       uint64     `json:"seed,string"`

	params   []Param
	defaults []string // of all parameters, with the fixed ones replaced
	columns  []int    // indices of the parameters of Columns
}

// A Setting is the value of one parameter.
type Setting struct {
	Param string `json:"param"`
	Value string `json:"value"`
}

// Bind prepares a design for use with a model's parameters. It returns an error if the design is
// not valid. It also counts the points if the design is a grid or a list.
func (d *Design) Bind(ps []Param) error {
	d.params, d.defaults = ps, make([]string, len(ps))
	for i := range ps {
		d.defaults[i] = ps[i].Default
	}
	used := map[string]bool{}
	once := func(name string) error {
		if used[name] {
			return fmt.Errorf("%s is given twice", name)
		}
		used[name] = true
		return nil
	}
	for _, f := range d.Fixed {
		i, err := Find(ps, f.Param)
		if err == nil {
			err = ps[i].Check(f.Value)
		}
		if err == nil {
			err = once(f.Param)
		}
		if err != nil {
			return err
		}
		d.defaults[i] = f.Value
	}
	for i := range d.Axes {
		if err := d.Axes[i].bind(ps); err != nil {
			return err
		}
		if err := once(d.Axes[i].Param); err != nil {
			return err
		}
	}
	if err := d.count(); err != nil {
		return err
	}
	if d.Kind == Rows {
		return d.bindList(once)
	}
	return nil
}

// count counts the points. It returns an error for an impossible design.
func (d *Design) count() error {
	switch d.Kind {
	case Grid:
		d.Points = 1
		for i := range d.Axes {
			a := &d.Axes[i]
			if a.Drawn() {
				return fmt.Errorf("%s=%s..%s has no steps: say %s=from:to:step, or draw points with -random n or -latin n", a.Param, a.Low, a.High, a.Param)
			}
			over, n := bits.Mul64(uint64(d.Points), uint64(a.valueCount))
			if over > 0 || n > MaxRuns {
				return fmt.Errorf("the grid has more than %d points", MaxRuns)
			}
			d.Points = int(n)
		}
	case Rows:
		d.Points = len(d.List)
	case Random, Latin:
		if len(d.Axes) == 0 {
			return fmt.Errorf("a %s design draws parameters: say which, as in name=low..high", d.Kind)
		}
	default:
		return fmt.Errorf("a design of kind %q is unknown", d.Kind)
	}
	switch {
	case d.Points < 1:
		return fmt.Errorf("the design has no points")
	case d.Replicates < 1:
		return fmt.Errorf("%d replicates: take 1 or more", d.Replicates)
	case d.Points > MaxRuns || d.Replicates > MaxRuns || uint64(d.Points)*uint64(d.Replicates) > MaxRuns:
		return fmt.Errorf("%d points of %d replicates are more than %d runs", d.Points, d.Replicates, MaxRuns)
	}
	return nil
}

func (d *Design) bindList(once func(string) error) error {
	d.columns = nil
	for _, name := range d.Columns {
		i, err := Find(d.params, name)
		if err == nil {
			err = once(name)
		}
		if err != nil {
			return fmt.Errorf("the list's first line: %w", err)
		}
		d.columns = append(d.columns, i)
	}
	for row, values := range d.List {
		if len(values) != len(d.columns) {
			return fmt.Errorf("row %d of the list has %d values for %d parameters", row+1, len(values), len(d.columns))
		}
		for c, v := range values {
			if err := d.params[d.columns[c]].Check(v); err != nil {
				return fmt.Errorf("row %d of the list: %w", row+1, err)
			}
		}
	}
	return nil
}

// Runs returns the number of runs.
func (d *Design) Runs() int { return d.Points * d.Replicates }

// At appends the values of all parameters of run i, in the order of the
// parameters, and returns the run's seed.
func (d *Design) At(values []string, i int) (out []string, seed uint64) {
	point, replicate := i/d.Replicates, i%d.Replicates
	from := len(values)
	values = append(values, d.defaults...)
	mine := values[from:]
	for c, at := range d.columns {
		mine[at] = d.List[point][c]
	}
	rest := point
	for n := len(d.Axes) - 1; n >= 0; n-- {
		a := &d.Axes[n]
		if d.Kind == Grid {
			mine[a.paramIndex] = a.value(rest % a.valueCount)
			rest /= a.valueCount
			continue
		}
		u := random.UniformOf[float64](random.Key{Seed: d.Seed, Tick: uint32(n), Stream: streamPoint}.ID(uint64(point)))
		if d.Kind == Latin {
			stratum := permute(d.Seed, streamStratum, n, point, d.Points)
			u = min((float64(stratum)+u)/float64(d.Points), math.Nextafter(1, 0))
		}
		mine[a.paramIndex] = a.drawValue(&d.params[a.paramIndex], u)
	}
	return values, random.Key{Seed: d.Seed, Stream: streamSeed}.ID(uint64(replicate)).Source().Uint64()
}

// Order returns the run to do in position k. The order is a shuffle, so that
// every share has a fair sample of the points and of the long runs.
func (d *Design) Order(k int) int { return permute(d.Seed, streamOrder, 0, k, d.Runs()) }

// Varied returns the indices of the parameters that differ between runs.
func (d *Design) Varied() []int {
	at := slices.Clone(d.columns)
	for i := range d.Axes {
		if d.Axes[i].valueCount != 1 {
			at = append(at, d.Axes[i].paramIndex)
		}
	}
	slices.Sort(at)
	return at
}
