// Package host binds entities to objects of the application: the nodes of a
// renderer, the bodies of a physics engine, the joints of a robot. Any Go object
// that knows where it is in the world can be one.
//
// # Words
//
// An [Object] has a world matrix, which can be read and written, and says whether
// it is still there. [Bind] binds one and an entity to each other, which keeps it alive;
// [Unbind] lets it go, [BoundTo] returns it, and the component [Bound] is on every entity
// that has one. [Convert] makes entities of a whole tree of [Node]s.
//
// What is copied between an entity and its object is said by tags:
//
//	CopyInitialTransform  object → entity, once, at the beginning of the frame; then the tag goes
//	CopyTransformFrom     object → entity, in every frame, before matrices are composed
//	CopyTransformTo       entity → object, when LocalToWorld was written, last of all transforms
//
// Everything exists for float32 and for float64: an object has matrices of one
// width, and its entity has LocalToWorld of that width.
//
// # Promises
//
// Methods of objects are called by the goroutine that updates the world, one
// after the other, in the order of the chunks. An object has one entity. One that
// is gone is skipped, and reported once, by a [*GoneError] of the update that has
// found it: the next of one that leads, and of one that is led the next in which
// it is to be told something, for a world at rest asks none. If it comes back,
// it is told where its entity is. One that panics keeps no other from being
// copied: a [*PanicError] names it, in every update until it does not.
//
// Objects are held in a table of the world, by entity, and are no part of its
// hash. An entity that is made from another one by Instantiate has its tags and no
// object; one that goes to another world leaves its object behind. A tag without
// an object does nothing. The steady state allocates nothing.
//
// # What must hold
//
// A world has one table for each width, of bindings by the index of their entities. A binding
// is good while its entity is the one with that index and is Bound: what ends an entity or takes
// Bound from it tells the table nothing, so that each use asks, and CopyInitialOf sweeps the table
// in frames before which Bound came to rows or left some. The map of owners has an entry for each
// bound object that can be told from others, and put and release alone change both.
//
// Of an object that was bound in the place of another, or was gone and is back, or after a world was
// restored, no version tells that its entity has not told it anything: such a binding is late, and
// is told in the next update, whatever has changed. Gone objects, and entities without a matrix of
// the width (astray), are reported when they become so, and may be again once they are back.
//
// The three systems ask objects in Update itself, never in jobs, since objects are the application's.
// What an object panics with is caught around the one call, so that a table is never half changed.
package host
