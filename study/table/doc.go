// Package table implements typed rows. It maps the fields of a Go struct to columns, encodes rows
// as bytes, and writes tables in several formats.
//
//	shape, err := table.ShapeOf(reflect.TypeFor[Day]())  // a column for each field
//	w, err := table.New("csv", os.Stdout, shape.Columns)
//	err = w.Row(cells)                                  // one Value for each column
//	err = w.Close()
//
// A column has a name, a kind and optionally a unit. The kind is stored,
// because a reader that guesses kinds from texts makes mistakes. A [Value] is
// one cell. It stores numbers without allocating. A [Writer] writes the rows of
// one table one after another, so that a table may be larger than memory.
//
// CSV, JSON lines and a summary as text are part of this package. [SummaryIn] writes a summary in any format. Other packages add formats with
// [Register], as database drivers do, and a blank import adds them to a
// program:
//
//	import _ "example.org/parquet" // table -format parquet
package table
