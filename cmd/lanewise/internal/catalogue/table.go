package catalogue

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	kmPerAU = 149597870.7 // IAU 2012 Resolution B2

	// A number alone is ambiguous: Ceres is number 1 among the minor planets,
	// and Mercury is number 1 among NAIF's. So the mass decides: a row of the
	// planets table is a planet if its mass is at least planetMass, in kg.
	// Mercury has 3.3e23, Eris 1.7e22.
	planetMass = 1e23
)

// EclipticRA and EclipticDec are the J2000 right ascension and declination of
// the pole of the ecliptic, as the tables write them.
const (
	EclipticRA  = 270.000
	EclipticDec = 66.561
)

// These are the columns of the tables, by their names in the header. They may
// be in any order; other columns are ignored. Some names differ only in case,
// for example n and N.
const (
	columnType   = "Type" // PL or MN
	columnQ      = "q"    // periapsis distance: in AU, for moons in km
	columnEcc    = "e"
	columnIncl   = "i"
	columnPeri   = "w"
	columnNode   = "N"
	columnMean   = "M"
	columnMotion = "n"
	columnEpoch  = "Epoch"
	columnName   = "Name"

	// These columns may be missing, or blank in any row.
	columnPeriRate = "wrate"
	columnNodeRate = "Nrate"
	columnRA       = "RA"
	columnDec      = "Dec"
	columnRadius   = "Radius"
	columnMass     = "Mass"
	columnRotation = "Rotation"
	columnID       = "NAIF ID"
)

var columnsNeeded = [...]string{
	columnType, columnQ, columnEcc, columnIncl, columnPeri, columnNode, columnMean, columnMotion, columnEpoch, columnName,
}

// ReadTable reads a table of planets or moons from r, in the order of the file.
// file is its name in errors.
func ReadTable(file string, r io.Reader, faults Faults) ([]Body, error) {
	var bodies []Body
	var header map[string]int
	in := newLines(file, r)
	for in.next() {
		text := strings.TrimSpace(strings.TrimPrefix(string(in.text), "\ufeff"))
		if text == "" || text[0] == '#' {
			continue
		}
		cells, err := csv.NewReader(strings.NewReader(text)).Read()
		if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
			err = fmt.Errorf("column %d: %w", syntax.Column, syntax.Err) // its line number is always 1
		}
		if in.long {
			err = errLong
		}
		if header == nil {
			if header, err = findColumns(cells, err); err != nil {
				return nil, in.fault(err)
			}
			continue
		}
		var b Body
		if err == nil {
			b, err = (&row{header: header, cells: cells}).body()
		}
		if err == nil {
			b.File, b.Line = file, in.number
			bodies = append(bodies, b)
		} else if err = in.report(err, faults, len(bodies), "a table of planets or moons"); err != nil {
			return nil, err
		}
	}
	if in.err == nil && len(bodies) == 0 {
		in.err = fmt.Errorf("%s: holds no planets or moons", file)
	}
	return bodies, in.err
}

// findColumns finds the columns of a header.
func findColumns(cells []string, err error) (map[string]int, error) {
	header := make(map[string]int, len(cells))
	for i, c := range cells {
		header[strings.TrimSpace(c)] = i
	}
	for _, c := range columnsNeeded {
		if _, ok := header[c]; !ok && err == nil {
			err = fmt.Errorf("the header has no column %q", c)
		}
	}
	return header, err
}

// row reads the cells of a line by the names of their columns, and keeps the
// first error.
type row struct {
	header map[string]int
	cells  []string
	err    error
}

func (r *row) cell(column string) string {
	if i, ok := r.header[column]; ok && i < len(r.cells) {
		return strings.TrimSpace(r.cells[i])
	}
	return ""
}

// number reads a cell that must hold a number.
func (r *row) number(column string) float64 {
	text := r.cell(column)
	v, ok := scientific(text)
	if !ok && r.err == nil {
		r.err = notNumber("column "+column, text)
	}
	return v
}

// numberOr reads a cell that may be blank.
func (r *row) numberOr(column string, blank float64) float64 {
	if r.cell(column) == "" {
		return blank
	}
	return r.number(column)
}

