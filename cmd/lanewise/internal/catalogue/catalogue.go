// Package catalogue reads the bodies of the solar system from files. Minor
// planets are in the export format of the Minor Planet Center (MPCORB). The
// Sun, planets, dwarf planets and moons are in tables of comma-separated
// values. The eight planets and the large moons are built in.
//
// A file is read as a stream, a line at a time, and may be compressed with
// gzip. An invalid line does not affect other lines. It is reported as a
// *LineError with file and line number. The caller may count it, show it, or
// stop reading.
package catalogue

import (
	"errors"
	"fmt"
	"slices"
)

// Kind is the kind of a body.
type Kind uint8

// These are the kinds of bodies, in the order in which the orrery lists them.
const (
	Star        Kind = iota // the Sun
	Planet                  // one of the eight
	DwarfPlanet             // a row of the planets' table whose mass is too small for a planet
	Moon                    // of a planet or a dwarf planet
	Asteroid                // a minor planet of a catalogue
)

// String returns the kind as in the orrery's CSV.
func (k Kind) String() string {
	switch k {
	case Star:
		return "star"
	case Planet:
		return "planet"
	case DwarfPlanet:
		return "dwarf planet"
	case Moon:
		return "moon"
	case Asteroid:
		return "asteroid"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Elements is an elliptic orbit in the units of the tables: angles in degrees,
// lengths in AU, J2000.
type Elements struct {
	Epoch  float64 // Julian date, TDB
	Mean   float64 // mean anomaly at the epoch
	Peri   float64 // argument of the periapsis
	Node   float64 // longitude of the ascending node
	Incl   float64 // inclination; a negative one tilts the other way
	Ecc    float64 // eccentricity, in [0, 1)
	Motion float64 // mean motion, degrees a day
	Axis   float64 // semi-major axis; 0 if the column is blank
}

// Minor is a minor planet. The export format calls it an orbit.
type Minor struct {
	ID   string // packed designation, as printed: 00001, K14J92C, ~000v
	Name string // readable designation, as printed: (1) Ceres, 2014 JC92
	Elements
}

// Body is a row of the tables: the Sun, a planet, a dwarf planet or a moon.
type Body struct {
	Kind Kind
	ID   int // NAIF's number; 0 if there is none yet
	Name string
	Elements
	PeriRate float64 // degrees a year of 365.25 days
	NodeRate float64 // degrees a year of 365.25 days
	PoleRA   float64 // pole of the reference plane of the angles,
	PoleDec  float64 // J2000 equator, degrees
	Radius   float64 // km; 0 where unknown
	Rotation float64 // sidereal period in days, negative if retrograde; 0 if unknown
	Parent   int     // of a moon: NAIF's number of its planet

	File string // file and line of the row
	Line int
}

// ParentOf returns the index of a moon's planet among bodies, or -1. NAIF
// numbers Pluto like a planet. The other dwarf planets have numbers of minor
// planets, which may collide with NAIF's numbers: Ceres and Mercury are both
// number 1.
func ParentOf(moon *Body, bodies []Body) int {
	const pluto = 9
	return slices.IndexFunc(bodies, func(b Body) bool {
		return b.ID == moon.Parent && (b.Kind == Planet || b.Kind == DwarfPlanet && b.ID == pluto)
	})
}

// Set holds all bodies of an orrery.
type Set struct {
	Bodies []Body // index of each moon's planet among them
	Minors []Minor
}

// Len returns the number of bodies of all kinds.
func (s *Set) Len() int { return len(s.Bodies) + len(s.Minors) }

// ErrEmpty is the cause of a LineError for a record without an orbit. The Minor
// Planet Center's file has such lines; they are reported but are not errors.
var ErrEmpty = errors.New("empty record, no orbit")

// LineError describes the error in one line of a file.
type LineError struct {
	File string
	Line int // counted from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Faults is called for each invalid line. If it returns an error, reading stops
// with that error. If it returns nil, the line is skipped.
type Faults func(*LineError) error
