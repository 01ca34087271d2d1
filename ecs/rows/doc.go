// Package rows is about rows of worlds that come and go, outside of a loop over a query: entities that go from one
// world to another, that come from an image a part at a time, and pictures of what is in another world.
//
//	move      of entities of one world to another one, in whole chunks: see [MoveFrom].
//	arrival   what an image contains, on its way into a living world: see [Arrival].
//	set       columns of entities that are named by their ids, in and out as bytes: see [Set].
//	excerpt   whole entities outside of any world, on their way to another one: see [Excerpt].
//	hash      of rows, blind to where they are, in which order, and which ids they have: see [Hash].
//
// All of it is for the owner of a world, and waits for its jobs, as the functions of package ecs are and do. Package ecs/pack makes bytes of entities and entities of bytes, and package ecs/scene lets
// sub-scenes arrive. Package ecs has what is behind it, and its errors, which begin with "ecs: rows.".
//
// # What holds
//
//   - Entities come whole or not at all: what can be refused is refused before the first row is there, and an error leaves
//     both worlds as they were.
//   - Their ids are settled before any value is read: an [Arrival] reserves them in Begin, an [Excerpt] in Enter. So a reference among them
//     is right from the first row on, in whatever order rows come.
//   - The rows of an excerpt have places, from 0 on in the order of its parts, and refer to each other by these; to others by keys of the
//     program. It has no ids of any world.
//   - Bytes of a [Set] are those of memory, row behind row: it is for two processes with the same types and order of bytes. Package ecs/pack is for others.
//   - A [Hash] is a sum of a hash of each row: rows may be anywhere, and parts of a world may be summed apart.
package rows

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
)

// room is where the bodies are. It has no fields: a call of a method is a call of that function.
var room = ecs.Dynamic(sister.Key{}).Rows()
