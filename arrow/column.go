package arrow

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanewise/lanewise/ecs"
)

// what says which kind of data of a chunk a column shows.
type what uint8

const (
	ofIDs    what = iota // the entities themselves
	ofLane               // numbers of a component
	ofSwitch             // whether it is on
	ofTag                // whether there is one
	ofShared             // a part of a shared value, which all rows of a chunk have
)

// A column describes one column of the table: where its values come from, and their type.
type column struct {
	name     string
	what     what
	typ      reflect.Type // of the component
	lane     int
	leaf     leaf
	index    []int // of ofShared: the path to the field
	optional bool  // some entities have none
	arrow    arrow.DataType
	width    int // bytes of a row, 0 for bits and strings
}

// A leaf describes one number, or an array of numbers, in each row of a lane.
type leaf struct {
	path   []string
	at     uintptr // in the lane's element
	dims   []dim   // sizes of the surrounding arrays, the outermost first
	kind   reflect.Kind
	entity bool // two 32-bit numbers that are the id of an entity
	size   uintptr
}

// A dim is one of the arrays that contain a number.
type dim struct {
	n      int
	stride uintptr
}

var (
	entityType = reflect.TypeFor[ecs.Entity]()
	little     = binary.NativeEndian.Uint16([]byte{1, 0}) == 1
)

var numbers = map[reflect.Kind]arrow.DataType{
	reflect.Bool: arrow.FixedWidthTypes.Boolean,
	reflect.Int8: arrow.PrimitiveTypes.Int8, reflect.Uint8: arrow.PrimitiveTypes.Uint8,
	reflect.Int16: arrow.PrimitiveTypes.Int16, reflect.Uint16: arrow.PrimitiveTypes.Uint16,
	reflect.Int32: arrow.PrimitiveTypes.Int32, reflect.Uint32: arrow.PrimitiveTypes.Uint32,
	reflect.Int64: arrow.PrimitiveTypes.Int64, reflect.Uint64: arrow.PrimitiveTypes.Uint64,
	reflect.Float32: arrow.PrimitiveTypes.Float32, reflect.Float64: arrow.PrimitiveTypes.Float64,
	reflect.String: arrow.BinaryTypes.String,
}

// columnsOf lists the columns of the components in terms.
func columnsOf(terms []ecs.Term) ([]column, error) {
	list := []column{{name: "entity", what: ofIDs, typ: entityType, arrow: arrow.PrimitiveTypes.Int64, width: 8, leaf: leaf{entity: true, size: 8}}}
	types := ecs.TermTypes(terms...)
	for _, t := range types {
		name := nameOf(t, types)
		var err error
		if list, err = appendComponent(list, name, t); err != nil {
			return nil, err
		}
	}
	for i, c := range list {
		if k := slices.IndexFunc(list[:i], func(o column) bool { return strings.EqualFold(o.name, c.name) }); k >= 0 {
			return nil, fmt.Errorf("arrow: the columns %s of %v and %s of %v have one name: ask for one of the two", list[k].name, list[k].typ, c.name, c.typ)
		}
	}
	return list, nil
}

// nameOf returns the shortest unambiguous name of a component.
func nameOf(t ecs.TermType, among []ecs.TermType) string {
	short := func(t ecs.TermType) string {
		n := t.Type.Name()
		if at := strings.IndexByte(n, '['); at < 0 { // a generic type contains the package of its type argument
			return n
		}
		return t.Type.String()
	}
	alone := func(name func(ecs.TermType) string) bool {
		return !slices.ContainsFunc(among, func(o ecs.TermType) bool { return o.Type != t.Type && strings.EqualFold(name(o), name(t)) })
	}
	switch {
	case alone(short):
		return short(t)
	case alone(func(t ecs.TermType) string { return t.Type.String() }):
		return t.Type.String()
	}
	return t.Name
}

// appendComponent appends the columns of one component.
func appendComponent(list []column, name string, t ecs.TermType) ([]column, error) {
	c := column{name: name, typ: t.Type, optional: t.Optional}
	switch {
	case t.Shared && t.Managed || t.Buffer || t.PerChunk || t.Managed:
		return nil, fmt.Errorf("arrow: %v has no numbers in rows (a buffer, a managed component or a value of chunks): leave it out of the terms", t.Type)
	case t.Shared:
		return appendShared(list, c, t.Type, nil)
	}
	if t.Enableable {
		on := c
		on.name, on.what, on.arrow = name+".enabled", ofSwitch, arrow.FixedWidthTypes.Boolean
		list = append(list, on)
	}
	if t.Tag {
		if t.Optional && !t.Enableable {
			c.what, c.arrow, c.optional = ofTag, arrow.FixedWidthTypes.Boolean, false
			list = append(list, c)
		}
		return list, nil
	}
	if !t.Column { // requested by With: only its presence matters, not its values
		return list, nil
	}
	for i, lane := range t.Lanes {
		var path []string
		if t.Type.Kind() == reflect.Struct {
			path = []string{lane.Name}
		}
		for _, l := range leavesOf(nil, lane.Type, leaf{path: path}) {
			l := l
			col := c
			col.what, col.lane, col.leaf = ofLane, i, l
			col.name = strings.Join(append([]string{name}, l.path...), ".")
			col.arrow, col.width = l.arrow()
			list = append(list, col)
		}
	}
	return list, nil
}

