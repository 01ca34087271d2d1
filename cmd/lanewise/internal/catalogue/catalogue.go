// Package catalogue reads the bodies of the solar system from files: minor
// planets in the export format of the Minor Planet Center (MPCORB), the Sun,
// planets, dwarf planets and moons from tables of comma-separated values. The
// eight planets and the large moons are built in.
//
// A file is read as a stream, a line at a time, packed by gzip or not. A line
// that is no body costs that line alone: it becomes a *LineError with file and
// line number, which the caller counts, shows, or makes the end of the reading.
package catalogue

import (
	"errors"
	"fmt"
	"slices"
)

// Kind says what a body is.
type Kind uint8

// The kinds, in the order in which the orrery lists bodies.
const (
	Star        Kind = iota // the Sun
	Planet                  // one of the eight
	DwarfPlanet             // a row of the planets' table that is too light for one
	Moon                    // of a planet or a dwarf planet
	Asteroid                // a minor planet of a catalogue
)

// String returns the kind as the orrery's CSV spells it.
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

// Elements is an elliptic orbit as the tables print it: angles in degrees,
// lengths in AU, J2000.
type Elements struct {
	Epoch  float64 // Julian date, TDB
	Mean   float64 // mean anomaly at the epoch
	Peri   float64 // argument of the periapsis
	Node   float64 // longitude of the ascending node
	Incl   float64 // inclination; below zero it tilts the other way
	Ecc    float64 // eccentricity, in [0, 1)
	Motion float64 // mean motion, degrees a day
	Axis   float64 // semi-major axis; 0 where the column is blank
}

// Minor is a minor planet: what the export format calls an orbit.
type Minor struct {
	ID   string // packed designation, as printed: 00001, K14J92C, ~000v
	Name string // readable designation, as printed: (1) Ceres, 2014 JC92
	Elements
}

// Body is a row of the tables: the Sun, a planet, a dwarf planet or a moon.
type Body struct {
	Kind Kind
	ID   int // NAIF's number; 0 where there is none yet
	Name string
	Elements
	PeriRate float64 // degrees a year of 365.25 days
	NodeRate float64 // degrees a year of 365.25 days
	PoleRA   float64 // pole of the plane that the angles refer to,
	PoleDec  float64 // J2000 equator, degrees
	Radius   float64 // km; 0 where unknown
	Rotation float64 // sidereal period in days, below zero if retrograde; 0 where unknown
	Parent   int     // of a moon: NAIF's number of its planet

	File string // where the row stands
	Line int
}

// ParentOf returns the index of a moon's planet among bodies, or -1. Pluto is
// the one dwarf planet that NAIF numbers among the planets; the others have
// numbers of minor planets, Ceres even that of Mercury.
func ParentOf(moon *Body, bodies []Body) int {
	const pluto = 9
	return slices.IndexFunc(bodies, func(b Body) bool {
		return b.ID == moon.Parent && (b.Kind == Planet || b.Kind == DwarfPlanet && b.ID == pluto)
	})
}

// Set is everything that an orrery shows.
type Set struct {
	Bodies []Body // each moon's planet among them
	Minors []Minor
}

// Len returns the number of bodies of all kinds.
func (s *Set) Len() int { return len(s.Bodies) + len(s.Minors) }

// ErrEmpty is the cause of a LineError whose line is a record without an
// orbit. The Minor Planet Center's file has such lines; they are worth a word
// and are no fault of the file.
var ErrEmpty = errors.New("empty record, no orbit")

// LineError says what is wrong with one line of a file.
type LineError struct {
	File string
	Line int // counted from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Faults hears of each line that is no body. What it returns, if not nil, ends
// the reading and is returned by the reader; nil skips the line.
type Faults func(*LineError) error
