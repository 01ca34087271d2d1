package snapshot

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/internal/panics"
	"github.com/lanewise/lanewise/ecs/internal/plain"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
	"github.com/lanewise/lanewise/internal/printable"
)

// column describes how the values of a component are stored in a file.
type column struct {
	typ       reflect.Type
	name      string // name of the component in the file
	kind      uint32
	lanes     []lane
	elemShape shape // shape of the elements of a buffer
	codec     *plain.Codec
	refs      *blobTable

	migration    *migration // set if the file contains an older type
	coversMemory bool       // the lanes of the file cover each byte of all lanes in memory
}

// lane is one lane of a column in a file. lane holds the lane's index in memory, or -1 if the lane is
// dropped.
type lane struct {
	name string
	shape
	memoryIndex int
}

// These bits describe the kind of a component.
const (
	isShared = 1 << iota
	isCleanup
	isEnableable
	isManaged
	isBuffer
	isPerChunk
	isTag
	isSkipped // the file contains no values of the component
)

// kindOf returns the bits of a component.
func kindOf(c ecs.ComponentType) (kind uint32) {
	for i, is := range [...]bool{c.Shared, c.Cleanup, c.Enableable, c.Managed, c.Buffer, c.PerChunk, c.Tag} {
		if is {
			kind |= 1 << i
		}
	}
	return kind
}

// columnOf returns the column of a component of the program. If the component cannot be stored,
// columnOf returns an error, unless Skip names the component.
func (o *options) columnOf(c ecs.ComponentType) (k column, err error) {
	k = column{typ: c.Type, name: c.Name, kind: kindOf(c), refs: &o.blobs}
	if own, ok := o.codecs[c.Type]; ok {
		k.codec = &own
	}
	switch {
	case o.skippedTypes[c.Type] || c.Type == reflect.TypeFor[ecs.ChunkHeader](), o.skipManaged && c.Managed && k.codec == nil:
		k.kind |= isSkipped
	case k.kind&isManaged != 0:
		if k.codec == nil {
			return k, fmt.Errorf("snapshot: %w: %s is managed: give a Codec for it, or Skip it", ErrValue, c.Name)
		}
	case k.kind&isShared != 0:
	case k.kind&isBuffer != 0:
		slice, ok := c.Type.MethodByName("Slice")
		if !ok {
			return k, fmt.Errorf("snapshot: %w: %s is no ecs.Buffer", ErrValue, c.Name)
		}
		if k.elemShape, err = shapeOf(slice.Type.Out(0).Elem()); err != nil {
			return k, fmt.Errorf("snapshot: %w: %s: %w", ErrValue, c.Name, err)
		}
		k.elemShape.refs = &o.blobs
	default:
		for i, l := range c.Lanes {
			s, err := shapeOf(l.Type)
			if err != nil {
				return k, fmt.Errorf("snapshot: %w: lane %s of %s: %w", ErrValue, l.Name, c.Name, err)
			}
			s.refs = &o.blobs
			k.lanes = append(k.lanes, lane{l.Name, s, i})
		}
	}
	return k, nil
}

// rowBytes returns the smallest size of a row of the column in a file.
func (k *column) rowBytes() (n int) {
	for i := range k.lanes {
		n += k.lanes[i].fileSize
	}
	return n
}

