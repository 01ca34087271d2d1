package datafile

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestDecimals reads decimals that need care.
func TestDecimals(t *testing.T) {
	const twice = "1.00000005960464477540" // as a float64 it is halfway between two numbers of float32
	read := func(text string, o Options) *Table {
		t.Helper()
		got, err := ReadCSV(strings.NewReader("a\n"+strings.ReplaceAll(text, " ", "\n")+"\n"), o)
		must(t, err)
		return got
	}
	if got, err := Get[float32](read(twice, Options{Float32: true}), "a", 1); err != nil || got[0][0] != math.Nextafter32(1, 2) {
		t.Errorf("%s is %v; %v", twice, got, err)
	}
	for got, err := range ReadExtXYZ(strings.NewReader("1\nProperties=a:R:1\n"+twice+"\n"), Options{Float32: true}) {
		must(t, err)
		if got, err := Get[float32](got, "a", 1); err != nil || got[0][0] != math.Nextafter32(1, 2) {
			t.Errorf("%s is %v; %v", twice, got, err)
		}
	}

	// These are texts of the same number, with and without an exponent.
	for _, text := range []string{"1152921504606847000", "1152921504606847000 1e3", "1e3 1152921504606847000"} {
		got, err := Get[float64](read(text, Options{}), "a", 1)
		if err != nil || !slices.Contains(got[0], 1<<60) {
			t.Errorf("%s is %v; %v", text, got, err)
		}
	}
	whole := read("1152921504606847000 -7", Options{})
	if got, err := Get[int64](whole, "a", 1); err != nil || !slices.Equal(got[0], []int64{1152921504606847000, -7}) {
		t.Errorf("whole numbers are %v; %v", got, err)
	}
	if got, err := Get[int32](whole, "a", 1); err == nil {
		t.Errorf("a whole number of 61 bits is %v", got)
	}
	got, err := Get[float64](read("-0 NaN +Inf -inf 0x1p-2 12", Options{}), "a", 1)
	if text := fmt.Sprint(got); err != nil || text != "[[-0 NaN +Inf -Inf 0.25 12]]" {
		t.Errorf("special numbers are %s; %v", text, err)
	}
}

// TestWholeNumbers reads whole numbers at the ends of int64, and outside of it, in each row.
func TestWholeNumbers(t *testing.T) {
	for text, ok := range map[string]bool{
		"9223372036854775807": true, "-9223372036854775808": true, " +9223372036854775807": true, "9223372036854775808.0": true, "9223372036854775808e0": true, "99999999999999999999999.5": true, "99999999999999999999999e-5": true,
		"9223372036854775808": false, "-9223372036854775809": false, " 18446744073709551616 ": false, "+9999999999999999999999": false,
	} {
		for _, file := range []string{"a\n%s\n1\n", "a\n9007199254740993\n%s\n", "a\n1.5\n%s\n", "a.x,a.y\n2,%s\n"} {
			for _, o := range []Options{{}, {Float32: true}} {
				if _, err := ReadCSV(strings.NewReader(fmt.Sprintf(file, text)), o); (err == nil) != ok {
					t.Errorf("%q in %q: %v", text, file, err)
				}
			}
		}
	}
}

// TestForeignCSV reads files as other programs write them.
func TestForeignCSV(t *testing.T) {
	got, err := ReadCSV(strings.NewReader("\ufeffid,pos.x,pos.y,pos.z,label,m.0,m.1,m.2,m.3\r\n 1 ,0,0.5,1,\"a, b\",1,2,3,4\r\n2,1,2,3,c,5,6,7,8.5\r\n"), Options{})
	must(t, err)
	if got.names() != `"id", "pos", "label", "m"` || fmt.Sprint(got.Columns[2].Labels()) != "[a, b c]" {
		t.Errorf("columns %s, labels %q", got.names(), got.Columns[2].Labels())
	}
	pos, err := Get[float64](got, "pos", 3)
	if text := fmt.Sprint(pos); err != nil || text != "[[0 1] [0.5 2] [1 3]]" {
		t.Errorf("pos is %s; %v", text, err)
	}
	m, err := Get[float32](got, "m", 4)
	if text := fmt.Sprint(m); err != nil || text != "[[1 5] [2 6] [3 7] [4 8.5]]" {
		t.Errorf("m is %s; %v", text, err)
	}
	some, err := ReadCSV(strings.NewReader("id,broken,x\n1,2,3\n4,oops,6\n"), Options{Columns: []string{"x", "id"}})
	if err != nil || some.names() != `"id", "x"` {
		t.Errorf("the chosen columns are %v; %v", some, err)
	}
}
