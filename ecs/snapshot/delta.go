package snapshot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
)

// DeltaVersion is the latest version of the format of deltas. Apply reads this version and all
// earlier ones.
const DeltaVersion = 1

var deltaMagic = [8]byte{0x89, 'L', 'W', 'D', '\r', '\n', 0x1a, '\n'}

// These are the kinds of frames in a delta.
const (
	deltaBase = 1 + iota
	deltaFrame
	deltaRows
	deltaEnd
)

// baseImage is the image from which a delta is computed. baseImage encodes the pieces of its snapshot
// on demand.
type baseImage struct {
	*writer
	payloads       map[uint32][]byte // payloads of the frames without rows, by kind
	archetypeByKey map[string]int    // maps the components of an archetype to its index
	ageShift       int64             // added to each age of the base
}

// newBase returns the base for an image.
func newBase(m *ecs.Image, o *options) (*baseImage, error) {
	o.piecesToWrite = nil // pieces are not part of an image
	w, err := newWriter(m, o)
	if err != nil {
		return nil, err
	}
	b := &baseImage{writer: w, payloads: map[uint32][]byte{}, archetypeByKey: map[string]int{}}
	w.emitFrame = func(o *frames.Out) error {
		f := frames.Frame{Bytes: o.Buf}
		b.payloads[f.Kind()] = slices.Clone(f.Body().Rest)
		return nil
	}
	for i := range w.archetypes {
		b.archetypeByKey[w.archetypeKey(i)] = i
	}
	return b, w.writeFrames(func() error { return nil })
}

// archetypeKey returns the names of an archetype's components, which identify it.
func (w *writer) archetypeKey(archetype int) string {
	var o frames.Out
	for _, t := range w.archetypes[archetype].Components {
		o.Text(w.columns[w.columnIndex[t]].name)
	}
	return string(o.Buf)
}

// expectHead appends the head that a chunk of the base has in the later snapshot, provided that the
// chunk was not written in between.
func (b *baseImage) expectHead(o *frames.Out, c *ecs.ImageChunk, size int) {
	from := len(o.Buf)
	b.encodeChunkHead(o, c, size)
	shift := func(at int) {
		head := frames.In{Rest: o.Buf[at:]}
		age := b.expectAge(head.U32())
		own := frames.Out{Buf: o.Buf[:at]}
		own.U32(age)
	}
	shift(from + 8)
	for k := range 2 * len(c.Columns) {
		shift(from + 20 + 4*k)
	}
}

// expectAge returns the age that a version has in the later snapshot, provided that it was not written
// again.
func (b *baseImage) expectAge(age uint32) uint32 {
	if age == 0 {
		return 0
	}
	return uint32(min(max(int64(age)+b.ageShift, 1), maxAge))
}

// expectedRows holds the expected heads and bodies of some chunks of the base.
type expectedRows struct {
	heads, bodies frames.Out
	headEnds      []int // end of the head of each chunk
	bodyEnds      []int
	pieceRanges   [][2]int  // for each chunk, the range of its pieces in pieceEnds
	pieceEnds     pieceEnds // ends of the pieces of all bodies
}

// expectRows fills x with up to n chunks of an archetype of the base, from chunk first on.
func (b *baseImage) expectRows(x *expectedRows, archetype, first, n int) error {
	x.heads.Buf, x.bodies.Buf, x.headEnds, x.bodyEnds, x.pieceRanges, x.pieceEnds = x.heads.Buf[:0], x.bodies.Buf[:0], x.headEnds[:0], x.bodyEnds[:0], x.pieceRanges[:0], x.pieceEnds[:0]
	if archetype < 0 {
		return nil
	}
	for j := first; j < min(first+n, b.archetypes[archetype].Chunks); j++ {
		c := b.image.Chunk(archetype, j)
		at, piece := len(x.bodies.Buf), len(x.pieceEnds)
		if err := b.encodeChunk(&x.bodies, &c, &x.pieceEnds); err != nil {
			return err
		}
		b.expectHead(&x.heads, &c, len(x.bodies.Buf)-at)
		x.headEnds, x.bodyEnds = append(x.headEnds, len(x.heads.Buf)), append(x.bodyEnds, len(x.bodies.Buf))
		x.pieceRanges = append(x.pieceRanges, [2]int{piece, len(x.pieceEnds)})
	}
	return nil
}

