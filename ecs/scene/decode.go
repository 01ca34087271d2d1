package scene

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/panics"
)

// decoder decodes values of a document. A decoder writes them either into bytes of memory or through
// package reflect.
type decoder struct {
	scanner
	doc   *Document
	scope int32

	entry             int32        // index of the entry
	componentType     reflect.Type // type of the component
	path              []int        // path from the component's value to the part that is being decoded
	externalRefs      []Reference  // references to entities outside of the document
	localRefs         *[]Reference // destination of the references to entities of the document; nil if they are not wanted
	componentRefsFrom int          // elements of externalRefs before this index belong to other components
	textRefsFrom      int          // elements of externalRefs before this index belong to earlier texts of the component
	textLocalRefsFrom int          // like textRefsFrom, for localRefs
	scopedEntries     map[scopedName]int32
	indirections      int    // number of pointers, slices and maps that contain the current value
	elementBuffer     []byte // buffer in which elements are decoded

}

// startAt moves the decoder to the beginning of a text.
func (d *decoder) startAt(p textRange) {
	d.pos, d.depth, d.scope, d.path = int(p.start), 0, p.scope, d.path[:0]
	d.textRefsFrom = len(d.externalRefs)
	if d.localRefs != nil {
		d.textLocalRefsFrom = len(*d.localRefs)
	}
}

// fieldSet is the set of a struct's fields that have occurred in the text.
type fieldSet [maxFields / 64]uint64

// decodeObject decodes an object that contains some of the fields of a struct. For each field, it
// calls value when the decoder is at the field's value.
func (d *decoder) decodeObject(p *layoutPlan, value func(f *field) *Error) *Error {
	if err := d.openBracket('{', p.typ.String()); err != nil {
		return err
	}
	var were fieldSet
	next := 0
	for first := true; ; first = false {
		if ok, err := d.nextElement('}', first); err != nil || !ok {
			return err
		}
		name, at, err := d.readKey()
		if err != nil {
			return err
		}
		if next >= len(p.fields) || p.fields[next].name != name {
			if next = slices.IndexFunc(p.fields, func(f field) bool { return f.name == name }); next < 0 {
				return d.unknownFieldError(p.typ, fieldNames(p), name, at)
			}
		}
		f := &p.fields[next]
		if were[next/64]>>(next%64)&1 != 0 {
			return d.errorAt(at, "field %s is there twice", name)
		}
		were[next/64] |= 1 << (next % 64)
		next++
		d.path = append(d.path, f.typeIndex)
		if err := value(f); err != nil {
			return err
		}
		d.path = d.path[:len(d.path)-1]
	}
}

func fieldNames(p *layoutPlan) []string {
	list := make([]string, len(p.fields))
	for i := range list {
		list[i] = p.fields[i].name
	}
	return list
}

// unknownFieldError returns the error for a name that no field of the type has.
func (d *decoder) unknownFieldError(t reflect.Type, names []string, name string, at int) *Error {
	return d.errorAt(at, "%v has no field %.100q", t, name).withHint(func() string {
		hint := nearestNameHint(name, names)
		switch {
		case len(names) == 0:
			hint = ": it has none"
		case hint == "" && len(names) <= 12:
			hint = ": it has " + strings.Join(names, ", ")
		}
		return hint
	})
}

// decodeLanes decodes a component into the lanes of a row.
func (d *decoder) decodeLanes(k *componentInfo, lanes [][]byte, row int) *Error {
	p := k.plan
	switch {
	case p.unsupportedReason != "":
		return d.errorAt(d.pos, "%s", p.unsupportedReason)
	case k.Tag:
		return d.decodeTag(k)
	case !p.fieldsAreLanes:
		return d.decodeBytes(p, lanes[0][row*p.size:][:p.size])
	}
	return d.decodeObject(p, func(f *field) *Error {
		size := f.plan.size
		return d.decodeBytes(f.plan, lanes[f.offset][row*size:][:size])
	})
}

