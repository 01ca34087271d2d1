package scene

import (
	"crypto/sha256"
	"hash/maphash"
	"math/bits"
	"reflect"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
)

// Baked is a scene that can be loaded: an image, and what its entities are called. It never
// changes, so that any goroutine may read it.
type Baked struct {
	image   *ecs.Image
	entries int // the entities with names: 0 to this
	prefabs int
	outward []Reference
	sum     [sha256.Size]byte
	schema  []componentForm
	options *options

	once  sync.Once
	index []int32 // from names to entities, made when first asked for: see find
	seed  maphash.Seed
}

func newBaked(m *ecs.Image, o *options) *Baked { return &Baked{image: m, options: o} }

// Image returns the image. Its entities have the names, too: see [ecs.World.EntityName].
func (b *Baked) Image() *ecs.Image { return b.image }

// Names returns the names of all entities: that at place i is the name of the entity with
// Index i and Version 1 of the image. Prefabs come first.
func (b *Baked) Names() []string {
	list := make([]string, b.entries)
	for i := range list {
		list[i] = b.nameOfEntry(int32(i))
	}
	return list
}

func (b *Baked) nameOfEntry(i int32) string { return b.image.EntityName(entryID(i)) }

// Prefabs returns how many of the names are prefabs and their children.
func (b *Baked) Prefabs() int { return b.prefabs }

// Find returns the entity of the image that has a name.
func (b *Baked) Find(name string) (ecs.Entity, bool) {
	b.once.Do(b.buildIndex)
	for at := b.firstSlot(name); ; at = (at + 1) % len(b.index) {
		switch i := b.index[at]; {
		case i < 0:
			return ecs.Entity{}, false
		case b.nameOfEntry(i) == name:
			return entryID(i), true
		}
	}
}

// buildIndex makes the index: places of entities by the hashes of their names, the next free one where one is taken. A map
// would have the names a second time, and take five times as long.
func (b *Baked) buildIndex() {
	b.index, b.seed = make([]int32, 2<<bits.Len(uint(b.entries))), maphash.MakeSeed()
	for i := range b.index {
		b.index[i] = -1
	}
	for i := range int32(b.entries) {
		at := b.firstSlot(b.nameOfEntry(i))
		for b.index[at] >= 0 {
			at = (at + 1) % len(b.index)
		}
		b.index[at] = i
	}
}

// firstSlot returns where the search for a name begins.
func (b *Baked) firstSlot(name string) int {
	return int(maphash.String(b.seed, name) & uint64(len(b.index)-1))
}

// Outward returns the references that lead out of the scene. In the image they are null. They
// are in the order of entities, components, and places in these.
func (b *Baked) Outward() []Reference { return slices.Clone(b.outward) }

// Sum returns the SHA-256 of the text that the scene was made of.
func (b *Baked) Sum() [sha256.Size]byte { return b.sum }

// Reference is a reference in a component, by name.
type Reference struct {
	From  ecs.Entity   // of the image: the entity that has the component
	Type  reflect.Type // of the component
	Path  []int        // to the reference in its value: numbers of fields, of elements of arrays, of elements of a buffer
	Own   bool         // it is to an entity of the same scene
	Scene string       // the other scene; empty for an entity of the world
	Name  string       // of the entity
}

// Put returns a value of the component, as ecs.Untyped.Get or [Document.Value] returns it, with e in place of the
// reference. Buffers are changed in place. The error says that the value has no such place.
func (r *Reference) Put(v any, e ecs.Entity) (any, error) {
	if v == nil {
		return nil, errorf("a reference to %q has no place in nil", r.Name)
	}
	box := reflect.New(reflect.TypeOf(v)).Elem()
	box.Set(reflect.ValueOf(v))
	at := box
	for _, i := range r.Path {
		switch k := at.Kind(); {
		case k == reflect.Struct && i < at.NumField():
			at = at.Field(i)
		case (k == reflect.Array || k == reflect.Slice) && i < at.Len():
			at = at.Index(i)
		default:
			return nil, errorf("a reference to %q has no place in a %T: there is no %v", r.Name, v, r.Path)
		}
	}
	if at.Type() != entityType || !at.CanSet() {
		return nil, errorf("a reference to %q has no place in a %T: a %v is at %v", r.Name, v, at.Type(), r.Path)
	}
	at.Set(reflect.ValueOf(e))
	return box.Interface(), nil
}

// Value reads a component of an entry, and what it refers to: all references, in its own scene too, which are null in
// the value. The value is of the component's type; a slice of the elements of a buffer. It is for those that have an entity in
// a world already, and want one component of it as the text says. The error is an *Error.
func (d *Document) Value(entry, part int) (v any, refs []Reference, err error) {
	p := &d.Entries[entry].Parts[part]
	var own []Reference
	x := &decoder{scanner: scanner{source: &d.source}, doc: d, from: int32(entry), typ: p.Type, own: &own}
	t := p.Type
	switch {
	case p.own.Buffer:
		slice, _ := t.MethodByName("Slice")
		t = slice.Type.Out(0)
	}
	box := reflect.New(t).Elem()
	if wrong := x.decodePart(p, box); wrong != nil {
		return nil, nil, joinErrors([]*Error{wrong})
	}
	refs = append(own, x.outward...)
	slices.SortStableFunc(refs, func(a, b Reference) int { return slices.Compare(a.Path, b.Path) })
	return box.Interface(), refs, nil
}

// decodePart reads a component into a value.
func (x *decoder) decodePart(p *Part, box reflect.Value) *Error {
	refer := func(name string, path ...int) {
		*x.own = append(*x.own, Reference{From: entryID(x.from), Type: p.Type, Path: path, Own: true, Name: name})
	}
	switch {
	case p.origin == byParent:
		refer(p.rest.kin[0], p.own.plan.fields[0].path)
		return nil
	case p.origin == byGroup:
		box.Set(reflect.MakeSlice(box.Type(), len(p.rest.kin), len(p.rest.kin)))
		for i, name := range p.rest.kin {
			refer(name, i, 0)
		}
		return nil
	case p.own.Buffer:
		return p.topText(func(o textRange) *Error {
			x.startAt(o)
			box.Set(reflect.MakeSlice(box.Type(), 0, 0))
			return x.decodeArray(p.Type, -1, func(i int) *Error {
				box.Set(reflect.Append(box, reflect.Zero(box.Type().Elem())))
				return x.decodeValue(box.Index(i))
			})
		})
	case p.own.PerChunk:
		return p.eachText(func(o textRange) *Error {
			x.startAt(o)
			x.path = append(x.path, 0)
			return x.decodeValue(box.Field(0))
		})
	case p.own.Tag:
		return p.eachText(func(o textRange) *Error { x.startAt(o); return x.decodeTag(p.own) })
	}
	return p.eachText(func(o textRange) *Error { x.startAt(o); return x.decodeValue(box) })
}