// columnsUsed returns the columns of all components of an image, sorted by name.
func (o *options) columnsUsed(m *ecs.Image, archetypes []ecs.ImageArchetype) ([]column, error) {
	types := map[reflect.Type]bool{}
	for i := range archetypes {
		for _, t := range archetypes[i].Components {
			types[t] = true
		}
	}
	for _, s := range m.Shared() {
		types[s.Component] = true
	}
	var list []column
	for _, c := range ecs.ComponentTypes() {
		if !types[c.Type] {
			continue
		}
		k, err := o.columnOf(c)
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	slices.SortStableFunc(list, func(a, b column) int { return strings.Compare(a.name, b.name) })
	for i := range list {
		if i > 0 && list[i].name == list[i-1].name {
			return nil, fmt.Errorf("snapshot: %w: two types have the name %s: declare one of them outside of its function", ErrSchema, list[i].name)
		}
	}
	return list, nil
}

// writeSchema writes the frame of the components.
func writeSchema(o *frames.Out, list []column) {
	o.Begin(format.KindSchema)
	o.Count(len(list))
	for i := range list {
		k := &list[i]
		o.Text(k.name)
		o.U32(k.kind)
		o.Count(len(k.lanes))
		for _, l := range k.lanes {
			o.Text(l.name)
			o.Text(l.text)
		}
		o.Text(k.elemShape.text)
	}
}

// readSchema reads the frame of the components, and finds the types of the program.
func (o *options) readSchema(d *frames.In) ([]column, error) {
	list := make([]column, d.Count(16))
	seen := map[reflect.Type]string{}
	for i := range list {
		name, kind := d.Text(), d.U32()
		n := d.Count(8)
		lanes := make([][2]string, n)
		for l := range lanes {
			lanes[l] = [2]string{d.Text(), d.Text()}
		}
		elem := d.Text()
		if d.Failed {
			return nil, corrupt("the schema ends too early")
		}
		if o.droppedNames[name] {
			k, err := droppedColumn(name, kind, lanes, elem)
			if err != nil {
				return nil, err
			}
			list[i] = k
			continue
		}
		c, err := o.typeOf(name)
		if err != nil {
			return nil, err
		}
		if old, twice := seen[c.Type]; twice {
			return nil, fmt.Errorf("snapshot: %w: %q and %q are both %v", ErrSchema, old, name, c.Type)
		}
		seen[c.Type] = name
		if list[i], err = o.matchColumn(c, name, kind, lanes, elem); err != nil {
			return nil, err
		}
	}
	return list, checkDone(d, "the schema")
}

// matchColumn returns the column of the file that corresponds to a component of the program.
func (o *options) matchColumn(c ecs.ComponentType, name string, kind uint32, lanes [][2]string, elem string) (column, error) {
	wrong := func(text string, args ...any) error {
		return fmt.Errorf("snapshot: %w: %s: %s", ErrSchema, printable.Name(name), printable.Line(fmt.Sprintf(text, args...)))
	}
	if kind&isSkipped != 0 {
		if len(lanes) > 0 || elem != "" {
			return column{}, corrupt("%s has no values, and lanes", name)
		}
		if kind&^isSkipped != kindOf(c) {
			return column{}, wrong("it was of another kind")
		}
		return column{typ: c.Type, name: name, kind: kind}, nil
	}
	own, err := o.columnOf(c)
	if err != nil {
		return own, err
	}
	if kind != own.kind {
		return own, wrong("it was of another kind, or its values were not skipped then")
	}
	if elem != own.elemShape.text {
		return own, wrong("elements of the buffer were %q, and are %q", elem, own.elemShape.text)
	}
	if m := o.migrations[name]; m != nil {
		own.name = name
		return own, o.matchMigration(m, &own, lanes, wrong)
	}
	mine := own.lanes
	own.name, own.lanes = name, nil
	for _, l := range lanes {
		at := slices.IndexFunc(mine, func(m lane) bool { return m.name == l[0] })
		switch {
		case slices.ContainsFunc(own.lanes, func(m lane) bool { return m.name == l[0] }):
			return own, corrupt("%s has the lane %s twice", name, l[0])
		case at >= 0 && mine[at].text == l[1]:
			own.lanes = append(own.lanes, mine[at])
		case at >= 0:
			return own, wrong("lane %s was %q, and is %q: Migrate makes one of the other", l[0], l[1], mine[at].text)
		case o.droppedNames[name+"."+l[0]]:
			size, err := shapeSize(l[1])
			if err != nil {
				return own, err
			}
			own.lanes = append(own.lanes, lane{l[0], shape{fileSize: size}, -1})
		default:
			return own, wrong("lane %s is there no longer: Drop(%q) leaves it out", l[0], name+"."+l[0])
		}
	}
	own.coversMemory = !slices.ContainsFunc(mine, func(m lane) bool {
		return !slices.ContainsFunc(own.lanes, func(l lane) bool { return l.memoryIsFileForm && l.memoryIndex == m.memoryIndex })
	})
	return own, nil
}

// shapeSize returns the size that a value with the given shape has in a file.
func shapeSize(text string) (size int, err error) {
	for i := 0; i < len(text); {
		n, j := 0, i+1
		for ; j < len(text) && '0' <= text[j] && text[j] <= '9' && n <= 16; j++ {
			n = 10*n + int(text[j]-'0')
		}
		if !strings.ContainsRune("biufcr", rune(text[i])) || n < 1 || n > 16 {
			return 0, corrupt("%q are no numbers", text)
		}
		size, i = size+n, j
	}
	return size, nil
}

// columnsOf returns the columns of an archetype in the order of the file, and the smallest size of
// a row.
func (r *reader) columnsOf(archetype int) (list []*column, least uint64) {
	least = 8
	for _, at := range r.columnIndexes[archetype] {
		k := &r.columns[at]
		list = append(list, k)
		switch {
		case k.kind&isSkipped != 0:
		case k.kind&isBuffer != 0:
			least += 8
		case k.kind&isManaged != 0:
			least += 4
		default:
			least += uint64(k.rowBytes())
		}
	}
	return list, least
}

// shape describes the numbers in a value of some type, in order.
type shape struct {
	runs             []numberRun
	refs             *blobTable // table of the blobs that values refer to
	size             int        // size of a value in memory
	fileSize         int        // size of a value in a file
	memoryIsFileForm bool       // on a little-endian CPU, the bytes in a file equal those in memory
	text             string
}

// numberRun is a run of consecutive numbers of one kind.
type numberRun struct {
	offset, count, width int
	blobType             reflect.Type // for references to blobs, the type of the blob; in a file, a reference is a number of four bytes
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// shapeOf returns the shape of a type of plain memory. For another type, shapeOf returns an error.
// The error names the part of the type that is not plain memory.
func shapeOf(t reflect.Type) (shape, error) {
	s := shape{size: int(t.Size())}
	var text strings.Builder
	if err := s.addType(&text, t, 0); err != nil {
		return s, err
	}
	for _, r := range s.runs {
		s.fileSize += r.count * r.bytes()
	}
	s.memoryIsFileForm = littleEndian && s.fileSize == s.size && !s.hasRefs()
	s.text = text.String()
	return s, nil
}

// bytes returns the size of a number in a file.
func (r *numberRun) bytes() int {
	if r.blobType != nil {
		return 4
	}
	return r.width
}

// kindLetters maps each kind of number to its letter in the text of a shape.
var kindLetters = map[reflect.Kind]byte{
	reflect.Bool: 'b', reflect.Int8: 'i', reflect.Int16: 'i', reflect.Int32: 'i', reflect.Int64: 'i',
	reflect.Uint8: 'u', reflect.Uint16: 'u', reflect.Uint32: 'u', reflect.Uint64: 'u',
	reflect.Float32: 'f', reflect.Float64: 'f', reflect.Complex64: 'c', reflect.Complex128: 'c',
}

// addType adds the numbers of a type at an offset of the value.
func (s *shape) addType(text *strings.Builder, t reflect.Type, at int) error {
	switch {
	case isBlob(t):
		s.runs = append(s.runs, numberRun{at, 1, int(t.Size()), t})
		text.WriteString("r4")
		return nil
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" {
				continue
			}
			if err := s.addType(text, f.Type, at+int(f.Offset)); err != nil {
				return err
			}
		}
		return nil
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			if err := s.addType(text, t.Elem(), at+i*int(t.Elem().Size())); err != nil {
				return err
			}
		}
		return nil
	}
	return s.addNumber(text, t, at)
}

