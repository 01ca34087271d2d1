package snapshot

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
)

// frameChunks says which chunks a frame of rows contains. The fields offset and size are the offset of
// the frame among all frames of rows, and its length. Both are 0 unless sizeFrames has computed them.
type frameChunks struct{ archetype, first, count, offset, size int }

// planFrames distributes the chunks to frames. planFrames uses only facts that are known without
// reading the chunks.
func (w *writer) planFrames() (list []frameChunks) {
	for i := range w.archetypes {
		a := &w.archetypes[i]
		row := 8
		for _, t := range a.Components {
			row += w.columns[w.columnIndex[t]].rowBytes()
		}
		n := max(1, rowsFrameBytes/(row*a.Capacity))
		for first := 0; first < a.Chunks; first += n {
			list = append(list, frameChunks{archetype: i, first: first, count: min(n, a.Chunks-first)})
		}
	}
	return list
}

// sizeFrames computes the lengths of all frames and their sum. If that is impossible without reading
// the values, known is false.
func (w *writer) sizeFrames(list []frameChunks) (all int, known bool) {
	for i := range list {
		b := &list[i]
		row := 8
		for _, t := range w.archetypes[b.archetype].Components {
			k := &w.columns[w.columnIndex[t]]
			if k.kind&isSkipped == 0 && k.kind&(isBuffer|isManaged) != 0 {
				return 0, false
			}
			if k.kind&isSkipped == 0 {
				row += k.rowBytes()
			}
		}
		size := 3 * 4
		for j := range b.count {
			c := &w.chunks[b.archetype][b.first+j]
			size += chunkHeadBytes + 8*len(c.Columns) + row*len(c.Entities)
			for k := range c.Columns {
				size += 8 * len(c.Columns[k].On)
			}
		}
		b.offset, b.size = all, frames.Size(size)
		all += b.size
	}
	return all, true
}

// frameBuffers is a pool of memory for the frames of a batch. The pool exists because allocating new
// pages costs more than writing to them.
var frameBuffers = sync.Pool{New: func() any { return new([framesPerBatch]frames.Out) }}

// writeRows writes the frames of the chunks.
func (w *writer) writeRows() error {
	list := w.planFrames()
	if size, known := w.sizeFrames(list); known && w.buffer != nil {
		return w.writeRowsInPlace(list, size)
	}
	return w.writeRowsInBatches(list)
}

// writeRowsInPlace encodes the frames directly in the memory of the bytes.Buffer to which the
// snapshot is written. The total length of the frames is size.
func (w *writer) writeRowsInPlace(list []frameChunks, size int) error {
	w.buffer.Grow(size)
	all := w.buffer.AvailableBuffer()[:size]
	sums := make([]uint32, len(list))
	err := w.parallel(len(list), 1, size, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			b := list[i]
			o := frames.Out{Buf: all[b.offset : b.offset : b.offset+b.size]}
			if err := w.encodeFrame(&o, b); err != nil {
				panic(err) // without codecs, encoding returns no errors
			}
			if sums[i] = o.End(); len(o.Buf) != b.size || &o.Buf[0] != &all[b.offset] {
				panic(fmt.Sprintf("snapshot: a frame has %d bytes, not %d", len(o.Buf), b.size))
			}
		}
	})
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	for _, sum := range sums {
		w.frameSum = frames.Joined(w.frameSum, sum)
		w.frameCount++
	}
	return writeCounted(w.buffer, &w.written, all) // the bytes are already in the buffer
}

// writeRowsInBatches encodes the frames of a batch on all workers. After that, writeRowsInBatches sends
// the frames in order.
func (w *writer) writeRowsInBatches(list []frameChunks) error {
	outs := frameBuffers.Get().(*[framesPerBatch]frames.Out)
	errs, sums := make([]error, framesPerBatch), make([]uint32, framesPerBatch)
	for ; len(list) > 0; list = list[min(framesPerBatch, len(list)):] {
		now := list[:min(framesPerBatch, len(list))]
		err := w.parallel(len(now), 1, len(now)*(64<<10), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				errs[i] = w.encodeFrame(&outs[i], now[i])
				sums[i] = outs[i].End()
			}
		})
		if err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
		for i := range now {
			if errs[i] != nil {
				return errs[i]
			}
			if err := w.sendFrame(&outs[i], sums[i]); err != nil {
				return err
			}
		}
	}
	frameBuffers.Put(outs) // not reached after a panic of a codec, because another worker may still write to the buffers
	return nil
}

