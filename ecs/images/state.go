package images

import (
	"reflect"

	"github.com/lanewise/lanewise/ecs"
)

// State is what an image has beside its archetypes and its shared values.
type State = struct {
	// Version is that of the world. All versions of an image are this one or older, by
	// difference, and only differences mean something: a file stores them as ages.
	Version uint32

	Free    []ecs.Entity // ids that are used next, the last one first, with the version that they will have
	Retired []int32      // slots that have had every version, in order: no entity gets them
	Names   []Name       // in the order of ids
	Sums    []Sum        // what packages have added to the hash, in the order in which it is hashed

	For *ecs.World // to Builder.State: the world that the image is made for, if there is one; see there
}

// Name is what an entity is called: see [ecs.World.SetNameOf].
type Name = struct {
	Entity ecs.Entity
	Name   string
}

// Sum is a number that another package has added to the hash.
type Sum = struct {
	Name string
	Sum  uint64
}

// Shared is the values of one shared component. Groups of chunks name them by their
// places here, and a new value gets the place that is free last.
type Shared = struct {
	Component reflect.Type
	Values    []any   // the default, which is the zero value, first; nil where nothing is
	Free      []int32 // the places where nothing is, the next to be used last
}

// Archetype is a set of components. Empty ones count: they are in the order of
// archetypes, in which everything is gone through.
type Archetype = struct {
	Components []reflect.Type
	Orders     uint32 // what plumbing.OrderCount counts
	Order      uint32 // version of the world when rows came or went last; 0: never
	Crossings  uint32 // what plumbing.CrossingCount counts
	Newest     []uint32
	Groups     []Group
	Chunks     int // how many
	Rows       int // in all of them
	Capacity   int // of a chunk
}

// Group is chunks of an archetype with the same shared values; an archetype without
// shared components has one group, always. Chunks are places in the archetype.
type Group = struct {
	Values []int32 // places in Shared.Values, one a shared component
	Orders uint32  // what plumbing.OrderCount counts
	Room   []int32 // chunks that have room: new rows go to the first one
	List   []int32 // all chunks, in the order in which the world keeps them; only with shared components
}

// StateOf returns what m has beside archetypes and shared values.
func StateOf(m *ecs.Image) State { return dynamic.StateOf(m) }

// NameOf returns the name of an entity of m; "" if it has none.
func NameOf(m *ecs.Image, e ecs.Entity) string { return dynamic.NameOf(m, e) }

// SharedOf returns the values of the shared components of m, in the order of the components' names.
// Values that only queries of the world had are not among them: a fork has none.
func SharedOf(m *ecs.Image) []Shared { return dynamic.SharedOf(m) }

// ArchetypesOf returns the archetypes of m, in the order of their making.
func ArchetypesOf(m *ecs.Image) []Archetype { return dynamic.ArchetypesOf(m) }