// decodeTag decodes the value of a tag.
func (d *decoder) decodeTag(k *componentInfo) *Error {
	if err := d.openBracket('{', k.Name+", a tag"); err != nil {
		return err
	}
	ok, err := d.nextElement('}', true)
	if err == nil && ok {
		return d.errorAt(d.pos, "%s is a tag, which has no fields: write {}", k.Name)
	}
	return err
}

// decodeBytes decodes a value of plain memory. If the value is a struct, decodeBytes sets only the
// fields that occur in the text.
func (d *decoder) decodeBytes(p *layoutPlan, to []byte) *Error {
	if p.unsupportedReason != "" {
		return d.errorAt(d.pos, "%s", p.unsupportedReason)
	}
	switch {
	case p.isEntity:
		e, err := d.decodeEntity()
		byteOrder.PutUint32(to, uint32(e.Index))
		byteOrder.PutUint32(to[4:], uint32(e.Version))
		return err
	case p.hasUnmarshalText:
		v := reflect.New(p.typ)
		if err := d.unmarshalText(v); err != nil {
			return err
		}
		return d.storeValue(v.Elem(), to)
	}
	switch p.kind {
	case reflect.Struct:
		return d.decodeObject(p, func(f *field) *Error { return d.decodeBytes(f.plan, to[f.offset:f.offset+f.plan.size]) })
	case reflect.Array:
		clear(to)
		return d.decodeArray(p.typ, p.length, func(i int) *Error { return d.decodeBytes(p.elem, to[i*p.elem.size:][:p.elem.size]) })
	}
	return d.decodeScalarBytes(p, to)
}

var byteOrder = binary.NativeEndian

// decodeScalarBytes decodes a number or bool.
func (d *decoder) decodeScalarBytes(p *layoutPlan, to []byte) *Error {
	switch p.kind {
	case reflect.Float32:
		v, err := d.decodeFloat(32)
		byteOrder.PutUint32(to, math.Float32bits(float32(v)))
		return err
	case reflect.Float64:
		v, err := d.decodeFloat(64)
		byteOrder.PutUint64(to, math.Float64bits(v))
		return err
	case reflect.Bool:
		v, err := d.decodeBool()
		if to[0] = 0; v {
			to[0] = 1
		}
		return err
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v, err := d.decodeInt(p.typ, 8*p.size)
		putWord(to, uint64(v))
		return err
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v, err := d.decodeUint(p.typ, 8*p.size)
		putWord(to, v)
		return err
	case reflect.Complex64, reflect.Complex128:
		half := p.size / 2
		return d.decodeArray(p.typ, 2, func(i int) *Error {
			v, err := d.decodeFloat(8 * half)
			if half == 4 {
				byteOrder.PutUint32(to[4*i:], math.Float32bits(float32(v)))
			} else {
				byteOrder.PutUint64(to[8*i:], math.Float64bits(v))
			}
			return err
		})
	}
	return d.errorAt(d.pos, "a %v cannot be written in a text", p.typ)
}

// putWord stores an integer in the bytes to. The length of to is the integer's size.
func putWord(to []byte, v uint64) {
	switch len(to) {
	case 1:
		to[0] = byte(v)
	case 2:
		byteOrder.PutUint16(to, uint16(v))
	case 4:
		byteOrder.PutUint32(to, uint32(v))
	default:
		byteOrder.PutUint64(to, v)
	}
}

// decodeArray decodes an array of n elements. If n is negative, the array may have any length.
func (d *decoder) decodeArray(t reflect.Type, n int, value func(i int) *Error) *Error {
	begin := d.pos
	d.dropReferences()
	if err := d.openBracket('[', t.String()); err != nil {
		return err
	}
	for i := 0; ; i++ {
		ok, err := d.nextElement(']', i == 0)
		switch {
		case err != nil:
			return err
		case !ok && n >= 0 && i < n:
			return d.errorAt(begin, "%v has %d elements; here are %d", t, n, i)
		case !ok:
			return nil
		case i == n:
			return d.errorAt(d.pos, "%v has %d elements; here are more", t, n)
		}
		d.path = append(d.path, i)
		if err := value(i); err != nil {
			return err
		}
		d.path = d.path[:len(d.path)-1]
	}
}

