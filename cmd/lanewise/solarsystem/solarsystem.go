// Package solarsystem is the orrery of the command lanewise without files: the Sun, its planets, their
// large moons, and 2,000 minor planets of the real catalogue. The gallery (examples/gallery) shows it.
//
// The elements of the planets and moons are those that the command has built in. The minor planets are
// the first 2,000 numbered ones of the Minor Planet Center's MPCORB. The file mpcorb.txt has their lines
// and the header of the database, which says where to obtain updated copies.
package solarsystem

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/orrery"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/reference"
	"github.com/lanewise/lanewise/jobs"
)

//go:embed mpcorb.txt
var mpcorb string

// Minors is the number of minor planets in the catalogue.
const Minors = 2000

// System is a solar system in motion.
type System struct {
	Orrery *orrery.Orrery
	Set    *catalogue.Set // the Sun is first, then the planets in their order, then the moons
}

// New creates a solar system with some minor planets, on a pool, which may be nil. Its date is the
// epoch of the minor planets: 2026-06-09, 0h TDB. The caller must close the world.
func New(pool *jobs.Pool, minors int) (*System, error) {
	all, err := catalogue.ReadMinors("mpcorb.txt", strings.NewReader(mpcorb), func(e *catalogue.LineError) error { return e })
	if err != nil {
		return nil, err
	}
	if minors < 0 || minors > len(all) {
		return nil, fmt.Errorf("solarsystem: New: minors is %d: take 0 to %d", minors, len(all))
	}
	set := &catalogue.Set{Bodies: append(catalogue.Planets(), catalogue.Moons()...), Minors: all[:minors:minors]}
	o, err := orrery.NewBeside(set, pool)
	if err != nil {
		return nil, err
	}
	return &System{Orrery: o, Set: set}, o.Step(all[0].Epoch)
}

// Advance moves all bodies to their positions some days later.
func (s *System) Advance(days float64) error { return s.Orrery.Step(s.Orrery.Date() + days) }

// Date returns the date as a text such as 2026-06-09T12:00.
func (s *System) Date() string { return julian.Format(s.Orrery.Date()) }

// Path returns n points of the orbit of a body, which is not the Sun, in AU along the axes of the
// ecliptic. They are relative to the Sun, or for a moon relative to its planet. The points are for
// pictures: their last bits differ between machines.
func (s *System) Path(body, n int) [][3]float64 {
	b := &s.Set.Bodies[body]
	points := make([][3]float64, n)
	for i := range points {
		v := reference.Body(b, b.Epoch+float64(float64(i)/float64(n)*360/b.Motion))
		points[i] = [3]float64{v.X, v.Y, v.Z}
	}
	return points
}

// Parent returns the planet of a moon, or -1 for a body that is not a moon.
func (s *System) Parent(body int) int {
	b := &s.Set.Bodies[body]
	if b.Kind != catalogue.Moon {
		return -1
	}
	return catalogue.ParentOf(b, s.Set.Bodies)
}
