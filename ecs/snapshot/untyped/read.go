package untyped

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/lanewise/lanewise/ecs"
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

var (
	magic      = [8]byte{0x89, 'L', 'W', 'S', '\r', '\n', 0x1a, '\n'}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

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

// Open reads the snapshot in a file.
func Open(path string) (f *File, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("untyped: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return Read(bufio.NewReaderSize(file, 1<<20))
}

// Read reads a snapshot from a stream, to its end. The error is of category ErrCorrupt or ErrVersion, or that of the stream.
func Read(from io.Reader) (*File, error) {
	r := &reader{from: from, f: &File{Names: map[ecs.Entity]string{}, Shared: map[int][][]byte{}}}
	var head [16]byte
	if err := r.full(head[:]); err != nil {
		return nil, err
	}
	if [8]byte(head[:8]) != magic {
		return nil, corrupt("it does not begin as one")
	}
	f := r.f
	f.Version, f.HashVersion = binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	if f.Version == 0 || f.Version > Version {
		return nil, fmt.Errorf("untyped: %w: %d, and this release knows up to %d", ErrVersion, f.Version, Version)
	}
	r.crcs = crc32.Checksum(head[:], castagnoli)
	for at := kindSchema; ; {
		start := r.at
		kind, d, err := r.next()
		if err != nil {
			return nil, err
		}
		switch {
		case kind == kindBlobs && at == kindShared && r.f.Blobs == nil:
			r.f.Blobs, d.b = d.b, nil
		case kind == kindRows && at == kindRows:
			err = r.rows(d)
		case kind == kindEnd && at >= kindRows:
			return f, r.end(d)
		case kind > kindBlobs && at >= kindRows:
			at = kindEnd // no rows behind it
			d.b = nil
		case kind == uint32(at) && at < kindRows:
			at++
			err = [...]func(*in) error{kindSchema: r.schema, kindState: r.state, kindShared: r.shared, kindArchetypes: r.archetypes}[kind](d)
		default:
			err = corrupt("the frame at byte %d is of kind %d, and comes at the wrong place", start, kind)
		}
		if err == nil && (d.bad || len(d.b) > 0) {
			err = corrupt("the frame at byte %d ends too early or too late", start)
		}
		if err != nil {
			return nil, err
		}
	}
}

type reader struct {
	from io.Reader
	at   int64
	crcs uint32
	f    *File
	seen map[int32]bool // indices of entities
}

func (r *reader) full(b []byte) error {
	n, err := io.ReadFull(r.from, b)
	r.at += int64(n)
	if err != nil {
		return r.cut(err)
	}
	return nil
}

func (r *reader) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupt("it ends at byte %d, in the middle", r.at)
	}
	return fmt.Errorf("untyped: read at byte %d: %w", r.at, err)
}

// next reads a frame, and checks its sum.
func (r *reader) next() (kind uint32, d *in, err error) {
	start := r.at
	var head [12]byte
	if err := r.full(head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.LittleEndian.Uint64(head[4:])
	if size > 1<<40 {
		return 0, nil, corrupt("the frame at byte %d says that it has %d bytes", start, size)
	}
	var b bytes.Buffer
	b.Write(head[:])
	n, err := io.CopyN(&b, r.from, int64(size)+4)
	if r.at += n; err != nil {
		return 0, nil, r.cut(err)
	}
	all := b.Bytes()
	sum := binary.LittleEndian.Uint32(all[len(all)-4:])
	if crc32.Checksum(all[:len(all)-4], castagnoli) != sum {
		return 0, nil, corrupt("the frame at byte %d was changed", start)
	}
	kind = binary.LittleEndian.Uint32(head[:])
	if kind != kindEnd {
		r.f.Frames++
		r.crcs = r.crcs*31 + sum
	}
	return kind, &in{b: all[12 : len(all)-4]}, nil
}

// end checks what the last frame says of all.
func (r *reader) end(d *in) error {
	count, crcs := d.u64(), d.u32()
	r.f.Hash = d.u64()
	if d.bad || len(d.b) > 0 || count != uint64(r.f.Frames) || crcs != r.crcs {
		return corrupt("frames are missing, or in another order")
	}
	r.f.Frames++
	if _, err := io.ReadFull(r.from, make([]byte, 1)); err == nil {
		return corrupt("it goes on behind its end, at byte %d", r.at)
	} else if err != io.EOF {
		return r.cut(err)
	}
	r.f.Bytes = r.at
	for i := range r.f.Archetypes {
		if a := &r.f.Archetypes[i]; len(a.Chunks) != a.want {
			return corrupt("archetype %d has %d chunks, and is to have %d", i, len(a.Chunks), a.want)
		}
	}
	return nil
}

func (r *reader) schema(d *in) (err error) {
	f := r.f
	f.Components = make([]Component, d.count(16))
	for i := range f.Components {
		c := &f.Components[i]
		c.Name, c.Kind = d.text(), Kind(d.u32())
		c.Lanes = make([]Lane, d.count(8))
		for l := range c.Lanes {
			c.Lanes[l].Name = d.text()
			if c.Lanes[l].Shape, err = shapeOf(d.text()); err != nil {
				return err
			}
		}
		if c.Elem, err = shapeOf(d.text()); err != nil {
			return err
		}
		if i > 0 && c.Name <= f.Components[i-1].Name {
			return corrupt("components are in another order: %s", c.Name)
		}
	}
	return nil
}

func (r *reader) state(d *in) error {
	f := r.f
	d.u32()
	f.Free = d.entities(d.count(8))
	f.Retired = d.places()
	for range d.count(12) {
		e := d.entity()
		f.Names[e] = d.text()
	}
	f.Sums = make([]ecs.ImageSum, d.count(12))
	for i := range f.Sums {
		f.Sums[i] = ecs.ImageSum{Name: d.text(), Sum: d.u64()}
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

func (r *reader) shared(d *in) error {
	for range d.count(12) {
		at := int(d.u32())
		if at < 0 || at >= len(r.f.Components) || r.f.Components[at].Kind&Shared == 0 || r.f.Shared[at] != nil {
			return corrupt("values of component %d of %d", at, len(r.f.Components))
		}
		values := make([][]byte, 1, 2)
		for range d.count(4) {
			if n := d.u32(); n != ^uint32(0) {
				values = append(values, d.take(uint64(n)))
			} else {
				values = append(values, nil)
			}
		}
		r.f.Shared[at] = values
		d.places()
	}
	return nil
}

func (r *reader) archetypes(d *in) error {
	f := r.f
	f.Archetypes = make([]Archetype, d.count(24))
	for i := range f.Archetypes {
		a := &f.Archetypes[i]
		for range d.count(8) {
			at := int(d.u32())
			if d.u32(); at < 0 || at >= len(f.Components) || slices.Contains(a.Components, at) {
				return corrupt("archetype %d has component %d of %d", i, at, len(f.Components))
			}
			a.Components = append(a.Components, at)
		}
		d.take(12)
		a.Groups = make([]Group, d.count(16))
		for g := range a.Groups {
			a.Groups[g].Values = d.places()
			d.u32()
			d.places()
			d.places()
			if err := r.group(i, a, &a.Groups[g]); err != nil {
				return err
			}
		}
		a.want = int(d.u32())
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
