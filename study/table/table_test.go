package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// row has a field of every type that a column can have, and fields that are no columns.
type row struct {
	Count   int
	Small   int8 `name:"little" unit:"m" help:"is small"`
	Word    uint32
	X       float64
	Half    float32
	OK      bool
	HTTPURL string
	hidden  *int
}

func rowShape(t *testing.T) *Shape {
	t.Helper()
	s, err := ShapeOf(reflect.TypeFor[row]())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRows checks that rows are unchanged after they are encoded and decoded, and that they give
// the same text in both formats.
func TestRows(t *testing.T) {
	s := rowShape(t)
	rows := []row{
		{Count: -1, Small: -128, Word: 1<<32 - 1, X: 0.1, Half: 0.1, OK: true, HTTPURL: "a,b", hidden: new(int)},
		{X: math.Copysign(0, -1), HTTPURL: "say \"hä\"\n"},
		{Count: math.MaxInt, X: math.NaN(), Half: float32(math.Inf(-1)), HTTPURL: " x\xff"},
	}
	var b []byte
	for i, r := range rows {
		var bad int
		if b, bad = s.Append(b, i, reflect.ValueOf(r)); bad != []int{-1, -1, 3}[i] {
			t.Errorf("row %d: cell %d is no finite number", i, bad)
		}
	}
	columns := append([]Column{{Name: "tick", Kind: KindInt}}, s.Columns...)
	var back []byte
	for rest := b; len(rest) > 0; {
		var cells []Value
		var err error
		if cells, rest, err = Decode(rest, s.Columns, nil); err != nil {
			t.Fatal(err)
		}
		back = AppendRow(back, s.Columns, cells)
	}
	if !bytes.Equal(back, b) {
		t.Errorf("AppendRow writes %x, and Append %x", back, b)
	}
	nan := []Value{IntValue(0), FloatValue(math.Float64frombits(0xfff8000000000007)), FloatValue(math.Float64frombits(0xfff8000000000007))}
	if x, y := AppendRow(nil, s.Columns[3:5], nan), AppendRow(nil, s.Columns[3:5], []Value{IntValue(0), FloatValue(math.NaN()), FloatValue(math.NaN())}); !bytes.Equal(x, y) {
		t.Errorf("two NaN are %x and %x", x, y)
	}
	var csv, lines bytes.Buffer
	for format, out := range map[string]*bytes.Buffer{"csv": &csv, "jsonl": &lines} {
		w, err := New(format, out, columns)
		if err != nil {
			t.Fatal(err)
		}
		rest, cells := b, []Value(nil)
		for range rows {
			if cells, rest, err = Decode(rest, s.Columns, cells[:0]); err != nil {
				t.Fatal(err)
			}
			if err := w.Row(cells); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Row(cells[1:]); err == nil || !strings.Contains(err.Error(), "a row of 7 cells, the table has 8 columns") {
			t.Error(err)
		}
		if err := w.Close(); err != nil || len(rest) > 0 {
			t.Errorf("%v, %d bytes are left", err, len(rest))
		}
	}
	most := reflect.ValueOf(math.MaxInt).Int()
	big := string(IntValue(most).AppendText(nil, KindInt))
	if want := "tick,count,little,word,x,half,ok,httpurl\n" +
		"0,-1,-128,4294967295,0.1,0.1,true,\"a,b\"\n" +
		"1,0,0,0,-0,0,false,\"say \"\"hä\"\"\n\"\n" +
		"2," + big + ",0,0,NaN,-Inf,false,\" x\xff\"\n"; csv.String() != want {
		t.Errorf("CSV is\n%s\nwant\n%s", csv.String(), want)
	}
	if want := `{"tick":0,"count":-1,"little":-128,"word":4294967295,"x":0.1,"half":0.1,"ok":true,"httpurl":"a,b"}` + "\n" +
		`{"tick":1,"count":0,"little":0,"word":0,"x":-0,"half":0,"ok":false,"httpurl":"say \"hä\"\n"}` + "\n" +
		`{"tick":2,"count":` + big + `,"little":0,"word":0,"x":"NaN","half":"-Inf","ok":false,"httpurl":" x\ufffd"}` + "\n"; lines.String() != want {
		t.Errorf("JSON lines are\n%s\nwant\n%s", lines.String(), want)
	}
	for cut := range len(b) {
		rest, n := b[:cut], 0
		for err := error(nil); err == nil && n < 3; n++ {
			_, rest, err = Decode(rest, s.Columns, nil)
			if err != nil && !errors.Is(err, ErrShort) {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			if err == nil && n == 2 {
				t.Fatalf("cut at %d: three rows are read", cut)
			}
		}
	}
}

func TestShapes(t *testing.T) {
	s := rowShape(t)
	if s.Columns[1] != (Column{Name: "little", Kind: KindInt, Unit: "m", Help: "is small"}) || len(s.Columns) != 7 || (row{}).hidden != nil {
		t.Errorf("%+v", s.Columns)
	}
	for _, c := range []struct {
		row  any
		want string
	}{
		{1, "table: int is no struct"},
		{struct{ P *int }{}, ".P is of type *int: a column is a whole number of at most 63 bits, a float, a bool or a string"},
		{struct{ U uint64 }{}, ".U is of type uint64"},
		{struct {
			A int
			B int `name:"a"`
		}{}, "A and B are both named a: give one of them a tag"},
	} {
		if _, err := ShapeOf(reflect.TypeOf(c.row)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v, want %s", c.row, err, c.want)
		}
	}
	for name, want := range map[string]string{"X": "x", "MaxSpeed": "max_speed", "HTTPPort": "http_port", "ID": "id", "A_B": "a_b", "": ""} {
		if got := Snake(name); got != want {
			t.Errorf("Snake(%q) = %q, want %q", name, got, want)
		}
	}
	defer func() {
		if v := recover(); v != "table: Shape.Append: a row of int, the shape is of table.row" {
			t.Error(v)
		}
	}()
	s.Append(nil, 0, reflect.ValueOf(1))
}

func TestKinds(t *testing.T) {
	for _, k := range []Kind{KindInt, KindFloat, KindFloat32, KindBool, KindText} {
		text, err := k.MarshalText()
		var again Kind
		if err != nil || again.UnmarshalText(text) != nil || again != k || strings.Contains(k.String(), "kind") {
			t.Errorf("%v: %q, %v, %v", k, text, err, again)
		}
	}
	if _, err := Kind('x').MarshalText(); err == nil || !strings.Contains(err.Error(), "kind 'x' is unknown") {
		t.Error(err)
	}
	if err := new(Kind).UnmarshalText([]byte("xy")); err == nil || !strings.Contains(err.Error(), `"xy" is no kind of column`) {
		t.Error(err)
	}
	if _, err := KindUint.MarshalText(); err == nil || new(Kind).UnmarshalText([]byte("u")) == nil { // no column of a log has it
		t.Errorf("the log accepts %v", KindUint)
	}
	var out bytes.Buffer
	if w, err := NewLines(&out, []Column{{Name: "seed", Kind: KindUint}}); err != nil || w.Row([]Value{UintValue(1 << 63)}) != nil || w.Close() != nil || out.String() != "{\"seed\":\"9223372036854775808\"}\n" {
		t.Errorf("%v, %s", err, out.String())
	}
	for _, c := range []struct {
		kind       Kind
		text, want string
	}{
		{KindInt, "x", `"x" is no whole number`}, {KindUint, "-1", `"-1" is no whole number from 0 to 2⁶⁴-1`}, {KindFloat, "x", `"x" is no number`}, {KindFloat32, "1e99", `"1e99" is no number`}, {KindBool, "x", `"x" is neither true nor false`},
	} {
		if _, err := c.kind.Parse(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.kind, err, c.want)
		}
	}
	for k, text := range map[Kind]string{KindInt: "-7", KindUint: "18446744073709551615", KindFloat: "0.1", KindFloat32: "0.25", KindBool: "true", KindText: "x"} {
		if v, err := k.Parse(text); err != nil || string(v.AppendText(nil, k)) != text {
			t.Errorf("%v: %v, %v", k, v, err)
		}
	}
	if IntValue(3).Int() != 3 || FloatValue(0.5).Float() != 0.5 || !BoolValue(true).Bool() || BoolValue(false).Bool() || TextValue("a").Text() != "a" || UintValue(1<<63).Uint() != 1<<63 {
		t.Error("a value is not what it was made of")
	}
}

func TestFormats(t *testing.T) {
	if _, err := New("none", nil, nil); err == nil || !strings.Contains(err.Error(), `the format "none" is unknown: this program has csv, jsonl`) {
		t.Error(err)
	}
	Register("mine", NewLines)
	defer delete(formats, "mine")
	var out bytes.Buffer
	w, err := New("mine", &out, nil)
	if err != nil || w.Row(nil) != nil || w.Close() != nil || out.String() != "{}\n" || !slices.Contains(Formats(), "mine") {
		t.Errorf("%v, %q", err, out.String())
	}
	defer func() {
		if v, _ := recover().(string); !strings.Contains(v, `table: Register: the format "mine" is there already`) {
			t.Error(v)
		}
	}()
	Register("mine", NewCSV)
}

// TestCSVTexts checks that texts are unchanged after they are written to CSV and read again. A
// table with one column needs care, because an empty line would not be a row.
func TestCSVTexts(t *testing.T) {
	texts := []string{"", " ", "a", "\"", ",", "\n", " b ", "c\td", "\xff", "\ufeff"}
	for columns := 1; columns <= 3; columns++ {
		var out bytes.Buffer
		var want [][]string
		list := make([]Column, columns)
		for i := range list {
			list[i] = Column{Name: texts[i], Kind: KindText}
		}
		w, err := NewCSV(&out, list)
		if err != nil {
			t.Fatal(err)
		}
		for k := -1; k < len(texts); k++ {
			var cells []Value
			var row []string
			for c := range columns {
				text := texts[(k+c+len(texts))%len(texts)]
				if k < 0 {
					text = list[c].Name
				}
				cells, row = append(cells, TextValue(text)), append(row, text)
			}
			want = append(want, row)
			if k >= 0 {
				if err := w.Row(cells); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(&out).ReadAll()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d columns: %q, %v, want %q", columns, got, err, want)
		}
	}
}

// TestNumber checks the numbers of cells, and the names of the columns of a study.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		v    Value
		want float64
	}{
		{KindInt, IntValue(-3), -3}, {KindUint, UintValue(1 << 63), 0x1p63}, {KindFloat, FloatValue(0.1), 0.1}, {KindFloat32, FloatValue(0.5), 0.5},
		{KindBool, BoolValue(true), 1}, {KindBool, BoolValue(false), 0}, {KindText, TextValue("7"), 0},
	} {
		if got := c.v.Number(c.kind); got != c.want {
			t.Errorf("%v: %v, want %v", c.kind, got, c.want)
		}
	}
	for name, want := range map[string]bool{"run": true, "seed": true, "state": true, "hash": true, "tick": false, "Run": false, "": false} {
		if OfStudy(name) != want {
			t.Errorf("OfStudy(%q) is %v", name, !want)
		}
	}
}
