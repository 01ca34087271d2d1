package datafile

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteVTP writes a table as PolyData in VTK's format vtp, for ParaView. The column pos, of
// float32 or float64 and 2 or 3 lanes, contains the points. Each point is also a vertex, so
// that it is visible. All other columns become point data. The numbers follow the XML text
// as raw bytes.
//
// The lattice and each Info become field data. An Info that is a number becomes a
// number, unless an int64 or float64 would lose some of its digits. The Info Time
// also becomes TimeValue, which ParaView shows as the time of the file.
func WriteVTP(w io.Writer, t *Table) error {
	const do = "WriteVTP"
	if err := t.check(do); err != nil {
		return err
	}
	pos, err := t.positions(do, 2)
	if err != nil {
		return err
	}
	names := []string{}
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	for _, in := range t.Info {
		names = append(names, in.Name)
	}
	for _, name := range names {
		if strings.ContainsAny(name, "\ufffe\uffff") {
			return fmt.Errorf("datafile: %s: the name %q has a character that XML does not allow: rename it", do, name)
		}
	}
	rows := t.Rows()
	points := []Column{pos}
	if pos.Width() == 2 { // points of VTK have three numbers
		points = append(points, Column{Name: "z", data: zeroLane{pos.data}})
	}
	v := &vtp{w: w, rows: rows}
	fmt.Fprintf(&v.head, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n")
	v.fieldData(t)
	fmt.Fprintf(&v.head, "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n", rows, rows)
	v.array("Points", points)
	v.head.WriteString("</Points>\n<PointData>\n")
	for _, c := range t.Columns {
		if c.Name != Positions {
			v.array(c.Name, []Column{c})
		}
	}
	v.head.WriteString("</PointData>\n<Verts>\n")
	v.addVertices("connectivity", 0)
	v.addVertices("offsets", 1)
	v.head.WriteString("</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_")
	if _, err := w.Write(v.head.Bytes()); err != nil {
		return err
	}
	for _, write := range v.data {
		if err := write(); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "\n</AppendedData>\n</VTKFile>\n")
	return err
}

// A zeroLane is one lane of zeros. Its kind and length are those of another storage.
type zeroLane struct{ storage }

func (zeroLane) width() int { return 1 }

func (z zeroLane) encodeAll(dst []byte, stride, lo, hi int) {
	for i := range hi - lo {
		clear(dst[i*stride:][:kinds[z.kind()].size])
	}
}

// positions returns the column of positions.
func (t *Table) positions(do string, least int) (Column, error) {
	c, err := t.Column(Positions)
	switch {
	case err != nil:
		return Column{}, fmt.Errorf("datafile: %s: there is no column %q with the positions: the table has %s", do, Positions, t.names())
	case c.Width() < least || c.Width() > 3:
		return Column{}, fmt.Errorf("datafile: %s: the column %q has %d lanes: positions have lanes for x, y and z", do, Positions, c.Width())
	case !c.Kind().float():
		return Column{}, fmt.Errorf("datafile: %s: the column %q is %s: positions are float32 or float64", do, Positions, c.Kind())
	}
	return c, nil
}

// vtp collects the XML text and the functions that write the raw bytes after it.
type vtp struct {
	w      io.Writer
	rows   int
	head   bytes.Buffer
	data   []func() error
	offset int64 // in the raw bytes, of the next array
}

// declare adds an array to the text.
func (v *vtp) declare(kind Kind, name string, lanes int, write func() error) {
	fmt.Fprintf(&v.head, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%d\"/>\n", kinds[kind].vtk, escapeXML(name), lanes, v.offset)
	size := int64(v.rows) * int64(lanes*kinds[kind].size)
	v.offset += 8 + size
	v.data = append(v.data, func() error {
		if _, err := v.w.Write(binary.LittleEndian.AppendUint64(nil, uint64(size))); err != nil {
			return err
		}
		return write()
	})
}

// array adds an array of columns of one kind, whose lanes are its components.
func (v *vtp) array(name string, columns []Column) {
	lanes := 0
	for _, c := range columns {
		lanes += c.Width()
	}
	v.declare(columns[0].Kind(), name, lanes, func() error { return writeRows(v.w, columns, v.rows) })
}

// addVertices adds an array of the numbers from first on.
func (v *vtp) addVertices(name string, first int) {
	kind := Int32
	if v.rows > math.MaxInt32 {
		kind = Int64
	}
	v.declare(kind, name, 1, func() error {
		size := kinds[kind].size
		step := blockBytes / size
		block := make([]byte, (min(step, v.rows)+1)*size)
		for lo := 0; lo < v.rows; lo += step {
			n := min(step, v.rows-lo)
			at := uint64(first + lo)
			for d := block; len(d) >= 8; d = d[8:] {
				if kind == Int32 {
					binary.LittleEndian.PutUint64(d, at|(at+1)<<32) // two numbers
					at += 2
				} else {
					binary.LittleEndian.PutUint64(d, at)
					at++
				}
			}
			if _, err := v.w.Write(block[:n*size]); err != nil {
				return err
			}
		}
		return nil
	})
}

// fieldData adds the facts about the whole table.
func (v *vtp) fieldData(t *Table) {
	v.head.WriteString("<FieldData>\n")
	for _, in := range t.Info {
		number, err := strconv.ParseFloat(in.Value, 64)
		finite := err == nil && !math.IsInf(number, 0) && !math.IsNaN(number)
		whole, notWhole := parseInt(in.Value)
		switch {
		case notWhole == nil && in.Value == strings.TrimSpace(in.Value):
			v.facts("Int64", in.Name, 1, strconv.FormatInt(whole.Int(), 10))
		case finite && keepsDigits(in.Value, number):
			v.facts("Float64", in.Name, 1, formatFloat(number))
		default:
			v.addTexts(in.Name, in.Value)
		}
		if in.Name == "Time" && finite && !t.has("TimeValue") {
			v.facts("Float64", "TimeValue", 1, formatFloat(number))
		}
	}
	for _, c := range t.Columns {
		if c.labels != nil {
			v.addTexts(c.Name+".labels", c.labels...)
		}
	}
	if l := t.Lattice; l != nil {
		v.facts("Float64", "Lattice", 9, formatVectors(l.Vectors[:]...))
		v.facts("Float64", "Origin", 3, formatVectors(l.Origin))
		bits := ""
		for _, p := range l.Periodic {
			if p {
				bits += "1 "
			} else {
				bits += "0 "
			}
		}
		v.facts("UInt8", "pbc", 3, bits[:5])
	}
	v.head.WriteString("</FieldData>\n")
}

// keepsDigits reports whether a float still has all digits of the decimal from which it was parsed.
func keepsDigits(text string, number float64) bool {
	digits := significant(text)
	return strings.Trim(text, "+-.eE0123456789") == "" && digits == significant(strconv.FormatFloat(number, 'e', max(len(digits), 1)-1, 64))
}

// significant returns the digits of a decimal without zeros at its ends.
func significant(text string) string {
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		text = text[:e]
	}
	return strings.Trim(strings.ReplaceAll(strings.TrimLeft(text, "+-"), ".", ""), "0")
}

