package untyped

import (
	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// rows reads a frame of chunks.
func (r *reader) rows(d *frames.In) error {
	at, first := int64(d.U32()), int64(d.U32())
	if at >= int64(len(r.f.Archetypes)) {
		return corrupt("rows of archetype %d of %d", at, len(r.f.Archetypes))
	}
	a := &r.f.Archetypes[at]
	n := d.Count(28)
	if first != int64(len(a.Chunks)) || n > a.want-len(a.Chunks) {
		return corrupt("archetype %d has chunk %d behind %d", at, first, len(a.Chunks))
	}
	heads := make([]head, n)
	for i := range heads {
		if err := heads[i].read(d, a, at); err != nil {
			return err
		}
	}
	for i, h := range heads {
		c, number := &a.Chunks[int(first)+i], int(first)+i
		body := &frames.In{B: d.Take(h.size)}
		if h.rows*8 > int64(len(body.B)) {
			return corrupt("chunk %d of archetype %d has %d bytes for %d rows", number, at, len(body.B), h.rows)
		}
		if err := r.ids(c, body, int(h.rows)); err != nil {
			return err
		}
		if err := r.columns(a, c, body); err != nil {
			return err
		}
		if !body.Done() {
			return corrupt("chunk %d of archetype %d ends too early or too late", number, at)
		}
		a.Rows += int(h.rows)
	}
	return nil
}

// head is what stands before the rows about a chunk, and is not shown.
type head struct {
	rows int64
	size uint64 // bytes of the rows
}

// read reads the head of the next chunk of an archetype.
func (h *head) read(d *frames.In, a *Archetype, at int64) error {
	c := Chunk{}
	h.rows = int64(d.U32())
	c.Group = int(d.U32())
	d.U32() // the age of its order
	c.Meta = d.Entity()
	d.Take(8 * uint64(len(a.Components))) // ages of columns
	h.size = d.U64()
	if c.Group < 0 || c.Group >= len(a.Groups) || h.rows < 1 {
		return corrupt("chunk %d of archetype %d has %d rows, and is of group %d of %d", len(a.Chunks), at, h.rows, c.Group, len(a.Groups))
	}
	a.Chunks = append(a.Chunks, c)
	return nil
}

// ids reads the ids of a chunk, each of which is in the file once.
func (r *reader) ids(c *Chunk, body *frames.In, rows int) error {
	c.Entities = body.Entities(rows)
	for _, e := range c.Entities {
		if r.seen[e.Index] || e.Index < 0 || e.Version < 1 {
			return corrupt("entity %v is there twice, or is none", e)
		}
		r.seen[e.Index] = true
	}
	return nil
}

// columns reads what a chunk has of the components of its archetype; of shared ones it is that of its group.
func (r *reader) columns(a *Archetype, c *Chunk, body *frames.In) error {
	shared := 0
	for _, at := range a.Components {
		col, err := r.column(body, &r.f.Components[at], len(c.Entities))
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
	return nil
}

// column reads what a chunk has of a component.
func (r *reader) column(d *frames.In, c *Component, rows int) (col Column, err error) {
	switch {
	case c.Kind&(Shared|Tag|Skipped) != 0:
	case c.Kind&(Buffer|Managed) != 0:
		col.Rows = make([][]byte, rows)
		for i := range col.Rows {
			size := uint64(d.U32())
			if c.Kind&Buffer != 0 {
				size *= uint64(c.Elem.Size)
				d.U32()
			}
			col.Rows[i] = d.Take(size)
		}
	default:
		for _, l := range c.Lanes {
			col.Lanes = append(col.Lanes, d.Take(uint64(rows)*uint64(l.Shape.Size)))
		}
	}
	if c.Kind&Enableable != 0 {
		for range (rows + 63) / 64 {
			col.On = append(col.On, d.U64())
		}
	}
	if d.Bad {
		return col, corrupt("a column of %s ends too early", c.Name)
	}
	return col, nil
}
