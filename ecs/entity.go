package ecs

import (
	"cmp"
	"fmt"
)

// Entity is the id of an entity. Index is the number of a slot in the world's entity table. Version
// says how often the slot was used. The zero Entity is the null entity, which never exists. An id
// is unique only within its world. An id may be stored in components, copied and compared with
// ==.
//
// When an entity is destroyed, the version of its slot increases, so that older ids of the slot
// never become valid again. The world reuses the slot that was freed last. If no slot is free, it
// appends a new one, whose version is 1. A slot whose version has reached 2³¹−1 is never
// reused. A negative Index belongs to an entity that a Commands buffer will create at playback.
type Entity struct{ Index, Version int32 }

// IsZero reports whether e is the null entity.
func (e Entity) IsZero() bool { return e == Entity{} }

// Compare orders entities by index, then by version. Compare returns -1, 0 or 1, as cmp.Compare
// does.
func (e Entity) Compare(o Entity) int {
	return cmp.Or(cmp.Compare(e.Index, o.Index), cmp.Compare(e.Version, o.Version))
}

// String returns e as "7:2": index 7, version 2.
func (e Entity) String() string { return fmt.Sprintf("%d:%d", e.Index, e.Version) }
