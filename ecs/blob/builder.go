package blob

import (
	"cmp"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/lanewise/lanewise/soa"
)

// Builder creates the arrays, strings and pointers of a blob while New runs. Only one goroutine may
// use a Builder, and only until the function passed to New returns.
type Builder struct {
	serial      uint32 // identifies the fields that this builder has made
	finished    bool
	layout      *layout
	pieces      []piece
	pieceMemory [][]byte // memory of each piece while the blob is built
	ptrTargets  []uintptr
	blobSize    uint64 // size of the pieces so far
}

// piece is the root or one array of a blob. It consists of n values of one type, and has an offset.
type piece struct {
	offset, count uint32
	typeIndex     uint32 // index in layout.types
}

// blobSizeLimit is larger than the size of any blob.
const blobSizeLimit uint64 = 1 << 31

// serials is the serial number of the newest builder. Each new builder adds 1 atomically, so that
// two builders that exist at the same time have different serials.
var serials atomic.Uint32

// New creates a blob. The function build sets the fields of the root, and creates its arrays,
// strings and pointers by calling their methods Make and Set:
//
//	track := blob.New(func(b *blob.Builder, t *Track) {
//		t.Name.Set(b, "north loop")
//		points := t.Points.Make(b, 100)
//		…
//	})
//
// During build, values may be copied within the blob. The copies then share arrays and
// strings. New panics if a blob cannot store a T, or if the program misuses the builder.
// New is safe for concurrent use. The blob exists until [Ref.Dispose] is called.
func New[T any](build func(b *Builder, root *T)) Ref[T] {
	const op = "New"
	l, err := layoutOf[T](op)
	if err != nil {
		panic(err)
	}
	b := &Builder{serial: serials.Add(1), layout: l}
	if b.serial == 0 { // serial 0 means that a field has no builder
		b.serial = serials.Add(1)
	}
	root, _ := addPiece[T](b, op, 1)
	build(b, &root[0])
	b.finished = true
	return publish[T](&blob{layout: l, data: b.assemble(op), pieces: b.pieces})
}

// publish stores the id of a blob in all of its arrays, strings and pointers, and makes the blob
// available to readers.
func publish[T any](d *blob) Ref[T] {
	d.id, d.rootType = blobTable.reserveID(), typeIDOf[T]()
	d.setFieldOwners(d.data, d.id)
	blobTable.publish(d)
	return Ref[T]{id: d.id}
}

// setFieldOwners stores an id in all arrays, strings and pointers of the blob's data.
func (d *blob) setFieldOwners(data []byte, id slotID) {
	d.layout.eachField(d.pieces, data, func(_ *fieldLayout, p *fieldRef) { p.ownerID = id })
}

// eachField calls visit for each array, string and pointer in data, which consists of the given
// pieces.
func (l *layout) eachField(pieces []piece, data []byte, visit func(f *fieldLayout, p *fieldRef)) {
	for _, piece := range pieces {
		t := &l.types[piece.typeIndex]
		if len(t.fields) == 0 {
			continue
		}
		for i := range uintptr(piece.count) {
			for j := range t.fields {
				at := uintptr(piece.offset) + i*t.size + t.fields[j].offset
				visit(&t.fields[j], &elementsAt[fieldRef](data, uint32(at), 1)[0])
			}
		}
	}
}

// Make gives the array n zero elements and returns them. The caller may write the elements until
// New returns. Make panics if the array already has elements from Make or Set. An array without a
// call of Make or Set is empty.
func (a *Array[E]) Make(b *Builder, n int) []E {
	const op = "Array.Make"
	a.ref.checkWritable(b, op)
	list, piece := addPiece[E](b, op, n)
	a.ref = fieldRef{piece, uint32(n), b.builderID()}
	return list
}

// Set gives the array copies of values as its elements. Like Make, it returns the elements.
func (a *Array[E]) Set(b *Builder, values ...E) []E {
	list := a.Make(b, len(values))
	copy(list, values)
	return list
}

// Set sets the string.
func (s *String) Set(b *Builder, value string) {
	const op = "String.Set"
	s.ref.checkWritable(b, op)
	list, piece := addPiece[byte](b, op, len(value))
	copy(list, value)
	s.ref = fieldRef{piece, uint32(len(value)), b.builderID()}
}

// Make creates a zero E in the blob, makes the pointer point to it, and returns it. The caller may
// write the E until New returns.
func (p *Ptr[E]) Make(b *Builder) *E {
	const op = "Ptr.Make"
	p.ref.checkWritable(b, op)
	list, _ := addPiece[E](b, op, 1)
	p.setTarget(b, &list[0])
	return &list[0]
}

