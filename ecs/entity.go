package ecs

import (
	"cmp"
	"fmt"
)

// Entity is the id of an entity: a slot and how often the slot was used before.
// The zero Entity is the null entity, which never exists. Ids are unique in one
// world.
//
// The version of a slot grows when its entity is destroyed, so every older id of
// it stays dead. Slots are used again in the order last freed, first taken;
// fresh slots follow in ascending order, their versions start at 1. A slot that has
// had the last version, 2³¹−1, is never used again. An Index below zero belongs to an
// entity that a Commands buffer has still to make.
type Entity struct{ Index, Version int32 }

// IsZero reports whether e is the null entity.
func (e Entity) IsZero() bool { return e == Entity{} }

// Compare orders entities by index, then version.
func (e Entity) Compare(o Entity) int {
	return cmp.Or(cmp.Compare(e.Index, o.Index), cmp.Compare(e.Version, o.Version))
}

// String returns e as "7v2": index 7, version 2.
func (e Entity) String() string { return fmt.Sprintf("%dv%d", e.Index, e.Version) }
