package ecs

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/sister"
)

// componentType is tool.ComponentType.
type componentType = sister.ComponentType

// public is what tools may know of c.
func (c *component) public() componentType {
	return componentType{
		Type: c.typ, Name: c.name, Lanes: c.lanes,
		Shared: c.kind.has(isShared), Cleanup: c.kind.has(isCleanup), Enableable: c.kind.has(isEnableable), Managed: c.kind.has(isManaged),
		Buffer: c.kind.has(isBuffer), PerChunk: c.kind.has(isPerChunk), Tag: c.kind.has(isTag),
		Own: c.typ == reflect.TypeFor[LinkedGroup]() || c.typ.PkgPath() == reflect.TypeFor[Entity]().PkgPath() && c.kind&(isBuffer|isPerChunk) == 0,
	}
}
