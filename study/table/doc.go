// Package table is about typed rows: what columns a Go struct has, how a row is
// kept in bytes, and the formats in which tables are written.
//
// A column has a name, a kind and perhaps a unit; nobody guesses a kind from a
// text. A [Value] is one cell, without boxing. A [Writer] writes the rows of one
// table, one after another, so that a table may be larger than memory. CSV and
// JSON lines are here; other packages add formats with [Register], as drivers of
// databases do, and a blank import makes them known:
//
//	import _ "example.org/parquet" // table -format parquet
package table
