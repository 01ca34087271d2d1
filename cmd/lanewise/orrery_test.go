package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/reference"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/solar"
	"github.com/lanewise/lanewise/kernels"
)

const extract = "testdata/extract.mpcorb.txt"

// TestOrrery runs the generated catalogue, and checks the summary, the table and the pictures. Short
// runs leave out the pictures.
func TestOrrery(t *testing.T) {
	dir := t.TempDir()
	table, pic := filepath.Join(dir, "out.csv"), filepath.Join(dir, "out.png")
	args := []string{"orrery", "-catalog", extract, "-t1", "2000-03-01T18:00", "-dt", "10", "-csv", table}
	if !testing.Short() {
		args = append(args, "-png", pic)
	}
	out, report, code := lanewise(t, args...)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, out, report)
	}
	for _, want := range []string{
		"bodies      310: 1 star, 8 planets, 21 moons, 280 asteroids\n",
		"input       1 empty record\n",
		"dates       2000-01-01T12:00 to 2000-03-01T18:00 TDB, 7 steps of 10 d\n",
		" rows/s, ",
		"kernels     path " + kernels.Path() + ", ",
		"self-check  ok: off by ",
		"wrote       " + table + "\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the summary:\n%s", want, out)
		}
	}
	if !strings.Contains(report, extract+":") || !strings.Contains(report, "empty record") {
		t.Errorf("the empty record is not reported:\n%s", report)
	}
	if !testing.Short() {
		checkPictures(t, out, pic)
	}
	checkTable(t, table)
}

// checkPictures compares the pictures of the inner and the outer system with the expected pictures.
// The output must contain the names of their files.
func checkPictures(t *testing.T, out, pic string) {
	dir := filepath.Dir(pic)
	if want := "wrote       " + filepath.Join(dir, "out-outer.png") + "\n"; !strings.Contains(out, want) {
		t.Errorf("%q is not in the summary:\n%s", want, out)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("the directory holds %v, want the four files", entries)
	}
	for name, width := range map[string]int{"out.png": 3200, "out-inner.png": 1600, "out-outer.png": 1600} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(bytes.NewReader(text))
		if err != nil || config.Width != width || config.Height != 1600 {
			t.Errorf("%s is %d×%d, %v; want %d×1600", name, config.Width, config.Height, err, width)
		}
	}

	both, inner, outer := readPicture(t, pic), readPicture(t, filepath.Join(dir, "out-inner.png")), readPicture(t, filepath.Join(dir, "out-outer.png"))
	for k := range 1600 * 1600 / 64 {
		x, y := k*8%1600, k*8/1600*8%1600
		if both.At(x, y) != inner.At(x, y) || both.At(1600+x, y) != outer.At(x, y) {
			t.Fatalf("at %d, %d the picture of both is not that of the inner system, left, and of the outer one, right", x, y)
		}
	}
}

// checkTable compares a table of 2000-03-01T18:00 with the reference.
func checkTable(t *testing.T, table string) {
	rows := readTable(t, table)
	if len(rows) != 310 {
		t.Fatalf("%d rows, want 310", len(rows))
	}
	date, err := julian.Parse("2000-03-01T18:00")
	if err != nil {
		t.Fatal(err)
	}
	minors := readMinors(t, extract)
	for i, r := range rows[len(rows)-len(minors):] { // in the order of the catalogue, after all other bodies
		if r.id != minors[i].ID || r.name != minors[i].Name || r.kind != "asteroid" {
			t.Fatalf("row %d is %+v, want %s %s", i, r, minors[i].ID, minors[i].Name)
		}
		if off := r.at.Sub(reference.Minor(&minors[i], date)).Length(); !(off < 1e-9) {
			t.Errorf("%s is %g AU off", r.name, off)
		}
	}
	bodies := append(catalogue.Planets(), catalogue.Moons()...)
	for i, r := range rows[:len(bodies)] {
		b := &bodies[i] // built-in bodies are in the order of the kinds
		want := reference.Body(b, date)
		if b.Kind == catalogue.Moon {
			want = want.Add(reference.Body(&bodies[catalogue.ParentOf(b, bodies)], date))
		}
		if off := r.at.Sub(want).Length(); r.name != b.Name || r.kind != b.Kind.String() || r.id != strconv.Itoa(b.ID) || !(off < 1e-9) {
			t.Errorf("row %+v is %g AU off %s, %v", r, off, b.Name, want)
		}
	}
}

