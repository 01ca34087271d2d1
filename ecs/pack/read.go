package pack

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/internal/plain"
	"github.com/lanewise/lanewise/internal/printable"
)

// corrupt returns an error of category ErrCorrupt.
func corrupt(text string, args ...any) error {
	return fmt.Errorf("pack: %w: %s", ErrCorrupt, printable.Line(fmt.Sprintf(text, args...)))
}

// checkDone returns an error unless exactly all of d was read.
func checkDone(d *frames.In, what string) error {
	if !d.Done() {
		return corrupt("%s ends too early or too late", what)
	}
	return nil
}

// readMessage reads a message into the excerpt.
func (p *Packer) readMessage(src []byte) error {
	if len(src) < messageHeadBytes+4 || [4]byte(src) != magic {
		return corrupt("it does not begin as one")
	}
	if v := littleEndian.Uint32(src[4:]); v != Version {
		return fmt.Errorf("pack: %w: it is of version %d of the format, and this release knows %d", ErrCorrupt, v, Version)
	}
	if n := littleEndian.Uint64(src[8:]); n != uint64(len(src)) {
		return corrupt("it has %d bytes, and says %d", len(src), n)
	}
	body := src[:len(src)-4]
	if !p.skipChecksum && frames.Sum(body) != littleEndian.Uint32(src[len(body):]) {
		return corrupt("it was changed on its way")
	}
	d := &frames.In{Rest: body[16:]}
	n := d.U32()
	columns, err := p.readSchema(d.Bytes())
	if err != nil {
		return err
	}
	x := &p.excerpt
	if uint64(n)*4 > uint64(len(d.Rest)) { // each entity takes four bytes
		return corrupt("it says that it has %d entities, in %d bytes", n, len(d.Rest))
	}
	x.Reset(int(n))
	for range d.Count(8) {
		x.Outside = append(x.Outside, d.U64())
	}
	if names := d.Count(4); names > 0 {
		x.Names = make([]string, names)
		for i := range x.Names {
			x.Names[i] = d.Text()
		}
	}
	for range d.Count(8) {
		if err := p.readPart(d, columns); err != nil {
			return err
		}
	}
	return checkDone(d, "it")
}

// readPart reads the entities of one set of types into the excerpt.
func (p *Packer) readPart(d *frames.In, columns []*column) error {
	types := make([]reflect.Type, d.Count(4))
	list := make([]*column, len(types))
	row := 4
	for i := range types {
		at := d.U32()
		if int64(at) >= int64(len(columns)) {
			return corrupt("it has component %d of %d", at, len(columns))
		}
		list[i], types[i] = columns[at], columns[at].typ
		row += list[i].leastRowBytes()
	}
	rows := d.Count(row)
	if d.Failed {
		return corrupt("it ends too early")
	}
	part, err := p.excerpt.AddPart(types, rows)
	if err != nil {
		return fmt.Errorf("pack: %w: %w", ErrCorrupt, err)
	}
	readInt32s(d, part.Places)
	for i, k := range list {
		if err := k.readColumn(d, &part.Columns[i], rows); err != nil {
			return fmt.Errorf("pack: %w: %s: %w", ErrCorrupt, k.name, err)
		}
	}
	return nil
}

// leastRowBytes returns the smallest number of bytes that a row of the column can have in a
// message.
func (k *column) leastRowBytes() (n int) {
	for _, size := range k.laneSizes {
		n += size
	}
	if k.kind&isBuffer != 0 || k.kind&isManaged != 0 && k.kind&isSkipped == 0 {
		n += 4
	}
	return n
}

// readInt32s fills a list from d. It fails without changing the list if too few bytes of d remain.
func readInt32s(d *frames.In, list []int32) {
	b := d.Take(4 * uint64(len(list)))
	for i := range list {
		if b != nil {
			list[i] = int32(littleEndian.Uint32(b[4*i:]))
		}
	}
}

// readColumn fills a column of a part.
func (k *column) readColumn(d *frames.In, c *ecs.ExcerptColumn, rows int) error {
	var err error
	switch {
	case k.kind&isSkipped != 0:
	case k.kind&isShared != 0:
		err = k.readShared(d, c)
	case k.kind&isManaged != 0:
		list := reflect.ValueOf(c.Value)
		for row := 0; row < rows && err == nil; row++ {
			b := d.Bytes()
			if d.Failed {
				break
			}
			err = k.codec.Decode(bytes.Clone(b), list.Index(row).Addr().Interface())
		}
	case k.kind&isBuffer != 0:
		err = k.readBuffers(d, c)
	default:
		for _, lane := range c.Lanes {
			copy(lane, d.Take(uint64(len(lane))))
		}
	}
	if err != nil {
		return err
	}
	for i := range c.On {
		c.On[i] = d.U64()
	}
	if d.Failed {
		return plain.ErrShort
	}
	return nil
}

// readShared reads a shared value, which all rows of a part have in common.
func (k *column) readShared(d *frames.In, c *ecs.ExcerptColumn) (err error) {
	box := reflect.New(k.typ)
	b := d.Bytes()
	if k.codec != nil {
		err = k.codec.Decode(bytes.Clone(b), box.Interface())
	} else if b, err = plain.Set(b, box.Elem(), plain.CustomCodec{}); err == nil && len(b) > 0 {
		err = fmt.Errorf("a value ends too late")
	}
	if err != nil {
		return err
	}
	c.Value = box.Elem().Interface()
	return nil
}

// readBuffers reads the lengths of buffers, and then their elements.
func (k *column) readBuffers(d *frames.In, c *ecs.ExcerptColumn) error {
	readInt32s(d, c.Counts)
	n := int64(0)
	for _, count := range c.Counts {
		if n += int64(uint32(count)); k.elementSize > 0 && n > int64(len(d.Rest)/k.elementSize) {
			return plain.ErrShort
		}
	}
	c.Elements = append(c.Elements, d.Take(uint64(n)*uint64(k.elementSize))...)
	return nil
}
