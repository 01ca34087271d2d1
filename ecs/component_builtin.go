package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/soa"
)

// Prefab marks an entity as a template for others. Queries skip such an entity unless they ask for
// Prefab or have the term IncludePrefabs. Instantiate creates copies without Prefab.
type Prefab struct{}

// Inactive marks an entity as disabled for a while, like Disabled of Unity and Bevy. Queries skip
// such an entity unless they ask for Inactive or have the term IncludeInactive. See
// [World.SetActive].
type Inactive struct{}

// Ghost marks an entity as a copy of an entity in another world or on another machine. The program
// keeps the values of the copy up to date. Queries skip such an entity unless they ask for Ghost or
// have the term IncludeGhosts, because otherwise systems would move or count the same entity twice.
// A system that searches for neighbours should ask for ghosts too. Copies of a ghost are ghosts.
type Ghost struct{}

// OmitGroup prevents Instantiate from copying a [LinkedGroup]. If an entity has both, Instantiate
// still copies all parts, but the copy of the entity has neither the group nor OmitGroup. If an
// entity has no group, OmitGroup is copied like any other tag.
type OmitGroup struct{}

// LinkedGroup is a buffer that links an entity with other entities, so that they are created,
// destroyed and deactivated together, like Unity's LinkedEntityGroup. For example, a vehicle with
// wheels is such a group. The first element is the entity itself, which is the root; the others are
// its parts. A part may have a LinkedGroup too, which Destroy follows.
//
// Instantiate copies all entities of the group; a reference from one of them to another becomes a
// reference between the copies. Destroy destroys all of them, and SetActive applies to all of them.
type LinkedGroup = Buffer[Linked]

// Linked is one element of a [LinkedGroup].
type Linked struct{ Entity Entity }

// InlineCapacity returns 8: a chunk stores up to 8 elements of a group for each entity.
func (Linked) InlineCapacity() int { return 8 }

func (Linked) linked() {}

// cleanupEntity marks a destroyed entity that exists until its cleanup components are removed.
type cleanupEntity struct{}

// findBuiltins finds the components that have a meaning for the world itself.
func (ct *componentTypes) findBuiltins() error {
	const op = "NewWorld"
	var errs [7]error
	ct.cleanupTag, errs[0] = componentFor[cleanupEntity](op)
	ct.chunkHeader, errs[1] = componentFor[ChunkHeader](op)
	ct.prefab, errs[2] = componentFor[Prefab](op)
	ct.inactive, errs[3] = componentFor[Inactive](op)
	ct.linkedGroup, errs[4] = componentFor[LinkedGroup](op)
	ct.omitGroup, errs[5] = componentFor[OmitGroup](op)
	ct.ghost, errs[6] = componentFor[Ghost](op)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ComponentType is the description of a component type: its name, its lanes and its kinds.
type ComponentType struct {
	Type       reflect.Type
	Name       string // the package path and the type's name
	Lanes      []soa.Lane
	Shared     bool // kinds, as the markers say: see Shared
	Cleanup    bool
	Enableable bool
	Managed    bool
	Buffer     bool
	PerChunk   bool // one value a chunk
	Tag        bool // no data
	Builtin    bool // a type of package ecs, which the library itself gives to entities
}

// publicType returns the description of c for tools.
func (c *component) publicType() ComponentType {
	return ComponentType{
		Type: c.typ, Name: c.name, Lanes: c.lanes,
		Shared: c.kind.has(isShared), Cleanup: c.kind.has(isCleanup), Enableable: c.kind.has(isEnableable), Managed: c.kind.has(isManaged),
		Buffer: c.kind.has(isBuffer), PerChunk: c.kind.has(isPerChunk), Tag: c.kind.has(isTag),
		Builtin: c.typ == reflect.TypeFor[LinkedGroup]() || c.typ.PkgPath() == reflect.TypeFor[Entity]().PkgPath() && c.kind&(isBuffer|isPerChunk) == 0,
	}
}
