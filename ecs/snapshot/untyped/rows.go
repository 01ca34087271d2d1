package untyped

import (
	"encoding/binary"

	"github.com/lanewise/lanewise/ecs"
)

// rows reads a frame of chunks.
func (r *reader) rows(d *in) error {
	at, first := int64(d.u32()), int64(d.u32())
	if at >= int64(len(r.f.Archetypes)) {
		return corrupt("rows of archetype %d of %d", at, len(r.f.Archetypes))
	}
	a := &r.f.Archetypes[at]
	n := d.count(28)
	if first != int64(len(a.Chunks)) || n > a.want-len(a.Chunks) {
		return corrupt("archetype %d has chunk %d behind %d", at, first, len(a.Chunks))
	}
	type head struct {
		rows int64
		size uint64
	}
	heads := make([]head, n)
	for i := range heads {
		c := Chunk{}
		heads[i].rows = int64(d.u32())
		c.Group = int(d.u32())
		d.u32()
		c.Meta = d.entity()
		d.take(8 * uint64(len(a.Components)))
		heads[i].size = d.u64()
		if c.Group < 0 || c.Group >= len(a.Groups) || heads[i].rows < 1 {
			return corrupt("chunk %d of archetype %d has %d rows, and is of group %d of %d", len(a.Chunks), at, heads[i].rows, c.Group, len(a.Groups))
		}
		a.Chunks = append(a.Chunks, c)
	}
	for i, h := range heads {
		c := &a.Chunks[int(first)+i]
		body := &in{b: d.take(h.size)}
		if h.rows*8 > int64(len(body.b)) {
			return corrupt("chunk %d of archetype %d has %d bytes for %d rows", int(first)+i, at, len(body.b), h.rows)
		}
		c.Entities = body.entities(int(h.rows))
		for _, e := range c.Entities {
			if r.seen[e.Index] || e.Index < 0 || e.Version < 1 {
				return corrupt("entity %v is there twice, or is none", e)
			}
			r.seen[e.Index] = true
		}
		shared := 0
		for _, at := range a.Components {
			col, err := r.column(body, &r.f.Components[at], int(h.rows))
			if err != nil {
				return err
			}
			if r.f.Components[at].Kind&Shared != 0 {
				v := a.Groups[c.Group].Values[shared]
				if col.Default = v == 0; !col.Default {
					col.Value = r.f.Shared[at][v]
				}
				shared++
			}
			c.Columns = append(c.Columns, col)
		}
		if body.bad || len(body.b) > 0 {
			return corrupt("chunk %d of archetype %d ends too early or too late", int(first)+i, at)
		}
		a.Rows += int(h.rows)
	}
	return nil
}

// column reads what a chunk has of a component.
func (r *reader) column(d *in, c *Component, rows int) (col Column, err error) {
	switch {
	case c.Kind&(Shared|Tag|Skipped) != 0:
	case c.Kind&(Buffer|Managed) != 0:
		col.Rows = make([][]byte, rows)
		for i := range col.Rows {
			size := uint64(d.u32())
			if c.Kind&Buffer != 0 {
				size *= uint64(c.Elem.Size)
				d.u32()
			}
			col.Rows[i] = d.take(size)
		}
	default:
		for _, l := range c.Lanes {
			col.Lanes = append(col.Lanes, d.take(uint64(rows)*uint64(l.Shape.Size)))
		}
	}
	if c.Kind&Enableable != 0 {
		for range (rows + 63) / 64 {
			col.On = append(col.On, d.u64())
		}
	}
	if d.bad {
		return col, corrupt("a column of %s ends too early", c.Name)
	}
	return col, nil
}

// in is bytes that are not read yet. When they end too early all that follows is 0.
type in struct {
	b   []byte
	bad bool
}

func (d *in) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return nil
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *in) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *in) u64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *in) text() string { return string(d.take(uint64(d.u32()))) }

// count reads how many things follow, of at least so many bytes each.
func (d *in) count(size int) int {
	n := d.u32()
	if uint64(n)*uint64(size) > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return 0
	}
	return int(n)
}

func (d *in) entity() ecs.Entity { return ecs.Entity{Index: int32(d.u32()), Version: int32(d.u32())} }

func (d *in) entities(n int) []ecs.Entity {
	list := make([]ecs.Entity, n)
	for i := range list {
		list[i] = d.entity()
	}
	return list
}

func (d *in) places() []int32 {
	list := make([]int32, d.count(4))
	for i := range list {
		list[i] = int32(d.u32())
	}
	return list
}
