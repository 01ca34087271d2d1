// Package parquet writes the rows of a query as a Parquet file, which DuckDB, polars, pandas and
// Spark open as it is. It is a package of its own, so that whoever wants Arrow's streams alone does
// not link it.
package parquet

import (
	"fmt"
	"io"

	arr "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/lanewise/lanewise/arrow"
)

// GroupRows is how many rows a row group has: what a reader takes or leaves at once.
const GroupRows = 1 << 17

// pageBytes is how large a page becomes: one that stays in a core's cache is written a quarter faster than one of the library's
// megabyte, whose buffers grow anew for each column of each group.
const pageBytes = 1 << 17

// Form says how values lie in a file.
type Form uint8

const (
	// Plain writes values as they are: the fastest to write, and as large as the columns.
	Plain Form = iota
	// Snappy compresses them, which pays where values repeat.
	Snappy
)

// Write writes the rows of a source. The structure of its world must not change meanwhile. What is
// written is the columns of the source: see package arrow; Parquet keeps lists of fixed length as
// lists, and the file's schema of Arrow says their length. A text that is not UTF-8 is refused before the first byte is written. A panic of w is passed on.
func Write(w io.Writer, s *arrow.Source, form Form) error {
	if err := s.CheckText(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	schema, err := listSchema(s.Schema())
	if err != nil {
		return err
	}
	f, err := open(w, schema, form)
	if err != nil {
		return err
	}
	for b := range s.Gathered(GroupRows) {
		if err := writeBatch(f, schema, b); err != nil {
			_ = f.Close() // what it says is why Write failed
			return fmt.Errorf("parquet: %w", err)
		}
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

// open begins a file.
func open(w io.Writer, s *arr.Schema, form Form) (*pqarrow.FileWriter, error) {
	codec := compress.Codecs.Uncompressed
	if form == Snappy {
		codec = compress.Codecs.Snappy
	}
	props := parquet.NewWriterProperties(parquet.WithDictionaryDefault(false), parquet.WithCompression(codec),
		parquet.WithMaxRowGroupLength(GroupRows), parquet.WithStats(form != Plain),
		parquet.WithDataPageSize(pageBytes), parquet.WithBatchSize(pageBytes/8))
	stored := pqarrow.DefaultWriterProps()
	if !s.HasMetadata() { // it is not there yet: see listSchema
		stored = pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())
	}
	f, err := pqarrow.NewFileWriter(s, keepOpen{w}, props, stored) //lanewise:inexact the sum is that of decimals, which no table has
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	return f, nil
}

// keepOpen hides a Close from the library, which would call it.
type keepOpen struct{ io.Writer }
