package blob

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/soa"
)

// magic begins the bytes of a blob.
var magic = []byte("lwblob\x00\x01")

const (
	headerBytes = 8 + 8 + 4 + 4 // size of magic, layout fingerprint, number of pieces, number of data bytes
	pieceBytes  = 4 + 4 + 4     // size of offset, count, type
)

// Bytes returns the blob as bytes, from which [Load] creates an equal blob. Another process may
// load the bytes, if its CPU has the same byte order and alignment. If the blob contains references
// to other blobs, Bytes returns an error of category ErrState, because it does not write those
// blobs. Otherwise it returns the same errors as [Ref.Dispose]. For files, use [Any.Portable].
func (b Ref[T]) Bytes() ([]byte, error) {
	const op = "Ref.Bytes"
	d := blobTable.lookup(b.id)
	if d == nil {
		return nil, b.fault(op, nil)
	}
	if d.layout.hasRefs {
		return nil, fault(ErrState, op, "a %v refers to other blobs, which are not part of its bytes", d.layout.types[0].typ)
	}
	le := binary.LittleEndian
	out := le.AppendUint64(slices.Clone(magic), d.layout.fingerprint)
	out = le.AppendUint32(le.AppendUint32(out, uint32(len(d.pieces))), uint32(len(d.data)))
	for _, p := range d.pieces {
		out = le.AppendUint32(le.AppendUint32(le.AppendUint32(out, p.offset), p.count), p.typeIndex)
	}
	data := soa.Make[[]byte](len(d.data)) // setFieldOwners needs aligned memory
	copy(data, d.data)
	d.setFieldOwners(data, slotID{})
	return append(out, data...), nil
}

// Load creates a blob of type T from the bytes of [Ref.Bytes]. Load checks the bytes and copies
// them. If the bytes are wrong, Load creates nothing and returns an error of category ErrArgument.
// So the parameter data may come from an untrusted source.
func Load[T any](data []byte) (Ref[T], error) {
	const op = "Load"
	l, err := layoutOf[T](op)
	if err != nil {
		return Ref[T]{}, err
	}
	d := &blob{layout: l}
	if err := d.loadBytes(data); err != nil {
		return Ref[T]{}, fault(ErrArgument, op, "these are not the bytes of a %v", reflect.TypeFor[T]()).withCause(err)
	}
	return publish[T](d), nil
}

// loadBytes reads the result of Bytes and checks all of it.
func (d *blob) loadBytes(in []byte) error {
	le, l := binary.LittleEndian, d.layout
	switch {
	case l.hasRefs:
		return fmt.Errorf("it refers to other blobs, which are not part of bytes")
	case len(in) < headerBytes || !bytes.Equal(in[:8], magic):
		return fmt.Errorf("they do not begin as those of a blob")
	case le.Uint64(in[8:]) != l.fingerprint:
		return fmt.Errorf("they are of a type with other fields, or of another kind of CPU")
	}
	pieces, size := uint64(le.Uint32(in[16:])), uint64(le.Uint32(in[20:]))
	if in = in[headerBytes:]; uint64(len(in)) != pieceBytes*pieces+size || size >= blobSizeLimit {
		return fmt.Errorf("there are %d after the header, not %d pieces and %d of data", len(in), pieces, size)
	}
	end := uint64(0)
	for i := range pieces {
		p := piece{le.Uint32(in), le.Uint32(in[4:]), le.Uint32(in[8:])}
		in = in[pieceBytes:]
		if !l.isValidNext(p, end) || i == 0 && (p != piece{count: 1}) {
			return fmt.Errorf("piece %d is out of place", i)
		}
		end = uint64(p.offset) + uint64(p.count)*uint64(l.types[p.typeIndex].size)
		d.pieces = append(d.pieces, p)
	}
	if end == 0 || end > size {
		return fmt.Errorf("the pieces end at %d of %d", end, size)
	}
	d.data = soa.Make[[]byte](int(size))
	copy(d.data, in)
	return d.checkFields()
}

// isValidNext reports whether p is valid as the next piece, if the pieces before it end at the
// offset end.
func (l *layout) isValidNext(p piece, end uint64) bool {
	return p.typeIndex < uint32(len(l.types)) && p.count > 0 && uint64(p.offset) >= end && p.offset%l.types[p.typeIndex].align == 0
}

// checkFields returns an error if a field refers to elements that do not exist, or if a bool is
// neither 0 nor 1.
func (d *blob) checkFields() (err error) {
	d.layout.eachField(d.pieces, d.data, func(f *fieldLayout, p *fieldRef) {
		if err == nil && (p.ownerID != slotID{} || !d.fieldFits(f, p)) {
			err = fmt.Errorf("field %s leads out of it", f.path)
		}
	})
	for _, p := range d.pieces {
		t := &d.layout.types[p.typeIndex]
		for i := range uintptr(p.count) {
			for _, o := range t.boolOffsets {
				if v := d.data[uintptr(p.offset)+i*t.size+o]; v > 1 {
					return fmt.Errorf("a bool is %d", v)
				}
			}
		}
	}
	return err
}

// fieldFits reports whether the blob contains the elements that a field refers to.
func (d *blob) fieldFits(f *fieldLayout, p *fieldRef) bool {
	if p.count == 0 {
		return p.offset == 0
	}
	i, found := slices.BinarySearchFunc(d.pieces, p.offset, func(p piece, at uint32) int {
		return cmp.Compare(p.offset, at)
	})
	if f.kind != ptrField {
		return found && d.pieces[i].typeIndex == f.elem && d.pieces[i].count == p.count
	}
	if !found {
		i-- // the previous piece may contain the offset; the first piece begins at 0
	}
	t, in := &d.layout.types[d.pieces[i].typeIndex], uintptr(p.offset-d.pieces[i].offset)
	return p.count == 1 && in < uintptr(d.pieces[i].count)*t.size && contains(t.typ, in%t.size, d.layout.types[f.elem].typ)
}
