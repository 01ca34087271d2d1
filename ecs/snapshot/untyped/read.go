package untyped

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
)

// FormatVersion is the latest version of the format that Read knows.
const FormatVersion = format.Version

// These are the categories of errors, for errors.Is.
var (
	// ErrCorrupt says that the bytes were changed after they were written, or that they are not a
	// snapshot.
	ErrCorrupt = format.ErrCorrupt

	// ErrVersion says that a later release has written the snapshot.
	ErrVersion = format.ErrVersion
)

// Open reads the snapshot in a file. The errors contain the path.
func Open(path string) (f *File, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("untyped: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	f, err = Read(bufio.NewReaderSize(file, 1<<20))
	return f, frames.OfFile("untyped", path, err)
}

// Read reads a snapshot from a stream, up to the stream's end. The error is of category ErrCorrupt
// or ErrVersion, or it is the error of the stream.
func Read(from io.Reader) (*File, error) {
	f := &File{Names: map[ecs.Entity]string{}, Shared: map[int][][]byte{}}
	r := &reader{stream: format.Reader{Reader: frames.Reader{Source: from, MaxPayload: 1 << 40}, Package: "untyped"}, file: f}
	if err := r.stream.ReadHead(); err != nil {
		return nil, err
	}
	f.Version, f.HashVersion = r.stream.Version, r.stream.HashVersion
	for at := format.KindSchema; ; {
		frame, err := r.stream.ReadVerified()
		if err != nil {
			return nil, err
		}
		kind, d := frame.Kind(), frame.Body()
		if kind != format.KindEnd {
			r.stream.Count(&frame)
		}
		switch {
		case kind == format.KindBlobs && at == format.KindShared && f.Blobs == nil:
			f.Blobs, d.Rest = d.Rest, nil
		case kind == format.KindRows && at == format.KindRows:
			err = r.decodeRows(d)
		case kind == format.KindEnd && at >= format.KindRows:
			return f, r.readEnd(frame)
		case kind > format.KindBlobs && at >= format.KindRows:
			at = format.KindEnd // no rows may follow
			d.Rest = nil
		case kind == uint32(at) && at < format.KindRows:
			at++
			err = [...]func(*frames.In) error{format.KindSchema: r.decodeSchema, format.KindState: r.decodeState, format.KindShared: r.decodeShared, format.KindArchetypes: r.decodeArchetypes}[kind](d)
		default:
			err = corrupt("the frame at byte %d is of kind %d, and comes at the wrong place", frame.Offset, kind)
		}
		if err == nil && !d.Done() {
			err = corrupt("the frame at byte %d ends too early or too late", frame.Offset)
		}
		if err != nil {
			return nil, err
		}
	}
}

// reader reads one snapshot.
type reader struct {
	stream      format.Reader
	file        *File
	seenIndices map[int32]bool // indices of the entities that were read
}

// readEnd reads the totals in the last frame, and checks the number of chunks of each archetype.
func (r *reader) readEnd(end frames.Frame) (err error) {
	f := r.file
	if f.Hash, err = r.stream.ReadEnd(end); err != nil {
		return err
	}
	f.Frames, f.Bytes = int(r.stream.Frames)+1, r.stream.Offset
	for i := range f.Archetypes {
		if a := &f.Archetypes[i]; len(a.Chunks) != a.announcedChunks {
			return corrupt("archetype %d has %d chunks, and is to have %d", i, len(a.Chunks), a.announcedChunks)
		}
	}
	return nil
}

func (r *reader) decodeSchema(d *frames.In) (err error) {
	f := r.file
	f.Components = make([]Component, d.Count(16))
	for i := range f.Components {
		c := &f.Components[i]
		c.Name, c.Kind = d.Text(), Kind(d.U32())
		c.Lanes = make([]Lane, d.Count(8))
		for l := range c.Lanes {
			c.Lanes[l].Name = d.Text()
			if c.Lanes[l].Shape, err = shapeOf(d.Text()); err != nil {
				return err
			}
		}
		if c.Elem, err = shapeOf(d.Text()); err != nil {
			return err
		}
		if i > 0 && c.Name <= f.Components[i-1].Name {
			return corrupt("components are in another order: %s", c.Name)
		}
	}
	return nil
}

func (r *reader) decodeState(d *frames.In) error {
	f := r.file
	d.U32()
	f.Free = d.Entities(d.Count(8))
	f.Retired = d.Places()
	for range d.Count(12) {
		e := d.Entity()
		f.Names[e] = d.Text()
	}
	f.Sums = make([]ecs.NamedHash, d.Count(12))
	for i := range f.Sums {
		f.Sums[i] = ecs.NamedHash{Name: d.Text(), Sum: d.U64()}
	}
	r.seenIndices = map[int32]bool{}
	for _, e := range f.Free {
		if r.seenIndices[e.Index] || e.Index < 0 {
			return corrupt("slot %d is free twice, or there is none", e.Index)
		}
		r.seenIndices[e.Index] = true
	}
	return nil
}

func (r *reader) decodeShared(d *frames.In) error {
	for range d.Count(12) {
		at := int(d.U32())
		if at < 0 || at >= len(r.file.Components) || r.file.Components[at].Kind&Shared == 0 || r.file.Shared[at] != nil {
			return corrupt("values of component %d of %d", at, len(r.file.Components))
		}
		values := make([][]byte, 1, 2)
		for range d.Count(4) {
			if n := d.U32(); n != ^uint32(0) {
				values = append(values, d.Take(uint64(n)))
			} else {
				values = append(values, nil)
			}
		}
		r.file.Shared[at] = values
		d.Places()
	}
	return nil
}

func (r *reader) decodeArchetypes(d *frames.In) error {
	f := r.file
	f.Archetypes = make([]Archetype, d.Count(24))
	for i := range f.Archetypes {
		a := &f.Archetypes[i]
		for range d.Count(8) {
			at := int(d.U32())
			if d.U32(); at < 0 || at >= len(f.Components) || slices.Contains(a.Components, at) {
				return corrupt("archetype %d has component %d of %d", i, at, len(f.Components))
			}
			a.Components = append(a.Components, at)
		}
		d.Take(12)
		a.Groups = make([]Group, d.Count(16))
		for g := range a.Groups {
			a.Groups[g].Values = d.Places()
			d.U32()
			d.Places()
			d.Places()
			if err := r.checkGroup(i, a, &a.Groups[g]); err != nil {
				return err
			}
		}
		a.announcedChunks = int(d.U32())
	}
	return nil
}

// checkGroup checks the shared values of a group.
func (r *reader) checkGroup(i int, a *Archetype, g *Group) error {
	k := 0
	for _, at := range a.Components {
		if r.file.Components[at].Kind&Shared == 0 {
			continue
		}
		if k >= len(g.Values) || g.Values[k] < 0 || int(g.Values[k]) >= max(1, len(r.file.Shared[at])) {
			return corrupt("archetype %d has a group without its value of %s", i, r.file.Components[at].Name)
		}
		k++
	}
	if k != len(g.Values) {
		return corrupt("archetype %d has a group with %d shared values, and has %d shared components", i, len(g.Values), k)
	}
	return nil
}

// decodeRows decodes a frame of chunks.
func (r *reader) decodeRows(d *frames.In) error {
	at, first := int64(d.U32()), int64(d.U32())
	if at >= int64(len(r.file.Archetypes)) {
		return corrupt("rows of archetype %d of %d", at, len(r.file.Archetypes))
	}
	a := &r.file.Archetypes[at]
	n := d.Count(28)
	if first != int64(len(a.Chunks)) || n > a.announcedChunks-len(a.Chunks) {
		return corrupt("archetype %d has chunk %d behind %d", at, first, len(a.Chunks))
	}
	heads := make([]chunkHead, n)
	for i := range heads {
		if err := heads[i].readHead(d, a, at); err != nil {
			return err
		}
	}
	for i, h := range heads {
		c, number := &a.Chunks[int(first)+i], int(first)+i
		body := &frames.In{Rest: d.Take(h.bodyBytes)}
		if h.rows*8 > int64(len(body.Rest)) {
			return corrupt("chunk %d of archetype %d has %d bytes for %d rows", number, at, len(body.Rest), h.rows)
		}
		if err := r.decodeIDs(c, body, int(h.rows)); err != nil {
			return err
		}
		if err := r.decodeColumns(a, c, body); err != nil {
			return err
		}
		if !body.Done() {
			return corrupt("chunk %d of archetype %d ends too early or too late", number, at)
		}
		a.Rows += int(h.rows)
	}
	return nil
}

// chunkHead holds those facts before the rows of a chunk that the type Chunk does not contain.
type chunkHead struct {
	rows      int64
	bodyBytes uint64 // size of the rows in bytes
}

// readHead reads the head of the next chunk of an archetype.
func (h *chunkHead) readHead(d *frames.In, a *Archetype, at int64) error {
	c := Chunk{}
	h.rows = int64(d.U32())
	c.Group = int(d.U32())
	d.U32() // skip the age of the order
	c.Meta = d.Entity()
	d.Take(8 * uint64(len(a.Components))) // skip the ages of the columns
	h.bodyBytes = d.U64()
	if c.Group < 0 || c.Group >= len(a.Groups) || h.rows < 1 {
		return corrupt("chunk %d of archetype %d has %d rows, and is of group %d of %d", len(a.Chunks), at, h.rows, c.Group, len(a.Groups))
	}
	a.Chunks = append(a.Chunks, c)
	return nil
}

// decodeIDs decodes the ids of a chunk. Each id must occur only once in the file.
func (r *reader) decodeIDs(c *Chunk, body *frames.In, rows int) error {
	c.Entities = body.Entities(rows)
	for _, e := range c.Entities {
		if r.seenIndices[e.Index] || e.Index < 0 || e.Version < 1 {
			return corrupt("entity %v is there twice, or is none", e)
		}
		r.seenIndices[e.Index] = true
	}
	return nil
}

// decodeColumns decodes the columns of a chunk. For a shared component, the value is that of the
// chunk's group.
func (r *reader) decodeColumns(a *Archetype, c *Chunk, body *frames.In) error {
	shared := 0
	for _, at := range a.Components {
		col, err := r.decodeColumn(body, &r.file.Components[at], len(c.Entities))
		if err != nil {
			return err
		}
		if r.file.Components[at].Kind&Shared != 0 {
			v := a.Groups[c.Group].Values[shared]
			if col.Default = v == 0; !col.Default {
				col.Value = r.file.Shared[at][v]
			}
			shared++
		}
		c.Columns = append(c.Columns, col)
	}
	return nil
}

// decodeColumn decodes one column of a chunk.
func (r *reader) decodeColumn(d *frames.In, c *Component, rows int) (col Column, err error) {
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
	if d.Failed {
		return col, corrupt("a column of %s ends too early", c.Name)
	}
	return col, nil
}
