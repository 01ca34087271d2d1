package ecs

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs/blob"
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

// holdsInterface reports whether a value of type t, which is comparable, has an
// interface in it, so that comparing it can fail.
func holdsInterface(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array:
		return holdsInterface(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsInterface(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// incomparable returns the type of the first thing in a value that == cannot
// compare; nil if there is none.
func incomparable(v reflect.Value) reflect.Type {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return incomparable(v.Elem())
	case reflect.Array:
		for i := range v.Len() {
			if t := incomparable(v.Index(i)); t != nil {
				return t
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if t := incomparable(v.Field(i)); t != nil {
				return t
			}
		}
	case reflect.Slice, reflect.Map, reflect.Func:
		return v.Type()
	}
	return nil
}

// equalsItself reports whether v == v, which a value with a NaN denies.
func equalsItself(v any) bool {
	same := v
	return v == same
}

// alike reports whether a == b if every NaN equals every other, as it does in
// World.Hash.
func alike(a, b reflect.Value) bool {
	if a.Kind() == reflect.Interface && b.Kind() == reflect.Interface {
		a, b = a.Elem(), b.Elem()
	}
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return !a.IsValid() && !b.IsValid()
	}
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return alikeFloats(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return alikeFloats(real(x), real(y)) && alikeFloats(imag(x), imag(y))
	case reflect.Array:
		same := true
		for i := 0; i < a.Len() && same; i++ {
			same = alike(a.Index(i), b.Index(i))
		}
		return same
	case reflect.Struct:
		same := true
		for i := 0; i < a.NumField() && same; i++ {
			same = a.Type().Field(i).Name == "_" || alike(a.Field(i), b.Field(i))
		}
		return same
	}
	return a.Equal(b)
}

func alikeFloats(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// Prefab marks an entity as a model for others. Queries do not match it unless
// they ask for Prefab, or say IncludePrefabs; Instantiate makes copies without
// it.
type Prefab struct{}

// Inactive marks an entity that takes no part for a while. Queries do not match
// it unless they ask for Inactive, or say IncludeInactive. See
// [World.SetActive].
type Inactive struct{}

// Ghost marks an entity as a picture of one that lives elsewhere, in another world or on
// another machine, whose values somebody keeps up to date. Queries do not match it unless
// they ask for Ghost, or say IncludeGhosts: what moves and counts entities leaves ghosts
// alone, and what looks for neighbours asks for them. Copies of a ghost are ghosts.
type Ghost struct{}

// IncludePrefabs makes a query match entities that have Prefab too.
func IncludePrefabs() Term { return Term{mode: modeIncludePrefabs} }

// IncludeInactive makes a query match entities that have Inactive too.
func IncludeInactive() Term { return Term{mode: modeIncludeInactive} }

// IncludeGhosts makes a query match entities that have Ghost too.
func IncludeGhosts() Term { return Term{mode: modeIncludeGhosts} }

// IncludeHidden makes a query match entities of every kind that queries pass over: it is
// IncludePrefabs, IncludeInactive and IncludeGhosts, for what keeps something about each
// entity that there is.
func IncludeHidden() Term { return Term{mode: modeIncludeHidden} }

// kinds is a set of the kinds of entities that a query passes over unless it is told not to.
type kinds uint8

const (
	kindPrefab kinds = 1 << iota
	kindInactive
	kindGhost
	allKinds = kindPrefab | kindInactive | kindGhost
)

// kindsOf returns what a term lets in, or nothing.
func kindsOf(m mode) kinds {
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

// findBuiltins finds the components that have a meaning of their own.
func (w *componentTypes) findBuiltins() error {
	const op = "NewWorld"
	var errs [7]error
	w.cleanupTag, errs[0] = componentFor[cleanupEntity](op)
	w.header, errs[1] = componentFor[ChunkHeader](op)
	w.prefab, errs[2] = componentFor[Prefab](op)
	w.inactive, errs[3] = componentFor[Inactive](op)
	w.group, errs[4] = componentFor[LinkedGroup](op)
	w.omit, errs[5] = componentFor[OmitGroup](op)
	w.ghost, errs[6] = componentFor[Ghost](op)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// OmitGroup keeps a [LinkedGroup] from being copied: the copies of an entity that
// has both have neither, though all parts are copied. Without a group it is
// copied like any tag.
type OmitGroup struct{}

// LinkedGroup is the buffer of an entity that is made, ended and rests together
// with others: a model of several parts. Its first element is the entity itself,
// the root; the others are the parts, and what has a group of its own brings
// that along when it ends.
//
// Instantiate copies all of them, and references between them lead to the copies
// in the copies. Destroy ends all of them, and SetActive is for all of them.
type LinkedGroup = Buffer[Linked]

// Linked is an element of a [LinkedGroup].
type Linked struct{ Entity Entity }

// InlineCapacity is how many elements lie in the chunk.
func (Linked) InlineCapacity() int { return 8 }

func (Linked) linked() {}

// cleanupEntity marks entities that were destroyed and wait for their cleanup
// components to be removed.
type cleanupEntity struct{}

// This file has the String methods of the handles of a world, so that package fmt does not print their fields: the fields are
// long, and jobs may be writing them.

// String names the world and counts what is in it: world "arena": 2 entities, 1 archetype.
func (w *World) String() string {
	switch {
	case w == nil:
		return "<nil>"
	case w.gate.lent != nil:
		return fmt.Sprintf("world %q, lent to a transaction", w.gate.name)
	case w.gate.version == 0:
		return "the zero World"
	case !w.gate.alive:
		return fmt.Sprintf("world %q, closed", w.gate.name)
	}
	return fmt.Sprintf("world %q: %s, %s", w.gate.name, plural(w.tables.entities.live()-w.tables.metas, "entity", "entities"), plural(len(w.tables.archetypes), "archetype", "archetypes"))
}

// plural is a number and what it counts.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// String counts what is in the image.
func (m *Image) String() string {
	switch {
	case m == nil:
		return "<nil>"
	case m.pool == nil:
		return "an image that is released, or the zero Image"
	}
	return fmt.Sprintf("image of %s, %s", plural(m.rows, "entity", "entities"), plural(len(m.archetypes), "archetype", "archetypes"))
}

// String names the buffer and counts what it has recorded, without what jobs have: see [Commands.Len].
func (c *Commands) String() string {
	switch {
	case c == nil:
		return "<nil>"
	case c.world == nil:
		return "the zero Commands"
	case c.played:
		return fmt.Sprintf("buffer %q of world %q, played", c.name, c.world.gate.name)
	}
	return fmt.Sprintf("buffer %q of world %q: %s", c.name, c.world.gate.name, plural(len(c.list), "command", "commands"))
}

// String names the components of the chunk and counts its rows.
func (c *Chunk) String() string {
	switch {
	case c == nil:
		return "<nil>"
	case c.n < 0 || c.rec == nil:
		return "a chunk whose loop or job is over"
	}
	return fmt.Sprintf("chunk %d of %v: %s", c.index, c.rec.arch, plural(c.n, "row", "rows"))
}

// String names the component and the world.
func (l *Lookup[T]) String() string {
	switch {
	case l == nil:
		return "<nil>"
	case l.world == nil:
		return "the zero Lookup"
	}
	return fmt.Sprintf("look-up of %v in world %q", reflect.TypeFor[T](), l.world.gate.name)
}

// isBlob reports whether a field of type t is a reference to a blob.
func isBlob(t reflect.Type) bool {
	_, is := blob.RootType(t)
	return is
}

// blobReference is a reference to a blob in a value.
type blobReference struct {
	at  uintptr
	typ reflect.Type
}

// blobsOf appends the places of references to blobs in a value of type t.
func blobsOf(t reflect.Type, at uintptr, list []blobReference) []blobReference {
	switch {
	case isBlob(t):
		return append(list, blobReference{at, t})
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			list = blobsOf(f.Type, at+f.Offset, list)
		}
	case t.Kind() == reflect.Array && t.Len() > 0:
		if len(blobsOf(t.Elem(), 0, nil)) == 0 {
			return list
		}
		for i := range t.Len() {
			list = blobsOf(t.Elem(), at+uintptr(i)*t.Elem().Size(), list)
		}
	}
	return list
}

// danglingBlob returns the first value of some size that has a reference to a blob which is not there, or -1.
func danglingBlob(values []byte, size int, refs []blobReference) int {
	for row := 0; len(refs) > 0 && len(values) >= size; row++ {
		for _, r := range refs {
			if b := blob.At(r.typ, values[r.at:]); !b.Null() && !b.Exists() {
				return row
			}
		}
		values = values[size:]
	}
	return -1
}
