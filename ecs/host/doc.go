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
// There is a float32 and a float64 version of everything. An object has matrices of one width, and
// its entity needs LocalToWorld of that width.
//
// # Promises
//
// The goroutine that updates the world calls the methods of objects, one after the other, in the
// order of the chunks. An object is bound to at most one entity. An object that is not alive any
// more is skipped. The update that finds it reports it once, by a [*GoneError]. With
// CopyTransformFrom, the next update finds it. CopyTransformTo needs no such call: the next
// update that has a matrix for the object finds it, because no object is called while its entity
// is at rest. If the object is alive again, it gets the matrix of its entity. If an object
// panics, the others are still copied. A [*PanicError] names the object in every update until it
// stops panicking.
//
// A table of the world maps entities to objects. The table is not part of the world's hash. If
// Instantiate copies an entity, the copy has its tags and no object. If an entity moves to another
// world, its object is not moved. A tag without an object has no effect. In the steady state, the
// systems allocate nothing.
//
// # Design
//
// A world has one table of bindings for each width, indexed by the index of the entity. A binding
// is valid while the entity with that index is the same and has Bound. The table is not notified
// when an entity is destroyed or loses Bound. Therefore each use of a binding checks the entity.
// CopyInitialOf also sweeps the table in each frame before which rows with Bound were added or
// removed. The map of owners contains each bound object that is comparable. Only the functions put
// and release change the table and the map, so that the two stay consistent.
//
// Change versions do not show that an object needs its matrix in three cases: the object has replaced
// another object, it is alive again, or the world was restored. Then the binding is marked with
// needsMatrix, and its object gets the matrix in the next update. Objects that are not alive, and
// entities without a matrix of the right width (reportedMatrixless), are reported once. They are reported
// again only if they were in order in between.
//
// The three systems call objects only in Update itself and not in jobs, because objects belong to
// the application and may not be safe for concurrent use. Each call of an object recovers a panic,
// so that a table is never left half changed.
package host
