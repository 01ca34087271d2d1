package datafile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// npyFile returns a file with a header and numbers in the form that NumPy writes.
func npyFile(version byte, header string, order binary.ByteOrder, numbers any) []byte {
	b := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	w := bytes.NewBuffer(append(b, header...))
	if err := binary.Write(w, order, numbers); err != nil {
		panic(err)
	}
	return w.Bytes()
}

// TestForeignArrays reads arrays that WriteNPY does not write.
func TestForeignArrays(t *testing.T) {
	six := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		name    string
		version byte
		header  string
		order   binary.ByteOrder
		numbers any
		want    string // names, and lanes
	}{
		{"big-endian", 1, "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 2), }\n", binary.BigEndian, six, "array [[1 3 5] [2 4 6]]"},
		{"Fortran order", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }\n", binary.LittleEndian, six, "array [[1 2 3] [4 5 6]]"},
		{"Fortran order of one axis", 2, "{'descr': '<f8', 'fortran_order': True, 'shape': (6,)}", binary.LittleEndian, six, "array [[1 2 3 4 5 6]]"},
		{"three axes", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3, 2)}", binary.LittleEndian, six, "array [[1] [2] [3] [4] [5] [6]]"},
		{"three axes, Fortran", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 3, 2)}", binary.LittleEndian, six, "array [[1] [4] [2] [5] [3] [6]]"},
		{"no axis", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", binary.LittleEndian, six[:1], "array [[1]]"},
		{"bools", 1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", binary.LittleEndian, []uint8{0, 1}, "array [[0 1]]"},
		{"no rows", 3, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2)}", binary.LittleEndian, six[:0], "array [[] []]"},
		{"Python 2", 1, `{"shape": (2L,), "fortran_order": False, "descr": "<f8"}`, binary.LittleEndian, six[:2], "array [[1 2]]"},
		{"Latin-1", 1, "{'descr': [('\xe9', '<f8')], 'fortran_order': False, 'shape': (2,)}", binary.LittleEndian, six[:2], "é [[1 2]]"},
		{"fields", 1, "{'descr': [('a', '>f8'), ('b', '>f8', (2,))], 'fortran_order': False, 'shape': (2,)}", binary.BigEndian, six, "a [[1 4]] b [[2 5] [3 6]]"},
		{"a whole number as a shape", 1, "{'descr': [('a', '<f8', 2), ('b', '<f8')], 'fortran_order': False, 'shape': (2,)}", binary.LittleEndian, six, "a [[1 4] [2 5]] b [[3 6]]"},
		{"64 axes, Fortran", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2" + strings.Repeat(", 1", 62) + ")}", binary.LittleEndian, six, "array [[1 2 3] [4 5 6]]"},
		{"a title and padding", 1, "{'descr': [(('title', 'a'), '<f8'), ('', '|V8'), ('c', '<f8', (1, 1))], 'fortran_order': False, 'shape': (2,)}", binary.LittleEndian, six, "a [[1 4]] c [[3 6]]"},
	} {
		file := npyFile(c.version, c.header, c.order, c.numbers)
		got, err := ReadNPY(bytes.NewReader(file), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var said []string
		for _, column := range got.Columns {
			lanes, err := Get[float64](got, column.Name, column.Width())
			must(t, err)
			said = append(said, column.Name, fmt.Sprint(lanes))
		}
		if text := strings.Join(said, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
		for cut := range file {
			if _, err := ReadNPY(bytes.NewReader(file[:cut]), Options{}); err == nil {
				t.Errorf("%s: no error for the first %d bytes", c.name, cut)
			}
		}
	}
}

// TestArraysOfAStream reads arrays one after another.
func TestArraysOfAStream(t *testing.T) {
	var b bytes.Buffer
	must(t, WriteNPY(&b, &Table{Columns: []Column{Lanes("a", []int32{1, 2})}}))
	must(t, WriteNPY(&b, &Table{Columns: []Column{Lanes("a", []uint8{3})}}))
	for _, want := range [][]int64{{1, 2}, {3}} {
		got, err := ReadNPY(&b, Options{})
		must(t, err)
		if lanes, err := Get[int64](got, "array", 1); err != nil || !slices.Equal(lanes[0], want) {
			t.Errorf("%v, want %v; %v", lanes, want, err)
		}
	}
}

// TestColumnsOfPlainArrays reads arrays without fields under any choice of columns.
func TestColumnsOfPlainArrays(t *testing.T) {
	var b bytes.Buffer
	must(t, WriteNPY(&b, of(Lanes("pos", []int32{1, 2}))))
	for _, columns := range [][]string{nil, {"pos"}, {"array"}, {"a", "b"}} {
		got, err := ReadNPY(bytes.NewReader(b.Bytes()), Options{Columns: columns})
		if err != nil || got.names() != `"array"` || got.Rows() != 2 {
			t.Errorf("%q: %v; %v", columns, got, err)
		}
	}
}

// TestGet checks that Get converts numbers only if their values stay the same.
func TestGet(t *testing.T) {
	nan := math.NaN()
	table := &Table{Columns: []Column{
		Lanes("whole", []float64{1, -2, 255}), Lanes("tenth", []float64{0.1, 0, 0}), Lanes("zero", []float64{math.Copysign(0, -1), 1, 1}),
		Lanes("nan", []float32{float32(nan), 1, 2}), Lanes("large", []int64{1<<53 + 1, 0, math.MaxInt64}), Lanes("even", []int64{1 << 60, 0, math.MinInt64}),
		Lanes("small", []uint8{0, 1, 255}), Lanes("huge", []float64{math.Inf(1), 1e300, 1 << 63}),
	}}
	for _, c := range []struct {
		name string
		want string // for float32, float64, int32, int64, uint8: y or n
	}{
		{"whole", "yyyyn"}, {"tenth", "nynnn"}, {"zero", "yynnn"}, {"nan", "yynnn"}, {"large", "nnnyn"}, {"even", "yynyn"}, {"small", "yyyyy"}, {"huge", "nynnn"},
	} {
		got := ""
		for _, err := range []error{
			second(Get[float32](table, c.name, 1)), second(Get[float64](table, c.name, 1)), second(Get[int32](table, c.name, 1)),
			second(Get[int64](table, c.name, 1)), second(Get[uint8](table, c.name, 1)),
		} {
			got += map[bool]string{true: "y", false: "n"}[err == nil]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }
