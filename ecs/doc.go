// Package ecs is an entity component system. It stores components by archetype, as structures of
// arrays in chunks of up to 16 KiB, so that kernels and parallel jobs process whole columns.
// Queries find the chunks whose entities have certain components. All results are exactly the same
// on every machine and with any number of workers.
//
//	type Position struct{ X, Y, Z float32 }
//	type Velocity struct{ X, Y, Z float32 }
//
//	func (Position) Column() (c kernels.Vec3s[float32]) { return }
//	func (Velocity) Column() (c kernels.Vec3s[float32]) { return }
//
//	w := ecs.NewWorld("first")
//	w.Spawn(Position{Y: 1}, Velocity{Y: -2})
//	moving := w.Query(ecs.Write[Position](), ecs.Read[Velocity]())
//	for c := range moving.Chunks() {
//		p, v := ecs.Column[Position](c), ecs.Column[Velocity](c)
//		kernels.AddScaled(p.X, p.X, v.X, 1.0/60)
//		kernels.AddScaled(p.Y, p.Y, v.Y, 1.0/60)
//		kernels.AddScaled(p.Z, p.Z, v.Z, 1.0/60)
//	}
//
// A loop that you write yourself should assign the slices of a view to variables before it begins:
// see [Column].
//
// The examples of [World], [Commands], [Query], [Chunk] and [Target] show the most important calls.
// The guide begins at docs/guide/entities.md. Package ecs/system adds systems, which run in a fixed
// order in every frame.
//
// # Concepts
//
// An entity is an id, which consists of an index and a version. A component is a plain Go type. An
// entity has at most one value of each component. An archetype is a set of component types. The
// entities with exactly this set share chunks. A chunk is up to 16 KiB of memory for the entities
// of one archetype. In a chunk, a row is the place of one entity. A lane is one field of a
// component for all rows, and a column is all lanes of a component. A view is a Go struct of slices
// over the lanes of a column.
//
// A structural change creates or destroys entities, or changes which components they have. All
// other writes only change values. A [Query] selects chunks by its terms (see [Term]): the
// components to read and write, those that entities must have or must not have, and filters such as
// [Changed]. A [Commands] buffer records changes, for example in a job, and applies them later. A
// [Lookup] reads and writes components of single entities. An [Image] is a snapshot of a world.
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
// A component is a named type without Go pointers. The result type of its method Column is the type
// of its view, as above. A component without this method can be a tag, or be read entity by entity.
// A type is registered at its first use.
//
// A struct becomes a component of another kind if it embeds a marker:
//
//   - [Shared]: all entities of a chunk have the same value, so a query can select entities by
//     value.
//   - [Cleanup]: the component outlives Destroy, until the program removes it.
//   - [Enableable]: each row has a bit that switches the component on and off, without a structural
//     change.
//   - [Managed]: the component may hold Go pointers.
//
// [Buffer] is a component that holds a growing list of elements for each entity. [PerChunk] holds
// one value for all entities of a chunk. A blob.Ref, of package ecs/blob, refers to constant data
// that many entities share.
//
// Queries skip entities that have [Prefab], [Inactive] or [Ghost], unless they ask for such
// entities, or have a term such as [IncludePrefabs].
//
// # Promises
//
//   - Deterministic: the same operations produce the same ids, chunks, rows and hash, on every
//     machine and with any number of workers.
//   - Whole: a structural change happens completely or not at all.
//   - Quiet: the steady state does not allocate.
//   - Errors are of type *[Error], with a category for errors.Is: [ErrArgument], [ErrState],
//     [ErrDisposed] or [ErrRange]. Some functions have arguments that are types and constants of
//     the source code (Archetype, Query, Spawn, Create, Column). These functions panic with such an
//     error, because the program is wrong. Functions that take entities return the error.
//
// A world must be used by one goroutine at a time. Jobs access it through the chunks that they
// receive. A structural change is a sync point: it first waits for all jobs of the world. Making
// a structural change in a job, or while a loop visits the chunks of a query, is an error.
//
// The slices of a view are plain memory. The slices are valid until the next structural change, or
// until the end of the job. Build with the tag lanewise_guard to find later uses of slices, and
// writes to columns that a query only reads.
//
// # For packages that build on worlds
//
// Most programs need none of these names:
//
//	World.Hooks      functions that a world calls at certain events, and values that other packages attach to it
//	World.Scheduler  updates of systems, and the order of their jobs; package ecs/system uses it
//	World.Untyped    components whose types are known only at run time
//	Probe            a query for tools that inspect a world piece by piece
//	Transaction      lends a world to jobs, which change it one at a time
//	ImageBuilder     builds an image from parts that come from a file or another machine
//	ImageStream      adds the rows of an image to a running world, some in each frame
//	Excerpt, RowSet  copies of entities, or of single columns, for another world
//	MoveEntities     moves all entities to another world of the process; MoveMatching and CopyEntities take a selection
//	Compact          frees unused memory; Defragment also merges partly filled chunks
//
// # Design
//
// A [World] consists of parts, which are its fields. A part uses only parts before it in this order:
// gate (whether the world can be used, and by which goroutine), hooks, types (component types), shared
// (values of shared components), tables (entities, archetypes, chunks) and queries. An operation that
// needs several parts is a method of World.
//
// The process describes each component type once, in a component, and never removes the
// description. A world admits the type under its full name. It refuses a second type with the same
// name, because components are sorted by category and name. If two names were equal, their order
// would be the order of registration, which differs between runs.
//
// A chunkData holds the world's data about one chunk. A slot holds the world's data about one
// entity index: the version, the chunk and the row. A chunkGroup holds the chunks of one archetype
// that have the same shared values. Its field withRoom lists the chunks with free rows.
//
// A query has a signature, which holds its terms as components of the world. For each archetype that fits,
// the query has a match. The match has one columnBinding for each column that the query shows. A cursor is
// the part of a [Chunk] that makes views refer to the rows. A row filter uses the bits of enableable
// components to decide which rows match.
//
// Each chunk with PerChunk components has a meta entity. The components of the meta entity are the
// chunk's values. So these values are stored, filtered and captured like other components. A
// spawnPlan stores how Spawn creates an entity from a list of types. A deferred id belongs to an
// entity that a command buffer will create. Playback reserves the final id as soon as a command
// refers to the entity.
//
// The following invariants make the design correct:
//
//   - A set of components has one archetype as long as the world exists. So a query can keep the
//     data that it has found about an archetype, and it appends matches in the order of archetypes.
//     (Restore is the exception: it can take the last archetypes out of the order, and removes
//     their matches.) Rows, values and versions change, so each loop reads them again.
//   - The rows of a chunk have no gaps, because kernels process whole columns. The last row moves
//     into the place of a removed row, and the slots are updated. A new row is put into the first
//     chunk of its group that has a free row. Nothing else decides the place of an entity, so equal
//     operations give equal rows.
//   - The change version of a world increases with every update and every job. Each column of each
//     chunk stores the version of its last writer. The version never decreases, not even by
//     Restore, because systems compare it with versions that they have kept. An archetype, and each
//     group of 64 archetypes, has a version that is no older than the versions of its columns. So a
//     filter can skip all of them at once.
//   - The structural version increases with every structural change. A view stores the version at
//     which it was made, and is refused when the world's version is different. So accessing a value
//     needs no lock: the accesses of a job are declared before it is scheduled, and rows move
//     only while no job runs.
//   - A structural change is checked completely before its first write, because it could not be
//     undone. The methods of users' values that can fail are called before the first write, and
//     their notifications after the last write. endChange ends the change.
//   - The owner may create archetypes while jobs run, and these jobs may look up matches at the same time. The owner stores a match
//     before it sets the bit through which jobs find the match, and never changes the match later.
//     Several goroutines may write change versions and the bits of enableable components at the
//     same time, and no other data. These writes are atomic, unless only one worker accesses the
//     column.
//   - Recording a command changes nothing in the world. Errors that can be seen at once, such as a
//     null id or a query of another world, are returned by the call that records, because the
//     mistake is there. Playback orders commands by job, then by chunk, then by the order of
//     recording, because the times at which workers record differ between runs.
package ecs
