package datafile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Table holds columns of equal length, for example the particles of one frame
// of a simulation.
type Table struct {
	Columns []Column
	Lattice *Lattice // the simulation box; nil if there is none. Only for extended XYZ and vtp
	Info    []Info   // facts about the whole table. Only for extended XYZ and vtp
}

// A Lattice is the box of a simulation.
type Lattice struct {
	Vectors  [3][3]float64 // the edges a, b and c. A box of sides x, y and z has {{x, 0, 0}, {0, y, 0}, {0, 0, z}}
	Origin   [3]float64    // the corner where the edges begin
	Periodic [3]bool       // along a, b and c
}

// An Info is a named fact about a table. For example, programs show the value of
// Time as the time of the frame.
type Info struct{ Name, Value string }

// Positions is the name of the column of positions, which extended XYZ and vtp
// need.
const Positions = "pos"

// MaxLanes is the largest number of lanes in a column.
const MaxLanes = 1024

// maxEmptyLanes is the largest number of lanes in a table without rows. A short header can declare many lanes, and no row limits them.
const maxEmptyLanes = 1 << 16

var (
	// ErrFormat is wrapped by the errors for malformed files, and for files
	// with contents that this package does not support.
	ErrFormat = errors.New("the file is malformed or unsupported")
	// ErrLimit is wrapped by the errors for files with more data than
	// Options.Limit.
	ErrLimit = errors.New("more data than the limit")
)

// reserved holds the names of facts that the file formats already use.
var reserved = []string{"Lattice", "Origin", "Properties", "pbc"}

// Number lists the types of lanes.
type Number interface {
	float32 | float64 | int32 | int64 | uint8
}

// A Kind is the type of the numbers in a column.
type Kind uint8

// The kinds of numbers.
const (
	Float32 Kind = iota
	Float64
	Int32
	Int64
	Uint8
)

// kindNames holds the names of a kind in Go and in files, and the size of a number in bytes.
type kindNames struct {
	name, npy, vtk string
	size           int
}

var kinds = [...]kindNames{
	Float32: {"float32", "<f4", "Float32", 4},
	Float64: {"float64", "<f8", "Float64", 8},
	Int32:   {"int32", "<i4", "Int32", 4},
	Int64:   {"int64", "<i8", "Int64", 8},
	Uint8:   {"uint8", "|u1", "UInt8", 1},
}

// String returns the name of the Go type.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// A Column is a named column of a table. A Column refers to the slices from which it was made,
// and does not copy them.
type Column struct {
	Name   string
	data   storage
	labels []string // of a categorical column

	// decimal is set for a column of whole numbers from a text that declares no kinds. Converted
	// to floats, these numbers are rounded, like the same decimals in a column in which another
	// number has a point.
	decimal bool
}

// Lanes returns a column of one or more lanes, which must have the same length.
// For example, a column of velocities has three lanes.
func Lanes[T Number](name string, lanes ...[]T) Column {
	return Column{Name: name, data: (*typed[T])(&lanes)}
}

// Categorical returns a column of labels: row i has the label labels[codes[i]].
// CSV and extended XYZ contain the labels. All other formats contain the codes, and vtp contains
// the list of labels too.
func Categorical[T int32 | int64 | uint8](name string, codes []T, labels ...string) Column {
	return Column{Name: name, data: &typed[T]{codes}, labels: append([]string{}, labels...)}
}

// Kind returns the kind of the column's numbers. For a categorical column, it returns the kind
// of the codes.
func (c Column) Kind() Kind {
	if c.data == nil {
		return Float32
	}
	return c.data.kind()
}

// Width returns the number of lanes.
func (c Column) Width() int {
	if c.data == nil {
		return 0
	}
	return c.data.width()
}

// Rows returns the number of rows.
func (c Column) Rows() int {
	if c.Width() == 0 {
		return 0
	}
	return c.data.length(0)
}

// Labels returns the labels of a categorical column, and nil for another column.
func (c Column) Labels() []string { return c.labels }

// Rows returns the number of rows.
func (t *Table) Rows() int {
	if len(t.Columns) == 0 {
		return 0
	}
	return t.Columns[0].Rows()
}

// Column returns the column with this name. If there is none, it returns an error with the names
// of all columns.
func (t *Table) Column(name string) (Column, error) {
	for _, c := range t.Columns {
		if c.Name == name {
			return c, nil
		}
	}
	return Column{}, fmt.Errorf("datafile: there is no column %q: the table has %s", name, t.names())
}

func (t *Table) names() string {
	if len(t.Columns) == 0 {
		return "no columns"
	}
	var names []string
	for i, c := range t.Columns {
		if i == 30 {
			names = append(names, fmt.Sprintf("and %d more", len(t.Columns)-i))
			break
		}
		names = append(names, fmt.Sprintf("%q", c.Name))
	}
	return strings.Join(names, ", ")
}

// has reports whether the table has an Info with this name.
func (t *Table) has(name string) bool {
	return slices.ContainsFunc(t.Info, func(in Info) bool { return in.Name == name })
}

