// Package host binds entities to objects of the application, for example the nodes of a renderer,
// the bodies of a physics engine or the joints of a robot. It copies matrices between an entity and
// its object in each frame.
//
//	err := host.Bind[float32](w, e, node) // node has WorldMatrix, SetWorldMatrix and Alive
//	err = ecs.Add(w, e, host.CopyTransformTo{})
//	err = system.Update(w) // node is at LocalToWorld of e
//
// # Concepts
//
// An [Object] has a world matrix, which can be read and written, and reports whether it is alive.
// [Bind] binds an object to an entity and keeps it alive. [Unbind] releases it, [BoundTo] returns
// it, and every entity with an object has the component [Bound]. [Convert] creates entities for a
// whole tree of [Node]s.
//
// Tags of the entity say which matrices are copied:
//
//	CopyInitialTransform  object → entity, once, at the beginning of the frame; then the tag is removed
//	CopyTransformFrom     object → entity, in every frame, before matrices are composed
//	CopyTransformTo       entity → object, when LocalToWorld was written, after all other transform systems
//
// Everything exists for float32 and for float64: an object has matrices of one width, and its
// entity needs LocalToWorld of that width.
//
// # Promises
//
// The goroutine that updates the world calls the methods of objects, one after the other, in the
// order of the chunks. An object has one entity. An object that is gone is skipped and reported
// once, by a [*GoneError] of the update that finds it. With CopyTransformFrom that is the next
// update; with CopyTransformTo it is the next one that has a matrix for the object, because a world
// at rest asks no objects. If the object comes back, it gets the matrix of its entity. An object
// that panics does not keep the others from being copied: a [*PanicError] names it in every update
// until it stops panicking.
//
// A table of the world holds the objects by entity. It is not part of the world's hash. A copy of
// an entity by Instantiate has its tags and no object, and an entity that moves to another world
// leaves its object behind. A tag without an object has no effect. The steady state allocates
// nothing.
//
// # Design
//
// A world has one table of bindings for each width, by the index of the entities. A binding is
// valid while the entity with that index is the same and has Bound. Destroying an entity, or
// removing Bound, does not tell the table; therefore each use checks, and CopyInitialOf sweeps the
// table in frames before which Bound came to rows or left some. The map of owners has an entry for
// each bound object that is comparable. Only put and release change the table and the map, so that
// the two stay consistent.
//
// If an object has replaced another, was gone and is back, or if the world was restored, change
// versions do not show that the object lacks its matrix. Such a binding needs its matrix, and its object
// gets the matrix in the next update. Gone objects, and entities without a matrix of the width
// (reportedMatrixless), are reported when they become so, and again only after they were well in between.
//
// The three systems call objects in Update itself and never in jobs, because objects belong to the
// application and may not be safe for concurrent use. A panic of an object is recovered around the
// single call, so that a table is never half changed.
package host
