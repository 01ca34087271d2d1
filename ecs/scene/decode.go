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
	"github.com/lanewise/lanewise/ecs/images"
)

// decoder reads values of a document into bytes of memory, and through package reflect.
type decoder struct {
	scanner
	doc   *Document
	scope int32

	from    int32        // the entry
	typ     reflect.Type // the component
	path    []int        // from its value to where the decoder is
	outward []Reference  // what leads to nothing in this document
	own     *[]Reference // where references in this document go, if they are wanted
	mark    int          // outward references before this one are of other components
	begun   int          // and before this one of other texts of this component
	ownOld  int          // so for own
	renamed map[renaming]int32
	hidden  int    // pointers, slices and maps that the decoder is behind
	spare   []byte // for elements

}

// at begins a piece.
func (d *decoder) at(p piece) {
	d.i, d.depth, d.scope, d.path = int(p.at), 0, p.scope, d.path[:0]
	d.begun = len(d.outward)
	if d.own != nil {
		d.ownOld = len(*d.own)
	}
}

// seen is which fields of a struct were there.
type seen [maxFields / 64]uint64

// object reads an object with some of the fields of a struct, and calls value at the value of each.
func (d *decoder) object(p *plan, value func(f *field) *Error) *Error {
	if err := d.open('{', p.typ.String()); err != nil {
		return err
	}
	var were seen
	next := 0
	for first := true; ; first = false {
		if ok, err := d.more('}', first); err != nil || !ok {
			return err
		}
		name, at, err := d.key()
		if err != nil {
			return err
		}
		if next >= len(p.fields) || p.fields[next].name != name {
			if next = slices.IndexFunc(p.fields, func(f field) bool { return f.name == name }); next < 0 {
				return d.noField(p.typ, fieldNames(p), name, at)
			}
		}
		f := &p.fields[next]
		if were[next/64]>>(next%64)&1 != 0 {
			return d.wrong(at, "field %s is there twice", name)
		}
		were[next/64] |= 1 << (next % 64)
		next++
		d.path = append(d.path, f.path)
		if err := value(f); err != nil {
			return err
		}
		d.path = d.path[:len(d.path)-1]
	}
}

func fieldNames(p *plan) []string {
	list := make([]string, len(p.fields))
	for i := range list {
		list[i] = p.fields[i].name
	}
	return list
}

// noField says that a type has no field of a name.
func (d *decoder) noField(t reflect.Type, names []string, name string, at int) *Error {
	return d.wrong(at, "%v has no field %.100q", t, name).hinted(func() string {
		hint := nearest(name, names)
		switch {
		case len(names) == 0:
			hint = ": it has none"
		case hint == "" && len(names) <= 12:
			hint = ": it has " + strings.Join(names, ", ")
		}
		return hint
	})
}

// lanes reads a component into the lanes of a row.
func (d *decoder) lanes(k *known, lanes [][]byte, row int) *Error {
	p := k.plan
	switch {
	case p.bad != "":
		return d.wrong(d.i, "%s", p.bad)
	case k.Tag:
		return d.empty(k)
	case !p.lanes:
		return d.bytes(p, lanes[0][row*p.size:][:p.size])
	}
	return d.object(p, func(f *field) *Error {
		size := f.plan.size
		return d.bytes(f.plan, lanes[f.at][row*size:][:size])
	})
}

// empty reads the value of a tag.
func (d *decoder) empty(k *known) *Error {
	if err := d.open('{', k.Name+", a tag"); err != nil {
		return err
	}
	ok, err := d.more('}', true)
	if err == nil && ok {
		return d.wrong(d.i, "%s is a tag, which has no fields: write {}", k.Name)
	}
	return err
}

// bytes reads a value of plain memory. Of a struct it sets the fields that are there.
func (d *decoder) bytes(p *plan, to []byte) *Error {
	if p.bad != "" {
		return d.wrong(d.i, "%s", p.bad)
	}
	switch {
	case p.entity:
		e, err := d.entity()
		order.PutUint32(to, uint32(e.Index))
		order.PutUint32(to[4:], uint32(e.Version))
		return err
	case p.text:
		v := reflect.New(p.typ)
		if err := d.unmarshalText(v); err != nil {
			return err
		}
		return d.store(v.Elem(), to)
	}
	switch p.kind {
	case reflect.Struct:
		return d.object(p, func(f *field) *Error { return d.bytes(f.plan, to[f.at:f.at+f.plan.size]) })
	case reflect.Array:
		clear(to)
		return d.array(p.typ, p.n, func(i int) *Error { return d.bytes(p.elem, to[i*p.elem.size:][:p.elem.size]) })
	}
	return d.scalarBytes(p, to)
}