// encodeFrame encodes a frame of chunks. encodeFrame reserves space for the heads, appends the bodies,
// and then fills in the heads.
func (w *writer) encodeFrame(o *frames.Out, b frameChunks) error {
	o.Begin(format.KindRows)
	o.Count(b.archetype)
	o.Count(b.first)
	o.Count(b.count)
	o.Buf = slices.Grow(o.Buf, max(0, b.size-len(o.Buf))) // b.size is 0 if the size is unknown
	var head frames.Out
	next := len(o.Buf)
	for j := range b.count {
		c := &w.chunks[b.archetype][b.first+j]
		if j == 0 {
			w.encodeChunkHead(&head, c, 0) // all heads of an archetype have the same length
			o.Buf = append(o.Buf, make([]byte, b.count*len(head.Buf))...)
		}
		before := len(o.Buf)
		if err := w.encodeChunk(o, c, nil); err != nil {
			return err
		}
		head.Buf = head.Buf[:0]
		w.encodeChunkHead(&head, c, len(o.Buf)-before)
		next += copy(o.Buf[next:], head.Buf)
		if j == 0 && b.size == 0 {
			o.Buf = slices.Grow(o.Buf, (b.count-1)*(len(o.Buf)-before)+64) // chunks of an archetype have similar lengths
		}
	}
	return nil
}

// chunkHeadBytes is the size of a chunk's head without the eight bytes for each part.
const chunkHeadBytes = 4 + 4 + 4 + 8 + 8

// encodeChunkHead appends the head of a chunk.
func (w *writer) encodeChunkHead(o *frames.Out, c *ecs.ImageChunk, size int) {
	o.Count(len(c.Entities))
	o.Count(c.Group)
	o.U32(w.ageOf(c.OrderVersion))
	o.Entity(c.MetaEntity)
	for k := range c.Columns {
		o.U32(w.ageOf(c.Columns[k].Version))
		o.U32(w.ageOf(c.Columns[k].ThroughVersion))
	}
	o.U64(uint64(size))
}

// encodeChunk appends the ids and the columns of a chunk. If ends is not nil, encodeChunk stores in it
// the offsets at which the ids, the lanes and the enabled bits end. A delta compares these pieces one
// by one.
func (w *writer) encodeChunk(o *frames.Out, c *ecs.ImageChunk, ends *pieceEnds) error {
	if littleEndian {
		o.Buf = append(o.Buf, memoryOf(c.Entities)...)
	} else {
		o.Entities(c.Entities)
	}
	ends.appendEnd(o)
	for k := range c.Columns {
		if err := w.encodePart(o, &c.Columns[k], ends); err != nil {
			return err
		}
	}
	return nil
}

// pieceEnds holds the offsets at which the pieces of a chunk end.
type pieceEnds []int

func (e *pieceEnds) appendEnd(o *frames.Out) {
	if e != nil {
		*e = append(*e, len(o.Buf))
	}
}

// encodePart appends a column of a chunk.
func (w *writer) encodePart(o *frames.Out, p *ecs.ImageColumn, ends *pieceEnds) (err error) {
	k := &w.columns[w.columnIndex[p.Component]]
	switch {
	case k.kind&isSkipped != 0:
	case k.kind&isBuffer != 0:
		for row := range p.Entities {
			b, capacity := p.Buffer(row)
			o.Count(len(b) / max(k.elemShape.size, 1))
			o.Count(capacity)
			o.Buf = k.elemShape.encodeValues(o.Buf, b)
		}
		ends.appendEnd(o)
	case k.kind&isManaged != 0:
		list := reflect.ValueOf(p.Value)
		for row := range p.Entities {
			at := len(o.Buf)
			o.U32(0)
			if o.Buf, err = k.codec.Append(o.Buf, list.Index(row).Addr().Interface()); err != nil {
				return fmt.Errorf("snapshot: %w: %s of %v: %w", ErrValue, k.name, p.Entities[row], err)
			}
			head := frames.Out{Buf: o.Buf[:at]}
			head.Count(len(o.Buf) - at - 4)
		}
		ends.appendEnd(o)
	default:
		for i := range k.lanes {
			o.Buf = k.lanes[i].encodeValues(o.Buf, p.Lanes[i])
			ends.appendEnd(o)
		}
	}
	for _, word := range p.On {
		o.U64(word)
	}
	if len(p.On) > 0 {
		ends.appendEnd(o)
	}
	return nil
}
