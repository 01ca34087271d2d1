package datafile

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// draw returns a random number of T. Floats are often special.
func draw[T Number](r *rand.Rand) T {
	var v any
	switch any(T(0)).(type) {
	case float32:
		v = math.Float32frombits(r.Uint32()) // any float, also NaN with any payload
		if r.IntN(3) == 0 {
			v = float32(r.IntN(2001)-1000) / 8
		}
	case float64:
		v = math.Float64frombits(r.Uint64())
		if r.IntN(3) == 0 {
			v = float64(r.IntN(2001)-1000) / 8
		}
	case int32:
		v = int32(r.Uint32() >> r.IntN(32))
	case int64:
		v = int64(r.Uint64() >> r.IntN(64))
	default:
		v = uint8(r.Uint32())
	}
	return v.(T)
}

func drawColumn[T Number](r *rand.Rand, name string, width, rows int) Column {
	lanes := make([][]T, width)
	whole := r.IntN(4) == 0 // numbers that look like integers in a text
	for i := range lanes {
		lanes[i] = make([]T, rows)
		for row := range rows {
			lanes[i][row] = draw[T](r)
			if whole {
				lanes[i][row] = T(int64(r.Uint64()) >> r.IntN(64))
			}
		}
	}
	return Lanes(name, lanes...)
}

// drawTable returns a random table with a column pos of 3 lanes.
func drawTable(r *rand.Rand, rows int) *Table {
	t := &Table{}
	names := []string{"id", "velocity", "Ω", "it's", "a b", `back\slash`, "mass,2", `q"q`, "x:y", "<&>"}
	if r.IntN(2) == 0 { // names for extended XYZ too
		names = []string{"id", "velo", "Ω", "force", "mass", "c6"}
	}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = append([]string{Positions}, names[:r.IntN(5)]...)
	float := Kind(r.IntN(3)) // of all columns of floats, or 2
	for i, name := range names {
		width := []int{1, 1, 2, 3, 4, 9}[r.IntN(6)]
		kind := Kind(r.IntN(5))
		if i == 0 {
			width, kind = 3, kind%2
		}
		if kind.float() && float < 2 {
			kind = float
		}
		var c Column
		switch kind {
		case Float32:
			c = drawColumn[float32](r, name, width, rows)
		case Float64:
			c = drawColumn[float64](r, name, width, rows)
		case Int32:
			c = drawColumn[int32](r, name, width, rows)
		case Int64:
			c = drawColumn[int64](r, name, width, rows)
		case Uint8:
			c = drawColumn[uint8](r, name, width, rows)
		}
		t.Columns = append(t.Columns, c)
	}
	if r.IntN(2) == 0 {
		codes := make([]int32, rows)
		for i := range codes {
			codes[i] = int32(r.IntN(3))
		}
		t.Columns = append(t.Columns, Categorical("species", codes, "Ar", "Kr", "é,\""))
	}
	if r.IntN(2) == 0 {
		t.Lattice = &Lattice{Vectors: [3][3]float64{{r.NormFloat64(), 0, 0}, {1e-300, r.Float64(), 0}, {1, 2, 3}}, Periodic: [3]bool{true, r.IntN(2) == 0, false}}
		if r.IntN(2) == 0 {
			t.Lattice.Origin = [3]float64{-1, 0, r.NormFloat64()}
		}
	}
	for i := range r.IntN(4) {
		t.Info = append(t.Info, Info{fmt.Sprintf("i%d %c", i, 'a'+r.IntN(26)), []string{"", "T", "1.5", `a "b" \c`, "x=y", "{[", "tab\there"}[r.IntN(7)]})
	}
	return t
}

// sameBits compares numbers by their bits. It compares the bits of NaN only if nan is set.
func sameBits[T Number](a, b T, nan bool) bool {
	if !nan && a != a && b != b {
		return true
	}
	return bitsOf(a) == bitsOf(b)
}

func bitsOf[T Number](v T) any {
	switch v := any(v).(type) {
	case float32:
		return math.Float32bits(v)
	case float64:
		return math.Float64bits(v)
	}
	return v
}

// sameColumn fails the test unless a column of got, as Get returns it, has the numbers of want.
func sameColumn[T Number](t *testing.T, got *Table, want Column, exact bool) {
	t.Helper()
	lanes, err := Get[T](got, want.Name, want.Width())
	if err != nil {
		t.Fatal(err)
	}
	for lane, numbers := range *want.data.(*typed[T]) {
		if len(lanes[lane]) != len(numbers) {
			t.Fatalf("column %q has %d rows, want %d", want.Name, len(lanes[lane]), len(numbers))
		}
		for row, v := range numbers {
			if !sameBits(lanes[lane][row], v, exact) {
				t.Fatalf("column %q, lane %d, row %d: %v, want %v", want.Name, lane, row, lanes[lane][row], v)
			}
		}
	}
}