// chunkBody returns the body of the j-th chunk, its offset, and the ends of its pieces.
func (x *expectedRows) chunkBody(j int) (body []byte, from int, ends []int) {
	if j >= len(x.bodyEnds) {
		return nil, 0, nil
	}
	if j > 0 {
		from = x.bodyEnds[j-1]
	}
	return x.bodies.Buf[from:x.bodyEnds[j]], from, x.pieceEnds[x.pieceRanges[j][0]:x.pieceRanges[j][1]]
}

// deltaWriter writes a delta.
type deltaWriter struct {
	*writer       // writer of the snapshot of the later image
	base          *baseImage
	to            io.Writer
	written       int64
	deltaOut      frames.Out // the current frame of the delta
	acceptsRows   bool       // the current frame is a frame of rows that may take more rows
	deltaFrames   uint64
	deltaFrameSum uint32
}

// Delta writes the data from which [Apply] computes the image after, given the image before. It
// returns the number of bytes. The length of the delta is proportional to the bytes that were
// written in the world between the two images. Use Delta for frequent saves, or for a peer that
// already has the image before. The images may be of one world or of two. Equal pairs of images
// produce equal bytes. The options and errors are those of [Write].
//
// Delta compares the snapshots of the two images, on all workers. So it takes as long as writing both
// snapshots. The image that Apply returns has the same snapshot as the image after, byte for byte.
func Delta(to io.Writer, before, after *ecs.Image, opts ...Option) (int64, error) {
	b, err := newBase(before, optionsOf("Delta", opts))
	if err != nil {
		return 0, err
	}
	w, err := newWriter(after, optionsOf("Delta", opts))
	if err != nil {
		return 0, err
	}
	d := &deltaWriter{writer: w, base: b, to: to}
	b.ageShift = d.commonShift()
	head := frames.Out{Buf: append([]byte(nil), deltaMagic[:]...)}
	head.U32(DeltaVersion)
	head.U32(ecs.HashVersion)
	d.deltaFrameSum = frames.Sum(head.Buf)
	if err := writeCounted(to, &d.written, head.Buf); err != nil {
		return d.written, err
	}
	d.deltaOut.Begin(deltaBase)
	d.deltaOut.U64(before.Hash())
	d.deltaOut.U64(uint64(b.ageShift))
	d.deltaOut.Buf = append(d.deltaOut.Buf, w.fileHead()...)
	if err := d.flush(); err != nil {
		return d.written, err
	}
	w.emitFrame = d.writePatchedFrame
	err = w.writeFrames(d.writeRowDeltas)
	return d.written, err
}

// flush writes the current frame.
func (d *deltaWriter) flush() error {
	d.deltaFrameSum = frames.Joined(d.deltaFrameSum, d.deltaOut.End())
	d.deltaFrames++
	return writeCounted(d.to, &d.written, d.deltaOut.Buf)
}

// writePatchedFrame appends the patch that changes a frame of the base to a frame of the snapshot.
func (d *deltaWriter) writePatchedFrame(o *frames.Out) error {
	f := frames.Frame{Bytes: o.Buf}
	if f.Kind() == format.KindEnd {
		d.deltaOut.Begin(deltaEnd)
		d.deltaOut.U64(d.deltaFrames)
		d.deltaOut.U32(d.deltaFrameSum)
		d.deltaOut.Buf = append(d.deltaOut.Buf, f.Body().Rest...)
		d.deltaOut.End()
		return writeCounted(d.to, &d.written, d.deltaOut.Buf)
	}
	d.deltaOut.Begin(deltaFrame)
	d.deltaOut.U32(f.Kind())
	appendPatch(&d.deltaOut, f.Body().Rest, d.base.payloads[f.Kind()])
	return d.flush()
}

