package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
)

// ErrBase says that a delta was computed from another image.
var ErrBase = errors.New("a delta of another image")

// Apply reads a delta that [Delta] has written, up to the end of the stream. It returns the image
// after the delta. The parameter before must be the image from which the delta was computed. The
// image before may also be an image with the same hash and the same history, because it was read
// from that image's snapshot or by Apply. The image before does not change, even if Apply returns
// an error. If before is another image, the error is of category ErrBase. Otherwise the errors are
// those of [Read]. The options are those of Delta, plus [Pieces], [Within] and [OnPool]. Only the
// program that wrote a delta can apply it: if component types have changed, use a snapshot.
func Apply(from io.Reader, before *ecs.Image, opts ...Option) (*ecs.Image, error) {
	b, err := newBase(before, optionsOf("Apply", opts))
	if err != nil {
		return nil, err
	}
	o := optionsOf("Apply", opts)
	a := &deltaStream{base: b, stream: format.Reader{Reader: frames.Reader{Source: from, MaxPayload: 1 << 40, MaxBytes: o.limits.Bytes}, Package: "snapshot", Unchecked: o.skipChecksums}}
	if err := a.readHead(); err != nil {
		return nil, err
	}
	m, err := Read(a, opts...)
	switch {
	case a.err != nil && a.err != io.EOF:
		err = a.err
	case err != nil:
		err = fmt.Errorf("snapshot: behind the delta, or the image before it differs in what has no part in its hash: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// deltaStream is a stream that produces the snapshot after a delta. Apply reads it like any other
// snapshot, so that the result of a delta is checked like a file.
type deltaStream struct {
	base   *baseImage
	stream format.Reader

	pending  []byte     // bytes that have not yet been read
	frame    frames.Out // the frame that contains pending
	rowsLeft frames.In  // the part of a delta's frame that has not yet been used
	expected expectedRows
	ended    bool
	err      error
}

// Read reads bytes of the snapshot.
func (a *deltaStream) Read(b []byte) (int, error) {
	for len(a.pending) == 0 {
		if a.err == nil {
			a.err = a.nextFrame()
		}
		if a.err != nil {
			return 0, a.err
		}
	}
	n := copy(b, a.pending)
	a.pending = a.pending[n:]
	return n, nil
}

// readHead reads the head of the delta and its first frame.
func (a *deltaStream) readHead() error {
	var head [16]byte
	if err := a.stream.Full(head[:]); err != nil {
		return a.stream.StreamError(err)
	}
	if [8]byte(head[:]) != deltaMagic {
		return corrupt("it does not begin as a delta")
	}
	if v := binary.LittleEndian.Uint32(head[8:]); v == 0 || v > DeltaVersion {
		return fmt.Errorf("snapshot: %w: a delta of version %d, and this release knows up to %d", ErrVersion, v, DeltaVersion)
	}
	a.stream.BeginTotals(head[:])
	f, err := a.readFrame()
	if err != nil {
		return err
	}
	d := f.Body()
	hash, shift := d.U64(), d.U64()
	a.pending = append(a.pending, d.Take(16)...)
	if f.Kind() != deltaBase || !d.Done() || int64(shift) > maxAge || int64(shift) < -maxAge {
		return corrupt("the first frame of the delta is none")
	}
	if own := binary.LittleEndian.Uint32(head[12:]); own != ecs.HashVersion && !a.stream.Unchecked {
		return fmt.Errorf("snapshot: %w: the hash of its image is of version %d, and this release knows %d", ErrBase, own, ecs.HashVersion)
	}
	if own := a.base.image.Hash(); own != hash && !a.stream.Unchecked {
		return fmt.Errorf("snapshot: %w: of one with the hash %016x, and this has %016x", ErrBase, hash, own)
	}
	a.base.ageShift = int64(shift)
	return nil
}

// readFrame reads a frame of the delta.
func (a *deltaStream) readFrame() (frames.Frame, error) {
	f, err := a.stream.ReadVerified()
	if err == nil && f.Kind() != deltaEnd {
		a.stream.Count(&f)
	}
	return f, err
}

// nextFrame produces the next frame of the snapshot.
func (a *deltaStream) nextFrame() error {
	if a.ended {
		return io.EOF
	}
	if len(a.rowsLeft.Rest) > 0 {
		return a.patchRows()
	}
	f, err := a.readFrame()
	if err != nil {
		return err
	}
	d := f.Body()
	switch f.Kind() {
	case deltaFrame:
		kind := d.U32()
		a.frame.Begin(kind)
		a.frame.Buf = appendPatched(a.frame.Buf, d, a.base.payloads[kind])
		if !d.Done() || kind == format.KindRows || kind == format.KindEnd {
			return corrupt("the frame of the delta at byte %d is not whole", f.Offset)
		}
	case deltaRows:
		a.rowsLeft = *d
		return a.patchRows()
	case deltaEnd:
		same := a.stream.SameTotals(d)
		a.frame.Begin(format.KindEnd)
		a.frame.Buf = append(a.frame.Buf, d.Rest...)
		if !same {
			return corrupt("frames of the delta are missing, or in another order")
		}
		if err := a.stream.End(); err == nil {
			return corrupt("the delta goes on behind its end, at byte %d", a.stream.Offset)
		} else if err != io.EOF {
			return a.stream.StreamError(err)
		}
		a.ended = true
	default:
		return corrupt("the frame of the delta at byte %d is of kind %d", f.Offset, f.Kind())
	}
	a.frame.End()
	a.pending = a.frame.Buf
	return nil
}

// patchRows produces a frame of rows.
func (a *deltaStream) patchRows() error {
	d, o := &a.rowsLeft, &a.frame
	archetype, from, first, n := d.U32(), int64(d.U32())-1, d.U32(), d.U32()
	wrong := corrupt("rows of the delta in the frame before byte %d are not whole", a.stream.Offset)
	if d.Failed || from >= int64(len(a.base.archetypes)) || first > 1<<30 || n > 1<<20 {
		return wrong
	}
	if err := a.base.expectRows(&a.expected, int(from), int(first), int(n)); err != nil {
		return err
	}
	o.Begin(format.KindRows)
	o.U32(archetype)
	o.U32(first)
	o.U32(n)
	if o.Buf = appendPatched(o.Buf, d, a.expected.heads.Buf); d.Failed {
		return wrong
	}
	done := uint64(0) // number of chunks whose bodies are complete
	same := func(until uint64) {
		for ; done < until; done++ {
			body, _, _ := a.expected.chunkBody(int(done))
			o.Buf = append(o.Buf, body...)
		}
	}
	for changed := d.Uvarint(); changed > 0; changed-- {
		j, pieces := d.Uvarint(), d.Uvarint()
		if d.Failed || j < done || j >= uint64(n) {
			return wrong
		}
		same(j)
		own, at, known := a.expected.chunkBody(int(j))
		was := 0
		for i := uint64(0); i < pieces && !d.Failed; i++ {
			var before []byte
			if i < uint64(len(known)) {
				before, was = own[was:known[i]-at], known[i]-at
			}
			o.Buf = appendPatched(o.Buf, d, before)
		}
		done = j + 1
	}
	if d.Failed {
		return wrong
	}
	same(uint64(n))
	o.End()
	a.pending = o.Buf
	return nil
}
