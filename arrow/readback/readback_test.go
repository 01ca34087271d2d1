package readback

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lanewise/lanewise/arrow"
	"github.com/lanewise/lanewise/arrow/parquet"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/study/table"
)

var modules = flag.String("modules", "", "where npm has installed @duckdb/node-api and nodejs-polars: make engines does that")

type (
	Position struct{ X, Y, Z float32 }
	Velocity struct{ X, Y, Z float64 }
	Body     struct {
		Alive  bool
		Matrix [3]float64
		Key    [4]byte
	}
	Burning struct {
		ecs.Enableable
		Heat float32
	}
	Team struct {
		ecs.Shared
		Name string
	}
)

func (Position) Column() (c kernels.Vec3s[float32]) { return }
func (Velocity) Column() (c kernels.Vec3s[float64]) { return }

// TestReadBack checks that DuckDB and polars read all rows, distinct ids, exact sums, nulls and lists.
// Conformance: 539
func TestReadBack(t *testing.T) {
	if *modules == "" {
		t.Skip("needs node, DuckDB and polars: -modules says where npm has put them (make engines)")
	}
	const n = 200_000
	dir := t.TempDir()
	to := func(name string, write func(io.Writer) error) {
		t.Helper()
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := write(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	from := func(w *ecs.World, terms ...ecs.Term) *arrow.Source {
		t.Helper()
		s, err := arrow.New(w, terms...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	w := ecs.NewWorld("movers")
	defer w.Close()
	var x, y, z float64
	k := 0
	for c := range w.Create(w.Archetype(ecs.With[Position](), ecs.With[Velocity]()), n).Chunks() {
		p, v := ecs.Column[Position](c), ecs.Column[Velocity](c)
		for i := range p.X {
			p.X[i], p.Y[i], v.Z[i] = float32(k), float32(k%7)/4, float64(-3*k)
			x, y, z = x+float64(p.X[i]), y+float64(p.Y[i]), z+v.Z[i]
			k++
		}
	}
	s := from(w, ecs.Read[Position](), ecs.Read[Velocity]())
	to("file.arrow", s.WriteFile)
	to("stream.arrow", s.WriteStream)
	to("plain.parquet", func(f io.Writer) error { return parquet.Write(f, s, parquet.Plain) })
	to("snappy.parquet", func(f io.Writer) error { return parquet.Write(f, s, parquet.Snappy) })
	none := ecs.NewWorld("empty")
	defer none.Close()
	to("empty.parquet", func(f io.Writer) error { return parquet.Write(f, from(none, ecs.Read[Position]()), parquet.Plain) })
	kinds := ecs.NewWorld("kinds")
	defer kinds.Close()
	for k := range 300 {
		switch k % 3 {
		case 0:
			kinds.Spawn(Position{}, Team{Name: "red"})
		case 1:
			kinds.Spawn(Position{}, Team{Name: "blue"}, Body{Alive: k%2 == 0, Matrix: [3]float64{0, float64(k), 0}})
		default:
			e := kinds.Spawn(Position{}, Team{Name: "blue"}, Burning{})
			if err := ecs.SetEnabled[Burning](kinds, e, k%2 == 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	s = from(kinds, ecs.Read[Position](), ecs.Optional(ecs.Read[Body]()), ecs.Optional(ecs.Read[Burning]()), ecs.With[Team](), ecs.IgnoreEnabled())
	to("kinds.parquet", func(f io.Writer) error { return parquet.Write(f, s, parquet.Plain) })

	// These are archetypes with a list, without it, and with it again, so that a null is between
	// values.
	lists := ecs.NewWorld("lists")
	defer lists.Close()
	for k := range 400 {
		switch k / 100 {
		case 0:
			lists.Spawn(Position{}, Body{Matrix: [3]float64{0, float64(k), 0}})
		case 1:
			lists.Spawn(Position{})
		case 2:
			lists.Spawn(Position{}, Body{Matrix: [3]float64{0, float64(k), 0}}, Burning{})
		default:
			lists.Spawn(Position{}, Burning{})
		}
	}
	s = from(lists, ecs.Read[Position](), ecs.Optional(ecs.Read[Body]()))
	to("lists.parquet", func(f io.Writer) error { return parquet.Write(f, s, parquet.Snappy) })

	to("study.parquet", func(f io.Writer) error { // as the command table -format parquet does
		w, err := table.New("parquet", f, []table.Column{{Name: "run", Kind: table.KindInt}, {Name: "attack", Kind: table.KindFloat}, {Name: "state", Kind: table.KindText}})
		for k := 0; k < 1000 && err == nil; k++ {
			err = w.Row([]table.Value{table.IntValue(int64(k)), table.FloatValue(float64(k) / 8), table.TextValue([]string{"ok", "late"}[k%2])})
		}
		return errors.Join(err, w.Close())
	})

	cmd := exec.CommandContext(t.Context(), "node", "testdata/read.js", *modules, dir)
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, wrong.Bytes())
	}
	// Sums of whole numbers and of quarters are exact in any order.
	all := fmt.Sprintf("%d %d %v %v %v", n, n, int(x), y, int(z))
	want := fmt.Sprintf("plain %s\nsnappy %s\nempty 0 0\nstudy 1000 1000 499500 500\nkinds 300 100 50 %d 2 400 50\nlists 400 200 600 %d\nfile %s\nstream %s\n", all, all, 100*1+3*100*99/2, 100*99+200*100, all, all)
	if string(out) != want {
		t.Errorf("DuckDB and polars say\n%swant\n%s", out, want)
	}
}