func (r *row) body() (b Body, err error) {
	if len(r.cells) > len(r.header) {
		return b, fmt.Errorf("has %d cells, the header has %d", len(r.cells), len(r.header))
	}
	q := r.number(columnQ)
	b = Body{
		Name: r.cell(columnName),
		Elements: Elements{
			Epoch: r.number(columnEpoch), Mean: r.number(columnMean), Peri: r.number(columnPeri), Node: r.number(columnNode),
			Incl: r.number(columnIncl), Ecc: r.number(columnEcc), Motion: r.number(columnMotion),
		},
		PeriRate: r.numberOr(columnPeriRate, 0),
		NodeRate: r.numberOr(columnNodeRate, 0),
		PoleRA:   r.numberOr(columnRA, EclipticRA),
		PoleDec:  r.numberOr(columnDec, EclipticDec),
		Radius:   r.numberOr(columnRadius, 0),
		Rotation: r.numberOr(columnRotation, 0),
	}
	mass := r.numberOr(columnMass, math.NaN())
	if id := r.cell(columnID); id != "" {
		b.ID, err = strconv.Atoi(id)
		if err != nil || b.ID < 0 {
			return b, fmt.Errorf("column %s %q is not a number of NAIF's", columnID, id)
		}
	}
	switch {
	case r.err != nil:
		return b, r.err
	case b.Name == "":
		return b, errors.New("column Name is blank")
	case !utf8.ValidString(b.Name):
		return b, notText("column Name", b.Name)
	}
	switch kind := r.cell(columnType); kind {
	case "PL":
		if q == 0 && b.Motion == 0 {
			b.Kind = Star
			return b, nil // the Sun does not move
		}
		b.Kind = kindOf(mass, b.ID)
		if b.PoleRA != EclipticRA || b.PoleDec != EclipticDec {
			return b, fmt.Errorf("planet %q: its plane is not the ecliptic, RA %v and Dec %v", b.Name, EclipticRA, EclipticDec)
		}
	case "MN":
		b.Kind = Moon
		if b.Parent, err = parent(b.ID, b.Name); err != nil {
			return b, err
		}
		q /= kmPerAU
	default:
		return b, fmt.Errorf("column %s is %q, not PL or MN", columnType, kind)
	}
	if !(q > 0) {
		return b, fmt.Errorf("periapsis distance %v is not above 0", q)
	}
	b.Axis = q / (1 - b.Ecc)
	return b, cmp.Or(b.checkPossible(),
		within("column wrate", b.PeriRate, -1e6, 1e6),
		within("column Nrate", b.NodeRate, -1e6, 1e6),
		within("column RA", b.PoleRA, -360, 360),
		within("column Dec", b.PoleDec, -90, 90),
		within("turns a day, of column Rotation,", turnsPerDay(b.Rotation), -1e6, 1e6))
}

// turnsPerDay returns the number of rotations per day, or 0 if the rotation is
// unknown.
func turnsPerDay(rotation float64) float64 {
	if rotation == 0 {
		return 0
	}
	return 1 / rotation
}

// kindOf distinguishes planets and dwarf planets by their mass. If the mass is
// unknown, it uses NAIF's number.
func kindOf(mass float64, id int) Kind {
	if mass >= planetMass || math.IsNaN(mass) && id >= 1 && id <= 8 {
		return Planet
	}
	return DwarfPlanet
}

// parent returns NAIF's number of a moon's planet. NAIF's number of a moon is
// the planet's digit and a number from 01; later moons have the planet's
// digit, a 5, and a number from 001. A moon without a number has its planet's
// letter in its designation, for example S/2009 S 1.
func parent(id int, name string) (planet int, err error) {
	switch {
	case id >= 10000 && id < 100000:
		planet = id / 10000
	case id >= 100 && id < 1000:
		planet = id / 100
	case id == 0:
		var year, count int
		var letter rune
		if n, _ := fmt.Sscanf(name, "S/%4d %c %d", &year, &letter, &count); n == 3 {
			planet = map[rune]int{'J': 5, 'S': 6, 'U': 7, 'N': 8, 'P': 9}[letter]
		}
	}
	if planet < 1 || planet > 9 {
		return 0, fmt.Errorf("moon %q with NAIF ID %d: neither tells its planet", name, id)
	}
	return planet, nil
}
