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
	headerBytes = 8 + 8 + 4 + 4 // magic, print of the layout, number of pieces, number of data bytes
	pieceBytes  = 4 + 4 + 4     // offset, count, type
)

// Bytes returns the blob as bytes, from which [Load] makes an equal one, in this process or in
// another on CPUs with the same byte order and alignment. For a blob with references to other blobs
// it returns an error of category ErrState, because it does not write those. Otherwise errors are
// those of [Ref.Dispose]. For files, use [Any.Portable].
func (b Ref[T]) Bytes() ([]byte, error) {
	const op = "Ref.Bytes"
	d := blobs.lookup(b.id)
	if d == nil {
		return nil, b.fault(op, nil)
	}
	if d.layout.refs {
		return nil, fault(ErrState, op, "a %v refers to other blobs, which are not part of its bytes", d.layout.types[0].typ)
	}
	le := binary.LittleEndian
	out := le.AppendUint64(slices.Clone(magic), d.layout.print)
	out = le.AppendUint32(le.AppendUint32(out, uint32(len(d.pieces))), uint32(len(d.data)))
	for _, p := range d.pieces {
		out = le.AppendUint32(le.AppendUint32(le.AppendUint32(out, p.at), p.n), p.typ)
	}
	data := soa.Make[[]byte](len(d.data)) // aligned, because setHomes needs that
	copy(data, d.data)
	d.setHomes(data, slotID{})
	return append(out, data...), nil
}

// Load makes a blob of type T from the bytes of [Ref.Bytes]. It checks and copies them. If they are
// wrong it makes nothing and returns an error of category ErrArgument, so data may come from an
// untrusted source.
func Load[T any](data []byte) (Ref[T], error) {
	const op = "Load"
	l, err := layoutOf[T](op)
	if err != nil {
		return Ref[T]{}, err
	}
	d := &blob{layout: l}
	if err := d.loadBytes(data); err != nil {
		return Ref[T]{}, fault(ErrArgument, op, "these are not the bytes of a %v", reflect.TypeFor[T]()).because(err)
	}
	return publish[T](d), nil
}

// loadBytes reads the bytes of Bytes and checks everything in them.
func (d *blob) loadBytes(in []byte) error {
	le, l := binary.LittleEndian, d.layout
	switch {
	case l.refs:
		return fmt.Errorf("it refers to other blobs, which are not part of bytes")
	case len(in) < headerBytes || !bytes.Equal(in[:8], magic):
		return fmt.Errorf("they do not begin as those of a blob")
	case le.Uint64(in[8:]) != l.print:
		return fmt.Errorf("they are of a type with other fields, or of another kind of CPU")
	}
	pieces, size := uint64(le.Uint32(in[16:])), uint64(le.Uint32(in[20:]))
	if in = in[headerBytes:]; uint64(len(in)) != pieceBytes*pieces+size || size >= maxBytes {
		return fmt.Errorf("there are %d after the header, not %d pieces and %d of data", len(in), pieces, size)
	}
	end := uint64(0)
	for i := range pieces {
		p := piece{le.Uint32(in), le.Uint32(in[4:]), le.Uint32(in[8:])}
		in = in[pieceBytes:]
		if !l.mayFollow(p, end) || i == 0 && (p != piece{n: 1}) {
			return fmt.Errorf("piece %d is out of place", i)
		}
		end = uint64(p.at) + uint64(p.n)*uint64(l.types[p.typ].size)
		d.pieces = append(d.pieces, p)
	}
	if end == 0 || end > size {
		return fmt.Errorf("the pieces end at %d of %d", end, size)
	}
	d.data = soa.Make[[]byte](int(size))
	copy(d.data, in)
	return d.checkFields()
}

// mayFollow reports whether a piece may come after pieces that end at offset end.
func (l *layout) mayFollow(p piece, end uint64) bool {
	return p.typ < uint32(len(l.types)) && p.n > 0 && uint64(p.at) >= end && p.at%l.types[p.typ].align == 0
}

// checkFields returns an error if a field of the data does not fit the pieces, or if a bool is
// neither 0 nor 1.
func (d *blob) checkFields() (err error) {
	d.layout.eachField(d.pieces, d.data, func(f *fieldLayout, p *fieldRef) {
		if err == nil && (p.home != slotID{} || !d.fieldFits(f, p)) {
			err = fmt.Errorf("field %s leads out of it", f.path)
		}
	})
	for _, p := range d.pieces {
		t := &d.layout.types[p.typ]
		for i := range uintptr(p.n) {
			for _, o := range t.bools {
				if v := d.data[uintptr(p.at)+i*t.size+o]; v > 1 {
					return fmt.Errorf("a bool is %d", v)
				}
			}
		}
	}
	return err
}

// fieldFits reports whether the blob has the elements that a field refers to.
func (d *blob) fieldFits(f *fieldLayout, p *fieldRef) bool {
	if p.n == 0 {
		return p.off == 0
	}
	i, found := slices.BinarySearchFunc(d.pieces, p.off, func(p piece, at uint32) int {
		return cmp.Compare(p.at, at)
	})
	if f.kind != ptrField {
		return found && d.pieces[i].typ == f.elem && d.pieces[i].n == p.n
	}
	if !found {
		i-- // the piece before may contain it; the first piece begins at 0
	}
	t, in := &d.layout.types[d.pieces[i].typ], uintptr(p.off-d.pieces[i].at)
	return p.n == 1 && in < uintptr(d.pieces[i].n)*t.size && contains(t.typ, in%t.size, d.layout.types[f.elem].typ)
}
