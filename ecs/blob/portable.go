package blob

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/lanewise/lanewise/soa"
)

// The portable bytes of a blob are the same on every CPU. They consist of the numbers in each
// piece, little-endian and without padding. A reference to another piece is stored as the
// index of this piece.

// numberRun describes a part of a type. The part is a sequence of numbers of the same width, or a
// field that refers to other parts of the blob.
type numberRun struct {
	offset, count, width uintptr
	fileOffset           uintptr // offset in the portable bytes of a value
	fieldIndex           int     // index of the field in its type, or -1 for numbers
}

// portableForm describes how the values of a type are stored as portable bytes.
type portableForm struct {
	runs      []numberRun
	fileSize  uintptr // size of a value in portable bytes
	text      strings.Builder
	lastWord  string // the last word of the text, and how often it repeats
	lastCount int
}

// portableForms returns the forms of the types of a layout, and the text that describes them.
func (l *layout) portableForms() (list []portableForm, text string) {
	list = make([]portableForm, len(l.types))
	words := make([]string, len(l.types))
	for i := range l.types {
		t, field := &l.types[i], 0
		list[i].addType(t, t.typ, 0, &field)
		list[i].countWord("", 0)
		words[i] = list[i].text.String()
	}
	return list, strings.Join(words, ";")
}

// countWord appends a word and its count to the text.
func (f *portableForm) countWord(w string, n int) {
	if w != "" && w == f.lastWord {
		f.lastCount += n
		return
	}
	if f.lastWord != "" {
		f.text.WriteString(f.lastWord)
		if f.lastCount > 1 {
			fmt.Fprintf(&f.text, "*%d", f.lastCount)
		}
	}
	f.lastWord, f.lastCount = w, n
}

// addType adds a part of a type to the form. The parts must be added in the order of the fields.
func (f *portableForm) addType(b *typeLayout, t reflect.Type, at uintptr, field *int) {
	if _, _, ok := asField(t); ok {
		own := &b.fields[*field]
		width := uintptr(4)
		if own.kind == ptrField {
			width = 12
		}
		f.countWord(fmt.Sprintf("%c%d,", "asp"[own.kind], own.elem), 1)
		f.runs = append(f.runs, numberRun{at, 1, width, f.fileSize, *field})
		f.fileSize += width
		*field++
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			own := t.Field(i)
			if own.Name != "_" {
				f.addType(b, own.Type, at+own.Offset, field)
				continue
			}
			skipped := portableForm{} // counts the numbers in the field
			skipped.addType(b, own.Type, at+own.Offset, field)
		}
	case reflect.Array:
		if k := t.Elem().Kind(); k != reflect.Array && k != reflect.Struct && t.Len() > 0 {
			f.addNumbers(t.Elem(), at, t.Len())
			return
		}
		for i := range t.Len() {
			f.addType(b, t.Elem(), at+uintptr(i)*t.Elem().Size(), field)
		}
	default:
		if t.Size() > 0 {
			f.addNumbers(t, at, 1)
		}
	}
}

// addNumbers adds numbers of one type.
func (f *portableForm) addNumbers(t reflect.Type, at uintptr, count int) {
	width, n, letter := t.Size(), uintptr(count), byte('i')
	switch t.Kind() {
	case reflect.Bool:
		letter = 'b'
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		letter = 'u'
	case reflect.Float32, reflect.Float64:
		letter = 'f'
	case reflect.Complex64, reflect.Complex128:
		letter = 'c'
	}
	f.countWord(fmt.Sprintf("%c%d", letter, width), count)
	if letter == 'c' {
		width, n = width/2, 2*n
	}
	if last := len(f.runs) - 1; last >= 0 && f.runs[last].fieldIndex < 0 && f.runs[last].width == width && f.runs[last].offset+f.runs[last].count*width == at {
		f.runs[last].count += n
	} else {
		f.runs = append(f.runs, numberRun{at, n, width, f.fileSize, -1})
	}
	f.fileSize += n * width
}

// fileOffset converts an offset in the memory of a value to an offset in its portable bytes.
func (f *portableForm) fileOffset(at uintptr) uintptr {
	for i := range f.runs {
		switch r := &f.runs[i]; {
		case r.offset >= at:
			return r.fileOffset
		case r.fieldIndex < 0 && r.offset+r.count*r.width > at:
			return r.fileOffset + (at-r.offset)/r.width*r.width
		}
	}
	return f.fileSize
}

