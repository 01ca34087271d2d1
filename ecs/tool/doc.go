// Package tool is for inspectors, editors, files and other programs that see worlds whose component
// types they know at run time only: worlds by [reflect.Type], and as they lie in memory.
//
// A program that names its types in Go uses package ecs, which has a function for each thing here that
// is about values: ecs.Get for [ValueOf], ecs.Column for [LaneOf], ecs.With for [TermOf].
//
// Words:
//
//	type     what the process knows of a component: its kinds and its lanes. See ComponentType.
//	lane     one field of a component in the chunks of an archetype; a LaneInfo is its place,
//	         which is the same in all chunks of the archetype and as long as that lives.
//	value    a component of one entity as a Go value; a buffer is a slice of its elements.
//	probe    a query that the world does not know, for a look at it in pieces between frames.
//
// What holds it together: functions about a world, an entity or an archetype are for the owner of
// the world, and wait for the jobs that write what is read, as those of package ecs do. Functions about
// a chunk are for any loop over a query, in jobs as well: they wait for nothing, and the query must have asked for
// what they show. Nothing here takes a path of its own to rows: package ecs has the bodies
// (ecs/dynamic*.go, ecs/probe.go, ecs/mismatch.go) and this one the names, the types and what they mean, so that functions about
// a chunk are inlined to a call of theirs, and the page of package ecs is what programs use
// (docs/decisions/0018-what-is-exported.md). Errors are those of package ecs, and begin with "ecs: tool.".
package tool

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/sister"
)

// dynamic is where the bodies are. It has no fields: a call of a method is a call of that function.
var dynamic = ecs.Dynamic(sister.Key{})
