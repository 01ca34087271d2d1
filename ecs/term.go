package ecs

import (
	"fmt"
	"reflect"
	"strings"
)

// Term is one word of a query or of an archetype.
type Term struct {
	mode  mode
	typ   reflect.Type
	terms []Term // of AnyOf, AllOf, Optional, Anywhere and Elsewhere
	value any    // of WithShared
}

// mode is what a term says of its type.
type mode uint8

const (
	modeRead mode = iota + 1
	modeWrite
	modeWith
	modeWithout
	modeAnyOf
	modeOptional
	modeAnywhere
	modeChanged
	modeOrderChanged
	modeOnly
	modeChangedAny
	modeFilterWriteGroup
	modeDisabled
	modePresent
	modeAbsent
	modeIgnoreEnabled
	modeIncludePrefabs
	modeIncludeInactive
	modeAllOf
	modeIncludeGhosts
	modeIncludeHidden
	modeElsewhere
)

var modeNames = [...]string{"Term{}", "Read", "Write", "With", "Without", "AnyOf", "Optional", "Anywhere", "Changed", "OrderChanged", "WithShared", "ChangedAny", "FilterWriteGroup", "Disabled", "Present", "Absent", "IgnoreEnabled", "IncludePrefabs", "IncludeInactive", "AllOf", "IncludeGhosts", "IncludeHidden", "Elsewhere"}

// Read asks for entities that have T, whose column is read.
func Read[T any]() Term { return Term{mode: modeRead, typ: reflect.TypeFor[T]()} }

// Write asks for entities that have T, whose column is read and written. What
// takes it is marked as changed.
func Write[T any]() Term { return Term{mode: modeWrite, typ: reflect.TypeFor[T]()} }

// With asks for entities that have T, which is not looked at.
func With[T any]() Term { return Term{mode: modeWith, typ: reflect.TypeFor[T]()} }

// Without asks for entities that do not have T, or whose T is off.
func Without[T any]() Term { return Term{mode: modeWithout, typ: reflect.TypeFor[T]()} }

// AnyOf asks for entities that have one at least of the components of its terms,
// which are Read, Write or With, or AllOf with several terms that must hold
// together. [HasColumn] reports in a chunk which of them are there. Of several AnyOf each must
// hold.
func AnyOf(terms ...Term) Term { return Term{mode: modeAnyOf, terms: terms} }

// AllOf stands inside AnyOf and holds if all its terms do, which are Read, Write,
// With, Without, Disabled, Present or Absent. So one query is several at once:
//
//	w.Query(AnyOf(AllOf(Read[Wheel](), Without[Brake]()), AllOf(Read[Wing](), With[Wind]())))
//
// matches what either of them does, each entity once. What an alternative reads
// or writes is in the chunks of archetypes that have it, as with Optional.
func AllOf(terms ...Term) Term { return Term{mode: modeAllOf, terms: terms} }

// Optional says that components are read or written where they are: its terms
// are Read or Write. [HasColumn] reports in a chunk which of them are there.
func Optional(terms ...Term) Term { return Term{mode: modeOptional, terms: terms} }

// Anywhere says that jobs over the query read or write components of any entity,
// through a Lookup made from the query: its terms are Read or Write. It matches
// everything. What is written so can be in no Changed term of the query, and its
// switch cannot decide about rows.
//
// A component that the query writes by chunk cannot be read anywhere, nor can one
// that it reads or writes by chunk be written anywhere: the value that a job reads in another
// chunk would depend on which of the two chunks is done first. [Elsewhere] is for look-ups
// that do not reach such rows.
func Anywhere(terms ...Term) Term { return Term{mode: modeAnywhere, terms: terms} }

// Elsewhere is [Anywhere] for look-ups that reach no row that the query matches, except
// those of the current chunk: with
//
//	w.Query(Write[Matrix](), Read[Parent](), Elsewhere(Read[Matrix]()))
//
// a job may read the matrices of parents that have no Parent themselves. So its
// terms may name a component that the query reads or writes by chunk. The caller must ensure
// that: a build with the tag lanewise_guard checks each look-up, and panics in the job.
func Elsewhere(terms ...Term) Term { return Term{mode: modeElsewhere, terms: terms} }

// Changed asks for chunks in which write access to T was given since the version
// that Query.SetSince sets. T must be asked for by Read, Write or With as well. Of
// several Changed and OrderChanged one must hold; there may be two Changed.
func Changed[T any]() Term { return Term{mode: modeChanged, typ: reflect.TypeFor[T]()} }

// ChangedAny asks for chunks in which write access to a component of its terms
// was given since the version that Query.SetSince sets. There may be any number of
// them, Read, Write or With; those that an entity lacks did not change. Of
// several Changed, ChangedAny and OrderChanged one must hold.
func ChangedAny(terms ...Term) Term { return Term{mode: modeChangedAny, terms: terms} }

// OrderChanged asks for chunks in which rows came or went since the version that
// Query.SetSince sets.
func OrderChanged() Term { return Term{mode: modeOrderChanged} }

// WithShared asks for chunks in which the shared component T has this value. There may
// be two such terms. It asks for T itself, and may stand beside With or Present; beside
// Without, Absent or an AnyOf with T it is an error of category ErrState.
func WithShared[T comparable](value T) Term {
	return Term{mode: modeOnly, typ: reflect.TypeFor[T](), value: value}
}

// Disabled asks for entities whose T is off. T must be enableable. To look at its
// column add Optional(Read…) or Optional(Write…), which do not ask for anything.
func Disabled[T any]() Term { return Term{mode: modeDisabled, typ: reflect.TypeFor[T]()} }

// Present asks for entities that have T, on or off. To look at its column add
// Optional(Read…) or Optional(Write…).
func Present[T any]() Term { return Term{mode: modePresent, typ: reflect.TypeFor[T]()} }

// Absent asks for entities that do not have T, on or off.
func Absent[T any]() Term { return Term{mode: modeAbsent, typ: reflect.TypeFor[T]()} }

// IgnoreEnabled makes the query match all rows of the archetypes that it
// matches, whatever is on or off in them.
func IgnoreEnabled() Term { return Term{mode: modeIgnoreEnabled} }

// String returns the term as it is written.
func (t Term) String() string {
	name := modeNames[t.mode]
	switch {
	case t.mode == modeOnly:
		return fmt.Sprintf("WithShared(%#v)", t.value)
	case t.typ != nil:
		return fmt.Sprintf("%s[%v]()", name, t.typ)
	case t.terms != nil:
		parts := make([]string, len(t.terms))
		for i, p := range t.terms {
			parts[i] = p.String()
		}
		return name + "(" + strings.Join(parts, ", ") + ")"
	}
	return name + "()"
}
