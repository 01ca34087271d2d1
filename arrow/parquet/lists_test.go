package parquet

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	arr "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/lanewise/lanewise/arrow"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/study/table"
)

var (
	worlds = flag.Int("worlds", 25, "how many worlds TestThereAndBack writes and reads")
	seed   = flag.Uint64("seed", 1, "of TestThereAndBack")
)

type (
	Lists struct {
		Numbers [3]float64
		Deep    [2][3]int16
		Bits    [5]bool
		Key     [4]byte
		Friends [2]ecs.Entity
	}
	Mark   struct{}
	Wheels struct{ At [4]float32 }
)

var listTerms = []ecs.Term{ecs.Optional(ecs.Read[Lists]()), ecs.AnyOf(ecs.Read[Position](), ecs.With[Mark](), ecs.With[Team]()), ecs.Optional(ecs.Read[Wheels]())}

// importFile creates entities from the rows of a file.
func importFile(w *ecs.World, data []byte, rows int64, terms ...ecs.Term) error {
	f, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: rows}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	batches, err := r.GetRecordReader(context.Background(), nil, nil)
	if err != nil {
		return err
	}
	im, err := arrow.NewImporter(w, terms...)
	if err != nil {
		return err
	}
	for batches.Next() {
		if err := im.Add(batches.RecordBatch()); err != nil {
			return err
		}
	}
	_, err = im.Close()
	return err
}

// TestThereAndBack writes and reads worlds whose archetypes have or lack optional lists, in any order.
// The worlds must come back bit for bit.
// Conformance: 540
func TestThereAndBack(t *testing.T) {
	for k := range *worlds {
		at := fmt.Sprintf("-seed %d, world %d", *seed, k)
		rng := rand.New(rand.NewPCG(*seed, uint64(k)))
		from, to := ecs.NewWorld("from"), ecs.NewWorld("to")
		var last ecs.Entity
		for range rng.IntN(6) {
			kind := rng.IntN(16)
			for i := range 1 + rng.IntN(400) {
				list := []any{Position{X: float32(i)}}
				if kind&1 != 0 {
					l := Lists{Numbers: [3]float64{1, rng.Float64(), 3}, Key: [4]byte{byte(i), 255}, Bits: [5]bool{i%2 == 0, true, i%3 == 0}, Friends: [2]ecs.Entity{last}}
					l.Deep[1] = [3]int16{int16(i), -1, int16(kind)}
					list = append(list, l)
				}
				if kind&2 != 0 {
					list = append(list, Mark{})
				}
				if kind&4 != 0 {
					list = append(list, Team{Name: strings.Repeat("é", i%3)})
				}
				if kind&8 != 0 {
					list = append(list, Wheels{[4]float32{float32(i), 0, 0, 1}})
				}
				last = from.Spawn(list...)
			}
		}
		s, err := arrow.New(from, listTerms...)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := Write(&out, s, Form(rng.IntN(2))); err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		if err := importFile(to, out.Bytes(), 1+rng.Int64N(500), listTerms...); err != nil || from.Hash() != to.Hash() {
			t.Fatalf("%s: hash %x of %d entities, want %x of %d: %v", at, to.Hash(), to.Len(), from.Hash(), from.Len(), err)
		}
		_, _ = from.Close(), to.Close()
	}
}

// TestNullList checks null lists as arrow-go's builder makes them, and as pqarrow writes and reads
// them. A row with a null list becomes an entity without the component.
func TestNullList(t *testing.T) {
	schema := arr.NewSchema([]arr.Field{{Name: "Position.X", Type: arr.PrimitiveTypes.Float32}, {Name: "Wheels.At", Type: arr.FixedSizeListOf(4, arr.PrimitiveTypes.Float32), Nullable: true}}, nil)
	build := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	build.Field(0).(*array.Float32Builder).AppendValues([]float32{1, 2, 3}, nil)
	l := build.Field(1).(*array.FixedSizeListBuilder)
	l.AppendNull()
	l.Append(true)
	l.ValueBuilder().(*array.Float32Builder).AppendValues([]float32{1, 2, 3, 4}, nil)
	l.AppendNull()
	b := build.NewRecordBatch()
	check := func(how string, w *ecs.World, err error) {
		t.Helper()
		if n := w.Query(ecs.Read[Wheels]()).Count(); err != nil || n != 1 || w.Len() != 3 {
			t.Errorf("%s: %d of %d entities have wheels: %v", how, n, w.Len(), err)
		}
	}
	terms := []ecs.Term{ecs.Read[Position](), ecs.Optional(ecs.Read[Wheels]())}
	w := ecs.NewWorld("built")
	defer w.Close()
	im, err := arrow.NewImporter(w, terms...)
	if err != nil {
		t.Fatal(err)
	}
	check("built", w, im.Add(b))
	var out bytes.Buffer
	f, err := pqarrow.NewFileWriter(schema, &out, nil, pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(b.NewSlice(0, 2)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	other := ecs.NewWorld("read")
	defer other.Close()
	other.Spawn(Position{})
	check("written by pqarrow", other, importFile(other, out.Bytes(), 10, terms...))
}

// TestText checks that text that is not UTF-8 is refused by name before the first byte is written,
// also in the table of a study.
func TestText(t *testing.T) {
	w := ecs.NewWorld("text")
	defer w.Close()
	w.Spawn(Position{}, Team{Name: "fine"})
	w.Spawn(Position{}, Team{Name: "\xff"})
	s, err := arrow.New(w, ecs.Read[Position](), ecs.With[Team]())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for name, write := range map[string]func() error{
		"parquet": func() error { return Write(&out, s, Plain) }, "stream": func() error { return s.WriteStream(&out) }, "file": func() error { return s.WriteFile(&out) },
	} {
		if err := write(); err == nil || !strings.Contains(err.Error(), `Team.Name is "\xff", which is not UTF-8`) || out.Len() > 0 {
			t.Errorf("%s: %d bytes, %v", name, out.Len(), err)
		}
	}
	rows, err := OpenTable(&out, []table.Column{{Name: "who", Kind: table.KindText}, {Name: "n", Kind: table.KindInt}})
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.Row([]table.Value{table.TextValue("\xff"), table.IntValue(1)}); err == nil || !strings.Contains(err.Error(), `column who: "\xff" is not UTF-8`) {
		t.Errorf("a study's table: %v", err)
	}
	if err := rows.Row([]table.Value{table.TextValue("é"), table.IntValue(1)}); err != nil {
		t.Error(err)
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	if f, _ := read(t, out.Bytes()); f.NumRows() != 1 {
		t.Errorf("%d rows, want the one that is UTF-8", f.NumRows())
	}
}
