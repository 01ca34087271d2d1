// Package readback has no code: its test reads the output of packages arrow and
// parquet with DuckDB and polars.
package readback