var order = binary.NativeEndian

// scalarBytes reads a number or bool.
func (d *decoder) scalarBytes(p *plan, to []byte) *Error {
	switch p.kind {
	case reflect.Float32:
		v, err := d.float(32)
		order.PutUint32(to, math.Float32bits(float32(v)))
		return err
	case reflect.Float64:
		v, err := d.float(64)
		order.PutUint64(to, math.Float64bits(v))
		return err
	case reflect.Bool:
		v, err := d.bool()
		if to[0] = 0; v {
			to[0] = 1
		}
		return err
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v, err := d.integer(p.typ, 8*p.size)
		putWord(to, uint64(v))
		return err
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v, err := d.unsigned(p.typ, 8*p.size)
		putWord(to, v)
		return err
	case reflect.Complex64, reflect.Complex128:
		half := p.size / 2
		return d.array(p.typ, 2, func(i int) *Error {
			v, err := d.float(8 * half)
			if half == 4 {
				order.PutUint32(to[4*i:], math.Float32bits(float32(v)))
			} else {
				order.PutUint64(to[8*i:], math.Float64bits(v))
			}
			return err
		})
	}
	return d.wrong(d.i, "a %v cannot be written in a text", p.typ)
}

// putWord sets an integer of any width.
func putWord(to []byte, v uint64) {
	switch len(to) {
	case 1:
		to[0] = byte(v)
	case 2:
		order.PutUint16(to, uint16(v))
	case 4:
		order.PutUint32(to, uint32(v))
	default:
		order.PutUint64(to, v)
	}
}

// array reads an array of n elements, or of any number if n is below 0.
func (d *decoder) array(t reflect.Type, n int, value func(i int) *Error) *Error {
	begin := d.i
	d.forget()
	if err := d.open('[', t.String()); err != nil {
		return err
	}
	for i := 0; ; i++ {
		ok, err := d.more(']', i == 0)
		switch {
		case err != nil:
			return err
		case !ok && n >= 0 && i < n:
			return d.wrong(begin, "%v has %d elements; here are %d", t, n, i)
		case !ok:
			return nil
		case i == n:
			return d.wrong(d.i, "%v has %d elements; here are more", t, n)
		}
		d.path = append(d.path, i)
		if err := value(i); err != nil {
			return err
		}
		d.path = d.path[:len(d.path)-1]
	}
}

// elements reads the elements of a buffer, which it appends to spare.
func (d *decoder) elements(k *known) ([]byte, *Error) {
	d.spare = d.spare[:0]
	size := k.width()
	err := d.array(k.Type, -1, func(int) *Error {
		n := len(d.spare)
		d.spare = slices.Grow(d.spare, size)[:n+size]
		own := d.spare[n:]
		clear(own)
		if k.plan.bad == "" && k.plan.size == 0 {
			return d.skip()
		}
		return d.bytes(k.plan, own)
	})
	return d.spare, err
}

// null passes over null, if it is there.
func (d *decoder) null() (bool, *Error) {
	c, err := d.peek()
	if err != nil || c != 'n' {
		return false, err
	}
	_, err = d.word()
	return true, err
}

// renaming is a name that is read in a scope.
type renaming struct {
	name  string
	scope int32
}

// lookUp returns the entry that a name in the scope of the decoder is, or -1. In copies of trees names are long, and the same ones are read
// many times.
func (d *decoder) lookUp(name string) int32 {
	if d.scope == 0 {
		if i, ok := d.doc.byName[name]; ok {
			return i
		}
		return -1
	}
	key := renaming{name, d.scope}
	if i, ok := d.renamed[key]; ok {
		return i
	}
	i, ok := d.doc.byName[d.doc.rename(name, d.scope)]
	if !ok {
		return -1
	}
	if d.renamed == nil || len(d.renamed) > 1<<16 {
		d.renamed = map[renaming]int32{}
	}
	d.renamed[key] = i
	return i
}

// forget forgets references at the place where the decoder is, of the texts before this one: what it reads lies over them. This text has
// each place once.
func (d *decoder) forget() {
	under := func(r Reference) bool {
		return len(r.Path) >= len(d.path) && slices.Equal(r.Path[:len(d.path)], d.path)
	}
	d.outward, d.begun = without(d.outward, d.mark, d.begun, under)
	if d.own != nil {
		*d.own, d.ownOld = without(*d.own, 0, d.ownOld, under)
	}
}

// without deletes some of the elements from lo to hi, and returns where those behind hi begin then.
func without(list []Reference, lo, hi int, gone func(r Reference) bool) ([]Reference, int) {
	if lo >= hi {
		return list, hi
	}
	kept := slices.DeleteFunc(slices.Clone(list[lo:hi]), gone)
	return append(append(list[:lo:lo], kept...), list[hi:]...), lo + len(kept)
}

