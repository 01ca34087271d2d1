// Package host binds entities to objects of the application: the nodes of a
// renderer, the bodies of a physics engine, the joints of a robot. Any Go object
// that knows where it is in the world can be one.
//
// # Words
//
// An [Object] has a world matrix, which can be read and written, and says whether
// it is still there. [Inject] binds one to an entity, which keeps it alive;
// [Destroy] lets it go. [Convert] makes entities of a whole tree of [Node]s.
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
package host
