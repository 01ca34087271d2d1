package arrow

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanewise/lanewise/study/table"
)

func init() { table.Register("arrow", OpenTable) }

// OpenTable begins a table of a study in Arrow's IPC file format. A program
// that imports this package writes such a table with `table -format arrow`.
func OpenTable(w io.Writer, columns []table.Column) (table.Writer, error) {
	s, err := TableSchema(columns)
	if err != nil {
		return nil, err
	}
	f, err := ipc.NewFileWriter(w, ipc.WithSchema(s))
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	return NewTable(s, BatchRows, f), nil
}

// TableSchema returns the columns of a study's table; units and help texts
// become metadata.
func TableSchema(columns []table.Column) (*arrow.Schema, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name}
		switch c.Kind {
		case table.KindInt:
			fields[i].Type = arrow.PrimitiveTypes.Int64
		case table.KindUint:
			fields[i].Type = arrow.PrimitiveTypes.Uint64
		case table.KindFloat:
			fields[i].Type = arrow.PrimitiveTypes.Float64
		case table.KindFloat32:
			fields[i].Type = arrow.PrimitiveTypes.Float32
		case table.KindBool:
			fields[i].Type = arrow.FixedWidthTypes.Boolean
		case table.KindText:
			fields[i].Type = arrow.BinaryTypes.String
		default:
			return nil, fmt.Errorf("arrow: column %s is of %v, which has no type in Arrow", c.Name, c.Kind)
		}
		about := map[string]string{}
		if c.Unit != "" {
			about["unit"] = c.Unit
		}
		if c.Help != "" {
			about["help"] = c.Help
		}
		fields[i].Metadata = arrow.MetadataFrom(about)
	}
	return arrow.NewSchema(fields, nil), nil
}

// BatchWriter writes batches. The writers of Arrow and of Parquet implement it.
type BatchWriter interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// studyTable collects rows into batches.
type studyTable struct {
	schema *arrow.Schema
	build  *array.RecordBuilder
	to     BatchWriter
	n, of  int
}

// NewTable returns a writer of study tables. The writer writes the rows to a
// BatchWriter in batches of the given size. Its Close closes the BatchWriter.
// The writer is a [table.Checker], because it refuses a text that is not UTF-8.
func NewTable(s *arrow.Schema, rows int, to BatchWriter) table.Writer {
	must(rows > 0, "NewTable: rows is %d", rows)
	return &studyTable{schema: s, build: array.NewRecordBuilder(memory.DefaultAllocator, s), to: to, of: rows} //lanewise:inexact its assembly fills memory with one byte
}

// Check implements table.Checker. It returns an error if the text of a cell is not UTF-8.
func (t *studyTable) Check(cells []table.Value) error {
	if len(cells) != t.schema.NumFields() {
		return fmt.Errorf("arrow: a row of %d cells, the table has %d columns", len(cells), t.schema.NumFields())
	}
	for i, v := range cells {
		if t.schema.Field(i).Type == arrow.BinaryTypes.String && !utf8.ValidString(v.Text()) {
			return fmt.Errorf("arrow: column %s: %q is not UTF-8, as texts of Arrow and Parquet are: write the table with -format csv, or change the text", t.schema.Field(i).Name, v.Text())
		}
	}
	return nil
}

func (t *studyTable) Row(cells []table.Value) error {
	if err := t.Check(cells); err != nil {
		return err
	}
	for i, v := range cells {
		switch b := t.build.Field(i).(type) {
		case *array.Int64Builder:
			b.Append(v.Int()) //lanewise:inexact its assembly fills memory with one byte
		case *array.Uint64Builder:
			b.Append(v.Uint()) //lanewise:inexact its assembly fills memory with one byte
		case *array.Float64Builder:
			b.Append(v.Float()) //lanewise:inexact its assembly fills memory with one byte
		case *array.Float32Builder:
			b.Append(float32(v.Float())) //lanewise:inexact its assembly fills memory with one byte
		case *array.BooleanBuilder:
			b.Append(v.Bool()) //lanewise:inexact its assembly fills memory with one byte
		case *array.StringBuilder:
			b.Append(v.Text()) //lanewise:inexact its assembly fills memory with one byte
		}
	}
	if t.n++; t.n < t.of {
		return nil
	}
	return t.flush()
}

func (t *studyTable) flush() error {
	b := t.build.NewRecordBatch()
	defer b.Release()
	t.n = 0
	if err := t.to.Write(b); err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	return nil
}

// Close writes the remaining rows. A table without rows still has its columns.
func (t *studyTable) Close() error {
	defer t.build.Release()
	var err error
	if t.n > 0 {
		err = t.flush()
	}
	if e := t.to.Close(); err == nil && e != nil {
		err = fmt.Errorf("arrow: %w", e)
	}
	return err
}
