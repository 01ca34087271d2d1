// Package exhibit has the simulations of the gallery. A run of an exhibit depends only on its
// parameters, on the ticks at which they changed, and on the number of ticks. So a link of a few words
// describes a run exactly: see Run.Link and Open.
//
//	run, tick, err := exhibit.Open("flock?birds=2000&noise=0.3&tick=500", jobs.Default())
//	err = run.Advance(tick)
//	fmt.Printf("%016x\n", run.Hash())
package exhibit

import (
	"math"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// An Exhibit describes a simulation.
type Exhibit struct {
	Name   string // in links
	Title  string
	Text   string // one or two sentences for visitors
	Source string // the file of the simulation, from the root of the repository
	Params []Param

	Checked  int    // number of ticks after which the hash is compared
	Golden   uint64 // the hash after that many ticks with the default parameters, on every machine
	PerFrame int    // number of ticks that the page computes between two pictures
	Look     Look
	World    bool // the simulation has a world, which can be saved

	start func(pool *jobs.Pool, values []float64) (Simulation, error)
}

// A Look selects how the page draws points.
type Look string

// These are the looks.
const (
	Glow  Look = "glow"  // spots of light, which add up
	Balls Look = "balls" // opaque balls, which hide the points before them in the list
	Faces Look = "faces" // triangles, which hide the triangles before them in the list
	Cells Look = "cells" // a picture of pixels, which is repeated on the left and on the right
)

// A Param is a number that visitors choose with a slider.
type Param struct {
	Name, Label             string
	Min, Max, Step, Default float64
	Live                    bool // it can change during a run; otherwise a change starts another run
}

// A Simulation is the running part of an exhibit.
type Simulation interface {
	// Tick computes one step. Ticks are numbered from 0.
	Tick(tick int) error
	// Set changes a live parameter.
	Set(param int, value float64)
	// Draw adds the current state to an empty canvas.
	Draw(c *Canvas, tick int)
	// Hash returns a hash of the world. If there is no world, it returns a hash of the arrays that
	// the picture shows.
	Hash() uint64
	// Len returns the number of bodies or cells.
	Len() int
	// Note returns a text with a measured quantity for visitors, or an empty text.
	Note() string
	// World returns the world of the simulation, or nil if it has none.
	World() *ecs.World
}

// All returns the exhibits, in the order of the page.
func All() []*Exhibit {
	return []*Exhibit{fountain, flock, dam, gas, grayscott, galaxy, cloth, epidemic, solar, race}
}

// Find returns the exhibit with a name, or nil.
func Find(name string) *Exhibit {
	all := All()
	if i := slices.IndexFunc(all, func(e *Exhibit) bool { return e.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// allowed returns the allowed value of a parameter that is nearest to v. Allowed values are between Min and Max,
// and a whole number of steps above Min. So the slider can show the value of a link.
func (p *Param) allowed(v float64) float64 {
	if !(v >= p.Min) { // also for NaN
		return p.Min
	}
	steps := math.Round((min(v, p.Max) - p.Min) / p.Step)
	return p.Min + float64(steps*p.Step)
}

// world is embedded in simulations of entities.
type world struct{ w *ecs.World }

// Hash returns the hash of the world.
func (s world) Hash() uint64 { return s.w.Hash() }

// World returns the world.
func (s world) World() *ecs.World { return s.w }
