package blob

import "reflect"

// Array is an array inside a blob. Its methods are for the array where it
// is: called on a copy outside of the blob they panic with an error of category
// ErrState, after Dispose with one of category ErrDisposed. That costs about
// ten nanoseconds and no allocation.
type Array[E any] struct {
	_  [0]*E // arrays of different elements do not convert
	at fieldRef
}

// String is a string inside a blob; what is said of [Array] holds for it.
type String struct {
	_  [0]*byte
	at fieldRef
}

// Ptr is a pointer inside a blob to an E in the same blob, or to none; what
// is said of [Array] holds for it.
type Ptr[E any] struct {
	_  [0]*E // pointers to different types do not convert
	at fieldRef
}

// fieldRef is the common part of these: n elements from an offset of the blob
// on that it belongs to. While the blob is built the offset is the number of a
// piece or target of the builder, home.index is 0, and home.version the builder's.
type fieldRef struct {
	off, n uint32
	home   slotID
}

// Len returns the number of elements.
func (a *Array[E]) Len() int {
	a.at.owner("Array.Len")
	return int(a.at.n)
}

// Slice shows the elements, which must not be written. Elements with arrays of
// their own are for use by address: s[i].Names.Slice(), not those of a copy that
// a loop over s makes.
func (a *Array[E]) Slice() []E {
	d := a.at.owner("Array.Slice")
	return partOf[E](d.data, a.at.off, a.at.n)
}

// At returns the address of element i, which must not be written. It panics with
// an error of category ErrRange if i is none of them.
func (a *Array[E]) At(i int) *E {
	const op = "Array.At"
	d := a.at.owner(op)
	if uint(i) >= uint(a.at.n) {
		panic(fault(ErrRange, op, "element %d of %d", i, a.at.n))
	}
	return &partOf[E](d.data, a.at.off, a.at.n)[i]
}

// Len returns the number of bytes.
func (s *String) Len() int {
	s.at.owner("String.Len")
	return int(s.at.n)
}

// String returns the string. It lies in the blob, and stays good after Dispose.
func (s *String) String() string {
	d := s.at.owner("String.String")
	return stringOf(d.data[s.at.off:][:s.at.n])
}

// Get returns what the pointer points to, which must not be written; nil if it
// points to nothing.
func (p *Ptr[E]) Get() *E {
	d := p.at.owner("Ptr.Get")
	if p.at.n == 0 {
		return nil
	}
	return &partOf[E](d.data, p.at.off, 1)[0]
}

// owner returns the blob that the field is in, and panics if it is in none.
func (p *fieldRef) owner(op string) *blob {
	d := blobs.lookup(p.home)
	if d == nil || addressOf(p)-addressOf(&d.data[0]) >= uintptr(len(d.data)) {
		panic(p.fault(op, d))
	}
	return d
}

// fault returns the error of a field that is not in a blob; d is the blob it was copied from, if that exists.
func (p *fieldRef) fault(op string, d *blob) *failure {
	switch {
	case p.home == slotID{}:
		return fault(ErrState, op, "it is not part of a blob: New makes one with it")
	case p.home.index == 0:
		return fault(ErrState, op, "its blob is being built: keep what Make returned until then")
	case d != nil:
		return fault(ErrState, op, "it was copied out of its blob: use it where it is, by its address")
	}
	return fault(ErrDisposed, op, "its blob was disposed")
}

// fieldKind says what a field of a blob is that refers to other parts of it.
type fieldKind uint8

const (
	arrayField fieldKind = iota
	stringField
	ptrField
)

func (Array[E]) field() (fieldKind, reflect.Type) { return arrayField, reflect.TypeFor[E]() }
func (String) field() (fieldKind, reflect.Type)   { return stringField, reflect.TypeFor[byte]() }
func (Ptr[E]) field() (fieldKind, reflect.Type)   { return ptrField, reflect.TypeFor[E]() }

// isRef reports whether t is a Ref, not a type that embeds one.
func isRef(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 2 && t.Field(1).Type == reflect.TypeFor[slotID]()
}

// asField returns what t refers to, if it is an array, string or pointer of
// blobs, not a type that embeds one.
func asField(t reflect.Type) (kind fieldKind, elem reflect.Type, ok bool) {
	if t.Kind() != reflect.Struct || t.NumField() != 2 || t.Field(1).Type != reflect.TypeFor[fieldRef]() {
		return 0, nil, false
	}
	kind, elem = reflect.Zero(t).Interface().(interface {
		field() (fieldKind, reflect.Type)
	}).field()
	return kind, elem, true
}
