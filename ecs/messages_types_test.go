package ecs

import "math"

// None of these types can be a component, each for a different reason.
type (
	msgIncomparable struct {
		Shared
		List []int
	}
	msgColumn    struct{ X float32 }
	msgFits      struct{ X float32 }
	msgManaged   struct{ Managed }
	msgHuge      struct{ Data [40000]byte }
	msgPointer   struct{ P *int }
	msgGroup     struct{ X float32 }
	msgGroupSelf struct{ X float32 }
	msgElemEmpty struct{}
	msgElemLess  struct{ X float32 }
	msgElemMore  struct{ X float32 }
)

func (msgColumn) Column(int) (c []float32)             { return }
func (msgFits) Column() (c struct{ Y []float32 })      { return }
func (msgManaged) Column() (c struct{ Text []string }) { return }
func (msgGroup) WriteGroups() []Term                   { return []Term{Read[A]()} }
func (msgGroupSelf) WriteGroups() []Term               { return []Term{With[msgGroupSelf]()} }
func (msgElemLess) InlineCapacity() int                { return -1 }
func (msgElemMore) InlineCapacity() int                { return math.MaxInt32 }

func (c *collector) types() {
	w := newWorld(c.t, 1)
	for _, v := range []any{
		nil, int32(1), &msgFits{}, Entity{1, 1}, BadLimit{}, BothKinds{}, CleanupEnableable{}, ObjShared{}, BufferOf(ElemObj{}),
		msgIncomparable{}, msgHuge{}, msgColumn{}, msgFits{}, msgManaged{}, msgPointer{}, msgGroup{}, msgGroupSelf{},
		PerChunk[Sh]{}, BufferOf[msgElemEmpty](), BufferOf[msgElemLess](), BufferOf[msgElemMore](), BufferOf[msgPointer](),
		ChunkHeader{}, ghost{},
	} {
		c.collectPanic(func() { w.Spawn(v) })
	}
}

// Seventeen shared components are too many.
type (
	sh01 struct{ Shared }
	sh02 struct{ Shared }
	sh03 struct{ Shared }
	sh04 struct{ Shared }
	sh05 struct{ Shared }
	sh06 struct{ Shared }
	sh07 struct{ Shared }
	sh08 struct{ Shared }
	sh09 struct{ Shared }
	sh10 struct{ Shared }
	sh11 struct{ Shared }
	sh12 struct{ Shared }
	sh13 struct{ Shared }
	sh14 struct{ Shared }
	sh15 struct{ Shared }
)

// twins returns values of two types with the same name.
func twins() (any, any) {
	type twin struct{ X float32 }
	one := any(twin{})
	{
		type twin struct{ Y float32 }
		return one, twin{}
	}
}
