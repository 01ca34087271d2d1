package scene

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/jobs"
)

// Version is the version of the format of baked files that [Baked.Write] writes. It is read, and all before.
const Version = 1

// magic begins every baked file.
var magic = [8]byte{0x89, 'L', 'W', 'B', '\r', '\n', 0x1a, '\n'}

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
	var o frames.Out
	o.Begin(kindHead)
	o.B = append(o.B, b.sum[:]...)
	o.U32(uint32(b.entries))
	o.U32(uint32(b.prefabs))
	o.U32(uint32(len(b.schema)))
	for _, s := range b.schema {
		o.Text(s.name)
		o.Text(s.full)
		o.B = append(o.B, s.form[:]...)
	}
	if err := o.Send(to); err != nil {
		return errorf("%w", err)
	}
	o.Begin(kindOutward)
	o.U32(uint32(len(b.outward)))
	for _, r := range b.outward {
		o.U32(uint32(r.From.Index))
		o.Text(nameOf(r.Type))
		o.U32(uint32(len(r.Path)))
		for _, i := range r.Path {
			o.U32(uint32(i))
		}
		o.Text(r.Scene)
		o.Text(r.Name)
	}
	if err := o.Send(to); err != nil {
		return errorf("%w", err)
	}
	if _, err := snapshot.Write(to, b.image, b.options.snapshot(forFiles())...); err != nil {
		return errorf("%w", err)
	}
	return nil
}

// corrupt is an error of category ErrCorrupt.
func corrupt(text string, args ...any) error {
	return errorf("%w: %s", ErrCorrupt, fmt.Sprintf(text, args...))
}

// next reads a frame.
func next(from *frames.Reader, kind uint32) (*frames.In, error) {
	f, err := from.Next(nil)
	switch {
	case err != nil:
		return nil, cut(err)
	case f.Kind() != kind:
		return nil, corrupt("a frame is of another kind than it should be")
	case !f.Whole():
		return nil, corrupt("the checksum of a frame is another one")
	}
	return f.Body(), nil
}

// cut is what a reader of frames has returned.
func cut(err error) error {
	if long := (*frames.TooLong)(nil); errors.As(err, &long) {
		return corrupt("a frame says that it has %d bytes; the limit is %d", long.Bytes, most)
	}
	if frames.Ended(err) {
		return corrupt("it ends in the middle")
	}
	return errorf("%w", err)
}

// read reads a baked file of a size, if that is known, of the text with a sum if that is given.
func read(from io.Reader, size int64, sum *[sha256.Size]byte, o *options) (*Baked, error) {
	var head [12]byte
	stream := &frames.Reader{From: from, Most: most}
	if err := stream.Full(head[:]); err != nil {
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
	n, err := b.readHead(stream)
	if err != nil {
		return nil, err
	}
	known := forFiles()
	if sum != nil && (*sum != b.sum || !known.current(b.schema)) {
		return nil, errOther
	}
	if err := b.readOutward(stream, n, known); err != nil {
		return nil, err
	}
	all, done, err := inMemory(from, size)
	if err != nil {
		return nil, err
	}
	b.image, err = snapshot.Read(all, o.snapshot(known)...)
	if done(); err != nil {
		return nil, errorf("%w", err)
	}
	return b, b.named(n)
}

// readHead reads the head, and returns how many names there are.
func (b *Baked) readHead(from *frames.Reader) (n int, err error) {
	d, err := next(from, kindHead)
	if err != nil {
		return 0, err
	}
	copy(b.sum[:], d.Take(sha256.Size))
	entries, prefabs := d.U32(), d.U32()
	b.schema = make([]described, d.Count(40))
	for i := range b.schema {
		s := &b.schema[i]
		s.name, s.full = d.Text(), d.Text()
		copy(s.form[:], d.Take(sha256.Size))
	}
	if !d.Done() || entries > 1<<31-1 || prefabs > entries {
		return 0, corrupt("the head is not whole")
	}
	b.prefabs = int(prefabs)
	return int(entries), nil
}

// readOutward reads the references that lead out of the scene.
func (b *Baked) readOutward(from *frames.Reader, n int, known *catalog) error {
	d, err := next(from, kindOutward)
	if err != nil {
		return err
	}
	for range d.Count(20) {
		index := d.U32()
		name := d.Text()
		r := Reference{Path: make([]int, d.Count(4))}
		for i := range r.Path {
			r.Path[i] = int(d.U32() & (1<<31 - 1))
		}
		r.Scene, r.Name = d.Text(), d.Text()
		if d.Bad || index >= uint32(n) {
			return corrupt("a reference is not whole")
		}
		own := known.byName[name]
		if own == nil || own.known == nil {
			return errorf("a reference is in a component %q, which is not registered: see ecs.RegisterComponent", name)
		}
		r.From, r.Type = id(int32(index)), own.Type
		b.outward = append(b.outward, r)
	}
	if !d.Done() {
		return corrupt("the references end too early or too late")
	}
	return nil
}

// named checks that the first n entities of the image have names.
func (b *Baked) named(n int) error {
	if n > images.Len(b.image) {
		return corrupt("it has %d names, and the image %d entities", n, images.Len(b.image))
	}
	b.entries = n
	var least atomic.Int32 // the first one without a name: lowered by jobs, read behind them
	least.Store(int32(n))
	err := jobs.Default().Range(n, 4096, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if b.name(int32(i)) != "" {
				continue
			}
			for old := least.Load(); int32(i) < old && !least.CompareAndSwap(old, int32(i)); old = least.Load() {
			}
			return
		}
	})
	if first := least.Load(); err == nil && int(first) < n {
		err = corrupt("entity %v has no name", id(first))
	}
	return err
}