// decodeElements decodes the elements of a buffer and appends them to elementBuffer.
func (d *decoder) decodeElements(k *componentInfo) ([]byte, *Error) {
	d.elementBuffer = d.elementBuffer[:0]
	size := k.valueSize()
	err := d.decodeArray(k.Type, -1, func(int) *Error {
		n := len(d.elementBuffer)
		d.elementBuffer = slices.Grow(d.elementBuffer, size)[:n+size]
		own := d.elementBuffer[n:]
		clear(own)
		if k.plan.unsupportedReason == "" && k.plan.size == 0 {
			return d.skipValue()
		}
		return d.decodeBytes(k.plan, own)
	})
	return d.elementBuffer, err
}

// skipNull skips the next value if it is null, and reports whether it did.
func (d *decoder) skipNull() (bool, *Error) {
	c, err := d.peek()
	if err != nil || c != 'n' {
		return false, err
	}
	_, err = d.readWord()
	return true, err
}

// scopedName is a name and the scope in which it is looked up.
type scopedName struct {
	name  string
	scope int32
}

// lookUp returns the entry of a name in the scope of the decoder, or -1. It caches results, because
// copies of trees contain the same long names many times.
func (d *decoder) lookUp(name string) int32 {
	if d.scope == 0 {
		if i, ok := d.doc.byName[name]; ok {
			return i
		}
		return -1
	}
	key := scopedName{name, d.scope}
	if i, ok := d.scopedEntries[key]; ok {
		return i
	}
	i, ok := d.doc.byName[d.doc.nameInScope(name, d.scope)]
	if !ok {
		return -1
	}
	if d.scopedEntries == nil || len(d.scopedEntries) > 1<<16 {
		d.scopedEntries = map[scopedName]int32{}
	}
	d.scopedEntries[key] = i
	return i
}

// dropReferences removes the references that earlier texts of the component have produced at
// the current path, because the current text replaces their value. Within one text, a path
// occurs at most once.
func (d *decoder) dropReferences() {
	under := func(r Reference) bool {
		return len(r.Path) >= len(d.path) && slices.Equal(r.Path[:len(d.path)], d.path)
	}
	d.externalRefs, d.textRefsFrom = deleteBetween(d.externalRefs, d.componentRefsFrom, d.textRefsFrom, under)
	if d.localRefs != nil {
		*d.localRefs, d.textLocalRefsFrom = deleteBetween(*d.localRefs, 0, d.textLocalRefsFrom, under)
	}
}

// deleteBetween deletes those elements in [lo, hi) for which gone returns true. It returns the new
// list, and the new index of the element that was at hi.
func deleteBetween(list []Reference, lo, hi int, gone func(r Reference) bool) ([]Reference, int) {
	if lo >= hi {
		return list, hi
	}
	kept := slices.DeleteFunc(slices.Clone(list[lo:hi]), gone)
	return append(append(list[:lo:lo], kept...), list[hi:]...), lo + len(kept)
}

