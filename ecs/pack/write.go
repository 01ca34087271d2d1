package pack

import (
	"fmt"
	"math"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/internal/plain"
)

// Version is the version of the format.
const Version = 1

// magic is at the beginning of every message. Its bytes are not text, so that a conversion of
// line ends damages it and is noticed.
var magic = [4]byte{0x89, 'L', 'W', 'P'}

// messageHeadBytes is the size of the head of a message: magic, version, length of the message, and
// number of entities.
const messageHeadBytes = 20

// appendMessage appends the excerpt as a message.
func (p *Packer) appendMessage(dst []byte) ([]byte, error) {
	x := &p.excerpt
	start := len(dst)
	dst = append(dst, magic[:]...)
	dst = littleEndian.AppendUint32(dst, Version)
	dst = littleEndian.AppendUint64(dst, 0)
	dst = littleEndian.AppendUint32(dst, uint32(x.Len()))
	dst, err := p.appendSchema(dst)
	if err != nil {
		return nil, err
	}
	dst = littleEndian.AppendUint32(dst, uint32(len(x.Outside)))
	for _, key := range x.Outside {
		dst = littleEndian.AppendUint64(dst, key)
	}
	dst = littleEndian.AppendUint32(dst, uint32(len(x.Names)))
	for _, name := range x.Names {
		dst = appendText(dst, name)
	}
	dst = littleEndian.AppendUint32(dst, uint32(len(x.Parts())))
	for _, part := range x.Parts() {
		if dst, err = p.appendPart(dst, part); err != nil {
			return nil, err
		}
	}
	littleEndian.PutUint64(dst[start+8:], uint64(len(dst)-start+4))
	return littleEndian.AppendUint32(dst, frames.Sum(dst[start:])), nil
}

// appendSchema appends the types of all parts.
func (p *Packer) appendSchema(dst []byte) ([]byte, error) {
	clear(p.columnIndex)
	p.sentColumns = p.sentColumns[:0]
	for _, part := range p.excerpt.Parts() {
		for i := range part.Columns {
			c := &part.Columns[i].Component
			if _, known := p.columnIndex[c.Type]; known {
				continue
			}
			k, err := p.columnOf(*c)
			if err != nil {
				return nil, err
			}
			p.columnIndex[c.Type] = uint32(len(p.sentColumns))
			p.sentColumns = append(p.sentColumns, k)
		}
	}
	at := len(dst)
	dst = littleEndian.AppendUint32(dst, 0)
	dst = littleEndian.AppendUint32(dst, uint32(len(p.sentColumns)))
	for _, k := range p.sentColumns {
		dst = append(dst, k.schema...)
	}
	littleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst, nil
}

// appendPart appends the entities of one set of types.
func (p *Packer) appendPart(dst []byte, part *ecs.ExcerptPart) (_ []byte, err error) {
	dst = littleEndian.AppendUint32(dst, uint32(len(part.Columns)))
	for i := range part.Columns {
		dst = littleEndian.AppendUint32(dst, p.columnIndex[part.Columns[i].Component.Type])
	}
	dst = littleEndian.AppendUint32(dst, uint32(len(part.Places)))
	dst = appendInt32s(dst, part.Places)
	for i := range part.Columns {
		c := &part.Columns[i]
		k := p.columns[c.Component.Type]
		switch {
		case k.kind&isSkipped != 0:
		case k.kind&isShared != 0:
			at := len(dst)
			dst = littleEndian.AppendUint32(dst, 0)
			if dst, err = k.appendShared(dst, c.Value); err != nil {
				return nil, fmt.Errorf("pack: %w: a value of %s: %w", ErrValue, k.name, err)
			}
			littleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
		case k.kind&isManaged != 0:
			list := reflect.ValueOf(c.Value)
			for row := range part.Places {
				at := len(dst)
				dst = littleEndian.AppendUint32(dst, 0)
				if dst, err = k.codec.Append(dst, list.Index(row).Addr().Interface()); err != nil {
					return nil, fmt.Errorf("pack: %w: %s: %w", ErrValue, k.name, err)
				}
				littleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
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
			dst = littleEndian.AppendUint64(dst, word)
		}
	}
	if len(dst) > math.MaxInt32 {
		return nil, fmt.Errorf("pack: %w: the message has more than 2 GiB: pack fewer entities at a time", ErrValue)
	}
	return dst, nil
}

// appendInt32s appends the elements of a list, without its length.
func appendInt32s(dst []byte, list []int32) []byte {
	for _, v := range list {
		dst = littleEndian.AppendUint32(dst, uint32(v))
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
	return plain.Append(b, box.Elem(), plain.CustomCodec{})
}
