package ecs

import "reflect"

// Markers determine the kind of a component: a struct that embeds a marker is of that kind. Markers
// take no memory and can be combined. For example, struct{ Shared; Cleanup; … } is a shared
// component that outlives Destroy.

// Shared marks the component that embeds it as shared. All rows of a chunk have the same value,
// which is stored once, and entities with different values are in different chunks. The type must
// be comparable with ==; it may hold Go pointers. Two values are equal if v == w is true for
// them, but every NaN also equals every other NaN. A type with methods Equal(T) bool and Hash()
// uint64 defines equality itself. Without these methods, a value is refused with an error of
// category ErrArgument if it contains an interface whose content is not comparable. If one of
// these methods panics, the operation has changed nothing. The methods may read the world, but
// cannot change it.
type Shared struct{}

// Cleanup marks the component that embeds it as one that outlives Destroy. A destroyed entity keeps
// its cleanup components, and nothing else, until the program removes them. So a system can still
// find the resources that it must release.
type Cleanup struct{}

// Enableable adds one bit for each row to the component that embeds it. The bit says whether the
// component is on or off. If the bit is off, the component counts as missing: a query that asks for
// the component does not match the entity, but a query with Without does. Switching a component is
// not a structural change. See [SetEnabled].
type Enableable struct{}

// Managed allows the component that embeds it to hold Go pointers: strings, maps, objects of the
// application. Its values are stored in a Go slice outside the chunk, because the garbage collector
// does not look for pointers in chunk memory. Such a component has no lanes. Its Column method, if
// there is one, returns a slice of the component type. World.Hash ignores the values. Copies of an
// entity share the objects to which the values point.
type Managed struct{}

func (Shared) shared()         {}
func (Cleanup) cleanup()       {}
func (Enableable) enableable() {}
func (Managed) managed()       {}

// bufferMarker is implemented by Buffer, which knows the type of its elements.
type bufferMarker interface{ buffer() reflect.Type }

// perChunkMarker is implemented by PerChunk, which knows the type of its value.
type perChunkMarker interface{ perChunk() reflect.Type }

// kind is the set of markers of a component, together with some properties of its type.
type kind uint8

const (
	isShared kind = 1 << iota
	isCleanup
	isEnableable
	isManaged
	isBuffer
	isTag // it has no data
	isPerChunk
	isLinked // it is the element of a LinkedGroup
)

// has reports whether k contains all markers of o.
func (k kind) has(o kind) bool { return k&o == o }

// kindOf returns the markers of a component whose zero value is given.
func kindOf(zero any) (k kind) {
	if _, ok := zero.(interface{ shared() }); ok {
		k |= isShared
	}
	if _, ok := zero.(interface{ cleanup() }); ok {
		k |= isCleanup
	}
	if _, ok := zero.(interface{ enableable() }); ok {
		k |= isEnableable
	}
	if _, ok := zero.(interface{ managed() }); ok {
		k |= isManaged
	}
	if _, ok := zero.(bufferMarker); ok {
		k |= isBuffer
	}
	if _, ok := zero.(perChunkMarker); ok {
		k |= isPerChunk
	}
	if _, ok := zero.(interface{ linked() }); ok {
		k |= isLinked
	}
	return k
}

// category returns the position of the component's kind in an archetype: data comes first, then
// buffers, managed components, tags, shared components and chunk components. Inside each category,
// plain components come first, then enableable components, and then cleanup components.
func (k kind) category() uint8 {
	var c uint8
	switch {
	case k.has(isPerChunk):
		c = 5
	case k.has(isShared):
		c = 4
	case k.has(isTag):
		c = 3
	case k.has(isManaged):
		c = 2
	case k.has(isBuffer):
		c = 1
	}
	c <<= 2
	if k.has(isCleanup) {
		c |= 2
	}
	if k.has(isEnableable) {
		c |= 1
	}
	return c
}
