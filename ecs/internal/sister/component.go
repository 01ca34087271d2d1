package sister

import (
	"reflect"

	"github.com/lanewise/lanewise/soa"
)

// ComponentType is tool.ComponentType.
type ComponentType = struct {
	Type       reflect.Type
	Name       string // the package path and the type's name
	Lanes      []soa.Lane
	Shared     bool // kinds, as the markers say: see ecs.Shared
	Cleanup    bool
	Enableable bool
	Managed    bool
	Buffer     bool
	PerChunk   bool // one value a chunk
	Tag        bool // no data
	Own        bool // of package ecs: what the library itself gives to entities
}
