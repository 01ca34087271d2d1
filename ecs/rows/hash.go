package rows

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
)

// HashVersion is the version of what [Hash] hashes and how.
const HashVersion = sister.HashRowsVersion

// Hash returns the sum of a hash of each row that q matches, its filters heeded: a number that does not depend on where rows are, in which order and chunks
// they lie, and which ids they have. The sums of parts of a world, on several machines, add up to the sum of the whole, by + of uint64.
//
// Rows are told apart by a global id: key is a plain component that the caller's program gives each of them, another one to each, and that is the same
// wherever the entity is. References are hashed as the key of what they lead to, or nothing if that does not exist or
// has none. Components of except are left out, as if the entities had none.
//
// It completes all jobs first, and hashes on all workers of the pool. The error is of category [ecs.ErrArgument] if key is no plain component, refers to entities itself,
// or an entity that is matched has none.
//
// # What is hashed
//
// The hash of a row is that of one list of bytes, in the way of [ecs.World.Hash]: the hash of the types, and for each component in the order of the
// archetype: of each lane the numbers; of a buffer the number of elements (uint32) and these; then, if it is enableable, one byte that is 1 if it
// is on; of a shared component the hash of its value. A reference is eight bytes: the hash of the numbers of the key, or 0. Tags,
// managed values, chunk components and references to blobs add nothing. The hash of the types is that of these lists: HashVersion and the number of components, and for
// each of them the length of its full name, and the name.
func Hash(q *ecs.Query, key reflect.Type, except ...reflect.Type) (uint64, error) {
	return room.Hash(q, key, except...)
}
