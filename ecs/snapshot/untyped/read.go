package untyped

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// Version is the newest version of the format that Read knows.
const Version = 2

// The categories of errors, for errors.Is.
var (
	// ErrCorrupt says that the bytes are not those that were written, or are no snapshot.
	ErrCorrupt = errors.New("not a whole snapshot")

	// ErrVersion says that a later release has written the snapshot.
	ErrVersion = errors.New("a snapshot of a later version")
)

var magic = [8]byte{0x89, 'L', 'W', 'S', '\r', '\n', 0x1a, '\n'}

// The kinds of frames that are looked into. Others are checked and left out.
const (
	kindSchema = 1 + iota
	kindState
	kindShared
	kindArchetypes
	kindRows
	kindEnd
	kindBlobs
)

// Open reads the snapshot in a file, which errors name.
func Open(path string) (f *File, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("untyped: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	f, err = Read(bufio.NewReaderSize(file, 1<<20))
	return f, frames.OfFile("untyped", path, err)
}

// Read reads a snapshot from a stream, to its end. The error is of category ErrCorrupt or ErrVersion, or that of the stream.
func Read(from io.Reader) (*File, error) {
	r := &reader{stream: frames.Reader{From: from, Most: 1 << 40}, f: &File{Names: map[ecs.Entity]string{}, Shared: map[int][][]byte{}}}
	var head [16]byte
	if err := r.stream.Full(head[:]); err != nil {
		return nil, r.cut(err)
	}
	if [8]byte(head[:8]) != magic {
		return nil, corrupt("it does not begin as one")
	}
	f := r.f
	f.Version, f.HashVersion = binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	if f.Version == 0 || f.Version > Version {
		return nil, fmt.Errorf("untyped: %w: %d, and this release knows up to %d", ErrVersion, f.Version, Version)
	}
	r.crcs = frames.Sum(head[:])
	for at := kindSchema; ; {
		start := r.stream.At
		kind, d, err := r.next()
		if err != nil {
			return nil, err
		}
		switch {
		case kind == kindBlobs && at == kindShared && r.f.Blobs == nil:
			r.f.Blobs, d.B = d.B, nil
		case kind == kindRows && at == kindRows:
			err = r.rows(d)
		case kind == kindEnd && at >= kindRows:
			return f, r.end(d)
		case kind > kindBlobs && at >= kindRows:
			at = kindEnd // no rows behind it
			d.B = nil
		case kind == uint32(at) && at < kindRows:
			at++
			err = [...]func(*frames.In) error{kindSchema: r.schema, kindState: r.state, kindShared: r.shared, kindArchetypes: r.archetypes}[kind](d)
		default:
			err = corrupt("the frame at byte %d is of kind %d, and comes at the wrong place", start, kind)
		}
		if err == nil && !d.Done() {
			err = corrupt("the frame at byte %d ends too early or too late", start)
		}
		if err != nil {
			return nil, err
		}
	}
}

type reader struct {
	stream frames.Reader
	crcs   uint32
	f      *File
	seen   map[int32]bool // indices of entities
}

// cut is what a reader of frames has returned.
func (r *reader) cut(err error) error {
	if long := (*frames.TooLong)(nil); errors.As(err, &long) {
		return corrupt("%v", long)
	}
	if frames.Ended(err) {
		return corrupt("%s", r.stream.Ending())
	}
	return fmt.Errorf("untyped: read at byte %d: %w", r.stream.Got, err)
}

// next reads a frame, and checks its sum.
func (r *reader) next() (kind uint32, d *frames.In, err error) {
	f, err := r.stream.Next(nil)
	if err != nil {
		return 0, nil, r.cut(err)
	}
	if !f.Whole() {
		return 0, nil, corrupt("the frame at byte %d was changed", f.At)
	}
	if kind = f.Kind(); kind != kindEnd {
		r.f.Frames++
		r.crcs = frames.Joined(r.crcs, f.Sum())
	}
	return kind, f.Body(), nil
}

// end checks what the last frame says of all.
func (r *reader) end(d *frames.In) error {
	count, crcs := d.U64(), d.U32()
	r.f.Hash = d.U64()
	if !d.Done() || count != uint64(r.f.Frames) || crcs != r.crcs {
		return corrupt("frames are missing, or in another order")
	}
	r.f.Frames++
	if err := r.stream.End(); err == nil {
		return corrupt("it goes on behind its end, at byte %d", r.stream.At)
	} else if err != io.EOF {
		return r.cut(err)
	}
	r.f.Bytes = r.stream.At
	for i := range r.f.Archetypes {
		if a := &r.f.Archetypes[i]; len(a.Chunks) != a.want {
			return corrupt("archetype %d has %d chunks, and is to have %d", i, len(a.Chunks), a.want)
		}
	}
	return nil
}

func (r *reader) schema(d *frames.In) (err error) {
	f := r.f
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

func (r *reader) state(d *frames.In) error {
	f := r.f
	d.U32()
	f.Free = d.Entities(d.Count(8))
	f.Retired = d.Places()
	for range d.Count(12) {
		e := d.Entity()
		f.Names[e] = d.Text()
	}
	f.Sums = make([]images.Sum, d.Count(12))
	for i := range f.Sums {
		f.Sums[i] = images.Sum{Name: d.Text(), Sum: d.U64()}
	}
	r.seen = map[int32]bool{}
	for _, e := range f.Free {
		if r.seen[e.Index] || e.Index < 0 {
			return corrupt("slot %d is free twice, or there is none", e.Index)
		}
		r.seen[e.Index] = true
	}
	return nil
}

func (r *reader) shared(d *frames.In) error {
	for range d.Count(12) {
		at := int(d.U32())
		if at < 0 || at >= len(r.f.Components) || r.f.Components[at].Kind&Shared == 0 || r.f.Shared[at] != nil {
			return corrupt("values of component %d of %d", at, len(r.f.Components))
		}
		values := make([][]byte, 1, 2)
		for range d.Count(4) {
			if n := d.U32(); n != ^uint32(0) {
				values = append(values, d.Take(uint64(n)))
			} else {
				values = append(values, nil)
			}
		}
		r.f.Shared[at] = values
		d.Places()
	}
	return nil
}

func (r *reader) archetypes(d *frames.In) error {
	f := r.f
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
			if err := r.group(i, a, &a.Groups[g]); err != nil {
				return err
			}
		}
		a.want = int(d.U32())
	}
	return nil
}

// group checks the shared values of a group.
func (r *reader) group(i int, a *Archetype, g *Group) error {
	k := 0
	for _, at := range a.Components {
		if r.f.Components[at].Kind&Shared == 0 {
			continue
		}
		if k >= len(g.Values) || g.Values[k] < 0 || int(g.Values[k]) >= max(1, len(r.f.Shared[at])) {
			return corrupt("archetype %d has a group without its value of %s", i, r.f.Components[at].Name)
		}
		k++
	}
	if k != len(g.Values) {
		return corrupt("archetype %d has a group with %d shared values, and has %d shared components", i, len(g.Values), k)
	}
	return nil
}