// commonShift returns the number by which most ages have grown. The common shift is useful because the
// ages of all chunks that were not written have grown by the same number.
func (d *deltaWriter) commonShift() (most int64) {
	counts := map[int64]int{}
	last, run := int64(0), 0
	add := func(was, is uint32) {
		if was == 0 || is == 0 {
			return
		}
		if by := int64(is) - int64(was); by == last {
			run++
		} else {
			counts[last] += run
			last, run = by, 1
		}
	}
	for i := range d.archetypes {
		from, known := d.base.archetypeByKey[d.archetypeKey(i)]
		if !known {
			continue
		}
		for j := range min(d.archetypes[i].Chunks, d.base.archetypes[from].Chunks) {
			a, b := d.base.image.Chunk(from, j), d.image.Chunk(i, j)
			add(d.base.ageOf(a.OrderVersion), d.ageOf(b.OrderVersion))
			for k := range a.Columns {
				add(d.base.ageOf(a.Columns[k].Version), d.ageOf(b.Columns[k].Version))
			}
		}
	}
	counts[last] += run
	best := 0
	for by, n := range counts { //lanewise:inexact the most, and of equal ones the least: in any order
		if n > best || n == best && by < most {
			most, best = by, n
		}
	}
	return most
}

// frameDelta is the memory that a worker uses for the chunks of a frame.
type frameDelta struct {
	expected  expectedRows // expected rows of the base
	frame     frames.Out   // frame of the snapshot
	delta     frames.Out   // difference between expected and frame
	pieceEnds pieceEnds
	sum       uint32
	err       error
}

// writeRowDeltas writes the differences between the frames of rows and the base.
func (d *deltaWriter) writeRowDeltas() error {
	list := d.planFrames()
	work := make([]frameDelta, framesPerBatch)
	for ; len(list) > 0; list = list[min(framesPerBatch, len(list)):] {
		now := list[:min(framesPerBatch, len(list))]
		err := d.parallel(len(now), 1, len(now)*(64<<10), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				work[i].err = d.encodeFrameDelta(&work[i], now[i])
			}
		})
		if err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
		for i := range now {
			if err := d.appendRowDelta(&work[i]); err != nil {
				return err
			}
		}
	}
	if d.acceptsRows {
		return d.flush()
	}
	return nil
}

// appendRowDelta appends the difference of one frame to the current frame of the delta. A frame of the
// delta collects several differences until it is as long as a frame of a snapshot.
func (d *deltaWriter) appendRowDelta(k *frameDelta) error {
	if k.err != nil {
		return k.err
	}
	d.frameSum = frames.Joined(d.frameSum, k.sum)
	d.frameCount++
	if d.acceptsRows && len(d.deltaOut.Buf)+len(k.delta.Buf) > rowsFrameBytes {
		if err := d.flush(); err != nil {
			return err
		}
		d.acceptsRows = false
	}
	if !d.acceptsRows {
		d.deltaOut.Begin(deltaRows)
		d.acceptsRows = true
	}
	d.deltaOut.Buf = append(d.deltaOut.Buf, k.delta.Buf...)
	return nil
}

// encodeFrameDelta encodes a frame of chunks, and the difference between the frame and the base.
func (d *deltaWriter) encodeFrameDelta(k *frameDelta, b frameChunks) error {
	from, known := d.base.archetypeByKey[d.archetypeKey(b.archetype)]
	if !known {
		from = -1
	}
	if err := d.base.expectRows(&k.expected, from, b.first, b.count); err != nil {
		return err
	}
	o := &k.delta
	o.Buf = o.Buf[:0]
	o.Count(b.archetype)
	o.Count(from + 1)
	o.Count(b.first)
	o.Count(b.count)
	k.frame.Begin(format.KindRows)
	k.frame.Count(b.archetype)
	k.frame.Count(b.first)
	k.frame.Count(b.count)
	heads := len(k.frame.Buf)
	var bodies, changes frames.Out
	changed := 0
	for j := range b.count {
		c := d.image.Chunk(b.archetype, b.first+j)
		at := len(bodies.Buf)
		k.pieceEnds = k.pieceEnds[:0]
		if err := d.encodeChunk(&bodies, &c, &k.pieceEnds); err != nil {
			return err
		}
		d.encodeChunkHead(&k.frame, &c, len(bodies.Buf)-at)
		changed += chunkChanges(&changes, j, bodies.Buf[at:], at, k.pieceEnds, &k.expected)
	}
	appendPatch(o, k.frame.Buf[heads:], k.expected.heads.Buf)
	o.Uvarint(uint64(changed))
	o.Buf = append(o.Buf, changes.Buf...)
	k.frame.Buf = append(k.frame.Buf, bodies.Buf...)
	k.sum = k.frame.End()
	return nil
}

