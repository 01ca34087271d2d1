// Package pack carries whole entities from world to world as bytes, with all they have: to
// another process, another machine, or a file of a few of them. What one entity refers to among those that
// travel with it, it refers to when it has arrived; what it refers to outside is found again by a key of the
// program's, or is null.
//
//	p := pack.New(w, pack.Outside(keyOf))
//	message, err := p.Take(nil, ids) // they leave w
//
//	q := pack.New(other, pack.Inside(entityOf))
//	ids, err := q.Unpack(message)    // they come to the other world, all or none
//
// # Inside
//
// A message is whole in itself: a magic number, the length, the component types by name and shape, the entities, and
// a checksum. docs/format.md has every byte. Entities are in parts with the same components and
// shared values, so that a column is one piece of bytes: little end first on every machine, and without padding. What
// is between is an [ecs.Excerpt], which trusts nothing that has come as bytes. A Packer remembers the
// types of messages that it has met, and keeps its memory: in the steady state a message costs
// what copying its rows costs.
package pack