// TestSameTable checks that the positions at the date -t1 depend only on this date. The runs have
// different first dates, steps, workers and paths, but their tables must be equal to the last digit.
func TestSameTable(t *testing.T) {
	dir := t.TempDir()
	keepPath(t)
	runs := []string{"-dt 1000", "-dt 33.25", "-t0 2002-01-01", "-t0 2030-01-01 -dt 500", "-t0 2004-07-01", "-workers 1", "-workers 2", "-workers 3", "-workers 8"}
	for _, path := range kernels.Paths() {
		runs = append(runs, "-path "+path)
	}
	var want []byte
	for i, flags := range runs {
		table := filepath.Join(dir, fmt.Sprint(i, ".csv"))
		args := append([]string{"orrery", "-catalog", extract, "-t1", "2004-07-01", "-csv", table}, strings.Fields(flags)...)
		if !strings.Contains(flags, "-dt") {
			args = append(args, "-dt", "400")
		}
		if out, report, code := lanewise(t, args...); code != exitOK {
			t.Fatalf("%s: exit code %d\n%s%s", flags, code, out, report)
		}
		got, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if string(got) != string(want) {
			t.Errorf("%s gives another table than %s", flags, runs[0])
		}
	}
}

// orreryGolden is the hash of the world of the generated catalogue on 2004-07-01.
const orreryGolden = "25d4073027f31dcc"

func TestOrreryHash(t *testing.T) {
	keepPath(t)
	for _, path := range kernels.Paths() {
		for _, workers := range []int{1, 2, 3, 8, 64} {
			out, report, code := lanewise(t, "orrery", "-catalog", extract, "-t1", "2004-07-01", "-dt", "400", "-path", path, "-workers", strconv.Itoa(workers))
			got := regexp.MustCompile(`(?m)^hash +([0-9a-f]{16})$`).FindStringSubmatch(out)
			if code != exitOK || got == nil || got[1] != orreryGolden {
				t.Errorf("path %s, %d workers: exit code %d, hash %v, want %s\n%s", path, workers, code, got, orreryGolden, report)
			}
		}
	}
}

// TestStop checks that a stopped run leaves no new files, not even hidden files, and does not change
// old files.
func TestStop(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "out.csv")
	if err := os.WriteFile(table, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	out, report, code := lanewiseUntil(t, ctx, false, "orrery", "-csv", table, "-png", filepath.Join(dir, "out.png"))
	if code != exitStopped || out != "" || !strings.Contains(report, "stopped before the first step") {
		t.Errorf("exit code %d\n%s%s", code, out, report)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v; want the old table alone", entries, err)
	}
	if text, err := os.ReadFile(table); err != nil || string(text) != "old" {
		t.Errorf("the table is %q, %v; want the old one", text, err)
	}
}

// TestProgress checks that a pipe gets at most one line per second, and one line at the end. A
// terminal gets one line that is redrawn and finally removed.
func TestProgress(t *testing.T) {
	args := []string{"orrery", "-catalog", extract, "-t1", "2000-02-10T12:00"}
	_, report, _ := lanewiseUntil(t, context.Background(), false, args...)
	if n := strings.Count(report, " %  2000-"); n < 1 || strings.Count(report, "100 %  2000-02-10") != 1 || strings.Contains(report, "\r") {
		t.Errorf("%d lines of progress, want the last one at least, without carriage returns:\n%q", n, report)
	}
	_, report, _ = lanewiseUntil(t, context.Background(), true, args...)
	_, bar, _ := strings.Cut(report, "\n") // the empty record
	if !strings.HasPrefix(bar, "\r") || strings.Contains(bar, "\n") || !strings.Contains(bar, "100 %") || !strings.HasSuffix(bar, " \r") {
		t.Errorf("the bar is %q", bar)
	}
}

