package pack

import (
	"fmt"
	"math"
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/internal/plain"
	"github.com/lanewise/lanewise/ecs/rows"
)

// Version is the version of the format.
const Version = 1

// magic begins every message: it is no text, and shows when line ends were changed.
var magic = [4]byte{0x89, 'L', 'W', 'P'}

// headBytes is the head of a message: magic, version, the length of all of it, and how many entities there are.
const headBytes = 20

// write appends the excerpt as a message.
func (p *Packer) write(dst []byte) ([]byte, error) {
	x := &p.excerpt
	start := len(dst)
	dst = append(dst, magic[:]...)
	dst = le.AppendUint32(dst, Version)
	dst = le.AppendUint64(dst, 0)
	dst = le.AppendUint32(dst, uint32(x.Len()))
	dst, err := p.writeSchema(dst)
	if err != nil {
		return nil, err
	}
	dst = le.AppendUint32(dst, uint32(len(x.Outside)))
	for _, key := range x.Outside {
		dst = le.AppendUint64(dst, key)
	}
	dst = le.AppendUint32(dst, uint32(len(x.Names)))
	for _, name := range x.Names {
		dst = appendText(dst, name)
	}
	dst = le.AppendUint32(dst, uint32(len(x.Parts())))
	for _, part := range x.Parts() {
		if dst, err = p.writePart(dst, part); err != nil {
			return nil, err
		}
	}
	le.PutUint64(dst[start+8:], uint64(len(dst)-start+4))
	return le.AppendUint32(dst, frames.Sum(dst[start:])), nil
}

// writeSchema appends the types of all parts.
func (p *Packer) writeSchema(dst []byte) ([]byte, error) {
	clear(p.places)
	p.order = p.order[:0]
	for _, part := range p.excerpt.Parts() {
		for i := range part.Columns {
			c := &part.Columns[i].Component
			if _, known := p.places[c.Type]; known {
				continue
			}
			k, err := p.columnOf(*c)
			if err != nil {
				return nil, err
			}
			p.places[c.Type] = uint32(len(p.order))
			p.order = append(p.order, k)
		}
	}
	at := len(dst)
	dst = le.AppendUint32(dst, 0)
	dst = le.AppendUint32(dst, uint32(len(p.order)))
	for _, k := range p.order {
		dst = append(dst, k.schema...)
	}
	le.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst, nil
}

func (p *Packer) writePart(dst []byte, part *rows.Part) (_ []byte, err error) {
	dst = le.AppendUint32(dst, uint32(len(part.Columns)))
	for i := range part.Columns {
		dst = le.AppendUint32(dst, p.places[part.Columns[i].Component.Type])
	}
	dst = le.AppendUint32(dst, uint32(len(part.Places)))
	dst = appendInt32s(dst, part.Places)
	for i := range part.Columns {
		c := &part.Columns[i]
		k := p.columns[c.Component.Type]
		switch {
		case k.kind&isSkipped != 0:
		case k.kind&isShared != 0:
			at := len(dst)
			dst = le.AppendUint32(dst, 0)
			if dst, err = k.appendShared(dst, c.Value); err != nil {
				return nil, fmt.Errorf("pack: %w: a value of %s: %w", ErrValue, k.name, err)
			}
			le.PutUint32(dst[at:], uint32(len(dst)-at-4))
		case k.kind&isManaged != 0:
			list := reflect.ValueOf(c.Value)
			for row := range part.Places {
				at := len(dst)
				dst = le.AppendUint32(dst, 0)
				if dst, err = k.codec.Append(dst, list.Index(row).Addr().Interface()); err != nil {
					return nil, fmt.Errorf("pack: %w: %s: %w", ErrValue, k.name, err)
				}
				le.PutUint32(dst[at:], uint32(len(dst)-at-4))
			}
		case k.kind&isBuffer != 0:
			dst = appendInt32s(dst, c.Counts)
			dst = append(dst, c.Elements...)
		default:
			for _, lane := range c.Lanes {
				dst = append(dst, lane...)
			}
		}
		for _, word := range c.On {
			dst = le.AppendUint64(dst, word)
		}
	}
	if len(dst) > math.MaxInt32 {
		return nil, fmt.Errorf("pack: %w: the message has more than 2 GiB: pack fewer entities at a time", ErrValue)
	}
	return dst, nil
}

func appendInt32s(dst []byte, list []int32) []byte {
	for _, v := range list {
		dst = le.AppendUint32(dst, uint32(v))
	}
	return dst
}

// appendShared appends a shared value.
func (k *column) appendShared(b []byte, v any) ([]byte, error) {
	box := reflect.New(k.typ)
	box.Elem().Set(reflect.ValueOf(v))
	if k.codec != nil {
		return k.codec.Append(b, box.Interface())
	}
	return plain.Append(b, box.Elem(), plain.Own{})
}
