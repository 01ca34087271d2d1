package ecs

import (
	"fmt"
	"reflect"
	"strings"
)

// Term is one condition of a query, or one component of an archetype.
type Term struct {
	mode  mode
	typ   reflect.Type
	terms []Term // of AnyOf, AllOf, Optional, Anywhere and Elsewhere
	value any    // of WithShared
}

// mode is the kind of a term.
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
	modeWithShared
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

// Read matches entities that have T, and declares that jobs and loops read its column; see [Column]. Jobs
// that only read a component run at the same time.
func Read[T any]() Term { return Term{mode: modeRead, typ: reflect.TypeFor[T]()} }

// Write matches entities that have T, and declares that jobs and loops read and write its column; see
// [Column]. A job that writes a component runs alone among the jobs that access it in the same
// archetypes. Calling Column marks the column as changed, whether or not a value differs afterwards.
func Write[T any]() Term { return Term{mode: modeWrite, typ: reflect.TypeFor[T]()} }

// With matches entities that have T, without access to its column. It does not conflict with jobs that
// write T, except in two cases: T is enableable, or the query has a Changed term for T. In these cases
// the query reads enabled bits or versions, which writing jobs change.
func With[T any]() Term { return Term{mode: modeWith, typ: reflect.TypeFor[T]()} }

// Without matches entities that do not have T, or whose T is off. [Absent] matches only entities
// that do not have T.
func Without[T any]() Term { return Term{mode: modeWithout, typ: reflect.TypeFor[T]()} }

// AnyOf matches entities that have at least one of the components of its terms. A term is Read, Write or
// With, or an AllOf of several terms that must all hold. [HasColumn] reports which of these components a
// chunk has. If a query has several AnyOf terms, each of them must hold.
func AnyOf(terms ...Term) Term { return Term{mode: modeAnyOf, terms: terms} }

// AllOf is a term inside AnyOf. AllOf holds if all of its terms do. Its terms are Read, Write, With,
// Without, Disabled, Present or Absent. So one query can find the entities of several queries. For
// example, this query:
//
//	w.Query(AnyOf(AllOf(Read[Wheel](), Without[Brake]()), AllOf(Read[Wing](), With[Wind]())))
//
// matches the entities of both AllOf terms, and yields each entity once. A chunk shows the
// columns of an alternative only if its archetype has them, as with Optional.
func AllOf(terms ...Term) Term { return Term{mode: modeAllOf, terms: terms} }

// Optional reads or writes components in the archetypes that have them. Entities without them also match.
// The terms of Optional are Read or Write. [HasColumn] reports which of these components a chunk has.
func Optional(terms ...Term) Term { return Term{mode: modeOptional, terms: terms} }

// Anywhere declares that jobs over the query read or write components of any entity, through a [Lookup]
// that is made from the query. The terms of Anywhere are Read or Write. Anywhere excludes no entity. If a
// component is written in this way, no Changed term of the query may name it, and its enabled bits must
// not decide which rows match.
//
// If the query writes a component of its own chunks, the component cannot also be read anywhere. If the
// query reads or writes a component of its own chunks, the component cannot also be written anywhere.
// Without these rules, a value that a job reads in another chunk would depend on the order in which
// chunks are processed. Use [Elsewhere] for lookups that do not access rows of the query.
func Anywhere(terms ...Term) Term { return Term{mode: modeAnywhere, terms: terms} }

// Elsewhere is like [Anywhere], but its lookups must not access rows that the query matches,
// except rows of the current chunk. With
//
//	w.Query(Write[Matrix](), Read[Parent](), Elsewhere(Read[Matrix]()))
//
// a job may read the matrices of parents that have no Parent themselves. So the terms of Elsewhere may
// name a component that the query also reads or writes in its own chunks. The caller must make sure
// that no lookup accesses a row of the query in another chunk. A build with the tag lanewise_guard
// checks each lookup, and panics in the job.
func Elsewhere(terms ...Term) Term { return Term{mode: modeElsewhere, terms: terms} }

