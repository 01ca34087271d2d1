package tool

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
)

// LaneOf shows the rows of a lane of a chunk in place, as bytes in the order of this machine:
// the lane'th of the component's [ComponentType]. It is nil if the chunk has no such
// component. As with [ecs.Peek] nothing is marked as changed, nothing may be written, and the
// query must have asked to Read or Write the component; the bytes are good as long as the
// slices of a view. Lane 0 of [ecs.Entity] is the ids. It panics with an *ecs.Error if there is no such
// lane.
func LaneOf(c *ecs.Chunk, t reflect.Type, lane int) []byte { return dynamic.LaneOf(c, t, lane) }

// FloatsOf shows what [LaneOf] does as floats, if the values of the lane are nothing but floats of one size, one behind the other: 16 a row
// for [16]float32. Else, and where LaneOf is nil, both are nil.
func FloatsOf(c *ecs.Chunk, t reflect.Type, lane int) ([]float32, []float64) {
	return dynamic.FloatsOf(c, t, lane)
}

// WriteLaneOf is [LaneOf] for bytes that are written: it marks the component as changed in the
// chunk, and the query must have asked to Write it. What [ecs.World.Create] shows can be written.
func WriteLaneOf(c *ecs.Chunk, t reflect.Type, lane int) []byte {
	return dynamic.WriteLaneOf(c, t, lane)
}

// SwitchesOf returns which rows of a chunk have an enableable component on, as bits: those
// behind the last row mean nothing. They must not be written. It is nil if the chunk has no
// such component, or that has no switch.
func SwitchesOf(c *ecs.Chunk, t reflect.Type) []uint64 { return dynamic.SwitchesOf(c, t) }

// ValueIn returns the value of a shared component that all rows of a chunk have; nil if they
// have no such component.
func ValueIn(c *ecs.Chunk, t reflect.Type) any { return dynamic.ValueIn(c, t) }

// HasOf is [ecs.Has] of a type that is known at run time only.
func HasOf(c *ecs.Chunk, t reflect.Type) bool { return dynamic.HasOf(c, t) }