// memoryOffset is the inverse of fileOffset: an offset in the portable bytes of a t becomes the
// offset in memory of the e that begins there.
func (f *portableForm) memoryOffset(t reflect.Type, at uintptr, e reflect.Type, offset uintptr) (uintptr, bool) {
	if t == e && f.fileOffset(at) == offset {
		return at, true
	}
	if t.Size() == 0 || isRef(t) {
		return 0, false
	}
	switch t.Kind() {
	case reflect.Array:
		size := t.Elem().Size()
		i := sort.Search(t.Len(), func(i int) bool { return f.fileOffset(at+uintptr(i+1)*size) >= offset })
		for ; i < t.Len() && f.fileOffset(at+uintptr(i)*size) <= offset; i++ { // if elements contain no numbers, several have the same offset
			if o, ok := f.memoryOffset(t.Elem(), at+uintptr(i)*size, e, offset); ok {
				return o, true
			}
		}
	case reflect.Struct:
		if _, _, ok := asField(t); ok {
			return 0, false
		}
		for i := range t.NumField() {
			own := t.Field(i)
			if o, ok := f.memoryOffset(own.Type, at+own.Offset, e, offset); ok {
				return o, true
			}
		}
	}
	return 0, false
}

// Portable returns the blob as bytes that are the same on every CPU. It also returns the shape of
// its type, which describes the bytes. The page docs/format.md documents both. The error is of
// category ErrDisposed if the blob was disposed, and of category ErrArgument if b is null. It is
// of category ErrState if the blob refers to other blobs, because Portable does not write other
// blobs.
func (b Any) Portable() (shape string, data []byte, err error) {
	const op = "Any.Portable"
	d := blobTable.lookup(b.id)
	switch {
	case b.Null():
		return "", nil, fault(ErrArgument, op, "the reference is to no blob")
	case d == nil || !b.Exists():
		return "", nil, fault(ErrDisposed, op, "the blob was disposed")
	case d.layout.hasRefs:
		return "", nil, fault(ErrState, op, "a %v refers to other blobs, which are not part of its bytes", d.layout.types[0].typ)
	}
	files, shape := d.layout.portableForms()
	le := binary.LittleEndian
	data = le.AppendUint32(nil, uint32(len(d.pieces)))
	for _, p := range d.pieces {
		data = le.AppendUint32(le.AppendUint32(data, p.typeIndex), p.count)
	}
	for _, p := range d.pieces {
		t, f := &d.layout.types[p.typeIndex], &files[p.typeIndex]
		for i := range uintptr(p.count) {
			value := d.data[uintptr(p.offset)+i*t.size:][:t.size]
			for k := range f.runs {
				r := &f.runs[k]
				if r.fieldIndex < 0 {
					data = appendLittle(data, value[r.offset:][:r.count*r.width], int(r.width))
				} else {
					data = d.appendField(data, files, &t.fields[r.fieldIndex], &elementsAt[fieldRef](value, uint32(r.offset), 1)[0])
				}
			}
		}
	}
	return shape, data, nil
}

// appendField appends the elements of a field.
func (d *blob) appendField(out []byte, files []portableForm, f *fieldLayout, p *fieldRef) []byte {
	le := binary.LittleEndian
	number, elem, at := uint32(0), uint32(0), uint32(0)
	if p.count > 0 {
		i, found := slices.BinarySearchFunc(d.pieces, p.offset, func(p piece, off uint32) int { return int(int64(p.offset) - int64(off)) })
		if !found {
			i--
		}
		t, in := &d.layout.types[d.pieces[i].typeIndex], uintptr(p.offset-d.pieces[i].offset)
		number, elem, at = uint32(i+1), uint32(in/t.size), uint32(files[d.pieces[i].typeIndex].fileOffset(in%t.size))
	}
	if out = le.AppendUint32(out, number); f.kind == ptrField {
		out = le.AppendUint32(le.AppendUint32(out, elem), at)
	}
	return out
}

// appendLittle appends numbers of the given width, which are in memory, as little-endian bytes.
func appendLittle(out, memory []byte, width int) []byte {
	if littleEndian {
		return append(out, memory...)
	}
	for ; len(memory) > 0; memory = memory[width:] {
		for i := range width {
			out = append(out, memory[width-1-i])
		}
	}
	return out
}

// LoadPortable creates a blob, for fields of type t, from the result of Portable. LoadPortable
// checks all bytes. If the bytes are wrong, it creates nothing and returns an error of
// category ErrArgument. If shape is not the shape of the type, it returns an error of
// category ErrState.
func LoadPortable(t reflect.Type, shape string, data []byte) (Any, error) {
	const op = "LoadPortable"
	if !isRef(t) {
		return Any{}, fault(ErrArgument, op, "a %v is no Ref", t)
	}
	own := zeroRef(t)
	l, err := own.layout(op)
	if err != nil {
		return Any{}, err
	}
	files, want := l.portableForms()
	switch {
	case l.hasRefs:
		return Any{}, fault(ErrState, op, "a %v refers to other blobs, which are not part of bytes", own.rootType())
	case shape != want:
		return Any{}, fault(ErrState, op, "a %v is %q, and was %q", own.rootType(), want, shape)
	}
	d := &blob{layout: l}
	if err := d.loadPortable(files, data); err != nil {
		return Any{}, fault(ErrArgument, op, "these are not the bytes of a %v", own.rootType()).withCause(err)
	}
	d.id, d.rootType = blobTable.reserveID(), typeIDOfType(own.rootType())
	d.setFieldOwners(d.data, d.id)
	blobTable.publish(d)
	return Any{t, d.id}, nil
}

