package ecs_test

import (
	"reflect"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// These are the components and helpers of vocabulary_test.go, for tests in package ecs_test.
type (
	A                 = ecs.A
	B                 = ecs.B
	BadLimit          = ecs.BadLimit
	BothKinds         = ecs.BothKinds
	Bound             = ecs.Bound
	BoundCl           = ecs.BoundCl
	Buf               = ecs.Buf
	BufD              = ecs.BufD
	C                 = ecs.C
	Cl                = ecs.Cl
	ClSh              = ecs.ClSh
	ClTag             = ecs.ClTag
	CleanupEnableable = ecs.CleanupEnableable
	D                 = ecs.D
	Elem              = ecs.Elem
	ElemCl            = ecs.ElemCl
	ElemD             = ecs.ElemD
	ElemEn            = ecs.ElemEn
	En                = ecs.En
	En2               = ecs.En2
	EnTag             = ecs.EnTag
	Large             = ecs.Large
	Link              = ecs.Link
	Lone              = ecs.Lone
	Made              = ecs.Made
	Matrix            = ecs.Matrix
	Obj               = ecs.Obj
	Part              = ecs.Part
	Piece             = ecs.Piece
	Position          = ecs.Position
	Ref               = ecs.Ref
	Rival             = ecs.Rival
	RivalTag          = ecs.RivalTag
	S[T any]          = ecs.S[T]
	Sh                = ecs.Sh
	Sh1               = ecs.Sh1
	Sh2               = ecs.Sh2
	ShAny             = ecs.ShAny
	ShRef             = ecs.ShRef
	Spin              = ecs.Spin
	Tag               = ecs.Tag
	Tag2              = ecs.Tag2
	Velocity          = ecs.Velocity
	bulk              = ecs.Bulk
	chunkFunc         = ecs.ChunkFunc
	ghost             = ecs.GhostPart
	large1            = ecs.Large1
	large2            = ecs.Large2
	mixed             = ecs.Mixed
	pair              = ecs.Pair
	touchy            = ecs.Touchy
	two               = ecs.Two
)

var (
	allow          = ecs.Allow
	apart          = ecs.Apart
	begin          = ecs.Begin
	bump           = ecs.Bump
	captured       = ecs.Captured
	caught         = ecs.Caught
	crowdOf        = ecs.CrowdOf
	do             = ecs.Do
	early          = ecs.Early
	elems          = ecs.Elems
	fails          = ecs.Fails
	full           = ecs.Full
	goldenMessages = ecs.GoldenMessages
	heap           = ecs.Heap
	holds          = ecs.Holds
	integrity      = ecs.Integrity
	must           = ecs.Must
	newWorld       = ecs.TestNewWorld
	panics         = ecs.Panics
	perEntity      = ecs.PerEntity
	perThing       = ecs.PerThing
	relabels       = ecs.Relabels
	setVersion     = ecs.SetVersion
	twoWorlds      = ecs.TwoWorlds
	types          = ecs.Types
	until          = ecs.Until
	whole          = ecs.Whole
)

// get returns the T of e, which must have one.
func get[T any](t testing.TB, w *ecs.World, e ecs.Entity) T {
	t.Helper()
	v, err := ecs.Get[T](w, e)
	must(t, err)
	return v
}

// enabled reports whether the T of e is enabled; e must have one.
func enabled[T any](t testing.TB, w *ecs.World, e ecs.Entity) bool {
	t.Helper()
	on, err := ecs.Enabled[T](w, e)
	must(t, err)
	return on
}

// enabledBits returns the bits of the T of a chunk.
func enabledBits[T any](c *ecs.Chunk) []uint64 { return c.EnabledBits(reflect.TypeFor[T]()) }

// values returns the shared values of T that are in use.
func values[T comparable](w *ecs.World) (list []T) {
	for _, v := range ecs.SharedValues[T](w) {
		list = append(list, v)
	}
	return list
}
