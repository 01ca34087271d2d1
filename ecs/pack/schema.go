package pack

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strconv"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/internal/plain"
)

var littleEndian = binary.LittleEndian

// column describes how the values of a component are packed.
type column struct {
	typ         reflect.Type
	name        string
	kind        uint32
	schema      []byte // the description of the component in a message
	laneSizes   []int  // size of a row in each lane
	elementSize int    // size of an element of a buffer
	codec       *plain.Codec
	isOmitted   bool
}

// These bits describe the kind of a component.
const (
	isShared = 1 << iota
	isCleanup
	isEnableable
	isManaged
	isBuffer
	isPerChunk
	isSkipped // the message contains no values of the component
)

// columnOf returns the column of a component.
func (p *Packer) columnOf(c ecs.ComponentType) (*column, error) {
	if k := p.columns[c.Type]; k != nil {
		return k, nil
	}
	k := &column{typ: c.Type, name: c.Name, isOmitted: p.skippedTypes[c.Type]}
	for i, is := range [...]bool{c.Shared, c.Cleanup, c.Enableable, c.Managed, c.Buffer, c.PerChunk, k.isOmitted} {
		if is {
			k.kind |= 1 << i
		}
	}
	if own, ok := p.codecs[c.Type]; ok {
		k.codec = &own
	}
	var texts [][2]string
	switch {
	case k.kind&isManaged != 0:
		if k.codec == nil && !k.isOmitted {
			return nil, fmt.Errorf("pack: %w: %s is managed: give a Codec for it, or Skip it", ErrValue, c.Name)
		}
	case k.isOmitted:
		return nil, fmt.Errorf("pack: %w: %s is skipped, and not managed: its values go along", ErrValue, c.Name)
	case k.kind&isShared != 0:
	case k.kind&isBuffer != 0:
		slice, _ := c.Type.MethodByName("Slice")
		text, size := shapeOf(slice.Type.Out(0).Elem())
		k.elementSize, texts = size, append(texts, [2]string{"", text})
	case k.kind&isPerChunk != 0:
		text, _ := shapeOf(c.Type)
		texts = append(texts, [2]string{"", text})
	default:
		for _, l := range c.Lanes {
			text, size := shapeOf(l.Type)
			k.laneSizes, texts = append(k.laneSizes, size), append(texts, [2]string{l.Name, text})
		}
	}
	k.schema = littleEndian.AppendUint32(appendText(nil, k.name), k.kind)
	k.schema = littleEndian.AppendUint32(k.schema, uint32(len(texts)))
	for _, t := range texts {
		k.schema = appendText(appendText(k.schema, t[0]), t[1])
	}
	p.columns[c.Type] = k
	return k, nil
}

func appendText(b []byte, s string) []byte {
	return append(littleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// shapeOf returns a text that describes the numbers in a type of plain memory, without their names.
// It also returns their size in a message.
func shapeOf(t reflect.Type) (text string, size int) {
	if _, is := blob.RootType(t); is {
		return "r", 0
	}
	if t == reflect.TypeFor[ecs.Entity]() {
		return "e", 8
	}
	switch k := t.Kind(); k {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				own, n := shapeOf(f.Type)
				text, size = text+own, size+n
			}
		}
		return text, size
	case reflect.Array:
		own, n := shapeOf(t.Elem())
		return "[" + strconv.Itoa(t.Len()) + own + "]", t.Len() * n
	case reflect.Bool:
		return "b", 1
	case reflect.Float32, reflect.Float64:
		return "f" + strconv.Itoa(int(t.Size())), int(t.Size())
	case reflect.Complex64, reflect.Complex128:
		return "c" + strconv.Itoa(int(t.Size())), int(t.Size())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "i" + strconv.Itoa(int(t.Size())), int(t.Size())
	}
	return "u" + strconv.Itoa(int(t.Size())), int(t.Size())
}

// readSchema returns the columns that the schema of a message names.
func (p *Packer) readSchema(b []byte) ([]*column, error) {
	if list, known := p.schemas[string(b)]; known {
		return list, nil
	}
	d := &frames.In{Rest: b}
	list := make([]*column, d.Count(12))
	for i := range list {
		all := d.Rest
		name, kind := d.Text(), d.U32()
		for range d.Count(8) {
			d.Text()
			d.Text()
		}
		if d.Failed {
			return nil, corrupt("the types end too early")
		}
		c, err := ecs.ComponentByName(name)
		if err != nil {
			return nil, fmt.Errorf("pack: %w: %w", ErrSchema, frames.Unasked(err))
		}
		if list[i], err = p.columnOf(c); err != nil {
			return nil, err
		}
		if own, sent := list[i], all[:len(all)-len(d.Rest)]; string(own.schema) != string(sent) {
			return nil, fmt.Errorf("pack: %w: %s has other fields, or is of another kind (%#x, here %#x): both sides want the same declaration", ErrSchema, name, kind, own.kind)
		}
	}
	if err := checkDone(d, "the types"); err != nil {
		return nil, err
	}
	if len(p.schemas) < maxSchemas {
		p.schemas[string(b)] = list
	}
	return list, nil
}

// maxSchemas is the largest number of sets of types that a Packer remembers. Without this limit, a
// sender could make the Packer use any amount of memory.
const maxSchemas = 256
