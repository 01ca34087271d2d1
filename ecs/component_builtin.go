package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/soa"
)

// Prefab marks an entity as a model for others. Queries do not match it unless
// they ask for Prefab, or say IncludePrefabs; Instantiate makes copies without
// it.
type Prefab struct{}

// Inactive marks an entity that takes no part for a while. Queries do not match
// it unless they ask for Inactive, or say IncludeInactive. See
// [World.SetActive].
type Inactive struct{}

// Ghost marks an entity as a picture of one that lives elsewhere, in another world or on
// another machine, whose values somebody keeps up to date. Queries do not match it unless
// they ask for Ghost, or say IncludeGhosts: what moves and counts entities leaves ghosts
// alone, and what looks for neighbours asks for them. Copies of a ghost are ghosts.
type Ghost struct{}

// OmitGroup keeps a [LinkedGroup] from being copied: the copies of an entity that
// has both have neither, though all parts are copied. Without a group it is
// copied like any tag.
type OmitGroup struct{}

// LinkedGroup is the buffer of an entity that is made, ended and rests together
// with others: a model of several parts. Its first element is the entity itself,
// the root; the others are the parts, and what has a group of its own brings
// that along when it ends.
//
// Instantiate copies all of them, and references between them lead to the copies
// in the copies. Destroy ends all of them, and SetActive is for all of them.
type LinkedGroup = Buffer[Linked]

// Linked is an element of a [LinkedGroup].
type Linked struct{ Entity Entity }

// InlineCapacity is how many elements lie in the chunk.
func (Linked) InlineCapacity() int { return 8 }

func (Linked) linked() {}

// cleanupEntity marks entities that were destroyed and wait for their cleanup
// components to be removed.
type cleanupEntity struct{}

// findBuiltins finds the components that have a meaning of their own.
func (ct *componentTypes) findBuiltins() error {
	const op = "NewWorld"
	var errs [7]error
	ct.cleanupTag, errs[0] = componentFor[cleanupEntity](op)
	ct.header, errs[1] = componentFor[ChunkHeader](op)
	ct.prefab, errs[2] = componentFor[Prefab](op)
	ct.inactive, errs[3] = componentFor[Inactive](op)
	ct.group, errs[4] = componentFor[LinkedGroup](op)
	ct.omit, errs[5] = componentFor[OmitGroup](op)
	ct.ghost, errs[6] = componentFor[Ghost](op)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ComponentType is what the process knows of a component type.
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
	Builtin    bool // of package ecs: what the library itself gives to entities
}

// public is what tools may know of c.
func (c *component) public() ComponentType {
	return ComponentType{
		Type: c.typ, Name: c.name, Lanes: c.lanes,
		Shared: c.kind.has(isShared), Cleanup: c.kind.has(isCleanup), Enableable: c.kind.has(isEnableable), Managed: c.kind.has(isManaged),
		Buffer: c.kind.has(isBuffer), PerChunk: c.kind.has(isPerChunk), Tag: c.kind.has(isTag),
		Builtin: c.typ == reflect.TypeFor[LinkedGroup]() || c.typ.PkgPath() == reflect.TypeFor[Entity]().PkgPath() && c.kind&(isBuffer|isPerChunk) == 0,
	}
}
