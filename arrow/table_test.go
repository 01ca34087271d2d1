package arrow

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/lanewise/lanewise/study/table"
)

var tableColumns = []table.Column{
	{Name: "run", Kind: table.KindInt}, {Name: "x", Kind: table.KindFloat, Unit: "m", Help: "how far"},
	{Name: "half", Kind: table.KindFloat32}, {Name: "ok", Kind: table.KindBool}, {Name: "who", Kind: table.KindText}, {Name: "seed", Kind: table.KindUint},
}

func tableRow(k int) []table.Value {
	return []table.Value{table.IntValue(int64(k)), table.FloatValue(float64(k) / 3), table.FloatValue(0.5), table.BoolValue(k%2 == 0), table.TextValue(strings.Repeat("é", k%3)), table.UintValue(math.MaxUint64 - uint64(k))}
}

// TestTable checks that a study's table in Arrow has all rows, and that a table without rows works too.
func TestTable(t *testing.T) {
	if !slices.Contains(table.Formats(), "arrow") {
		t.Errorf("formats %v", table.Formats())
	}
	for _, n := range []int{0, 1, BatchRows, BatchRows + 3} {
		var out bytes.Buffer
		w, err := table.New("arrow", &out, tableColumns)
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			if err := w.Row(tableRow(k)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := ipc.NewFileReader(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for i := range f.NumRecords() {
			b, err := f.RecordBatch(i)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.Column(4).ValueStr(int(b.NumRows()) - 1); got != strings.Repeat("é", (rows+int(b.NumRows())-1)%3) {
				t.Errorf("the last text of batch %d is %q", i, got)
			}
			if seed := b.Column(5).(*array.Uint64); seed.Value(0) != math.MaxUint64-uint64(rows) {
				t.Errorf("the first seed of batch %d is %d", i, seed.Value(0))
			}
			rows += int(b.NumRows())
		}
		if unit, _ := f.Schema().Field(1).Metadata.GetValue("unit"); rows != n || unit != "m" {
			t.Errorf("%d rows of %d, in %q", rows, n, unit)
		}
	}
}

// TestTableRefused checks rows that do not fit, unknown kinds, and full disks.
func TestTableRefused(t *testing.T) {
	if _, err := OpenTable(io.Discard, []table.Column{{Name: "odd", Kind: 'z'}}); err == nil || !strings.Contains(err.Error(), "column odd") {
		t.Errorf("a kind: %v", err)
	}
	w, err := OpenTable(io.Discard, tableColumns)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Row(tableRow(1)[:2]); err == nil || !strings.Contains(err.Error(), "2 cells, the table has 6") {
		t.Errorf("a short row: %v", err)
	}
	s, _ := TableSchema(tableColumns)
	for _, fails := range []int{0, 1, 2} {
		w = NewTable(s, 2, &failing{fails})
		var errs []error
		for k := range 3 {
			errs = append(errs, w.Row(tableRow(k)))
		}
		if err := errors.Join(append(errs, w.Close())...); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%d batches go well: %v", fails, err)
		}
	}
}

// failing accepts a number of batches and then fails.
type failing struct{ left int }

func (f *failing) Write(arrow.RecordBatch) error { return f.Close() }

func (f *failing) Close() error {
	if f.left--; f.left < 0 {
		return io.ErrShortWrite
	}
	return nil
}