// entity reads a reference.
func (d *decoder) entity() (e ecs.Entity, err *Error) {
	d.forget()
	if d.doc == nil {
		return d.numbers()
	}
	if null, err := d.null(); null || err != nil {
		return e, err
	}
	at := d.i
	if c := d.found(); c != "a string" {
		return e, d.wrong(at, "an entity is \"@name\" or null; there is %s", c)
	}
	name, err := d.str("an entity")
	switch {
	case err != nil:
		return e, err
	case !strings.HasPrefix(name, "@"):
		return e, d.wrong(at, "an entity is \"@name\" or null; there is %q%s", name, d.meant(name))
	case d.hidden > 0:
		return e, d.wrong(at, "a reference behind a pointer, slice or map is not seen when entities get other ids: keep it in a field, an array or a buffer")
	}
	name = name[1:]
	r := Reference{From: id(d.from), Type: d.typ, Name: name}
	if scene, other, ok := strings.Cut(name, ":"); ok {
		if other == "" {
			return e, d.wrong(at, "\"@%s\" has no name behind the colon", name)
		}
		r.Scene, r.Name, r.Path = scene, other, slices.Clone(d.path)
		d.outward = append(d.outward, r)
		return e, nil
	}
	i := d.lookUp(name)
	if i < 0 {
		r.Name = d.doc.rename(name, d.scope)
		return e, d.wrong(at, "no entity %.100q in this scene", r.Name).hinted(func() string { return nearest(r.Name, d.doc.names()) })
	}
	r.Name = d.doc.Entries[i].Name
	if d.own != nil {
		r.Own, r.Path = true, slices.Clone(d.path)
		*d.own = append(*d.own, r)
		return e, nil
	}
	return id(i), nil
}

// numbers reads an id as values in baked files have it.
func (d *decoder) numbers() (e ecs.Entity, err *Error) {
	at := d.i
	if null, err := d.null(); null || err != nil {
		return e, err
	}
	text, err := d.str("an id")
	if err != nil {
		return e, err
	}
	index, version, _ := strings.Cut(text, " ")
	i, wrongIndex := strconv.ParseInt(index, 10, 32)
	v, wrongVersion := strconv.ParseInt(version, 10, 32)
	if wrongIndex != nil || wrongVersion != nil {
		return e, d.wrong(at, "%q is no id", text)
	}
	return ecs.Entity{Index: int32(i), Version: int32(v)}, nil
}

// meant says that a text without @ is the name of an entity.
func (d *decoder) meant(name string) string {
	if _, ok := d.doc.byName[name]; ok {
		return fmt.Sprintf(": write \"@%s\"", name)
	}
	return ""
}

// names returns the names of all entries.
func (d *Document) names() []string {
	list := make([]string, len(d.Entries))
	for i := range list {
		list[i] = d.Entries[i].Name
	}
	return list
}

// unmarshalText reads a string for a pointer to a type that has UnmarshalText.
func (d *decoder) unmarshalText(v reflect.Value) (wrong *Error) {
	if _, err := d.peek(); err != nil {
		return err
	}
	at := d.i
	text, wrong := d.str(v.Type().Elem().String())
	if wrong != nil {
		return wrong
	}
	err := tried(func() error { return v.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)) })
	if err != nil {
		return d.wrong(at, "%q is no %v: %v", text, v.Type().Elem(), err)
	}
	return nil
}

// tried calls what a type brings. What it panics with is an error.
func tried(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it has panicked: %v", v)
		}
	}()
	return f()
}

// whole reads the value of a chunk component into its bytes.
func (d *decoder) whole(own *known, to []byte) *Error {
	p := *own.plan
	if p.lanes {
		p.fields = fieldsOf(p.typ)
	}
	if p.size == 0 {
		return d.empty(own)
	}
	return d.bytes(&p, to)
}

// chunk reads the value of a chunk component into a row of meta entities.
func (d *decoder) chunk(own *known, to *images.Part, row int) *Error {
	p := own.plan
	d.path = append(d.path, 0)
	if p.bad != "" {
		return d.wrong(d.i, "%s", p.bad)
	}
	if !p.lanes {
		if p.size == 0 {
			return d.empty(own)
		}
		return d.bytes(p, to.Lanes[0][row*p.size:][:p.size])
	}
	return d.object(p, func(f *field) *Error {
		size := f.plan.size
		return d.bytes(f.plan, to.Lanes[f.at][row*size:][:size])
	})
}
