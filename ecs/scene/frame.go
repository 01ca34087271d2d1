package scene

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/lanewise/lanewise/ecs/snapshot"
)

// Version is the version of the format of baked files that [Baked.Write] writes. It is read, and all before.
const Version = 1

// magic begins every baked file.
var magic = [8]byte{0x89, 'L', 'W', 'B', '\r', '\n', 0x1a, '\n'}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The kinds of frames, in the order in which they come.
const (
	kindHead = 1 + iota
	kindOutward
)

// most is how many bytes a frame has: head and references, not the image.
const most = 1 << 30

// Write writes the scene to a stream, so that [ReadBaked] reads it. Equal scenes have equal bytes on every machine.
func (b *Baked) Write(to io.Writer) error {
	head := append([]byte(nil), magic[:]...)
	head = binary.LittleEndian.AppendUint32(head, Version)
	if _, err := to.Write(head); err != nil {
		return errorf("%w", err)
	}
	var o out
	o.begin(kindHead)
	o.b = append(o.b, b.sum[:]...)
	o.u32(uint32(len(b.names)))
	o.u32(uint32(b.prefabs))
	o.u32(uint32(len(b.schema)))
	for _, s := range b.schema {
		o.text(s.name)
		o.text(s.full)
		o.b = append(o.b, s.form[:]...)
	}
	if err := o.end(to); err != nil {
		return err
	}
	o.begin(kindOutward)
	o.u32(uint32(len(b.outward)))
	for _, r := range b.outward {
		o.u32(uint32(r.From.Index))
		o.text(nameOf(r.Type))
		o.u32(uint32(len(r.Path)))
		for _, i := range r.Path {
			o.u32(uint32(i))
		}
		o.text(r.Scene)
		o.text(r.Name)
	}
	if err := o.end(to); err != nil {
		return err
	}
	if _, err := snapshot.Write(to, b.image, b.options.snapshot(components())...); err != nil {
		return errorf("%w", err)
	}
	return nil
}

// out collects the bytes of a frame.
type out struct{ b []byte }

func (o *out) u32(v uint32)  { o.b = binary.LittleEndian.AppendUint32(o.b, v) }
func (o *out) text(s string) { o.u32(uint32(len(s))); o.b = append(o.b, s...) }

// begin makes room for the head of a frame.
func (o *out) begin(kind uint32) {
	o.b = o.b[:0]
	o.u32(kind)
	o.b = append(o.b, make([]byte, 8)...)
}

// end writes the frame.
func (o *out) end(to io.Writer) error {
	binary.LittleEndian.PutUint64(o.b[4:], uint64(len(o.b)-12))
	o.u32(crc32.Checksum(o.b, castagnoli))
	if _, err := to.Write(o.b); err != nil {
		return errorf("%w", err)
	}
	return nil
}

// in reads the bytes of a frame. When they end too early it fails, and all that follows is 0.
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

// corrupt is an error of category ErrCorrupt.
func corrupt(text string, args ...any) error {
	return errorf("%w: %s", ErrCorrupt, fmt.Sprintf(text, args...))
}

// next reads a frame.
func next(from io.Reader, kind uint32) (*in, error) {
	var head [12]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, cut(err)
	}
	size := binary.LittleEndian.Uint64(head[4:])
	switch {
	case binary.LittleEndian.Uint32(head[:]) != kind:
		return nil, corrupt("a frame is of another kind than it should be")
	case size > most:
		return nil, corrupt("a frame says that it has %d bytes; the limit is %d", size, most)
	}
	var b bytes.Buffer // grows with what arrives, whatever the length says
	b.Write(head[:])
	if _, err := io.CopyN(&b, from, int64(size)+4); err != nil {
		return nil, cut(err)
	}
	all := b.Bytes()
	if crc32.Checksum(all[:len(all)-4], castagnoli) != binary.LittleEndian.Uint32(all[len(all)-4:]) {
		return nil, corrupt("the checksum of a frame is another one")
	}
	return &in{b: all[12 : len(all)-4]}, nil
}

// cut says that the stream has ended or failed.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupt("it ends in the middle")
	}
	return errorf("%w", err)
}

// read reads a baked file, of the text with a sum if that is given.
func read(from io.Reader, sum *[sha256.Size]byte, o *options) (*Baked, error) {
	var head [12]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, cut(err)
	}
	if !bytes.Equal(head[:8], magic[:]) {
		return nil, corrupt("it begins with other bytes")
	}
	switch v := binary.LittleEndian.Uint32(head[8:]); {
	case v > Version:
		return nil, errorf("%w: it has version %d; this program reads up to %d", ErrVersion, v, Version)
	case v == 0:
		return nil, corrupt("it has version 0")
	}
	b := &Baked{options: o}
	n, err := b.readHead(from)
	if err != nil {
		return nil, err
	}
	known := components()
	if sum != nil && (*sum != b.sum || !known.current(b.schema)) {
		return nil, errOther
	}
	if err := b.readOutward(from, n, known); err != nil {
		return nil, err
	}
	if b.image, err = snapshot.Read(from, o.snapshot(known)...); err != nil {
		return nil, errorf("%w", err)
	}
	return b, b.named(n)
}

// readHead reads the head, and returns how many names there are.
func (b *Baked) readHead(from io.Reader) (n int, err error) {
	d, err := next(from, kindHead)
	if err != nil {
		return 0, err
	}
	copy(b.sum[:], d.take(sha256.Size))
	entries, prefabs := d.u32(), d.u32()
	b.schema = make([]described, d.count(40))
	for i := range b.schema {
		s := &b.schema[i]
		s.name, s.full = d.text(), d.text()
		copy(s.form[:], d.take(sha256.Size))
	}
	if d.bad || len(d.b) > 0 || entries > 1<<31-1 || prefabs > entries {
		return 0, corrupt("the head is not whole")
	}
	b.prefabs = int(prefabs)
	return int(entries), nil
}

// readOutward reads the references that lead out of the scene.
func (b *Baked) readOutward(from io.Reader, n int, known *catalog) error {
	d, err := next(from, kindOutward)
	if err != nil {
		return err
	}
	for range d.count(20) {
		index := d.u32()
		name := d.text()
		r := Reference{Path: make([]int, d.count(4))}
		for i := range r.Path {
			r.Path[i] = int(d.u32() & (1<<31 - 1))
		}
		r.Scene, r.Name = d.text(), d.text()
		if d.bad || index >= uint32(n) {
			return corrupt("a reference is not whole")
		}
		own, _ := known.find(name)
		if own == nil {
			return errorf("a reference is in a component %q, which is not registered: see ecs.RegisterComponent", name)
		}
		r.From, r.Type = id(int32(index)), own.Type
		b.outward = append(b.outward, r)
	}
	if d.bad || len(d.b) > 0 {
		return corrupt("the references end too early or too late")
	}
	return nil
}

// named takes the names from the image.
func (b *Baked) named(n int) error {
	names := b.image.State().Names
	if len(names) != n {
		return corrupt("it has %d names; the image has %d", n, len(names))
	}
	b.names = make([]string, n)
	for e, name := range names { //lanewise:inexact each name has a place of its own
		if e.Version != 1 || int(e.Index) >= n {
			return corrupt("the name %q is that of %v, and there are %d", name, e, n)
		}
		b.names[e.Index] = name
	}
	return nil
}
