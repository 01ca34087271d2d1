package ecs

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/soa"
)

// describePerChunk finds the component whose values are those of chunks.
func (c *component) describePerChunk(inner reflect.Type) error {
	own, err := componentOf("PerChunk", inner)
	if err != nil {
		return err
	}
	if own.kind&^(isCleanup|isTag) != 0 {
		return fmt.Errorf("a chunk component is plain data, or data that embeds Cleanup: %v is not", inner)
	}
	c.per = own
	c.refs = refsOf(c.typ, 0, nil)
	c.boxed = c.refs // no column holds it: what Spawn records stays boxed until it is played
	return nil
}

// describeBuffer makes the lanes of a buffer component: the head of each row,
// and the room for elements in the chunk. Heap blocks are beside the chunk.
func (c *component) describeBuffer(elem reflect.Type) error {
	parts, err := soa.Lanes(reflect.ArrayOf(1, elem))
	if err != nil {
		return fmt.Errorf("its elements: %w", err)
	}
	if len(parts) == 0 {
		return fmt.Errorf("its elements have no data")
	}
	size := parts[0].Size // by 64-bit rules, so that layouts are the same everywhere
	inline := int(inlineBytes / size)
	zero := reflect.Zero(elem).Interface()
	if own, ok := zero.(interface{ InlineCapacity() int }); ok {
		inline = own.InlineCapacity()
	}
	switch {
	case inline < 0:
		return fmt.Errorf("InlineCapacity is %d; 0 puts all elements on the heap", inline)
	case uintptr(inline) > math.MaxInt32/size:
		return fmt.Errorf("InlineCapacity is %d: a chunk has no room for %d elements of %d bytes", inline, inline, size)
	}
	if c.lanes, err = soa.Lanes(reflect.TypeFor[bufferHead]()); err != nil {
		return err
	}
	if inline > 0 {
		room, err := soa.Lanes(reflect.ArrayOf(inline, elem))
		if err != nil {
			return err
		}
		c.lanes = append(c.lanes, room...)
	}
	c.kind |= kindOf(zero)
	c.refs = refsOf(elem, 0, nil)
	c.buffer = bufferType{elem, int(elem.Size()), inline, partsOf(elem)}
	return nil
}

// bufferType is what a buffer component knows of its elements.
type bufferType struct {
	elem   reflect.Type
	size   int // of an element
	inline int // elements that fit the chunk
	parts  []part
}

// describeGroups finds the components whose write groups c belongs to.
func (c *component) describeGroups(zero any) error {
	g, ok := zero.(grouped)
	if !ok {
		return nil
	}
	for _, t := range g.WriteGroups() {
		if t.mode != modeWith {
			return fmt.Errorf("its method WriteGroups names its targets by With, not by %v", t)
		}
		if t.typ == c.typ {
			return fmt.Errorf("its method WriteGroups names the type itself")
		}
		if !slices.Contains(c.groups, t.typ) {
			c.groups = append(c.groups, t.typ)
		}
	}
	return nil
}

// describeWorldwide is describe for what is no part of entities.
func describeWorldwide(t reflect.Type) *component {
	return &component{key: typeKey(t), typ: t, name: fullName(t), worldwide: true}
}

// checkManagedView refuses views of managed components that are no slices of
// them.
func (c *component) checkManagedView(view reflect.Type) error {
	if view != reflect.SliceOf(c.typ) {
		return fmt.Errorf("the view of its method Column does not fit: a managed component has no lanes, its column is a []%v", c.typ)
	}
	return nil
}

// bufferHead is what the chunk stores of a buffer beside the elements: how many
// there are, and how much more or less room than InlineCapacity there is. A row
// of zeros is an empty buffer.
type bufferHead [2]int32

// inlineBytes is the room in the chunk for a buffer that does not say how much
// it wants.
const inlineBytes = 128

// worldwideOf returns the Worldwide type that a term declares access to, or nil.
func worldwideOf(op string, t Term) *component {
	if t.mode != modeRead && t.mode != modeWrite {
		return nil
	}
	if c, err := registered(op, t.typ); err == nil && c.worldwide {
		return c
	}
	return nil
}