// decodeEntity decodes a reference.
func (d *decoder) decodeEntity() (e ecs.Entity, err *Error) {
	d.dropReferences()
	if d.doc == nil {
		return d.decodeID()
	}
	if null, err := d.skipNull(); null || err != nil {
		return e, err
	}
	at := d.pos
	if c := d.describeNext(); c != "a string" {
		return e, d.errorAt(at, "an entity is \"@name\" or null; there is %s", c)
	}
	name, err := d.readString("an entity")
	switch {
	case err != nil:
		return e, err
	case !strings.HasPrefix(name, "@"):
		return e, d.errorAt(at, "an entity is \"@name\" or null; there is %q%s", name, d.hintReference(name))
	case d.indirections > 0:
		return e, d.errorAt(at, "a reference behind a pointer, slice or map is not seen when entities get other ids: keep it in a field, an array or a buffer")
	}
	name = name[1:]
	r := Reference{From: entryID(d.entry), Type: d.componentType, Name: name}
	if scene, other, ok := strings.Cut(name, ":"); ok {
		if other == "" {
			return e, d.errorAt(at, "\"@%s\" has no name behind the colon", name)
		}
		r.Scene, r.Name, r.Path = scene, other, slices.Clone(d.path)
		d.externalRefs = append(d.externalRefs, r)
		return e, nil
	}
	i := d.lookUp(name)
	if i < 0 {
		r.Name = d.doc.nameInScope(name, d.scope)
		return e, d.errorAt(at, "no entity %.100q in this scene", r.Name).withHint(func() string { return nearestNameHint(r.Name, d.doc.entryNames()) })
	}
	r.Name = d.doc.Entries[i].Name
	if d.localRefs != nil {
		r.Own, r.Path = true, slices.Clone(d.path)
		*d.localRefs = append(*d.localRefs, r)
		return e, nil
	}
	return entryID(i), nil
}

// decodeID decodes an id in the form that baked files use.
func (d *decoder) decodeID() (e ecs.Entity, err *Error) {
	at := d.pos
	if null, err := d.skipNull(); null || err != nil {
		return e, err
	}
	text, err := d.readString("an id")
	if err != nil {
		return e, err
	}
	index, version, _ := strings.Cut(text, " ")
	i, wrongIndex := strconv.ParseInt(index, 10, 32)
	v, wrongVersion := strconv.ParseInt(version, 10, 32)
	if wrongIndex != nil || wrongVersion != nil {
		return e, d.errorAt(at, "%q is no id", text)
	}
	return ecs.Entity{Index: int32(i), Version: int32(v)}, nil
}

// hintReference returns a hint to write "@" before name, if name is the name of an entity.
func (d *decoder) hintReference(name string) string {
	if _, ok := d.doc.byName[name]; ok {
		return fmt.Sprintf(": write \"@%s\"", name)
	}
	return ""
}

// entryNames returns the names of all entries.
func (d *Document) entryNames() []string {
	list := make([]string, len(d.Entries))
	for i := range list {
		list[i] = d.Entries[i].Name
	}
	return list
}

// unmarshalText decodes a string by calling the method UnmarshalText of v.
func (d *decoder) unmarshalText(v reflect.Value) (wrong *Error) {
	if _, err := d.peek(); err != nil {
		return err
	}
	at := d.pos
	text, wrong := d.readString(v.Type().Elem().String())
	if wrong != nil {
		return wrong
	}
	err := callUser(func() error { return v.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)) })
	if err != nil {
		return d.errorAt(at, "%q is no %v: %v", text, v.Type().Elem(), err)
	}
	return nil
}

// callUser calls a method or a codec of a program. If it panics, callUser returns the panic as
// an error.
func callUser(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it has panicked: %w", &panics.Error{Value: v})
		}
	}()
	return f()
}

// decodeChunkBytes decodes the value of a chunk component into its bytes.
func (d *decoder) decodeChunkBytes(own *componentInfo, to []byte) *Error {
	p := *own.plan
	if p.fieldsAreLanes {
		p.fields = fieldsOf(p.typ)
	}
	if p.size == 0 {
		return d.decodeTag(own)
	}
	return d.decodeBytes(&p, to)
}

