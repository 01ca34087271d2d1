// Package ecs organises entities: it stores their components by archetype in
// chunks of up to 16 KiB, finds the chunks that a query matches, and hands them to jobs.
//
// # The words
//
// An entity is an id: an index and a version. A component is a plain Go type
// that an entity may have one value of. An archetype is a set of component
// types; entities of one archetype share chunks. A chunk is up to 16 KiB of memory
// seen through a query; a row is one entity's place in it, a lane is one
// top-level field of a component for all rows, a column is all lanes of a
// component. A view is a struct of slices over the lanes of a column. A
// structural change makes or ends entities or changes which components they
// have; everything else only changes values.
//
//	World
//	 ├─ archetype {Position}            ┌ chunk ─────────────────┐
//	 ├─ archetype {Position, Velocity} ─┤ ids    e3 e9 e4 …      │
//	 │                                  │ X      1  2  0  …      │ Position,
//	 └─ …                               │ Y      0  0  5  …      │ three lanes
//	                                    │ Z      …               │
//	                                    └────────────────────────┘
//
// # Components
//
// A component is a named type without Go pointers. Its column is shown as the
// view that its Column method names; a component that only serves as a tag, or
// is only read entity by entity, needs none.
//
//	type Position struct{ X, Y, Z float32 }
//
//	func (Position) Column() (c kernels.Vec3s[float32]) { return }
//
// Kinds are embedded markers: [Shared] (one value a chunk), [Cleanup] (outlives
// Destroy until it is removed), [Enableable] (a switch for each row, which
// queries heed) and [Managed] (may hold Go pointers). [Buffer] is a growing array
// that belongs to an entity, [PerChunk] a value that all entities of a chunk have
// together. A blob.Ref, of package ecs/blob, refers to data that many have in common and
// that does not change. A type is registered when it is first mentioned. Inside an
// archetype components are ordered by category and then by full name (package path and
// type name), never by when they were registered.
//
// Queries pass over entities that have [Prefab] or [Inactive], unless they ask
// for them, or say [IncludePrefabs] or [IncludeInactive]; over [Ghost] likewise.
//
// Examples show what is called: of [World] and [Commands], which change entities, of [Query] and
// [Chunk], which loop over them, and of [Target], which says for which entities a change is.
// The guide (docs/guide/entities.md and the pages behind it) goes through them in order.
//
// # For packages that build on worlds
//
// Most programs need none of these names:
//
//	World.Hooks      functions that a world calls when something happens to it, and values that others keep with it
//	World.Scheduler  updates of systems in steps, and the order of jobs; ecs/system is made of it
//	World.Untyped    components whose types are known at run time only
//	Probe            a query for tools that look at a world piece by piece
//	Transaction      lends a world to jobs that change it, one at a time
//	ImageBuilder     makes an image from parts that come from a file or another machine
//	ImageStream      brings an image into a living world, some rows in each frame
//	Excerpt, RowSet  entities, and columns of entities, on their way to another world
//	MoveEntities     moves entities to another world of the process; MoveMatching and CopyEntities do some of them
//	Compact          gives memory back; Defragment also joins chunks that are not full
//
// # Promises
//
// The same operations give the same ids, chunks, rows and hash, on every
// machine and with any number of workers. A structural change happens whole or
// not at all. The steady state allocates nothing. Errors are *[Error] with a
// category for errors.Is: [ErrArgument], [ErrState], [ErrDisposed], [ErrRange].
// What takes types and constants from the source (Archetype, Query, Spawn,
// Create, Column) panics with such an error; what takes entities returns it.
//
// A world is for one goroutine at a time; jobs see it through the chunks that
// they are given. A structural change first waits for all jobs of the world. It
// is an error in a job, and while the chunks of a query are being visited.
//
// # Inside
//
// A [World] has parts, which are its fields: gate (can the world be used, and by which goroutine), hooks, types (component types),
// shared (values of shared components), tables (entities, archetypes, chunks) and queries. A part uses only those before it. An operation on
// several parts is a method of World. docs/decisions/0013-a-world-in-layers.md says which file has which part.
//
// A component is what the process knows of a type: the registry numbers it when it is first
// mentioned, and never forgets it. A world admits it under its name, once: two types of one name
// have no order. A record is what the world knows of a chunk, a slot what it knows of an id: the record and
// the row. A group is the chunks of an archetype that have the same shared values; its room is
// those with a free row. No other group is called
// so: a linked group is an entity with those that go along with it, a write group the
// components that take a component's making over, a system group is package system's.
//
// A signature is what the terms of a query ask for, a match what the query
// found out about an archetype, a bind where in a chunk a column of it lies, a row filter what it asks of
// switches, a cursor what stands behind a [Chunk]: where it is, and how columns there are shown. Meta entities hold the
// chunk components of chunks, one for each. A recipe is how to make an entity of values of
// certain types. A deferred id is that of an entity that commands are still to make; it is reserved once
// something refers to it that is played first.
//
// What holds it together:
//
//   - A set of components has one archetype, as long as the world is there. So what a query finds out about an
//     archetype holds for ever, and a query only ever appends matches, in the order of archetypes: what depends on rows, values
//     or versions is asked of the match each time.
//   - Rows of a chunk are without gaps: the last row takes the place of one that goes, and a slot always says where its row is.
//     New rows go to the first chunk of their group with room. That is all that decides who is where, so equal operations give equal rows.
//   - The version says when something was written: it moves on with
//     every update and every job, each column of each chunk has the version of its last writer, and
//     it never goes back, not by Restore either. What an archetype or 64 of them note is no older than any of their columns, so that filters may begin there.
//   - The structural count says how long a view lives: it moves on with every
//     structural change, a view remembers it, and one that is older is refused. So nothing on the way
//     to a value takes a lock: what jobs may touch was settled by what declared to read and write
//     it when they were scheduled, and rows only move while no job runs.
//   - A structural change is checked as a whole before its first write: nothing behind that can be
//     refused. Methods of users' values are asked before it and told behind it, and finish is its
//     last call.
//   - What jobs read while the owner makes archetypes (which of them match) is written before the bit that leads to it, and
//     never changed after. Versions are the only other thing that several goroutines may write at a time: atomically, but for a column that a worker has to itself.
//   - Commands change nothing when they are recorded and are refused then if they can be: a null id, a query of another world.
//     They are played in the order of jobs, chunks and recording, whatever the order of recording in time was.
//
// A column's slices are plain memory, good until the next structural change or
// the end of the job. Build with the tag lanewise_guard to find uses after that,
// and writes to columns that are only read.
package ecs