// addNumber adds a number, or the two parts of a complex number. If the number continues the last
// run and has the same width, addNumber extends that run.
func (s *shape) addNumber(text *strings.Builder, t reflect.Type, at int) error {
	letter, ok := kindLetters[t.Kind()]
	if !ok {
		return fmt.Errorf("a %v has other sizes elsewhere, or is no plain memory", t)
	}
	width, n := int(t.Size()), 1
	fmt.Fprintf(text, "%c%d", letter, width)
	if letter == 'c' {
		width, n = width/2, 2
	}
	if last := len(s.runs) - 1; last >= 0 && s.runs[last].blobType == nil && s.runs[last].width == width && s.runs[last].offset+s.runs[last].count*width == at {
		s.runs[last].count += n
	} else {
		s.runs = append(s.runs, numberRun{at, n, width, nil})
	}
	return nil
}

// isBlob reports whether t is a blob.Ref.
func isBlob(t reflect.Type) bool {
	_, is := blob.RootType(t)
	return is
}

// encodeValues appends the values in memory in the form that they have in a file.
func (s *shape) encodeValues(out, memory []byte) []byte {
	if s.memoryIsFileForm {
		return append(out, memory...)
	}
	for ; len(memory) > 0; memory = memory[s.size:] {
		for _, r := range s.runs {
			for i := range r.count {
				own := memory[r.offset+i*r.width:][:r.width]
				if r.blobType != nil {
					out = binary.LittleEndian.AppendUint32(out, s.refs.numbers[blob.At(r.blobType, own)])
				} else {
					out = appendNumber(out, own)
				}
			}
		}
	}
	return out
}