// Set makes the pointer point to a part of the blob: the root, an element that Make has returned,
// or a field of one of these. New checks this before it returns: it panics if target is not such
// a part.
func (p *Ptr[E]) Set(b *Builder, target *E) {
	const op = "Ptr.Set"
	p.ref.checkWritable(b, op)
	if target == nil {
		panic(fault(ErrArgument, op, "the target is nil: a pointer that is not set points to nothing"))
	}
	p.setTarget(b, target)
}

// setTarget records the target of a pointer.
func (p *Ptr[E]) setTarget(b *Builder, target *E) {
	p.ref = fieldRef{uint32(len(b.ptrTargets)), 1, b.builderID()}
	b.ptrTargets = append(b.ptrTargets, addressOf(target))
}

// builderID returns the ownerID that arrays, strings and pointers have while the builder builds
// the blob.
func (b *Builder) builderID() slotID { return slotID{version: b.serial} }

// checkWritable panics unless the builder may write the field.
func (p *fieldRef) checkWritable(b *Builder, op string) {
	switch {
	case b == nil || b.finished || b.layout == nil:
		panic(fault(ErrState, op, "there is no blob being built: the builder is good until the function returns that New gave it to"))
	case p.ownerID.index != 0:
		panic(fault(ErrState, op, "it belongs to a blob that is complete: blobs do not change"))
	}
}

// addPiece adds n elements to the blob, and returns the elements and the number of the piece.
func addPiece[E any](b *Builder, op string, n int) ([]E, uint32) {
	t := b.layout.findType(reflect.TypeFor[E]())
	switch {
	case t < 0:
		panic(fault(ErrArgument, op, "the blob, a %v, has nothing that refers to a %v", b.layout.types[0].typ, reflect.TypeFor[E]()))
	case n < 0:
		panic(fault(ErrArgument, op, "%d elements", n))
	case n == 0:
		return nil, 0
	}
	typ := &b.layout.types[t]
	at := roundUp(b.blobSize, uint64(typ.align))
	if uint64(n) >= (blobSizeLimit-at)/uint64(typ.size) {
		panic(fault(ErrArgument, op, "%d elements of %d bytes after %d others: a blob has less than %d", n, typ.size, at, blobSizeLimit))
	}
	list := make([]E, n)
	b.blobSize = at + uint64(n)*uint64(typ.size)
	b.pieces = append(b.pieces, piece{uint32(at), uint32(n), uint32(t)})
	b.pieceMemory = append(b.pieceMemory, bytesOf(list))
	return list, uint32(len(b.pieces) - 1)
}

// roundUp returns x rounded up to a multiple of a, which is a power of two.
func roundUp(x, a uint64) uint64 { return (x + a - 1) &^ (a - 1) }

// assemble returns the data of the blob. Its fields contain offsets.
func (b *Builder) assemble(op string) []byte {
	data := soa.Make[[]byte](int(roundUp(b.blobSize, alignment)))
	for i, piece := range b.pieces {
		copy(data[piece.offset:], b.pieceMemory[i])
	}
	find, used := b.pieceFinder(), make([]bool, len(b.pieces))
	used[0] = true
	b.layout.eachField(b.pieces, data, func(f *fieldLayout, p *fieldRef) {
		switch {
		case *p == fieldRef{}:
			return // no Make or Set was called for the field
		case p.ownerID != b.builderID():
			panic(fault(ErrState, op, "field %s was copied from another blob: make it anew", f.path))
		case p.count == 0:
			return
		case f.kind != ptrField:
			used[p.offset] = true
			p.offset = b.pieces[p.offset].offset
			return
		}
		address := b.ptrTargets[p.offset]
		i, ok := find(address)
		if !ok {
			panic(fault(ErrState, op, "the target of pointer %s is not in the blob: use the root, or what Make returned", f.path))
		}
		used[i] = true
		p.offset = b.pieces[i].offset + uint32(address-addressOf(&b.pieceMemory[i][0]))
	})
	if i := slices.Index(used, false); i >= 0 {
		panic(fault(ErrState, op, "%d of %v belong to no field: theirs was a copy outside of the blob, or was made again",
			b.pieces[i].count, b.layout.types[b.pieces[i].typeIndex].typ))
	}
	return data
}

// pieceFinder returns a function that finds the piece that contains an address.
func (b *Builder) pieceFinder() func(address uintptr) (int, bool) {
	var order []int
	if len(b.ptrTargets) > 0 {
		for i := range b.pieceMemory {
			order = append(order, i)
		}
	}
	start := func(i int) uintptr { return addressOf(&b.pieceMemory[i][0]) }
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(start(i), start(j)) })
	return func(address uintptr) (int, bool) {
		at, _ := slices.BinarySearchFunc(order, address, func(i int, a uintptr) int {
			if start(i) <= a {
				return -1 // the last of these pieces contains the address, if any does
			}
			return 1
		})
		if at == 0 {
			return 0, false
		}
		i := order[at-1]
		return i, address-start(i) < uintptr(len(b.pieceMemory[i]))
	}
}
