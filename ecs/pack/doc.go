// Package pack moves whole entities between worlds as bytes: to another process, another machine,
// or a file. References between the packed entities refer to each other on arrival. A reference to
// an entity outside of them is found again by a key of the program, or becomes null.
//
//	p := pack.New(w, pack.Outside(keyOf))
//	message, err := p.Take(nil, ids) // they leave w
//
//	q := pack.New(other, pack.Inside(entityOf))
//	ids, err := q.Unpack(message)    // they come to the other world, all or none
//
// # Promises
//
// The same entities give the same bytes on every machine. Unpack adds all entities of a message or
// none, and it refuses a message that is damaged or forged; the memory that it takes is
// proportional to the bytes that have arrived. In the steady state a message costs little more than
// copying its rows.
//
// # Design
//
// A message is complete in itself: a magic number, the length, the component types by name and
// shape, the entities, and a checksum. docs/format.md documents every byte. Entities with the same
// components and shared values form a part, so that a column is one run of bytes: little-endian on
// every machine, and without padding. An [ecs.Excerpt] is between the bytes and the world, and
// checks everything that comes from bytes. A Packer remembers the types of messages that it has met
// and reuses its memory, because peers send the same types again and again.
package pack
