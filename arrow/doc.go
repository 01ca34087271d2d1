// Package arrow exports the rows of a query as record batches of Apache Arrow,
// and imports such batches. For example, DuckDB, polars, pandas, a file or
// another process can read and write the batches.
//
//	s, err := arrow.New(w, ecs.Read[Position](), ecs.Read[Velocity]())
//	err = s.WriteStream(out)
//
// # Columns
//
// The first column is "entity", a 64-bit number: the index in the lower half,
// the version in the upper half. Each number of a component has a separate
// column: Position.X, Body.Spin.Y, or Health if the component is one number.
// Other parts of components have these columns:
//
//	[N]byte                    fixed_size_binary[N]
//	an array of numbers        fixed_size_list
//	an array of structs        a fixed_size_list for each number of the struct
//	an ecs.Entity              the 64-bit number
//	a switch (ecs.Enableable)  a column Burning.enabled of booleans
//	a tag                      a column of booleans if not every entity must have it
//	a shared value             its numbers, booleans, strings and entities, repeated in every row
//
// A component in Optional or AnyOf is null for entities without it. Buffers,
// managed components and values of chunks are refused with an error that names
// them. Two components with the same name get the names of their packages as
// prefixes.
//
// # Copies and views
//
// [Source.Gathered] copies the rows into batches that may be kept; their memory
// is reused once all references are released. [Source.Views] copies nothing:
// each batch refers to the memory of a chunk, and is valid for one iteration of
// the loop. The structure of the world cannot change during that iteration.
// After the iteration, the view returns an error instead of its batch.
// [View.Copy] makes a batch that may be kept.
//
// # Promises
//
//   - The columns depend only on the types of the query. They do not depend on
//     the matching archetypes, because a missing component is null.
//   - In all columns, the rows of a chunk are in the order in which a loop visits them.
//   - A value that cannot be converted without loss, for example a text that is
//     not UTF-8, is refused in both directions. The error names it, and comes
//     before the first row.
//   - An imported world keeps no memory of a batch. A refused batch makes no
//     entity, and Read makes none if the stream is refused.
//
// # Design
//
// A leaf is one number of a component, with its offset in the value. A column consists of
// the leaves of a component. The files column.go and leaf.go make both for a type, and fill
// them. The file source.go has the query, gather.go copies rows, and views.go shows memory
// in place. The import is in import.go, batch.go and read.go. The file stream.go has
// streams, take.go copies piece by piece for requests, and table.go is the format for
// package study. Support for a new shape of component begins in column.go, in the table
// above.
package arrow
