package tool

import (
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// ComponentTypes returns the component types that were named by now anywhere in the
// process, in the order of their names.
func ComponentTypes() []ecs.ComponentType { return slices.Clone(dynamic.ComponentTypes()) }

// TermOf returns the term that says the same of another type: TermOf(ecs.With[struct{}](), t) is
// With of a type that is known at run time only. It panics with an *ecs.Error if the term is of
// no single type, or has a value, as Only has.
func TermOf(term ecs.Term, t reflect.Type) ecs.Term { return dynamic.TermOf(term, t) }

// TermType is a component that terms ask for.
type TermType struct {
	ecs.ComponentType
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