// errShort is the error for data that is shorter or longer than the counts in it require.
var errShort = errors.New("they end too early, or too late")

// loadPortable reads the result of Portable and checks all of it.
func (d *blob) loadPortable(files []portableForm, in []byte) error {
	in, err := d.loadPieces(files, in)
	if err != nil {
		return err
	}
	for _, p := range d.pieces {
		t, f := &d.layout.types[p.typeIndex], &files[p.typeIndex]
		for i := range uintptr(p.count) {
			if uintptr(len(in)) < f.fileSize {
				return errShort
			}
			value := d.data[uintptr(p.offset)+i*t.size:][:t.size]
			if err := d.loadValue(files, t, f, value, in[:f.fileSize]); err != nil {
				return err
			}
			in = in[f.fileSize:]
		}
	}
	return d.checkFields()
}

// loadPieces creates the pieces. It allocates their memory after it has checked that enough bytes
// follow. loadPieces returns the bytes that follow.
func (d *blob) loadPieces(files []portableForm, in []byte) (values []byte, err error) {
	le := binary.LittleEndian
	if len(in) < 4 || uint64(le.Uint32(in)) > uint64(len(in)-4)/8 || le.Uint32(in) == 0 {
		return nil, errShort
	}
	pieces := int(le.Uint32(in))
	in = in[4:]
	rest, size := uint64(len(in)-8*pieces), uint64(0)
	for i := range pieces {
		p := piece{count: le.Uint32(in[4:]), typeIndex: le.Uint32(in)}
		in = in[8:]
		if p.typeIndex >= uint32(len(files)) || p.count == 0 || i == 0 && (p != piece{count: 1}) {
			return nil, fmt.Errorf("piece %d is out of place", i)
		}
		need := uint64(p.count) * uint64(max(1, files[p.typeIndex].fileSize)) // a value without numbers counts as one byte, so that many of them cannot exhaust the memory
		if need > rest+1 {
			return nil, errShort
		}
		if files[p.typeIndex].fileSize > 0 {
			rest -= min(need, rest)
		}
		t := &d.layout.types[p.typeIndex]
		p.offset = uint32(roundUp(size, uint64(t.align)))
		if size = uint64(p.offset) + uint64(p.count)*uint64(t.size); size >= blobSizeLimit-alignment {
			return nil, fmt.Errorf("it is larger than a blob can be")
		}
		d.pieces = append(d.pieces, p)
	}
	if rest != 0 {
		return nil, errShort
	}
	d.data = soa.Make[[]byte](int(roundUp(size, alignment)))
	return in, nil
}

// loadValue reads a value from its portable bytes.
func (d *blob) loadValue(files []portableForm, t *typeLayout, f *portableForm, value, in []byte) error {
	for k := range f.runs {
		r := &f.runs[k]
		own := in[r.fileOffset:][:r.count*r.width]
		if r.fieldIndex < 0 {
			copy(value[r.offset:], appendLittle(nil, own, int(r.width)))
			continue
		}
		if err := d.loadField(files, &t.fields[r.fieldIndex], &elementsAt[fieldRef](value, uint32(r.offset), 1)[0], own); err != nil {
			return err
		}
	}
	return nil
}

// loadField reads a field from its portable bytes.
func (d *blob) loadField(files []portableForm, f *fieldLayout, p *fieldRef, in []byte) error {
	le := binary.LittleEndian
	wrong := fmt.Errorf("field %s leads out of it", f.path)
	i := int64(le.Uint32(in)) - 1
	if i >= int64(len(d.pieces)) {
		return wrong
	}
	if i < 0 {
		if f.kind == ptrField && le.Uint64(in[4:]) != 0 {
			return wrong
		}
		return nil
	}
	piece := &d.pieces[i]
	p.offset, p.count = piece.offset, piece.count
	if f.kind != ptrField {
		return nil
	}
	t := &d.layout.types[piece.typeIndex]
	elem, offset := le.Uint32(in[4:]), uintptr(le.Uint32(in[8:]))
	at, ok := files[piece.typeIndex].memoryOffset(t.typ, 0, d.layout.types[f.elem].typ, offset)
	if elem >= piece.count || !ok {
		return wrong
	}
	p.offset, p.count = piece.offset+elem*uint32(t.size)+uint32(at), 1
	return nil
}
