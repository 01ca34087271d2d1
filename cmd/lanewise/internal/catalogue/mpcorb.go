package catalogue

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// field is a range of columns of the export format, counted from 1 and
// inclusive, as in its description ("Export Format For Minor-Planet Orbits",
// minorplanetcenter.net/iau/info/MPOrbitFormat.html).
type field struct {
	name        string
	first, last int
}

var (
	fieldID    = field{"designation", 1, 7}
	fieldEpoch = field{"epoch", 21, 25}
	fieldMean  = field{"mean anomaly", 27, 35}
	fieldPeri  = field{"argument of the periapsis", 38, 46}
	fieldNode  = field{"node", 49, 57}
	fieldIncl  = field{"inclination", 60, 68}
	fieldEcc   = field{"eccentricity", 71, 79}
	fieldMove  = field{"mean motion", 81, 91}
	fieldAxis  = field{"semi-major axis", 93, 103}
	fieldName  = field{"readable designation", 167, 194}
	fieldSeen  = field{"date of the last observation", 195, 202}
)

// gaps are the columns between the fields, which must be blank. Checking these
// columns detects a line that has lost or gained a character. Without the
// check, the shifted digits would make a wrong orbit.
var gaps = [...]int{20, 26, 36, 37, 47, 48, 58, 59, 69, 70, 80, 92, 104}

// fieldOf returns the field of a line without surrounding blanks; it is empty if the
// line is too short.
func (f field) fieldOf(line []byte) []byte {
	if len(line) < f.first {
		return nil
	}
	return bytes.TrimSpace(line[f.first-1 : min(f.last, len(line))])
}

const exportFormat = "the Minor Planet Center's export format"

// ReadMinors reads minor planets in the export format from r, in the order of
// the file. file is its name in errors. The optional header ends with a line of
// dashes.
func ReadMinors(file string, r io.Reader, faults Faults) ([]Minor, error) {
	var minors []Minor
	in := newLines(file, r)
	for header := in.isAhead("\n-----"); header && in.next(); {
		header = !bytes.HasPrefix(in.text, []byte("-----"))
	}
	for in.next() {
		if len(bytes.TrimSpace(in.text)) == 0 {
			continue // blank lines separate the sections
		}
		m, err := minor(in.text)
		if in.long {
			err = errLong
		}
		if err == nil {
			minors = append(minors, m)
		} else if err = in.report(err, faults, len(minors), exportFormat); err != nil {
			return nil, err
		}
	}
	if in.err == nil && len(minors) == 0 {
		in.err = fmt.Errorf("%s: holds no orbits in %s", file, exportFormat)
	}
	return minors, in.err
}

// minor reads one record.
func minor(line []byte) (m Minor, err error) {
	if len(line) < fieldMove.last || len(line) < fieldAxis.last && len(fieldAxis.fieldOf(line)) > 0 {
		return m, fmt.Errorf("ends in column %d, an orbit goes on to %d", len(line), fieldAxis.last)
	}
	id, packed := fieldID.fieldOf(line), fieldEpoch.fieldOf(line)
	if len(id)+len(packed)+len(fieldMean.fieldOf(line))+len(fieldMove.fieldOf(line)) == 0 {
		return m, ErrEmpty
	}
	for _, column := range gaps {
		if column <= len(line) && line[column-1] != ' ' {
			return m, fmt.Errorf("column %d, between two fields, holds %q: the line is shifted", column, line[column-1])
		}
	}
	if len(id) == 0 {
		return m, errors.New("designation is blank")
	}
	var ok bool
	if m.Epoch, ok = epoch(packed); !ok {
		return m, fmt.Errorf("epoch %q is not a packed date", packed)
	}
	for _, f := range [...]struct {
		field
		dst *float64
	}{
		{fieldMean, &m.Mean}, {fieldPeri, &m.Peri}, {fieldNode, &m.Node}, {fieldIncl, &m.Incl},
		{fieldEcc, &m.Ecc}, {fieldMove, &m.Motion}, {fieldAxis, &m.Axis},
	} {
		text := f.fieldOf(line)
		if len(text) == 0 && f.field == fieldAxis {
			return nameOrbit(m, id, line) // the column is too narrow for some axes, so the model computes them from the motion
		}
		if *f.dst, ok = decimal(text); !ok {
			return m, notNumber(f.name, string(text))
		}
	}
	if !(m.Axis > 0) {
		return m, fmt.Errorf("semi-major axis %v is not above 0", m.Axis)
	}
	return nameOrbit(m, id, line)
}

// nameOrbit sets the names of an orbit, and returns an error if the orbit's elements are impossible.
func nameOrbit(m Minor, id, line []byte) (Minor, error) {
	if err := m.checkPossible(); err != nil {
		return m, err
	}
	readable := readableName(line)
	for _, text := range [...][]byte{id, readable} {
		if !utf8.Valid(text) {
			return m, notText("designation", string(text))
		}
	}
	if len(readable) > 0 {
		both := string(append(append(make([]byte, 0, 40), id...), readable...)) // one string for both names, to save an allocation
		m.ID, m.Name = both[:len(id)], both[len(id):]
		return m, nil
	}
	name, ok := designation(string(id))
	if !ok {
		return m, fmt.Errorf("designation %q is not packed as any designation is", id)
	}
	m.ID, m.Name = string(id), name
	return m, nil
}

// readableName returns the name at the end of a line. If a line has no date of the
// last observation, a long name may extend into the columns of this date.
func readableName(line []byte) []byte {
	if seen := fieldSeen.fieldOf(line); len(seen) == 8 && len(bytes.Trim(seen, "0123456789")) == 0 {
		return fieldName.fieldOf(line)
	}
	return field{fieldName.name, fieldName.first, len(line)}.fieldOf(line)
}

// checkPossible returns an error unless the elements describe a moving body on
// an ellipse. The bounds are wide. For elements within the bounds, no position
// is infinite or NaN.
func (e *Elements) checkPossible() error {
	switch {
	case !(e.Ecc >= 0 && e.Ecc < 1):
		return fmt.Errorf("eccentricity %v is not in [0, 1): the orbit is not an ellipse", e.Ecc)
	case !(e.Motion > 0):
		return fmt.Errorf("mean motion %v is not above 0", e.Motion)
	}
	for _, n := range [...]struct {
		name          string
		value, lo, hi float64
	}{
		{"inclination", e.Incl, -180, 180},
		{"mean anomaly", e.Mean, -720, 720}, // the tables contain angles of more than one turn
		{"argument of the periapsis", e.Peri, -720, 720},
		{"node", e.Node, -720, 720},
		{"mean motion", e.Motion, 0, 1e6},
		{"semi-major axis", e.Axis, 0, 1e9},
		{"epoch", e.Epoch, -1e8, 1e8},
	} {
		if err := within(n.name, n.value, n.lo, n.hi); err != nil {
			return err
		}
	}
	return nil
}

func within(name string, v, lo, hi float64) error {
	if v >= lo && v <= hi {
		return nil
	}
	return fmt.Errorf("%s %v is not in [%v, %v]", name, v, lo, hi)
}

func notText(name, text string) error { return fmt.Errorf("%s %q is not UTF-8", name, text) }

func notNumber(name, text string) error {
	if text == "" {
		return fmt.Errorf("%s is blank", name)
	}
	return fmt.Errorf("%s %q is not a number", name, text)
}
