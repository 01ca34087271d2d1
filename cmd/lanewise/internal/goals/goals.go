// Package goals measures the numeric goals of this library on the current
// machine: math functions, random numbers, exact sums, sorting, neighbour
// search and forces.
//
// A goal is a ratio or a time. A ratio divides the time of a kernel by the time
// of a plain loop, or of a sort of the standard library; this program measures
// both. The program contains no C code and no other libraries. So a goal
// against another library is the time of that library on a machine that the
// goal names; on other machines it is only a rough guide.
package goals

import (
	"time"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/doctor"
)

// A Goal is a number to reach.
type Goal struct {
	Name string  `json:"name"` // with the type, for example Exp/f32
	What string  `json:"what"` // the number is
	Aim  float64 `json:"aim"`
	More bool    `json:"more"` // the aim is a minimum instead of a maximum
	From string  `json:"from"` // origin of the aim

	measure func(o *Options) (number float64, why string) // or why it cannot be measured
}

// A Result is the measurement of a goal.
type Result struct {
	Goal
	Measured float64 `json:"measured"`
	Met      bool    `json:"met"`
	Why      string  `json:"why,omitempty"` // nothing was measured
}

// Options holds the duration and the size of measurements.
type Options struct {
	Each   time.Duration // of one measurement
	Rows   int           // of lanes in cache
	Memory int           // bytes of a lane that does not fit in the caches
	Keys   int           // that are sorted
	Points int           // that have neighbours
	Bodies int           // that pull each other
}

// Usual holds the options for which the goals are set.
var Usual = Options{Each: 25 * time.Millisecond, Rows: 1024, Memory: 128 << 20, Keys: 100_000, Points: 100_000, Bodies: 1024}

// List returns all goals.
func List() (all []Goal) {
	all = append(all, functions()...)
	all = append(all, drawGoals()...)
	all = append(all, sums()...)
	all = append(all, sortGoals()...)
	all = append(all, neighbours()...)
	return append(all, pulls()...)
}

// Measure measures a goal on the path in use.
func (g *Goal) Measure(o *Options) Result {
	r := Result{Goal: *g}
	if r.Measured, r.Why = g.measure(o); r.Why == "" {
		r.Met = g.More && r.Measured >= g.Aim || !g.More && r.Measured <= g.Aim
	}
	return r
}

// timeEach measures a call, and returns its time divided by the number of rows.
func (o *Options) timeEach(rows int, call func()) float64 {
	return doctor.Undisturbed(o.Each, call) / float64(rows)
}