func TestDates(t *testing.T) {
	for _, c := range []struct {
		t0, t1, dt float64
		want       []float64
	}{
		{10, 12, 1, []float64{10, 11, 12}},
		{10, 12.5, 1, []float64{10, 11, 12, 12.5}},
		{10, 10, 1, []float64{10}},
		{10, 7, 2, []float64{10, 8, 7}},
		{10, 11, 5, []float64{10, 11}},
	} {
		j := journey{t0: c.t0, t1: c.t1, dt: c.dt}
		var got []float64
		for k := 0; k <= j.steps(); k++ {
			got = append(got, j.date(k))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("from %v to %v by %v: %v, want %v", c.t0, c.t1, c.dt, got, c.want)
		}
	}
}

// TestRealData compares every row of the development data with the reference, if the data is present.
func TestRealData(t *testing.T) {
	table := filepath.Join(t.TempDir(), "out.csv")
	catalog := solar.Path(t, "asteroids.mpcorb.txt")
	out, report, code := lanewise(t, "orrery", "-catalog", catalog, "-planets", solar.Path(t, "planets.csv"),
		"-moons", solar.Path(t, "moons.csv"), "-t1", "2027-03-01", "-dt", "500", "-csv", table, "-strict")
	if code != exitOK || !strings.Contains(out, "14,583: 1 star, 8 planets, 5 dwarf planets, 461 moons, 14,108 asteroids") ||
		!strings.Contains(out, "1 empty record") || !strings.Contains(report, catalog+":11488: empty record") {
		t.Fatalf("exit code %d\n%s%s", code, out, report)
	}
	keys := map[string]bool{}
	for _, r := range readTable(t, table) {
		if key := r.kind + "/" + r.name; keys[key] {
			t.Errorf("two rows are %s", key)
		} else {
			keys[key] = true
		}
	}
	if len(keys) != 14583 {
		t.Errorf("%d rows, want 14583", len(keys))
	}
}

// TestFrozenMoons checks that the orbits of moons precess unless a flag turns this off. In a year
// the orbit of our moon turns by 41 degrees, but the orbit of the Earth does not turn.
func TestFrozenMoons(t *testing.T) {
	dir := t.TempDir()
	at := map[bool]map[string]reference.Vector{}
	for _, frozen := range []bool{false, true} {
		table := filepath.Join(dir, fmt.Sprint(frozen, ".csv"))
		out, report, code := lanewise(t, "orrery", "-catalog", extract, "-t1", "2001-01-01T12:00", "-dt", "366", "-csv", table, fmt.Sprint("-frozen-moons=", frozen))
		if code != exitOK || !strings.Contains(out, "self-check  ok") {
			t.Fatalf("exit code %d\n%s%s", code, out, report)
		}
		at[frozen] = map[string]reference.Vector{}
		for _, r := range readTable(t, table) {
			at[frozen][r.name] = r.at
		}
	}
	if at[false]["Earth"] != at[true]["Earth"] {
		t.Errorf("the Earth precesses to %v, frozen %v", at[false]["Earth"], at[true]["Earth"])
	}
	earth, free, frozen := at[false]["Earth"], at[false]["Moon"], at[true]["Moon"]
	turned := math.Atan2(free.Y-earth.Y, free.X-earth.X) - math.Atan2(frozen.Y-earth.Y, frozen.X-earth.X)
	if degrees := math.Abs(math.Remainder(turned, 2*math.Pi)) * 180 / math.Pi; degrees < 30 || degrees > 50 {
		t.Errorf("rates turn the Moon by %.1f degrees in a year, want about 41", degrees)
	}
}

func readPicture(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type tableRow struct {
	id, name, kind string
	at             reference.Vector
}

func readTable(t *testing.T, path string) []tableRow {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || strings.Join(cells[0], ",") != "id,name,kind,x,y,z" {
		t.Fatalf("%v: the header is %q", err, cells[0])
	}
	var rows []tableRow
	for _, c := range cells[1:] {
		var v [3]float64
		for k := range v {
			if v[k], err = strconv.ParseFloat(c[3+k], 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, tableRow{c[0], c[1], c[2], reference.Vector{X: v[0], Y: v[1], Z: v[2]}})
	}
	return rows
}

func readMinors(t *testing.T, path string) []catalogue.Minor {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	minors, err := catalogue.ReadMinors(path, bytes.NewReader(text), func(*catalogue.LineError) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return minors
}
