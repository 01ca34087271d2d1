package datafile

import (
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var interpreter = flag.String("datafile.python", "", "a Python that has numpy, VTK and ASE: Debian's is /usr/bin/python3")

// about is the description of a table for the Python program.
type about struct {
	Base    string
	Rows    int
	Columns []aboutColumn
	Labels  map[string][]string
	Lattice *Lattice
	Time    float64
	Note    string
}

type aboutColumn struct {
	Name, Kind string
	Width      int
}

// TestForeign lets numpy, VTK, ASE and Python's csv read files of this package, and reads files that they
// write.
func TestForeign(t *testing.T) {
	if *interpreter == "" {
		t.Skip("needs Python with numpy, VTK and ASE: make formats")
	}
	dir := t.TempDir()
	back := filepath.Join(dir, "back")
	must(t, os.Mkdir(back, 0o700))
	var tables []about
	for seed := range uint64(40) {
		tables = append(tables, writeForeign(t, dir, seed))
	}
	description, err := json.Marshal(tables)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "tables.json"), description, 0o600))
	out, err := exec.Command(*interpreter, "testdata/foreign.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s", out)
	readForeign(t, back)
}

// writeForeign writes a random table in all formats, and its lanes one after another.
func writeForeign(t *testing.T, dir string, seed uint64) about {
	r := rand.New(rand.NewPCG(seed, 3))
	rows := sizes[seed%uint64(len(sizes))]
	if seed == 39 {
		rows = 30_000 // more than a block has
	}
	table := &Table{}
	for table.fault() != nil || slices.ContainsFunc(table.Columns, func(c Column) bool { return strings.ContainsFunc(c.Name, isSpecial) || c.Name == "force" }) {
		table = drawTable(r, rows) // ASE keeps forces elsewhere
	}
	if i := slices.IndexFunc(table.Columns, func(c Column) bool { return c.labels != nil }); i >= 0 {
		table.Columns[i].labels[2] = "Fe"
	}
	table.Lattice = &Lattice{Vectors: [3][3]float64{{r.Float64() + 1, 0, 0}, {0.1, 2, 0}, {0, 0, 3}}, Periodic: [3]bool{true, seed%2 == 0, false}}
	m := about{Base: "t" + string(rune('a'+seed%26)) + string(rune('a'+seed/26)), Rows: rows, Labels: map[string][]string{}, Lattice: table.Lattice, Time: r.Float64(), Note: `it's "5" <µm> & \more`}
	table.Info = []Info{{"Time", formatFloat(m.Time)}, {"note", m.Note}}
	var raw []byte
	for _, c := range table.Columns {
		m.Columns = append(m.Columns, aboutColumn{c.Name, c.Kind().String(), c.Width()})
		if c.labels != nil {
			m.Labels[c.Name] = c.labels
		}
		for lane := range c.Width() {
			size := kinds[c.Kind()].size
			b := make([]byte, size*rows)
			c.data.encode(b, size, lane, 0, rows)
			raw = append(raw, b...)
		}
	}
	base := filepath.Join(dir, m.Base)
	must(t, os.WriteFile(base+".raw", raw, 0o600))
	for _, end := range []string{".npy", ".npz", ".csv", ".vtp"} {
		must(t, Save(base+end, table))
	}
	tr, err := NewTrajectory(base + ".xyz")
	must(t, err)
	must(t, errors.Join(tr.Add(table), tr.Add(table), tr.Close()))
	return m
}

// readForeign reads the files that Python has written.
func readForeign(t *testing.T, dir string) {
	read := 0
	for _, name := range list(t, dir) {
		base, ok := strings.CutSuffix(filepath.Join(dir, name), ".json")
		if !ok {
			continue
		}
		description, err := os.ReadFile(base + ".json")
		must(t, err)
		var m about
		must(t, json.Unmarshal(description, &m))
		raw, err := os.ReadFile(base + ".raw")
		must(t, err)
		want := &Table{}
		for _, c := range m.Columns {
			kind := Kind(slices.IndexFunc(kinds[:], func(k kindNames) bool { return k.name == c.Kind }))
			s, size := newStorage(kind, c.Width), kinds[kind].size
			for lane := range c.Width {
				s.decode(raw, size, lane, m.Rows, false)
				raw = raw[size*m.Rows:]
			}
			want.Columns = append(want.Columns, Column{Name: c.Name, data: s})
		}
		end := "." + filepath.Base(base)[:3]
		got, err := Load(base+end, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		read++
		t.Run(name, func(t *testing.T) { checkSame(t, got, want, end != ".csv", false) })
	}
	if read != 17 {
		t.Errorf("%d files are read, want 17", read)
	}

	f, err := os.Open(filepath.Join(dir, "ase.xyz"))
	must(t, err)
	defer func() { must(t, f.Close()) }()
	frames := 0
	for got, err := range ReadExtXYZ(f, Options{}) {
		must(t, err)
		want := &Table{
			Columns: []Column{
				Categorical("species", []int32{0, 1}, "Ar", "Kr"), Lanes(Positions, []float64{0, 0.5}, []float64{0, float64(frames)}, []float64{0, -1e-3}),
				Lanes("velo", []float64{1, 4}, []float64{2, 5}, []float64{3, 0.25}), Lanes("flag", []uint8{1, 0}),
			},
			Lattice: &Lattice{Vectors: [3][3]float64{{3}, {0, 4}, {0, 0, 5}}, Periodic: [3]bool{true, false, true}},
		}
		checkSame(t, got, want, true, true)
		if *got.Lattice != *want.Lattice || !slices.Equal(got.Info, []Info{{"note", `a "b" c`}}) {
			t.Errorf("frame %d: lattice %v, info %q", frames, got.Lattice, got.Info)
		}
		frames++
	}
	if frames != 2 {
		t.Errorf("%d frames of ASE, want 2", frames)
	}
}
