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
// [Bind] binds an object to an entity and keeps it alive. [Unbind] releases the object, and
// [BoundTo] returns it. Every entity with an object has the component [Bound]. [Convert] creates
// entities for a whole tree of [Node]s.
//
// Tags of the entity select which matrices are copied:
//
//	CopyInitialTransform  object → entity, once, at the beginning of the frame; then the tag is removed
//	CopyTransformFrom     object → entity, in every frame, before matrices are composed
//	CopyTransformTo       entity → object, when LocalToWorld was written, after all other transform systems
//
// All types and functions exist for float32 and float64. An object has matrices of one width, and
// its entity needs LocalToWorld of that width.
//
// # Promises
//
// The goroutine that updates the world calls the methods of objects, one after the other, in the
// order of the chunks. An object is bound to at most one entity. An object that is not alive any
// more is skipped. The first update that finds such an object reports it, by a [*GoneError].
// With CopyTransformFrom, this is the next update. With CopyTransformTo, it is the next update
// that has a matrix for the object, because no object is called while its entity does not move.
// An object that is alive again gets the matrix of its entity. If an object panics, the matrices
// of the other objects are still copied. A [*PanicError] names the object in every update until
// it stops panicking.
//
// A table of the world maps entities to objects. The table is not part of the world's hash. If
// Instantiate copies an entity, the copy has its tags and no object. If an entity moves to another
// world, its object is not moved. A tag without an object has no effect. The systems allocate
// nothing after the first few frames.
//
// # Design
//
// A world has one table of bindings for each width, indexed by the index of the entity. A binding
// is valid while the entity with that index is the same and has Bound. The table is not notified
// when an entity is destroyed or loses Bound. Therefore each use of a binding checks the entity.
// CopyInitialOf also searches the table for invalid bindings, in each frame before which rows
// with Bound were added or removed. The map of owners contains each bound object that is
// comparable. Only the functions bindObject and release change the table and the map, so that the
// two stay consistent.
//
// Change versions do not show that an object needs its matrix in three cases: the object has replaced
// another object, it is alive again, or the world was restored. In these cases the binding is marked
// with needsMatrix, and its object gets the matrix in the next update. An object that is not alive,
// and an entity without a matrix of the right width (reportedMatrixless), are reported once. Such an
// object or entity is reported again only after the object was alive again, or the entity had a
// matrix again.
//
// The three systems call objects only in Update itself and not in jobs, because objects belong to
// the application and may not be safe for concurrent use. The systems recover a panic of an
// object, so that no table is left half changed.
package host
