// Package pack moves whole entities between worlds as bytes: to another process, another machine,
// or a file. If one packed entity refers to another, the reference is still correct on arrival. A
// reference to an entity that is not packed is found again by a key that the program chooses.
// Without a key, the reference becomes null.
//
//	p := pack.New(w, pack.Outside(keyOf))
//	message, err := p.Take(nil, ids) // they leave w
//
//	q := pack.New(other, pack.Inside(entityOf))
//	ids, err := q.Unpack(message)    // they come to the other world, all or none
//
// # Promises
//
// Packing the same entities produces the same bytes on every machine. Unpack adds all entities of a
// message or none. It refuses a message that is damaged or forged. The memory that it allocates is
// proportional to the bytes that have arrived. In the steady state a message costs little more than
// copying its rows.
//
// # Design
//
// A message is self-contained: it consists of a magic number, the length, the component types by
// name and shape, the entities, and a checksum. The page docs/format.md documents every byte.
// Entities with the same components and shared values form a part, so that each column is one
// sequence of bytes. Numbers are little-endian on every machine, and there is no padding. An
// [ecs.Excerpt] connects the bytes and the world, and checks all data that comes from bytes. A
// Packer remembers the component types of earlier messages and reuses its memory, because peers
// send the same types again and again.
package pack
