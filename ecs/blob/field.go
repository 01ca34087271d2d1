package blob

import "reflect"

// Array is an array inside of a blob. Call its methods on the array in the blob. On a copy outside
// of the blob, they panic with an error of category ErrState. After Dispose, they panic with an
// error of category ErrDisposed. The check costs about ten nanoseconds and does not allocate.
type Array[E any] struct {
	_   [0]*E // prevents conversions between arrays of different element types
	ref fieldRef
}

// String is a string inside of a blob. As with [Array], call its methods on the string in the blob.
type String struct {
	_   [0]*byte
	ref fieldRef
}

// Ptr is a pointer inside of a blob. It points to an E in the same blob, or is nil. As with
// [Array], call its methods on the pointer in the blob.
type Ptr[E any] struct {
	_   [0]*E // prevents conversions between pointers to different types
	ref fieldRef
}

// fieldRef is the common part of Array, String and Ptr. It refers to n elements, which begin at
// an offset in its blob. While the blob is built, the fields have other meanings: the offset is
// the number of a piece or of a target in the builder, ownerID.index is 0, and ownerID.version
// is the builder's serial number.
type fieldRef struct {
	offset, count uint32
	ownerID       slotID
}

// Len returns the number of elements.
func (a *Array[E]) Len() int {
	a.ref.ownerBlob("Array.Len")
	return int(a.ref.count)
}

// Slice returns the elements, which the caller must not write. If the elements contain arrays, do
// not copy an element. For example, write s[i].Names.Slice(), because the loop variable of a
// range over s is a copy of the element.
func (a *Array[E]) Slice() []E {
	d := a.ref.ownerBlob("Array.Slice")
	return elementsAt[E](d.data, a.ref.offset, a.ref.count)
}

// At returns the address of element i, which the caller must not write. It panics with an error of
// category ErrRange if i is out of range.
func (a *Array[E]) At(i int) *E {
	const op = "Array.At"
	d := a.ref.ownerBlob(op)
	if uint(i) >= uint(a.ref.count) {
		panic(fault(ErrRange, op, "element %d of %d", i, a.ref.count))
	}
	return &elementsAt[E](d.data, a.ref.offset, a.ref.count)[i]
}

// Len returns the number of bytes.
func (s *String) Len() int {
	s.ref.ownerBlob("String.Len")
	return int(s.ref.count)
}

// String returns the string. The string refers to the memory of the blob, and stays valid after
// Dispose.
func (s *String) String() string {
	d := s.ref.ownerBlob("String.String")
	return stringOf(d.data[s.ref.offset:][:s.ref.count])
}

// Get returns the target of the pointer, which the caller must not write, or nil.
func (p *Ptr[E]) Get() *E {
	d := p.ref.ownerBlob("Ptr.Get")
	if p.ref.count == 0 {
		return nil
	}
	return &elementsAt[E](d.data, p.ref.offset, 1)[0]
}

// ownerBlob returns the blob that contains the field. It panics if no blob contains it.
func (p *fieldRef) ownerBlob(op string) *blob {
	d := blobTable.lookup(p.ownerID)
	if d == nil || addressOf(p)-addressOf(&d.data[0]) >= uintptr(len(d.data)) {
		panic(p.fault(op, d))
	}
	return d
}

// fault returns the error for a field that is outside of its blob. The parameter d is the blob
// from which the field was copied, or nil if the blob does not exist any more.
func (p *fieldRef) fault(op string, d *blob) *failure {
	switch {
	case p.ownerID == slotID{}:
		return fault(ErrState, op, "it is not part of a blob: New makes one with it")
	case p.ownerID.index == 0:
		return fault(ErrState, op, "its blob is being built: keep what Make returned until then")
	case d != nil:
		return fault(ErrState, op, "it was copied out of its blob: use it where it is, by its address")
	}
	return fault(ErrDisposed, op, "its blob was disposed")
}

// fieldKind is the kind of a field that refers to other parts of a blob: an array, a string or a
// pointer.
type fieldKind uint8

const (
	arrayField fieldKind = iota
	stringField
	ptrField
)

func (Array[E]) field() (fieldKind, reflect.Type) { return arrayField, reflect.TypeFor[E]() }
func (String) field() (fieldKind, reflect.Type)   { return stringField, reflect.TypeFor[byte]() }
func (Ptr[E]) field() (fieldKind, reflect.Type)   { return ptrField, reflect.TypeFor[E]() }

// isRef reports whether t is a Ref. A type that embeds a Ref is not a Ref.
func isRef(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 2 && t.Field(1).Type == reflect.TypeFor[slotID]()
}

// asField returns the kind and the target of t if it is an Array, a String or a Ptr itself. A
// type that embeds one of these is not a field.
func asField(t reflect.Type) (kind fieldKind, elem reflect.Type, ok bool) {
	if t.Kind() != reflect.Struct || t.NumField() != 2 || t.Field(1).Type != reflect.TypeFor[fieldRef]() {
		return 0, nil, false
	}
	kind, elem = reflect.Zero(t).Interface().(interface {
		field() (fieldKind, reflect.Type)
	}).field()
	return kind, elem, true
}
