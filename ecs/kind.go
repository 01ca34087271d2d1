package ecs

import "reflect"

// The kinds of components are markers: a struct that embeds one is of that kind.
// They take no memory and compose: struct{ Shared; Cleanup; … } is a shared
// component that outlives Destroy.

// Shared makes the component that embeds it shared: all rows of a chunk have the
// same value, which is stored once. The type must be comparable; it may hold Go
// pointers. Values are equal if == says so, where a NaN equals every NaN; a type
// with methods Equal(T) bool and Hash() uint64 says so itself. A value with something
// in an interface that cannot be compared, and no such methods, is an error of
// category ErrArgument. If one of these methods panics, the operation that has called
// it has changed nothing. They may look at the world that asks, but are refused to
// change it.
type Shared struct{}

// Cleanup makes the component that embeds it outlive Destroy: the entity stays,
// with nothing but its cleanup components, until they are removed.
type Cleanup struct{}

// Enableable gives each row of the component that embeds it one bit, which
// queries heed: an entity whose component is off does not match queries that ask
// for it, and matches those that ask for entities Without it. See [SetEnabled].
type Enableable struct{}

// Managed lets the component that embeds it hold Go pointers: strings, maps,
// objects of the application. It is stored beside the chunk, where the garbage
// collector sees it, and has no lanes: its Column method, if it has one, names a
// slice of the component itself. World.Hash does not see its values, and copies
// of an entity share what they point to.
type Managed struct{}

func (Shared) shared()         {}
func (Cleanup) cleanup()       {}
func (Enableable) enableable() {}
func (Managed) managed()       {}

// container is a Buffer, which knows the type of its elements.
type container interface{ buffer() reflect.Type }

// chunkContainer is a PerChunk, which knows the type of its value.
type chunkContainer interface{ perChunk() reflect.Type }

// kind is the set of markers of a component, and what follows from its type.
type kind uint8

const (
	isShared kind = 1 << iota
	isCleanup
	isEnableable
	isManaged
	isBuffer
	isTag // no data
	isPerChunk
	isLinked // element of a LinkedGroup
)

// has reports whether all of o are in k.
func (k kind) has(o kind) bool { return k&o == o }

// kindOf reads the markers of a component from a value of it.
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
	if _, ok := zero.(container); ok {
		k |= isBuffer
	}
	if _, ok := zero.(chunkContainer); ok {
		k |= isPerChunk
	}
	if _, ok := zero.(interface{ linked() }); ok {
		k |= isLinked
	}
	return k
}

// Categories order the components of an archetype: data, then buffers, managed
// components, tags, shared components and chunk components; inside each, enableable and cleanup
// components come after plain ones.
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

// grouped is a component that belongs to write groups.
type grouped interface{ WriteGroups() []Term }