// checkSame fails the test unless got has the columns of want. If exact is set, the kinds and the bits of NaN must be the
// same too.
func checkSame(t *testing.T, got, want *Table, exact, labels bool) {
	t.Helper()
	if got.names() != want.names() {
		t.Fatalf("columns %s, want %s", got.names(), want.names())
	}
	for i, c := range want.Columns {
		if exact && got.Columns[i].Kind() != c.Kind() {
			t.Fatalf("column %q is %v, want %v", c.Name, got.Columns[i].Kind(), c.Kind())
		}
		if labels && c.labels != nil {
			g := got.Columns[i]
			for row := range c.Rows() {
				if a, b := g.labels[g.data.at(0, row).Int()], c.labels[c.data.at(0, row).Int()]; a != b {
					t.Fatalf("row %d has the label %q, want %q", row, a, b)
				}
			}
			continue
		}
		switch c.Kind() {
		case Float32:
			sameColumn[float32](t, got, c, exact)
		case Float64:
			sameColumn[float64](t, got, c, exact)
		case Int32:
			sameColumn[int32](t, got, c, exact)
		case Int64:
			sameColumn[int64](t, got, c, exact)
		case Uint8:
			sameColumn[uint8](t, got, c, exact)
		}
	}
}

// sizes are numbers of rows: none, few, and more than a block has of wide and narrow rows.
var sizes = []int{0, 1, 2, 7, 100, 3000}

// TestRoundTrip writes random tables in each format and reads them back.
func TestRoundTrip(t *testing.T) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		rows := sizes[seed%uint64(len(sizes))]
		if seed == 149 {
			rows = 30_000
		}
		want := drawTable(r, rows)
		t.Run(fmt.Sprintf("seed %d, %d rows", seed, rows), func(t *testing.T) { roundTrip(t, want) })
	}
}

func roundTrip(t *testing.T, want *Table) {
	var b bytes.Buffer
	must(t, WriteNPY(&b, want))
	got, err := ReadNPY(bytes.NewReader(b.Bytes()), Options{})
	must(t, err)
	if len(want.Columns) == 1 {
		got.Columns[0].Name = want.Columns[0].Name
	}
	checkSame(t, got, want, true, false)
	got, err = ReadNPY(io.LimitReader(&b, 1<<40), Options{}) // a reader that does not know its length
	must(t, err)
	if len(want.Columns) == 1 {
		got.Columns[0].Name = want.Columns[0].Name
	}
	checkSame(t, got, want, true, false)

	if !strings.ContainsAny(want.names(), `\:`) { // names of files
		b.Reset()
		must(t, WriteNPZ(&b, want))
		got, err = ReadNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()), Options{})
		must(t, err)
		checkSame(t, got, want, true, false)
	}

	for _, short := range []bool{false, true} {
		if !hasTextKinds(want, short) {
			continue
		}
		b.Reset()
		must(t, WriteCSV(&b, want))
		got, err = ReadCSV(&b, Options{Float32: short})
		must(t, err)
		checkSame(t, got, want, false, true)
	}

	b.Reset()
	if err := WriteExtXYZ(&b, want); err != nil {
		if !slices.ContainsFunc(want.Columns, func(c Column) bool { return strings.ContainsFunc(c.Name, isSpecial) }) {
			t.Fatal(err)
		}
		return
	}
	must(t, WriteExtXYZ(&b, want)) // a second frame
	for _, short := range []bool{false, true} {
		if !hasTextKinds(want, short) {
			continue
		}
		frames := 0
		for got, err := range ReadExtXYZ(bytes.NewReader(b.Bytes()), Options{Float32: short}) {
			must(t, err)
			checkSame(t, got, want, false, true)
			if frames++; !slices.Equal(got.Info, want.Info) {
				t.Errorf("info %q, want %q", got.Info, want.Info)
			}
			if (got.Lattice == nil) != (want.Lattice == nil) || got.Lattice != nil && *got.Lattice != *want.Lattice {
				t.Errorf("lattice %v, want %v", got.Lattice, want.Lattice)
			}
		}
		if frames != 2 {
			t.Errorf("%d frames, want 2", frames)
		}
	}
}

// hasTextKinds reports whether all floats of a table have the kind that readers of text formats return. Otherwise the
// numbers would differ: a float64 does not fit into a float32, and a float32 that is read as a float64 is another number.
func hasTextKinds(t *Table, short bool) bool {
	return !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Kind().float() && (c.Kind() == Float32) != short })
}

// TestNoLattice reads frames without a Lattice. ASE writes pbc="F F F" for molecules.
func TestNoLattice(t *testing.T) {
	for comment, ok := range map[string]bool{
		`pbc="F F F"`: true, `pbc="F F F" Origin="0 0 0"`: true, `pbc="T F F"`: false, `pbc="F F T"`: false, `Origin="0 0 1"`: false, `pbc="x F F"`: false,
	} {
		got, err := readers["extxyz"]([]byte("1\nProperties=pos:R:3 "+comment+"\n1 2 3\n"), Options{})
		if (err == nil) != ok || ok && (got.Lattice != nil || len(got.Info) > 0) {
			t.Errorf("%s: %v; %v", comment, got, err)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
