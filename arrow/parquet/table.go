package parquet

import (
	"io"

	"github.com/lanewise/lanewise/arrow"
	"github.com/lanewise/lanewise/study/table"
)

func init() { table.Register("parquet", OpenTable) }

// OpenTable begins a table of a study as a Parquet file, compressed by Snappy.
// A program that imports this package writes such a table with `table -format
// parquet`.
func OpenTable(w io.Writer, columns []table.Column) (table.Writer, error) {
	s, err := arrow.TableSchema(columns)
	if err != nil {
		return nil, err
	}
	f, err := open(w, s, Snappy)
	if err != nil {
		return nil, err
	}
	return arrow.NewTable(s, GroupRows, f), nil
}
