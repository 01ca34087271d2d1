package ecs

// Target names the entities that a change is for: [One], those of a list ([Entities]), those [Matching] a
// query, or those [LinkedTo] one. The verbs AddAll, SetAll, SetEnabledAll, AddTypes,
// RemoveTypes, DestroyAll and Exchange take it, of a World as of a Commands buffer. It keeps
// what it was given: a list may not change before the call that takes the target.
type Target struct {
	kind   targetKind
	entity Entity   // one, or the root of a group
	ids    []Entity // a list
	query  *Query   // what matches, or the mask of a group; nil is no mask
}

// targetKind says which entities a change is for.
type targetKind uint8

const (
	toOne targetKind = iota
	toList
	toMatching
	toLinked
)

// targetNames are what follows the name of a command in errors.
var targetNames = [...]string{toOne: "", toList: " of a list", toMatching: " of a query", toLinked: " of a linked group"}

// One is the target that is e alone.
func One(e Entity) Target { return Target{entity: e} }

// Entities is the target that is the entities ids. Repeated ones count once.
func Entities(ids []Entity) Target { return Target{kind: toList, ids: ids} }

// Matching is the target that is all entities that q matches, filters heeded, whole chunks at
// a time where that can be. A Commands buffer asks q at playback.
func Matching(q *Query) Target { return Target{kind: toMatching, query: q} }

// LinkedTo is the target that is those in the [LinkedGroup] of e, itself included, that mask
// matches, if filters and what is on or off are ignored; with nil for a mask it is all of
// them. Those that do not exist are left out, and without a group it is none. The error of
// a change is of category ErrArgument if e does not exist; a Commands buffer finds that out,
// and asks mask, at playback.
func LinkedTo(e Entity, mask *Query) Target { return Target{kind: toLinked, entity: e, query: mask} }
