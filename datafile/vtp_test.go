package datafile

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// vtkArray is an array of a vtp file.
type vtkArray struct {
	Type       string `xml:"type,attr"`
	Name       string `xml:"Name,attr"`
	Components int    `xml:"NumberOfComponents,attr"`
	Offset     int    `xml:"offset,attr"`
	Text       string `xml:",chardata"`
}

type vtkFile struct {
	Facts []vtkArray `xml:"PolyData>FieldData>DataArray"`
	Texts []vtkArray `xml:"PolyData>FieldData>Array"`
	Piece struct {
		Points int        `xml:"NumberOfPoints,attr"`
		Verts  int        `xml:"NumberOfVerts,attr"`
		At     []vtkArray `xml:"Points>DataArray"`
		Data   []vtkArray `xml:"PointData>DataArray"`
		Cells  []vtkArray `xml:"Verts>DataArray"`
	} `xml:"PolyData>Piece"`
}

// readVTP reads the text and the raw bytes of a vtp file.
func readVTP(t *testing.T, file []byte) (f vtkFile, raw []byte) {
	t.Helper()
	mark := []byte("<AppendedData encoding=\"raw\">\n_")
	text, raw, ok := bytes.Cut(file, mark)
	if !ok {
		t.Fatal("the file has no raw bytes")
	}
	raw, ok = bytes.CutSuffix(raw, []byte("\n</AppendedData>\n</VTKFile>\n"))
	if !ok {
		t.Fatal("the file has no end")
	}
	must(t, xml.Unmarshal(append(text, "</VTKFile>"...), &f))
	return f, raw
}

// numbers returns the numbers of an array as a column.
func (a vtkArray) numbers(t *testing.T, raw []byte, rows int) Column {
	t.Helper()
	kind := slices.Index([]string{"Float32", "Float64", "Int32", "Int64", "UInt8"}, a.Type)
	if kind < 0 {
		t.Fatalf("array %q has the type %q", a.Name, a.Type)
	}
	size := kinds[kind].size
	data := raw[a.Offset:]
	if n := binary.LittleEndian.Uint64(data); n != uint64(size*a.Components*rows) {
		t.Fatalf("array %q has %d bytes, want %d", a.Name, n, size*a.Components*rows)
	}
	data = append(slices.Clone(data), make([]byte, size*a.Components)...) // so that the last row can be cut like the others
	s := newStorage(Kind(kind), a.Components)
	for lane := range a.Components {
		s.decode(data[8+lane*size:], size*a.Components, lane, rows, false)
	}
	return Column{Name: a.Name, data: s}
}

// TestVTP writes random tables and reads them with a separate reader.
func TestVTP(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		rows := sizes[seed%uint64(len(sizes))]
		if seed == 59 {
			rows = 70_000 // more than a block of vertices has
		}
		want := drawTable(r, rows)
		var b bytes.Buffer
		must(t, WriteVTP(&b, want))
		f, raw := readVTP(t, b.Bytes())
		if f.Piece.Points != rows || f.Piece.Verts != rows {
			t.Fatalf("seed %d: %d points and %d vertices, want %d", seed, f.Piece.Points, f.Piece.Verts, rows)
		}
		f.Piece.At[0].Name = Positions
		got := &Table{}
		for _, a := range slices.Concat(f.Piece.At, f.Piece.Data) {
			got.Columns = append(got.Columns, a.numbers(t, raw, rows))
		}
		checkSame(t, got, want, true, false)
		for first, a := range f.Piece.Cells {
			for row, v := range (*a.numbers(t, raw, rows).data.(*typed[int32]))[0] {
				if int(v) != first+row {
					t.Fatalf("seed %d: %s %d is %d", seed, a.Name, row, v)
				}
			}
		}
		last := f.Piece.Cells[1]
		if end := last.Offset + 8 + 4*rows; end != len(raw) {
			t.Errorf("seed %d: %d raw bytes, want %d", seed, len(raw), end)
		}
	}
}

// TestVTPFacts checks the field data, and points in a plane.
func TestVTPFacts(t *testing.T) {
	table := &Table{
		Columns: []Column{Lanes(Positions, []float32{1, 2}, []float32{3, 4}), Categorical("species", []uint8{1, 0}, "Ar", "<é>")},
		Lattice: &Lattice{Vectors: [3][3]float64{{4}, {0, 5}, {0, 0, 0.1}}, Origin: [3]float64{-2, 0, 0}, Periodic: [3]bool{true, false, true}},
		Info:    []Info{{"Time", "0.25"}, {"Step", "9007199254740993"}, {"note", "a<b"}, {"nothing", "NaN"}, {"long", "12345678901234567891"}, {"half", "-0.500"}, {"zero", "-0"}, {"small", "1e-400"}, {"zeros", "00"}, {"power", "1e3"}, {"hex", "0x1p-2"}, {"exact", "0.1000000000000000055511151231257827021181583404541015625"}, {"rest", "0.30000000000000000001"}},
	}
	var b bytes.Buffer
	must(t, WriteVTP(&b, table))
	f, raw := readVTP(t, b.Bytes())
	var got []string
	for _, a := range f.Facts {
		got = append(got, a.Type+" "+a.Name+" "+a.Text)
	}
	for _, a := range f.Texts {
		var text []byte
		for _, n := range bytes.Fields([]byte(a.Text)) {
			c, err := strconv.Atoi(string(n))
			must(t, err)
			text = append(text, byte(c))
		}
		got = append(got, fmt.Sprintf("%s %s %q", a.Type, a.Name, text))
	}
	want := []string{
		"Float64 Time 0.25", "Float64 TimeValue 0.25", "Int64 Step 9007199254740993", "Float64 half -0.5", "Float64 zero -0", "Int64 zeros 0", "Float64 power 1000", "Float64 exact 0.1", "Float64 Lattice 4 0 0 0 5 0 0 0 0.1", "Float64 Origin -2 0 0", "UInt8 pbc 1 0 1",
		`String note "a<b\x00"`, `String nothing "NaN\x00"`, `String long "12345678901234567891\x00"`, `String small "1e-400\x00"`, `String hex "0x1p-2\x00"`, `String rest "0.30000000000000000001\x00"`, `String species.labels "Ar\x00<é>\x00"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("field data\n%q, want\n%q", got, want)
	}
	points, err := Get[float32](&Table{Columns: []Column{f.Piece.At[0].numbers(t, raw, 2)}}, "Points", 3)
	must(t, err)
	if !slices.Equal(points[0], []float32{1, 2}) || !slices.Equal(points[1], []float32{3, 4}) || !slices.Equal(points[2], []float32{0, 0}) {
		t.Errorf("points %v", points)
	}
}
