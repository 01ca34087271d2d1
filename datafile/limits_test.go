package datafile

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLabels writes columns of random labels. Each format must refuse the labels, or its reader must return
// them unchanged.
func TestLabels(t *testing.T) {
	all := []string{"", "1", "001", "NaN", "nan", "+Inf", "0x1p-2", "1e999", " 7 ", "x", "Ar II", "a,b", `"`, "1_0", "-", "\ufeff", "\u00a0", "#", "'"}
	read := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		rows := 1 + r.IntN(4)
		lanes := make(typed[uint8], 1+r.IntN(5)/4)
		for i := range lanes {
			for range rows {
				lanes[i] = append(lanes[i], uint8(r.IntN(4)))
			}
		}
		pos := make([]float64, rows)
		want := of(Column{Name: []string{"a", "\ufeffa"}[r.IntN(9)/8], data: &lanes, labels: all[:4]}, Lanes(Positions, pos, pos, pos))
		if r.IntN(2) == 0 {
			slices.Reverse(want.Columns)
		}
		for format, write := range map[string]func(io.Writer, *Table) error{"csv": WriteCSV, "extxyz": WriteExtXYZ} {
			var b bytes.Buffer
			if err := write(&b, want); err != nil {
				continue
			}
			got, err := readers[format](b.Bytes(), Options{})
			if err != nil {
				t.Fatalf("%s, seed %d: %v in %q", format, seed, err, b.Bytes())
			}
			checkSame(t, got, want, false, true)
			read++
		}
	}
	if read < 100 {
		t.Errorf("only %d tables are written", read)
	}
}

// TestLongLines writes lines and headers of lengths near the limits. If a writer accepts a table, the reader
// of the format must accept it too.
func TestLongLines(t *testing.T) {
	one := []float64{1}
	for _, c := range []struct {
		format string
		write  func(io.Writer, *Table) error
		most   int
	}{{"csv", WriteCSV, maxRecord}, {"extxyz", WriteExtXYZ, maxLine}, {"npy", WriteNPY, maxHeader}} {
		written := 0
		for _, less := range []int{-4, 8, 40, 200} {
			long := strings.Repeat("x", c.most-less)
			for _, table := range []*Table{
				of(Lanes(Positions, one, one, one), Categorical("a", []uint8{0}, long)),
				of(Lanes(Positions, one, one, one), Lanes(long, one)),
			} {
				var b bytes.Buffer
				if err := c.write(&b, table); err != nil {
					continue
				}
				written++
				if _, err := readers[c.format](b.Bytes(), Options{}); err != nil {
					t.Errorf("%s, %d bytes less than the limit: %v", c.format, less, err)
				}
			}
		}
		if written == 0 || written == 8 {
			t.Errorf("%s: %d tables are written", c.format, written)
		}
	}
	for _, columns := range []int{128, 129} {
		table := &Table{}
		for i := range columns {
			table.Columns = append(table.Columns, Lanes(strconv.Itoa(i), slices.Repeat([][]float64{one}, MaxLanes)...))
		}
		var b bytes.Buffer
		err := WriteNPY(&b, table)
		if err == nil {
			_, err = ReadNPY(&b, Options{})
		}
		if (err == nil) != (columns <= 128) {
			t.Errorf("%d columns: %v", columns, err)
		}
	}
}

// TestGroups joins random names to columns. Each column must get as many names as possible, from the left.
func TestGroups(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		var names []string
		for range r.IntN(30) {
			at, n := r.IntN(2), 1+r.IntN(6)
			for i := at; i < at+n; i++ {
				names = append(names, "ab"[at:at+1]+"."+[]string{strconv.Itoa(i), string(rune('x' + i%3))}[seed%2])
			}
		}
		at := 0
		for _, c := range groupLanes(names, Options{}.isWanted) {
			want := 1
			for w := range len(names) - at + 1 {
				if base, _, ok := strings.Cut(names[at], "."); ok && w > 1 && areLanes(names[at:at+w], base) {
					want = w
				}
			}
			if c.first != at || c.width != want {
				t.Fatalf("%q: a column of %d lanes at %d, want %d at %d", names, c.width, c.first, want, at)
			}
			at += want
		}
		if at != len(names) {
			t.Fatalf("%d of %d names", at, len(names))
		}
	}
	n := len(groupLanes(slices.Repeat([]string{"a.0"}, 200_000), Options{}.isWanted))
	if n != 200_000 {
		t.Errorf("%d columns", n)
	}
}

// areLanes reports whether names are those of all lanes of a column.
func areLanes(names []string, column string) bool {
	for lane, name := range names {
		if name != laneName(column, lane, len(names)) {
			return false
		}
	}
	return true
}