// chunkChanges appends the differences between the pieces of a body and the expected pieces. It returns
// 1 if it has appended differences, and otherwise 0.
func chunkChanges(o *frames.Out, j int, body []byte, at int, ends []int, is *expectedRows) int {
	own, from, known := is.chunkBody(j)
	if string(own) == string(body) && len(known) > 0 {
		return 0
	}
	o.Uvarint(uint64(j))
	o.Uvarint(uint64(len(ends)))
	lo, was := 0, 0
	for i, end := range ends {
		var before []byte
		if i < len(known) {
			before, was = own[was:known[i]-from], known[i]-from
		}
		appendPatch(o, body[lo:end-at], before)
		lo = end - at
	}
	return 1
}

// A patch describes how to change a sequence of bytes to another. A patch consists of the new
// number of bytes, and of the runs of units that differ. If the new sequence is longer than the old
// one, the patch contains the additional bytes. Therefore the result of a patch is never longer
// than the old bytes and the patch together. The bound on the length limits the memory that a
// hostile delta uses.

// compareUnit is the number of bytes in a unit. Both sequences are divided into units from the beginning,
// and the last unit may be shorter.
const compareUnit = 4

// appendPatch appends a patch. The patch turns one list of bytes, from, into another one, to.
func appendPatch(o *frames.Out, to, from []byte) {
	o.Uvarint(uint64(len(to)))
	if len(to) == len(from) && bytes.Equal(to, from) {
		o.Uvarint(0)
		return
	}
	runs := 0
	eachRun(to, from, func(int, int) { runs++ })
	o.Uvarint(uint64(runs))
	at := 0
	eachRun(to, from, func(lo, hi int) {
		o.Uvarint(uint64(lo-at) / compareUnit)
		o.Uvarint(uint64(hi - lo))
		o.Buf = append(o.Buf, to[lo:hi]...)
		at = (hi + compareUnit - 1) / compareUnit * compareUnit
	})
}

// eachRun calls f for each run of units in which to and from differ.
func eachRun(to, from []byte, f func(lo, hi int)) {
	both := min(len(to), len(from)) / compareUnit * compareUnit
	for at := 0; at < len(to); {
		for at+2*compareUnit <= both && binary.LittleEndian.Uint64(to[at:]) == binary.LittleEndian.Uint64(from[at:]) {
			at += 2 * compareUnit
		}
		for at < both && [compareUnit]byte(to[at:]) == [compareUnit]byte(from[at:]) {
			at += compareUnit
		}
		if at >= len(to) || at >= both && bytes.Equal(to[at:], from[at:]) {
			return
		}
		lo := at
		for at < both && [compareUnit]byte(to[at:]) != [compareUnit]byte(from[at:]) {
			at += compareUnit
		}
		if at >= both {
			at = len(to)
		}
		f(lo, at)
	}
}

// appendPatched reads a patch from d, applies it to from, and appends the result.
func appendPatched(out []byte, d *frames.In, from []byte) []byte {
	size, runs := d.Uvarint(), d.Uvarint()
	if size > uint64(len(from))+uint64(len(d.Rest)) || runs > uint64(len(d.Rest)) {
		d.Fail()
		return out
	}
	first := len(out)
	out = append(out, from[:min(size, uint64(len(from)))]...)
	at := uint64(0)
	for range runs {
		skip, n := d.Uvarint(), d.Uvarint()
		if at += skip * compareUnit; skip > size || n > size || at+n > size || at > uint64(len(out)-first) {
			d.Fail()
			return out
		}
		if new := d.Take(n); at+n > uint64(len(out)-first) {
			out = append(out[:first+int(at)], new...)
		} else {
			copy(out[first+int(at):], new)
		}
		at = (at + n + compareUnit - 1) / compareUnit * compareUnit
	}
	if uint64(len(out)-first) != size {
		d.Fail()
	}
	return out
}