func (v *vtp) facts(kind, name string, components int, numbers string) {
	fmt.Fprintf(&v.head, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" NumberOfTuples=\"1\" format=\"ascii\">%s</DataArray>\n", kind, escapeXML(name), components, numbers)
}

// addTexts adds an array of texts. Each text is written as the values of its bytes,
// followed by a 0.
func (v *vtp) addTexts(name string, texts ...string) {
	fmt.Fprintf(&v.head, "<Array type=\"String\" Name=\"%s\" NumberOfTuples=\"%d\" format=\"ascii\">", escapeXML(name), len(texts))
	for _, text := range texts {
		for _, c := range []byte(text) {
			fmt.Fprintf(&v.head, "%d ", c)
		}
		v.head.WriteString("0 ")
	}
	v.head.WriteString("</Array>\n")
}

func escapeXML(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes all
	return b.String()
}

// formatFloat returns the shortest decimal of a number.
func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// formatVectors returns the numbers of vectors with spaces between them.
func formatVectors(vectors ...[3]float64) string {
	var b []byte
	for _, v := range vectors {
		for _, x := range v {
			if len(b) > 0 {
				b = append(b, ' ')
			}
			b = strconv.AppendFloat(b, x, 'g', -1, 64)
		}
	}
	return string(b)
}
