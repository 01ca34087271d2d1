package snapshot

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/tool"
	"github.com/lanewise/lanewise/internal/printable"
)

// column is how the values of a component are written.
type column struct {
	typ   reflect.Type
	name  string // in the file
	kind  uint32
	lanes []lane
	elem  shape // of a buffer
	codec *codec
	refs  *blobs

	migration *migration // of a file that has an older type
	whole     bool       // a file has each byte of all lanes in memory
}

// lane is one lane of a column in a file, and its place in memory, -1 if it is dropped.
type lane struct {
	name string
	shape
	to int
}

// The bits of a kind.
const (
	isShared = 1 << iota
	isCleanup
	isEnableable
	isManaged
	isBuffer
	isPerChunk
	isTag
	isSkipped // the file has no values
)

// kindOf returns the bits of a component.
func kindOf(c tool.ComponentType) (kind uint32) {
	for i, is := range [...]bool{c.Shared, c.Cleanup, c.Enableable, c.Managed, c.Buffer, c.PerChunk, c.Tag} {
		if is {
			kind |= 1 << i
		}
	}
	return kind
}

// columnOf returns how a component of the program is written. Tell is false where a value is
// not wanted, and an error no error.
func (o *options) columnOf(c tool.ComponentType) (k column, err error) {
	k = column{typ: c.Type, name: c.Name, kind: kindOf(c), refs: &o.blobs}
	if own, ok := o.codecs[c.Type]; ok {
		k.codec = &own
	}
	switch {
	case o.skipped[c.Type] || c.Type == reflect.TypeFor[ecs.ChunkHeader]():
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
		if k.elem, err = shapeOf(slice.Type.Out(0).Elem()); err != nil {
			return k, fmt.Errorf("snapshot: %w: %s: %w", ErrValue, c.Name, err)
		}
		k.elem.refs = &o.blobs
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

// rowBytes is what a row has in a file at least.
func (k *column) rowBytes() (n int) {
	for i := range k.lanes {
		n += k.lanes[i].file
	}
	return n
}

// used returns the columns of all components of an image, in the order of their names.
func (o *options) used(m *ecs.Image, archetypes []images.Archetype) ([]column, error) {
	types := map[reflect.Type]bool{}
	for i := range archetypes {
		for _, t := range archetypes[i].Components {
			types[t] = true
		}
	}
	for _, s := range images.SharedOf(m) {
		types[s.Component] = true
	}
	var list []column
	for _, c := range tool.ComponentTypes() {
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
	o.Begin(kindSchema)
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
		o.Text(k.elem.text)
	}
}

// readSchema reads it, and finds the types of the program.
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
		if d.Bad {
			return nil, corrupt("the schema ends too early")
		}
		if o.dropped[name] {
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
		if list[i], err = o.match(c, name, kind, lanes, elem); err != nil {
			return nil, err
		}
	}
	return list, done(d, "the schema")
}

// match returns how a column of a file becomes one of the program.
func (o *options) match(c tool.ComponentType, name string, kind uint32, lanes [][2]string, elem string) (column, error) {
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
	if elem != own.elem.text {
		return own, wrong("elements of the buffer were %q, and are %q", elem, own.elem.text)
	}
	if m := o.migrated[name]; m != nil {
		own.name = name
		return own, o.migrate(m, &own, lanes, wrong)
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
		case o.dropped[name+"."+l[0]]:
			size, err := sizeOf(l[1])
			if err != nil {
				return own, err
			}
			own.lanes = append(own.lanes, lane{l[0], shape{file: size}, -1})
		default:
			return own, wrong("lane %s is there no longer: Drop(%q) leaves it out", l[0], name+"."+l[0])
		}
	}
	own.whole = !slices.ContainsFunc(mine, func(m lane) bool {
		return !slices.ContainsFunc(own.lanes, func(l lane) bool { return l.flat && l.to == m.to })
	})
	return own, nil
}

// sizeOf returns how many bytes a value of a shape has in a file.
func sizeOf(text string) (size int, err error) {
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

// columnsOf returns the columns of an archetype in the order of the file, and how many bytes
// a row has in it at least.
func (r *reader) columnsOf(archetype int) (list []*column, least uint64) {
	least = 8
	for _, at := range r.places[archetype] {
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
