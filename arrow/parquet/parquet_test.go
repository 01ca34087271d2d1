package parquet

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	arr "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/lanewise/lanewise/arrow"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/study"
	"github.com/lanewise/lanewise/study/table"
)

type (
	Position struct{ X, Y, Z float32 }
	Velocity struct{ X, Y, Z float32 }
	Body     struct {
		Alive  bool
		Matrix [3]float64
	}
	Team struct {
		ecs.Shared
		Name string
	}
)

func (Position) Column() (c kernels.Vec3s[float32]) { return }
func (Velocity) Column() (c kernels.Vec3s[float32]) { return }

func movers(t testing.TB, n int) *arrow.Source {
	w := ecs.NewWorld(t.Name())
	t.Cleanup(func() { _ = w.Close() })
	k := 0
	for c := range w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), n).Chunks() {
		p := ecs.Column[Position](c)
		for i := range p.X {
			p.X[i], p.Y[i] = float32(k), float32(k%7)
			k++
		}
	}
	s, err := arrow.New(w, ecs.Read[Position](), ecs.Read[Velocity]())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, data []byte) (*file.Reader, arr.Table) {
	t.Helper()
	f, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f, table
}

// TestWrite reads back written files without rows and with several row groups.
// Conformance: 540
func TestWrite(t *testing.T) {
	for _, form := range []Form{Plain, Snappy} {
		for _, n := range []int{0, 1, 3000, 2*GroupRows + 5} {
			var out bytes.Buffer
			if err := Write(&out, movers(t, n), form); err != nil {
				t.Fatal(err)
			}
			f, table := read(t, out.Bytes())
			if f.NumRows() != int64(n) || f.NumRowGroups() != (n+GroupRows-1)/GroupRows || table.NumCols() != 7 || table.Schema().Field(1).Name != "Position.X" {
				t.Errorf("form %d: %d rows in %d groups, %v", form, f.NumRows(), f.NumRowGroups(), table.Schema())
			}
			row := 0
			for _, c := range table.Column(1).Data().Chunks() {
				for _, x := range c.(*array.Float32).Float32Values() {
					if x != float32(row) {
						t.Fatalf("row %d has %v", row, x)
					}
					row++
				}
			}
			if row != n {
				t.Errorf("%d rows of %d", row, n)
			}
		}
	}
}

// TestKinds checks booleans, lists, strings and nulls.
func TestKinds(t *testing.T) {
	w := ecs.NewWorld("kinds")
	defer w.Close()
	w.Spawn(Position{X: 1}, Team{Name: "red"})
	w.Spawn(Position{X: 2}, Body{true, [3]float64{1, 2, 3}}, Team{Name: "blue"})
	s, err := arrow.New(w, ecs.Read[Position](), ecs.Optional(ecs.Read[Body]()), ecs.With[Team]())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Write(&out, s, Snappy); err != nil {
		t.Fatal(err)
	}
	_, table := read(t, out.Bytes())
	var text []string
	for i := range int(table.NumCols()) {
		text = append(text, table.Column(i).Data().Chunks()[0].String())
	}
	if got := strings.Join(text, " "); !strings.HasSuffix(got, `[1 2] [0 0] [0 0] [(null) true] [(null) [1 2 3]] ["red" "blue"]`) {
		t.Errorf("columns %s", got)
	}
}

