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
// # The API
//
// The world:
//
//	w := ecs.NewWorld("name", ecs.OnPool(pool))   // default: jobs.Default()
//	w.Close() error; w.Name() string; w.Pool(); w.Hash() uint64; w.Stats()
//	w.Sync() error                                // completes all jobs of the world
//
// Make and destroy:
//
//	w.Spawn(Position{X: 1}, Velocity{}) Entity    // one, the slow way
//	a := w.Archetype(ecs.With[Position](), ecs.With[Velocity]())
//	for c := range w.Create(a, n).Chunks() { … }  // n rows, chunk by chunk
//	w.CreateChunks(a, n)                          // the same in chunks of their own
//	w.CreateInto(a, ids) error                    // len(ids) of them
//	w.Instantiate(e, n) ([]Entity, error); w.InstantiateInto(e, ids) error
//	w.Destroy(e) error
//	w.Swap(a, b) error                            // their places, not their values
//	w.Exists(e) bool; w.Entities() iter.Seq[Entity]
//	w.InstantiateAll(ids), w.CopyAll(ids) ([]Entity, error) // with references between them
//
// Entities of another world, by package ecs/rows:
//
//	rows.MoveFrom(w, src, &moved), rows.MoveMatchingFrom(w, q, &moved) error
//	rows.CopyFrom(w, src, ids) ([]Entity, error)
//
// One entity; the same functions take a *World or a *Commands:
//
//	ecs.Add(w, e, Velocity{X: 1}) error           // adds or overwrites
//	ecs.Ensure[Velocity](w, e) (bool, error)      // adds zero if missing
//	ecs.Set(w, e, Position{}) error               // must be there
//	ecs.Remove[Velocity](w, e) (bool, error)
//	ecs.Get[Position](w, e) (Position, error)
//	ecs.HasComponent[Position](w, e) bool
//	ecs.GetBuffer[Waypoint](w, e) (Buffer[Waypoint], error)
//	ecs.Append(w, e, Waypoint{}) error            // to a buffer
//	w.SetArchetype(e, a) error
//	ecs.SetEnabled[Alert](w, e, false) error      // of Enableable components
//	ecs.Enabled[Alert](w, e) (bool, error)
//	w.SetActive(e, false) error
//
// A [Target] is one entity, a list, what a query matches (whole chunks at a time) or a
// linked group; the same functions take a *World or a *Commands:
//
//	ecs.One(e), ecs.List(ids), ecs.Matching(q), ecs.LinkedTo(e, mask) Target
//	ecs.AddAll(w, target, v), ecs.SetAll(w, target, v) error
//	ecs.SetEnabledAll[Alert](w, target, false) error
//	ecs.AddTypes(w, target, terms...), ecs.RemoveTypes(w, target, terms...) error
//	ecs.DestroyAll(w, target) error
//	ecs.Exchange[Walking](w, target, Running{}) error // one goes, the other comes, in one move
//
// Many entities:
//
//	q := w.Query(ecs.Write[Position](), ecs.Read[Velocity](), ecs.Without[Frozen]())
//	for c := range q.Chunks() { … }               // here and now
//	q.Each(job) error                             // the same, for a ChunkJob
//	q.ParallelFor(job, after...) jobs.Handle      // scheduled: after jobs that conflict
//	q.ParallelForRuns(job, after...) jobs.Handle  // neighbouring chunks as one
//	q.Count(), q.CountUnfiltered(), q.ChunkCount() int; q.Empty() bool; q.Matches(e) bool
//	q.SetSince(version)                           // what Changed and OrderChanged compare with
//	q.AppendEntities(list) []Entity
//	ecs.AppendValues[Position](q, list); ecs.SetValues(q, list) error
//	look := ecs.NewLookup[Velocity](q)            // of any entity, in q's jobs: Find, Set, Ref, Has
//
// Terms: [Read], [Write], [With], [Without], [AnyOf], [Optional], [Changed],
// [ChangedAny], [OrderChanged], [Only], [Disabled], [Present], [Absent],
// [IgnoreEnabled], [IncludePrefabs], [IncludeInactive], [IncludeGhosts], [FilterWriteGroup] to
// leave out entities in which another component makes what the query writes, and
// [Anywhere] for components that the job reaches through a [Lookup].
//
// A chunk:
//
//	pos := ecs.Column[Position](c)                // *kernels.Vec3s[float32]; a written column is marked changed
//	ecs.Peek[Position](c)                         // does not mark it
//	ecs.ColumnPadded[Position](c)                 // with the scratch rows
//	ecs.Has[Velocity](c) bool                     // for AnyOf and Optional
//	ecs.DidChange[Position](c, since) bool
//	ecs.SharedOf[Look](c) Look
//	ecs.ChunkValue[Bounds](c) Bounds; ecs.SetChunkValue(c, b)
//	routes := ecs.Column[ecs.Buffer[Waypoint]](c) // routes.At(i): Len, Slice, Append, …
//	c.Len(), c.Index() int; c.Entities() []Entity
//	c.All() bool; c.Rows() iter.Seq[int]; c.Runs() iter.Seq2[int, int]
//	c.Mask() []uint64; c.Matching() int           // which rows match, where some are off
//	ecs.EnabledAt[Alert](c, i) bool; ecs.SetEnabledAt[Alert](c, i, false)
//
// Later, in order:
//
//	cmd := w.Commands()
//	cmd.Create(a), cmd.Spawn(values...), cmd.Instantiate(e) (Entity, error)
//	cmd.Destroy(e) error; cmd.Last() (Entity, error)
//	ecs.Add(cmd, e, v), ecs.Set(cmd, e, v), ecs.Append(cmd, e, elements...)
//	ecs.Remove[T](cmd, e), ecs.Ensure[T](cmd, e)
//	gone := cmd.Parallel()                        // in a job: gone.For(c).Destroy(e)
//	cmd.Playback(w) error; cmd.Reset()            // a played buffer records again after Reset
//
// # The packages above
//
// What few programs ask of a world has its names and comments in packages above this one, and its bodies here:
//
//	ecs/plumbing     hooks, updates and the order of jobs, for packages that build on a world; ecs/system is made of it
//	ecs/images       what an image is made of, a builder that makes one of the same, and forks
//	ecs/memory       gives memory back of worlds that have become small
//	ecs/tool         types, values, lanes and queries that are known at run time only
//	ecs/rows         rows that come and go: between worlds, from images in parts, as bytes; a hash of rows
//	ecs/transaction  a world that is lent to jobs, which may do with it what its owner does
//
// [Dynamic] is how they get at the bodies: no program can call it.
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
// A [World] is layers that embed each other: the gate (is it there, whose is it, which
// version), changes (sync points), shares (values of shared components), the catalog
// (archetypes), tables (rows), packing, matcher (queries), maker, editor, copier. Each knows
// those below it; docs/decisions/0013-a-world-in-layers.md says which file begins where.
//
// A record is what the world knows of a chunk, a slot what it knows of an id: the record and
// the row. A group is the chunks of an archetype that have the same shared values; its room is
// those with a free row. No other group is called
// so: a linked group is an entity with those that go along with it, a write group the
// components that take a component's making over, a system group is package system's.
//
// A signature is what the terms of a query ask for, a match what the query
// found out about an archetype, a bind where in a chunk a column of it lies, a cursor what
// stands behind a [Chunk]: where it is, and how columns there are shown. Meta entities hold the
// chunk components of chunks, one for each. A recipe is how to make an entity of values of
// certain types.
//
// Where things stand:
//
//	components     component.go, kind.go, registry.go; those with a meaning of their own builtin.go;
//	               where single rows are read and written columnaccess.go
//	archetypes     archetype.go; how they are made newarchetype.go, the ways between them move.go
//	rows           record.go is a chunk; how rows come and go rows.go, and move moverows.go; meta entities perchunk.go
//	beside lanes   buffer.go, bufferstorage.go, spill.go; managed.go; switches.go (what is enableable is on or off)
//	shared values  store.go has them, groups.go the chunks of each; what changes them shared.go
//	terms          term.go; termreader.go reads them (and dynamicchunk.go, which lists their types), signature.go and alternatives.go are what they ask for
//	matches        matching.go, match.go; by rows rowfilter.go, by shared values onlychunks.go, by versions changesummary.go
//	loops, jobs    query.go; iterate.go (and counts), schedule.go, runjob.go; any entity lookup.go, gather.go
//	what they see  chunkview.go, mask.go; behind it cursor.go and column.go, which fills views of the shapes in match.go
//	changes now    world*.go, edit.go; of many targetverbs.go and, for the editor, changemany.go, destroy.go, linked.go, types.go
//	changes later  commands.go and targetlater.go record; playback.go plays, playrows.go many rows at once; parallel.go is for jobs
//	new entities   create.go, recipe.go; from others instantiate.go, movefrom.go
//	images         image*.go; restore*.go goes back to one
//	hashes         hash.go, hashrows.go, digest.go; their inner loop is ecs/internal/fold
//	blobs          blobrefs.go finds references to them; they are package blob
//	who may what   gate.go, owner.go, structural.go, sync.go; lease.go is what is lent; errors errors.go
//	counts         stats.go
//	ecs/plumbing   plumbing.go, and hooks.go
//	ecs/images     imagestate.go, imagepart.go, imagefork.go, builder*.go
//	ecs/memory     compact.go, packing.go, defragment.go
//	ecs/tool       dynamic*.go, probe.go, mismatch.go
//	ecs/rows       arrival*.go, excerpt*.go, rowset*.go, hashrows.go
//	ecs/transaction transaction.go
//
// Two counters hold it together. The version says when something was written: it moves on with
// every update and every job, each column of each chunk has the version of its last writer, and
// it never goes back. The structural count says how long a view lives: it moves on with every
// structural change, a view remembers it, and one that is older is refused. So nothing on the way
// to a value takes a lock: what jobs may touch was settled by what declared to read and write
// it when they were scheduled, and rows only move while no job runs.
//
// A structural change is checked as a whole before its first write: nothing behind that can be
// refused. Methods of users' values are asked before it and told behind it, and finish is its
// last call.
//
// A column's slices are plain memory, good until the next structural change or
// the end of the job. Build with the tag lanewise_guard to find uses after that,
// and writes to columns that are only read.
package ecs
