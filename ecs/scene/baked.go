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

// Baked is a scene that is ready to be loaded. It consists of an image and the names of the image's
// entities. A Baked is immutable, so any goroutine may read it.
type Baked struct {
	image        *ecs.Image
	namedCount   int // the first namedCount entities have names
	prefabCount  int
	externalRefs []Reference
	textSum      [sha256.Size]byte
	schema       []componentForm
	options      *options

	indexOnce sync.Once
	nameTable []int32 // hash table from names to entities, created when Find is called first
	nameSeed  maphash.Seed
}

func newBaked(m *ecs.Image, o *options) *Baked { return &Baked{image: m, options: o} }

// Image returns the image of the scene. In the image, [ecs.World.EntityName] also returns the names
// of its entities. The image is shared: the caller must not change or release it.
func (b *Baked) Image() *ecs.Image { return b.image }

// Names returns the names of all entities. Name i belongs to the entity of the image that has Index
// i and Version 1. Prefabs come first.
func (b *Baked) Names() []string {
	list := make([]string, b.namedCount)
	for i := range list {
		list[i] = b.nameOfEntry(int32(i))
	}
	return list
}

func (b *Baked) nameOfEntry(i int32) string { return b.image.EntityName(entryID(i)) }

// Prefabs returns how many of the names belong to prefabs and their children.
func (b *Baked) Prefabs() int { return b.prefabCount }

// Find returns the entity of the image with the given name, and whether there is one.
func (b *Baked) Find(name string) (ecs.Entity, bool) {
	b.indexOnce.Do(b.buildIndex)
	for at := b.firstSlot(name); ; at = (at + 1) % len(b.nameTable) {
		switch i := b.nameTable[at]; {
		case i < 0:
			return ecs.Entity{}, false
		case b.nameOfEntry(i) == name:
			return entryID(i), true
		}
	}
}

// buildIndex creates the index, which is an open-addressing hash table from names to entities. A
// map would store the names a second time, and creating it would take five times as long.
func (b *Baked) buildIndex() {
	b.nameTable, b.nameSeed = make([]int32, 2<<bits.Len(uint(b.namedCount))), maphash.MakeSeed()
	for i := range b.nameTable {
		b.nameTable[i] = -1
	}
	for i := range int32(b.namedCount) {
		at := b.firstSlot(b.nameOfEntry(i))
		for b.nameTable[at] >= 0 {
			at = (at + 1) % len(b.nameTable)
		}
		b.nameTable[at] = i
	}
}

// firstSlot returns the slot at which the search for a name begins.
func (b *Baked) firstSlot(name string) int {
	return int(maphash.String(b.nameSeed, name) & uint64(len(b.nameTable)-1))
}

// Outward returns the references to entities outside of the scene in a new slice. The references are
// sorted by entity, component and position in the component. In the image, these references are null.
func (b *Baked) Outward() []Reference { return slices.Clone(b.externalRefs) }

// Sum returns the SHA-256 of the text of the scene.
func (b *Baked) Sum() [sha256.Size]byte { return b.textSum }

// Reference is a reference in a component to an entity by its name.
type Reference struct {
	From  ecs.Entity   // the entity of the image that contains the reference
	Type  reflect.Type // the type of the component
	Path  []int        // where the reference is in the value: indices of fields, of array elements and of buffer elements
	Own   bool         // the reference is to an entity of the same scene
	Scene string       // the name of the other scene; empty if the reference is to an entity of the world
	Name  string       // the name of the entity to which the reference is
}

// Put returns a copy of the value v in which e replaces the reference. If v is a buffer, Put
// changes its elements and does not copy them. The value v is a value of the component, as
// ecs.Untyped.Get or [Document.Value] returns it. If v does not contain the path, for example
// because a buffer has become shorter, Put returns an error.
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

// Value decodes a component of an entry. It returns a value of the component's type, or a slice of
// the elements if the component is a buffer. It also returns all references in the value, including
// those to its own scene. In the value, the references are null. Use Value to update one component
// of an entity that is already in a world. The error is an *Error.
func (d *Document) Value(entry, part int) (v any, refs []Reference, err error) {
	p := &d.Entries[entry].Parts[part]
	var own []Reference
	x := &decoder{scanner: scanner{source: &d.source}, doc: d, entry: int32(entry), componentType: p.Type, localRefs: &own}
	t := p.Type
	switch {
	case p.component.Buffer:
		slice, _ := t.MethodByName("Slice")
		t = slice.Type.Out(0)
	}
	box := reflect.New(t).Elem()
	if wrong := x.decodePart(p, box); wrong != nil {
		return nil, nil, joinErrors([]*Error{wrong})
	}
	refs = append(own, x.externalRefs...)
	slices.SortStableFunc(refs, func(a, b Reference) int { return slices.Compare(a.Path, b.Path) })
	return box.Interface(), refs, nil
}

// decodePart decodes a component into a value.
func (x *decoder) decodePart(p *Part, box reflect.Value) *Error {
	refer := func(name string, path ...int) {
		*x.localRefs = append(*x.localRefs, Reference{From: entryID(x.entry), Type: p.Type, Path: path, Own: true, Name: name})
	}
	switch {
	case p.origin == byParent:
		refer(p.extra.groupNames[0], p.component.plan.fields[0].typeIndex)
		return nil
	case p.origin == byGroup:
		box.Set(reflect.MakeSlice(box.Type(), len(p.extra.groupNames), len(p.extra.groupNames)))
		for i, name := range p.extra.groupNames {
			refer(name, i, 0)
		}
		return nil
	case p.component.Buffer:
		return p.lastText(func(o textRange) *Error {
			x.startAt(o)
			box.Set(reflect.MakeSlice(box.Type(), 0, 0))
			return x.decodeArray(p.Type, -1, func(i int) *Error {
				box.Set(reflect.Append(box, reflect.Zero(box.Type().Elem())))
				return x.decodeValue(box.Index(i))
			})
		})
	case p.component.PerChunk:
		return p.eachText(func(o textRange) *Error {
			x.startAt(o)
			x.path = append(x.path, 0)
			return x.decodeValue(box.Field(0))
		})
	case p.component.Tag:
		return p.eachText(func(o textRange) *Error { x.startAt(o); return x.decodeTag(p.component) })
	}
	return p.eachText(func(o textRange) *Error { x.startAt(o); return x.decodeValue(box) })
}