// TestTable writes a study's table as Parquet, without rows and with several.
// Conformance: 540
func TestTable(t *testing.T) {
	for _, n := range []int{0, 1, 500} {
		var out bytes.Buffer
		w, err := table.New("parquet", &out, []table.Column{{Name: "run", Kind: table.KindInt}, {Name: "x", Kind: table.KindFloat}, {Name: "who", Kind: table.KindText}})
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			if err := w.Row([]table.Value{table.IntValue(int64(k)), table.FloatValue(0.5), table.TextValue("me")}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if f, got := read(t, out.Bytes()); f.NumRows() != int64(n) || got.NumCols() != 3 || got.Schema().Field(2).Name != "who" {
			t.Errorf("%d rows of %d, %v", f.NumRows(), n, got.Schema())
		}
	}
	if _, err := OpenTable(io.Discard, []table.Column{{Name: "odd", Kind: 'z'}}); err == nil {
		t.Error("a kind that is not known")
	}
}

// lot is a model in which runs that draw a blank emit no row of the table prize.
type lot struct {
	Even bool `default:"true" help:"the odds"`

	drawn int
}

// Prize is a row of the table prize.
type Prize struct {
	Worth float64 `unit:"€"`
	Name  string
}

// Drawn is the result of a run.
type Drawn struct{ Blanks int }

func (*lot) Setup(*study.Run) (*ecs.World, error) { return nil, nil }

func (m *lot) Step(r *study.Run) (bool, error) {
	hurt := os.Getenv("LANEWISE_PARQUET_TEST") // the last row of a run
	if m.drawn++; r.Index%3 == 2 || hurt == "one" {
		name := "a bear"
		if m.drawn == 2 && (hurt == "one" || hurt == "last" && r.Index == 5) {
			name = "\xff"
		}
		study.Emit(r, Prize{float64(r.Index) + 0.5, name})
	}
	return r.Tick < 1, nil
}

func (m *lot) Result(*study.Run) Drawn { return Drawn{m.drawn} }

// TestMain turns the test binary into the program of lot, for the processes that tests start.
func TestMain(m *testing.M) {
	if os.Getenv("LANEWISE_PARQUET_TEST") != "" {
		study.Main[*lot]()
	}
	os.Exit(m.Run())
}

// TestFirstHasNone checks a table of a study whose first runs have no rows in it. The table must
// have all columns, and the rows of the other runs in the order of the runs, both in CSV and in
// Parquet.
// Conformance: 540
func TestFirstHasNone(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := func(args ...string) []byte {
		c := exec.Command(exe, args...)
		c.Env, c.Dir = append(os.Environ(), "LANEWISE_PARQUET_TEST=1"), dir
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return out
	}
	program("sweep", "-seeds", "8", "-cores", "1", "-progress", "none")
	lines := strings.Split(strings.TrimSpace(string(program("table", "prize"))), "\n")
	f, got := read(t, program("table", "prize", "-format", "parquet"))
	if head := lines[0]; head != "run,seed,state,hash,even,tick,worth,name" || len(lines) != 5 || f.NumRows() != 4 || int(got.NumCols()) != len(strings.Split(head, ",")) {
		t.Fatalf("%d rows, %v\n%s", f.NumRows(), got.Schema(), strings.Join(lines, "\n"))
	}
	seeds, ok := got.Column(1).Data().Chunk(0).(*array.Uint64)
	if !ok {
		t.Fatalf("the seeds are of %v, want uint64", got.Schema().Field(1).Type)
	}
	for i, run := range []int64{2, 2, 5, 5} {
		if text := strings.Split(lines[i+1], ",")[1]; strconv.FormatUint(seeds.Value(i), 10) != text {
			t.Errorf("row %d has the seed %d, in CSV %s", i, seeds.Value(i), text)
		}
		runs, worth := got.Column(0).Data().Chunk(0).(*array.Int64), got.Column(6).Data().Chunk(0).(*array.Float64)
		if runs.Value(i) != run || worth.Value(i) != float64(run)+0.5 || !strings.HasPrefix(lines[i+1], fmt.Sprintf("%d,", run)) {
			t.Errorf("row %d is of run %d, worth %v; want run %d: %s", i, runs.Value(i), worth.Value(i), run, lines[i+1])
		}
	}
	if f, _ := read(t, program("table", "result", "-format", "parquet")); f.NumRows() != 8 {
		t.Errorf("%d results", f.NumRows())
	}
}

// TestHurtText writes text that is not UTF-8, in a study with one run and with several runs. If
// the texts are in the last of several runs, the writer must refuse this run by name, and must
// write no file. CSV accepts it.
func TestHurtText(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := func(which string, args ...string) (said, wrong string, err error) {
		var out, errs bytes.Buffer
		c := exec.Command(exe, args...)
		c.Env, c.Dir, c.Stdout, c.Stderr = append(os.Environ(), "LANEWISE_PARQUET_TEST="+which), dir, &out, &errs
		err = c.Run()
		return out.String(), errs.String(), err
	}
	if _, wrong, err := program("last", "sweep", "-seeds", "8", "-cores", "1", "-progress", "none"); err != nil {
		t.Fatal(err, wrong)
	}
	for _, format := range []string{"parquet", "arrow"} {
		for which, args := range map[string][]string{"last": {"table", "prize", "-format", format}, "one": {"run", "-table", "prize", "-format", format}} {
			if out, wrong, err := program(which, args...); err == nil || out != "" || !strings.Contains(wrong, `column name: "\xff" is not UTF-8`) {
				t.Errorf("%v: %v, %d bytes, %s", args, err, len(out), wrong)
			}
		}
	}
	if out, _, err := program("last", "table", "prize"); err != nil || !strings.Contains(out, "\xff") {
		t.Errorf("%v: %q", err, out)
	}
}

// TestFull checks that a disk without space is an error.
func TestFull(t *testing.T) {
	for _, n := range []int{10, GroupRows + 1} {
		for room := range 3 {
			if err := Write(&full{room: room * 100_000}, movers(t, n), Plain); err == nil && (n > 10 || room == 0) {
				t.Errorf("%d rows fit into %d bytes", n, room*100_000)
			}
		}
	}
}

// full is a writer that fails like a disk without space.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

func BenchmarkWrite(b *testing.B) {
	const n = 1 << 20
	s := movers(b, n)
	for _, form := range []struct {
		name string
		form Form
	}{{"plain", Plain}, {"snappy", Snappy}} {
		b.Run("form="+form.name, func(b *testing.B) {
			b.SetBytes(n * 32)
			b.ReportAllocs()
			for b.Loop() {
				if err := Write(io.Discard, s, form.form); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
