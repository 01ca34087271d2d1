package tool

import (
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/soa"
)

// ComponentType is what the process knows of a component type.
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

// ComponentTypes returns the component types that were named by now anywhere in the
// process, in the order of their names.
func ComponentTypes() []ComponentType { return slices.Clone(dynamic.ComponentTypes()) }

// FindComponent returns the component type of a full name: the package path and the type's
// name, as [ComponentType] has them. Names of types are the same in every build of a program
// as long as nobody renames them, and so are what files and messages refer to types by; order and
// numbers of registration are not.
//
// The error is of category ErrArgument if no type of the name was registered (see [ecs.RegisterComponent]), and then it
// names those that are near, or if two types inside of functions share the name.
func FindComponent(name string) (ComponentType, error) { return dynamic.FindComponent(name) }

// TermOf returns the term that says the same of another type: TermOf(ecs.With[struct{}](), t) is
// With of a type that is known at run time only. It panics with an *ecs.Error if the term is of
// no single type, or has a value, as Only has.
func TermOf(term ecs.Term, t reflect.Type) ecs.Term { return dynamic.TermOf(term, t) }

// TermType is a component that terms ask for.
type TermType struct {
	ComponentType
	Column   bool // Read or Write: chunks show its lanes
	Optional bool // there may be entities without it
}

// TermTypes lists the components that terms ask for, in the order in which they stand there:
// those of Read, Write, With, Only, Present and Disabled, also inside Optional, AnyOf and
// AllOf. What entities must not have, and what jobs reach Anywhere, is left out. It panics
// with an *ecs.Error if a type cannot be a component.
func TermTypes(terms ...ecs.Term) []TermType {
	known := dynamic.TermTypes(terms...)
	list := make([]TermType, len(known))
	for i, c := range known {
		list[i] = TermType(c)
	}
	return list
}
