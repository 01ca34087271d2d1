package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/soa"
)

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
