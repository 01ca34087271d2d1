// Package goals measures what this library set out to reach with numbers: functions, random numbers, exact sums,
// order, neighbours and forces, on the machine that it runs on.
//
// A goal is a ratio of two things that this program has, the kernel and a plain loop or a sort of the standard
// library; or a time. What a goal compares with in C or in another library is not here: for those the aim is what
// that took where it was measured, which the goal names, and on another machine says as much as a time of another
// machine can.
package goals

import (
	"time"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/doctor"
)

// A Goal is a number that is to be reached.
type Goal struct {
	Name string  `json:"name"` // with the type, as in Exp/f32
	What string  `json:"what"` // the number is
	Aim  float64 `json:"aim"`
	More bool    `json:"more"` // it is to be the aim at least, not at most
	From string  `json:"from"` // where the aim is from

	measure func(o *Options) (number float64, why string) // or why there is none
}

// A Result is what a goal was found to be at.
type Result struct {
	Goal
	Measured float64 `json:"measured"`
	Met      bool    `json:"met"`
	Why      string  `json:"why,omitempty"` // nothing was measured
}

// Options say how long and how large measurements are.
type Options struct {
	Each   time.Duration // of one measurement
	Rows   int           // of lanes in cache
	Memory int           // bytes of a lane past the caches
	Keys   int           // that are sorted
	Points int           // that have neighbours
	Bodies int           // that pull each other
}

// Usual are the lengths that the goals are about.
var Usual = Options{Each: 25 * time.Millisecond, Rows: 1024, Memory: 128 << 20, Keys: 100_000, Points: 100_000, Bodies: 1024}

// List returns all goals.
func List() (all []Goal) {
	all = append(all, functions()...)
	all = append(all, draws()...)
	all = append(all, sums()...)
	all = append(all, sorts()...)
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

// each is the time of a call a row.
func (o *Options) each(rows int, call func()) float64 {
	return doctor.Undisturbed(o.Each, call) / float64(rows)
}
