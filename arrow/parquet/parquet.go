// Package parquet writes the rows of a query as a Parquet file, for DuckDB,
// polars, pandas and Spark.
//
//	s, err := arrow.New(w, ecs.Read[Position]())
//	err = parquet.Write(file, s, parquet.Plain)
//
// Package parquet is separate from package arrow, so that programs that only use Arrow's
// streams do not link it.
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

// GroupRows is the number of rows of a row group, the unit that a reader reads
// or skips.
const GroupRows = 1 << 17

// pageBytes is the size of a page. Pages of this size stay in a core's cache.
// With the library's default of one megabyte, writing takes a third longer, because the
// buffers then grow again for each column of each group.
const pageBytes = 1 << 17

// Form determines whether the values in a file are compressed.
type Form uint8

const (
	// Plain writes uncompressed values: it is fastest to write, and the file is
	// as large as the columns.
	Plain Form = iota
	// Snappy compresses values, which saves space if values repeat.
	Snappy
)

// Write writes the rows of a source. The structure of its world must not change
// meanwhile. The columns are the columns of the source; see package arrow.
// Lists of fixed length become Parquet lists, and the Arrow schema in the file
// stores their length. If a text is not UTF-8, Write returns an error before it
// writes the first byte. Write does not recover a panic of w.
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
			_ = f.Close() // its error repeats that of Write
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
	if !s.HasMetadata() { // it does not exist yet: see listSchema
		stored = pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())
	}
	f, err := pqarrow.NewFileWriter(s, keepOpen{w}, props, stored) //lanewise:inexact the sum is that of decimals, which no table has
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	return f, nil
}

// keepOpen hides the Close method of a writer from the library, which would call it.
type keepOpen struct{ io.Writer }