// appendNumber appends a number in memory as little-endian bytes.
func appendNumber(out, b []byte) []byte {
	if littleEndian {
		return append(out, b...)
	}
	for i := range b {
		out = append(out, b[len(b)-1-i])
	}
	return out
}

// decodeValues decodes values from a file to memory, which must be zero. If it returns an error,
// the error is about a blob.
func (s *shape) decodeValues(memory, file []byte) error {
	if s.memoryIsFileForm {
		copy(memory, file)
		return nil
	}
	for ; len(file) > 0; memory = memory[s.size:] {
		for _, r := range s.runs {
			for i := range r.count {
				to := memory[r.offset+i*r.width:][:r.width]
				if r.blobType != nil {
					b, err := s.refs.blobByNumber(r.blobType, binary.LittleEndian.Uint32(file))
					if err != nil {
						return err
					}
					b.Put(to)
				} else if copy(to, file[:r.width]); !littleEndian {
					reverseBytes(to)
				}
				file = file[r.bytes():]
			}
		}
	}
	return nil
}

func reverseBytes(b []byte) {
	for i := range len(b) / 2 {
		b[i], b[len(b)-1-i] = b[len(b)-1-i], b[i]
	}
}

// appendShared appends a shared value.
func (k *column) appendShared(b []byte, v any) ([]byte, error) {
	p := reflect.New(k.typ)
	p.Elem().Set(reflect.ValueOf(v))
	if k.codec != nil {
		err := catchPanic(func() (err error) { b, err = k.codec.Append(b, p.Interface()); return err })
		return b, err
	}
	return plain.Append(b, p.Elem(), k.refs.plainCodec())
}

// decodeShared decodes a shared value.
func (k *column) decodeShared(b []byte) (any, error) {
	p := reflect.New(k.typ)
	if k.codec != nil {
		err := catchPanic(func() error { return k.codec.Decode(b, p.Interface()) })
		return p.Elem().Interface(), err
	}
	rest, err := plain.Set(b, p.Elem(), k.refs.plainCodec())
	if err == nil && len(rest) > 0 {
		err = corrupt("a value ends too late")
	}
	return p.Elem().Interface(), err
}

// catchPanic calls a codec. If the codec panics, it returns the panic as an error. If a codec panics on
// a worker of a pool, the pool also returns the panic as an error. If the value of the panic is an
// error, the returned error wraps it.
func catchPanic(codec func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the codec has panicked: %w", &panics.Error{Value: v})
		}
	}()
	return codec()
}

// plainCodec returns the codec for references to blobs in shared values.
func (n *blobTable) plainCodec() plain.CustomCodec {
	return plain.CustomCodec{
		Append: func(b []byte, v reflect.Value) ([]byte, bool, error) {
			if !isBlob(v.Type()) {
				return b, false, nil
			}
			own := blob.Of(v.Interface())
			err := n.claimNumber(own)
			return binary.LittleEndian.AppendUint32(b, n.numbers[own]), true, err
		},
		Set: func(b []byte, v reflect.Value) ([]byte, bool, error) {
			if !isBlob(v.Type()) {
				return b, false, nil
			}
			if len(b) < 4 {
				return nil, true, plain.ErrShort
			}
			own, err := n.blobByNumber(v.Type(), binary.LittleEndian.Uint32(b))
			if err == nil && !own.Null() {
				v.Set(reflect.ValueOf(own.Value()))
			}
			return b[4:], true, err
		},
	}
}
