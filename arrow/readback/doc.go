// Package readback has no code: its test has DuckDB and polars read what packages arrow and parquet
// write.
package readback