// decodeChunkValue decodes the value of a chunk component into a row of meta entities.
func (d *decoder) decodeChunkValue(own *componentInfo, to *ecs.ImageColumn, row int) *Error {
	p := own.plan
	d.path = append(d.path, 0)
	if p.unsupportedReason != "" {
		return d.errorAt(d.pos, "%s", p.unsupportedReason)
	}
	if !p.fieldsAreLanes {
		if p.size == 0 {
			return d.decodeTag(own)
		}
		return d.decodeBytes(p, to.Lanes[0][row*p.size:][:p.size])
	}
	return d.decodeObject(p, func(f *field) *Error {
		size := f.plan.size
		return d.decodeBytes(f.plan, to.Lanes[f.offset][row*size:][:size])
	})
}

// readNumeral reads the text of a number.
func (d *decoder) readNumeral(what string) (text string, whole bool, err *Error) {
	c, err := d.peek()
	if err != nil {
		return "", false, err
	}
	if c != '-' && c-'0' > 9 {
		return "", false, d.errorAt(d.pos, "%s is expected; there is %s", what, d.describeNext())
	}
	return d.readNumber()
}

// decodeFloat decodes a number of 32 or 64 bits.
func (d *decoder) decodeFloat(bits int) (float64, *Error) {
	if c, err := d.peek(); err != nil {
		return 0, err
	} else if c == '"' {
		return d.decodeNonFinite()
	}
	at := d.pos
	text, _, err := d.readNumeral("a number")
	if err != nil {
		return 0, err
	}
	v, wrong := strconv.ParseFloat(text, bits)
	if wrong != nil {
		return 0, d.errorAt(at, "%s does not fit a float%d", text, bits)
	}
	return v, nil
}

// decodeNonFinite decodes "NaN", "+Inf" and "-Inf". These three values are strings because JSON numbers
// cannot represent them.
func (d *decoder) decodeNonFinite() (float64, *Error) {
	at := d.pos
	text, err := d.readString("a number")
	if err != nil {
		return 0, err
	}
	switch text {
	case "NaN":
		return math.NaN(), nil
	case "+Inf":
		return math.Inf(1), nil
	case "-Inf":
		return math.Inf(-1), nil
	}
	return 0, d.errorAt(at, "a number is expected, or \"NaN\", \"+Inf\" or \"-Inf\"; there is %q", text)
}

// decodeInt decodes a signed integer.
func (d *decoder) decodeInt(t reflect.Type, bits int) (int64, *Error) {
	at := d.pos
	text, whole, err := d.readNumeral("a whole number")
	if err != nil {
		return 0, err
	}
	if whole {
		if v, wrong := strconv.ParseInt(text, 10, bits); wrong == nil {
			return v, nil
		}
		return 0, d.errorAt(at, "%s does not fit %v: it is from %d to %d", text, t, int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits))
	}
	return 0, d.errorAt(at, "%s is not a whole number, as %v is", text, t)
}

// decodeUint decodes an unsigned integer.
func (d *decoder) decodeUint(t reflect.Type, bits int) (uint64, *Error) {
	at := d.pos
	text, whole, err := d.readNumeral("a whole number")
	if err != nil {
		return 0, err
	}
	if whole {
		if v, wrong := strconv.ParseUint(text, 10, bits); wrong == nil {
			return v, nil
		}
		return 0, d.errorAt(at, "%s does not fit %v: it is from 0 to %d", text, t, uint64(math.MaxUint64)>>(64-bits))
	}
	return 0, d.errorAt(at, "%s is not a whole number, as %v is", text, t)
}

// decodeBool decodes true or false.
func (d *decoder) decodeBool() (bool, *Error) {
	if _, err := d.peek(); err != nil {
		return false, err
	}
	switch rest := d.text[d.pos:]; {
	case strings.HasPrefix(rest, "true"):
		d.pos += 4
		return true, nil
	case strings.HasPrefix(rest, "false"):
		d.pos += 5
		return false, nil
	}
	return false, d.errorAt(d.pos, "true or false is expected; there is %s", d.describeNext())
}