// leavesOf lists the numbers in a type.
func leavesOf(list []leaf, t reflect.Type, l leaf) []leaf {
	l.path, l.dims = slices.Clip(l.path), slices.Clip(l.dims)
	switch {
	case t == entityType:
		l.entity, l.kind, l.size = true, reflect.Int64, 8
		return append(list, l)
	case t.Kind() == reflect.Struct:
		for k := range t.NumField() {
			if f := t.Field(k); f.Name != "_" && f.Type.Size() > 0 {
				in := l
				in.path, in.at = append(l.path, f.Name), l.at+f.Offset
				list = leavesOf(list, f.Type, in)
			}
		}
		return list
	case t.Kind() == reflect.Array:
		if t.Len() == 0 {
			return list
		}
		l.dims = append(l.dims, dim{t.Len(), t.Elem().Size()})
		return leavesOf(list, t.Elem(), l)
	}
	l.kind, l.size = t.Kind(), t.Size()
	return append(list, l)
}

// arrow returns the type of the column, and the number of bytes of a row. The number of
// bytes is 0 for a column of bits.
func (l *leaf) arrow() (arrow.DataType, int) {
	width := int(l.size)
	dt := numbers[l.kind]
	dims := l.dims
	if last := len(dims) - 1; l.kind == reflect.Uint8 && last >= 0 {
		dt, width, dims = &arrow.FixedSizeBinaryType{ByteWidth: dims[last].n}, dims[last].n, dims[:last]
	}
	for i := len(dims) - 1; i >= 0; i-- {
		dt, width = arrow.FixedSizeListOfNonNullable(int32(dims[i].n), dt), width*dims[i].n
	}
	if l.kind == reflect.Bool {
		width = 0
	}
	return dt, width
}

// count returns the number of numbers in a row.
func (l *leaf) count() int {
	n := 1
	for _, d := range l.dims {
		n *= d.n
	}
	return n
}

// isGapless reports whether the numbers fill an element of the given size without
// gaps, in Arrow's order.
func (l *leaf) isGapless(element uintptr) bool {
	size := l.size
	for i := len(l.dims) - 1; i >= 0; i-- {
		if l.dims[i].stride != size {
			return false
		}
		size *= uintptr(l.dims[i].n)
	}
	return l.at == 0 && size == element && (!l.entity || little)
}

// appendShared appends the columns of a shared value.
func appendShared(list []column, c column, t reflect.Type, index []int) ([]column, error) {
	if t == entityType {
		c.what, c.index, c.leaf.kind, c.leaf.entity = ofShared, index, reflect.Int64, true
		c.arrow, c.width = arrow.PrimitiveTypes.Int64, 8
		return append(list, c), nil
	}
	if t.Kind() == reflect.Struct {
		before := len(list)
		for k := range t.NumField() {
			f := t.Field(k)
			if f.Name == "_" || f.Type.Size() == 0 {
				continue
			}
			in := c
			in.name = c.name + "." + f.Name
			var err error
			if list, err = appendShared(list, in, f.Type, append(slices.Clip(index), k)); err != nil {
				return nil, err
			}
		}
		if len(list) == before {
			return nil, fmt.Errorf("arrow: the shared %v has no value: leave it out of the terms", c.typ)
		}
		return list, nil
	}
	c.what, c.index, c.leaf.kind = ofShared, index, t.Kind()
	switch k := t.Kind(); k {
	case reflect.Int:
		c.leaf.kind, c.arrow = reflect.Int64, arrow.PrimitiveTypes.Int64
	case reflect.Uint:
		c.leaf.kind, c.arrow = reflect.Uint64, arrow.PrimitiveTypes.Uint64
	default:
		c.arrow = numbers[k]
	}
	if c.arrow == nil {
		return nil, fmt.Errorf("arrow: %s of the shared %v is a %v, which is no number, boolean or string: leave the component out of the terms", c.name, c.typ, t)
	}
	if fixed, ok := c.arrow.(arrow.FixedWidthDataType); ok && fixed.BitWidth() >= 8 {
		c.width = fixed.BitWidth() / 8
	}
	return append(list, c), nil
}