// Changed is a filter. It passes chunks that gave write access to T after the version that Query.SetSince
// sets, like WithChangeFilter of Unity. Changed looks at chunks and not at single rows. The query also
// needs a Read, Write or With term for T. If a query has several Changed and OrderChanged terms, at least
// one of them must hold. A query may have at most two Changed terms.
func Changed[T any]() Term { return Term{mode: modeChanged, typ: reflect.TypeFor[T]()} }

// ChangedAny is a filter. It passes chunks that gave write access to a component of its terms after the
// version that Query.SetSince sets. It takes any number of Read, Write or With terms. A component that an
// entity does not have counts as not changed. If a query has several Changed, ChangedAny and OrderChanged
// terms, at least one of them must hold.
func ChangedAny(terms ...Term) Term { return Term{mode: modeChangedAny, terms: terms} }

// OrderChanged is a filter. It passes chunks to which rows were added, or from which rows were
// removed, after the version that Query.SetSince sets.
func OrderChanged() Term { return Term{mode: modeOrderChanged} }

// WithShared is a filter. It passes chunks whose shared component T has the given value. A query may have
// two such terms. The query then matches only entities that have T; a With or Present of T may be added.
// Combining it with a Without, Absent or AnyOf of T is an error of category [ErrState].
func WithShared[T comparable](value T) Term {
	return Term{mode: modeWithShared, typ: reflect.TypeFor[T](), value: value}
}

// Disabled matches entities whose enableable component T is off. Note that the component that Unity
// calls Disabled is called [Inactive] here. To use the column of T too, add Optional(Read…) or
// Optional(Write…), which exclude no entity. T must be enableable.
func Disabled[T any]() Term { return Term{mode: modeDisabled, typ: reflect.TypeFor[T]()} }

// Present matches entities that have T, on or off. To use the column of T too, add Optional(Read…)
// or Optional(Write…).
func Present[T any]() Term { return Term{mode: modePresent, typ: reflect.TypeFor[T]()} }

// Absent matches entities that do not have T at all. An entity whose T is off matches [Without], but
// does not match Absent.
func Absent[T any]() Term { return Term{mode: modeAbsent, typ: reflect.TypeFor[T]()} }

// IgnoreEnabled makes the query match all rows of the matching archetypes, regardless of enabled bits.
func IgnoreEnabled() Term { return Term{mode: modeIgnoreEnabled} }

// String returns the term as it is written in a program.
func (t Term) String() string {
	name := modeNames[t.mode]
	switch {
	case t.mode == modeWithShared:
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

// IncludePrefabs makes a query also match entities that have Prefab.
func IncludePrefabs() Term { return Term{mode: modeIncludePrefabs} }

// IncludeInactive makes a query also match entities that have Inactive.
func IncludeInactive() Term { return Term{mode: modeIncludeInactive} }

// IncludeGhosts makes a query also match entities that have Ghost.
func IncludeGhosts() Term { return Term{mode: modeIncludeGhosts} }

// IncludeHidden makes a query match all entities that queries normally skip. It combines
// IncludePrefabs, IncludeInactive and IncludeGhosts. For example, a tool that lists every entity of
// a world needs it.
func IncludeHidden() Term { return Term{mode: modeIncludeHidden} }

// hiddenKinds is a set of the kinds of entities that a query skips by default.
type hiddenKinds uint8

// hiddenKindsOf returns the kinds that a term includes.
func hiddenKindsOf(m mode) hiddenKinds {
	switch m {
	case modeIncludePrefabs:
		return kindPrefab
	case modeIncludeInactive:
		return kindInactive
	case modeIncludeGhosts:
		return kindGhost
	case modeIncludeHidden:
		return allKinds
	}
	return 0
}

const (
	kindPrefab hiddenKinds = 1 << iota
	kindInactive
	kindGhost
	allKinds = kindPrefab | kindInactive | kindGhost
)