// Get returns the lanes of a column as slices of T. The column must have the
// given number of lanes. If T is the column's type, the slices are the memory of
// the column. If T is another type, the slices are a copy, and Get returns an error if a number
// would change. Whole numbers from CSV are treated as decimals: if T is a float type, they are
// rounded.
func Get[T Number](t *Table, name string, width int) ([][]T, error) {
	c, err := t.Column(name)
	if err != nil {
		return nil, err
	}
	if c.Width() != width {
		return nil, fmt.Errorf("datafile: column %q has %d lanes, not %d", name, c.Width(), width)
	}
	if own, ok := c.data.(*typed[T]); ok {
		return *own, nil
	}
	if c.labels != nil {
		return nil, fmt.Errorf("datafile: column %q is categorical: its codes are %s, and Labels has the labels", name, c.Kind())
	}
	lanes := make([][]T, width)
	for lane := range lanes {
		lanes[lane] = make([]T, c.Rows())
		for row := range lanes[lane] {
			v, ok := convert[T](c.data.at(lane, row), c.Kind())
			if !ok && c.decimal && kindOf[T]().float() {
				v, ok = T(c.data.at(lane, row).Int()), true
			}
			if !ok {
				return nil, fmt.Errorf("datafile: column %q is %s, and %s in row %d is no %s: get the column as %s%s",
					name, c.Kind(), c.text(lane, row), row, kindOf[T](), c.Kind(), hint[T](c.Kind()))
			}
			lanes[lane][row] = v
		}
	}
	return lanes, nil
}

// hint returns the remedy for decimals that were read as float64.
func hint[T Number](from Kind) string {
	if from == Float64 && kindOf[T]() == Float32 {
		return ", or set Options.Float32 if it comes from a text"
	}
	return ""
}

// text returns a number as text.
func (c Column) text(lane, row int) string {
	return string(c.data.at(lane, row).AppendText(nil, c.data.kind().text()))
}

// check returns the first fault of a table. Parameter do names the function that checks it.
func (t *Table) check(do string) error {
	if err := t.fault(); err != nil {
		return fmt.Errorf("datafile: %s: %w", do, err)
	}
	return nil
}

func (t *Table) fault() error {
	if len(t.Columns) == 0 {
		return errors.New("the table has no columns: add one with Lanes")
	}
	seen := map[string]bool{}
	lanes := 0
	for _, c := range t.Columns {
		if err := c.fault(); err != nil {
			return err
		}
		if seen[c.Name] {
			return fmt.Errorf("two columns are named %q: rename one of them", c.Name)
		}
		seen[c.Name] = true
		if lanes += c.Width(); lanes > maxEmptyLanes && t.Rows() == 0 {
			return fmt.Errorf("the table has more than %d lanes and no rows: leave it out", maxEmptyLanes)
		}
		if first := t.Columns[0]; c.Rows() != first.Rows() {
			return fmt.Errorf("column %q has %d rows, and column %q has %d: all columns of a table have the same number of rows", c.Name, c.Rows(), first.Name, first.Rows())
		}
	}
	if err := t.infoFault(); err != nil {
		return err
	}
	if t.Lattice == nil {
		return nil
	}
	return t.Lattice.fault()
}

// infoFault returns the first fault of the facts about a table.
func (t *Table) infoFault() error {
	seen := map[string]bool{}
	for _, in := range t.Info {
		if fault := nameFault(in.Name); fault != "" {
			return fmt.Errorf("the name %q of an Info %s: rename it", in.Name, fault)
		}
		if seen[in.Name] || slices.Contains(reserved, in.Name) {
			return fmt.Errorf("the name %q of an Info is taken: rename it", in.Name)
		}
		seen[in.Name] = true
		if !utf8.ValidString(in.Value) || strings.ContainsFunc(strings.ReplaceAll(in.Value, "\t", ""), unicode.IsControl) {
			return fmt.Errorf("the value %q of the Info %q has a control character or is not UTF-8: write it in another way", in.Value, in.Name)
		}
	}
	return nil
}

// fault returns an error if a number of a lattice is not finite.
func (l *Lattice) fault() error {
	for _, v := range append(l.Vectors[:], l.Origin) {
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("the lattice has the number %v: all of its numbers must be finite", x)
			}
		}
	}
	return nil
}

// fault returns the first fault of a column, without regard to other columns.
func (c Column) fault() error {
	if fault := nameFault(c.Name); fault != "" {
		return fmt.Errorf("the name %q of a column %s: rename the column", c.Name, fault)
	}
	if w := c.Width(); w == 0 || w > MaxLanes {
		return fmt.Errorf("column %q has %d lanes: a column has 1 to %d lanes", c.Name, w, MaxLanes)
	}
	for lane := range c.Width() {
		if n := c.data.length(lane); n != c.Rows() {
			return fmt.Errorf("lane %d of column %q has %d rows, and lane 0 has %d: all lanes of a column have the same number of rows", lane, c.Name, n, c.Rows())
		}
	}
	if c.labels == nil {
		return nil
	}
	for _, label := range c.labels {
		if fault := nameFault(label); fault != "" && label != "" {
			return fmt.Errorf("the label %q of column %q %s: change the label", label, c.Name, fault)
		}
	}
	for lane := range c.Width() {
		for row := range c.Rows() {
			if code := c.data.at(lane, row).Int(); code < 0 || code >= int64(len(c.labels)) {
				return fmt.Errorf("row %d of column %q has the code %d, and the column has %d labels: add the missing labels", row, c.Name, code, len(c.labels))
			}
		}
	}
	return nil
}

// nameFault returns the reason why no format accepts a name, or "" if the name is allowed.
func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "has a control character"
	}
	return ""
}
