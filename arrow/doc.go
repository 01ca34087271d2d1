// Package arrow carries the rows of a query out of a world and into one, as record batches of
// Apache Arrow: to DuckDB, polars, pandas, a file or another process.
//
//	s, err := arrow.New(w, ecs.Read[Position](), ecs.Read[Velocity]())
//	err = s.WriteStream(out)
//
// # Columns
//
// The first column is "entity", a number of 64 bits: the index in the lower half, the version in
// the upper one. Each number of a component has a column of its own: Position.X, Body.Spin.Y, or
// Health where a component is one number. What a component does not hold as a number:
//
//	[N]byte                    fixed_size_binary[N]
//	an array of numbers        fixed_size_list
//	an array of structs        a fixed_size_list for each number of the struct
//	an ecs.Entity              the number of 64 bits
//	a switch (ecs.Enableable)  a column Burning.enabled of booleans
//	a tag                      a column of booleans if not every entity must have it
//	a shared value             its numbers, booleans and strings, repeated in every row
//
// A component in Optional or AnyOf is null where an entity has none. Buffers, managed components
// and values of chunks are refused with an error that names them. Two components of the same name
// are told apart by their packages.
//
// # Gathered and in place
//
// [Source.Gathered] copies the rows into batches, which may be kept: their memory is used again
// once all references are released. [Source.Views] copies nothing: each batch lies in the memory of
// a chunk and is good for one turn of the loop, in which the structure of the world cannot change.
// A view that is asked for its batch later refuses; [View.Copy] makes one that may be kept.
//
// # What holds
//
// Columns are made of types once, when a source is made, and are the same whichever archetypes match: what one lacks is null. A batch that was gathered has no
// memory of the world; one in place has nothing else, and is good as long as its chunk is shown. Both have the rows of a chunk in the order of a loop, so that rows of two columns belong together. What cannot be had without
// loss is refused by name before the first row, in both directions: a text that is not UTF-8, for example. An import of a batch, of a part of it and of a copy
// of that are the same: nothing that is made of a batch has its memory. A batch that is refused makes no entity, and Read makes none of a stream that is.
//
// # Where things are
//
// A leaf is one number of a component, with its way from the value; a column is what Arrow has of a component, made of leaves.
// column.go and leaf.go make both for a type and fill them; source.go is the query, gather.go copies and views.go shows in
// place; import.go, batch.go and read.go go the other way, stream.go is streams, take.go copies piece by piece for requests, table.go the format
// for package study. A component of a new shape begins in column.go, in the table that the top of this page has.
package arrow
