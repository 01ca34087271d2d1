package snapshot

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/snapshot/internal/format"
)

// chunkTask is a chunk of the file, and the rows of the image that it fills.
type chunkTask struct {
	segments       []segment
	columns        []*column // columns of the file
	rows           int
	body           frames.In
	bodyOffset     int64
	sameChunkTasks []chunkTask     // tasks that fill rows of the same chunks, so they must run one after the other
	chunk          *ecs.ImageChunk // the chunk of the image that is complete after this task; may be nil
}

// segment is a range of rows of a chunk of the file that become rows of one chunk of the image.
type segment struct {
	sourceRow, count, targetRow int
	ids                         []ecs.Entity
	columns                     []*ecs.ImageColumn // in the order of the file
}

// frameBatch holds several frames of chunks that are decoded at the same time.
type frameBatch struct {
	frames   []frames.Frame
	bytes    int
	tasks    []chunkTask
	taskEnds []int // for each frame, the end of its tasks
	err      error // error of reading the heads
}

// readRows reads the frames of chunks, and returns the frame after them.
func (r *reader) readRows() (frames.Frame, error) {
	var now frameBatch // the batch whose heads were read
	for {
		next, last, err := r.readBatch()
		if err != nil {
			return frames.Frame{}, firstError([]error{r.decodeBatch(&now, &frameBatch{}), err}, nil)
		}
		if err := r.decodeBatch(&now, &next); err != nil {
			return frames.Frame{}, err
		}
		if !r.needsRechunk {
			r.stream.Reuse(now.frames)
		}
		if now = next; last == nil {
			continue
		}
		if err := r.decodeBatch(&now, &frameBatch{}); err != nil {
			return frames.Frame{}, err
		}
		if err := r.stream.Verify(last); err != nil {
			return frames.Frame{}, err
		}
		return *last, r.endRows()
	}
}

// endRows completes the last archetype, and builds the chunks that were collected.
func (r *reader) endRows() error {
	if err := r.endArchetypes(); err != nil || !r.needsRechunk {
		return err
	}
	tasks, err := r.buildRechunked()
	if err != nil {
		return err
	}
	return r.fillChunks(tasks, math.MaxInt)
}

// readBatch reads the next frames of chunks as one batch. If a frame of another kind comes before
// the batch is full, last is that frame.
func (r *reader) readBatch() (b frameBatch, last *frames.Frame, err error) {
	for len(b.frames) < framesPerBatch {
		f, err := r.stream.ReadFrame()
		if err != nil {
			return b, nil, err
		}
		if f.Kind() != format.KindRows {
			return b, &f, nil
		}
		b.frames, b.bytes = append(b.frames, f), b.bytes+len(f.Bytes)
	}
	return b, nil, nil
}

// decodeBatch verifies the frames of a batch and fills their chunks. One worker both verifies and
// fills a frame, because after the checksum the frame is in that worker's cache. Meanwhile, one
// worker reads the heads of the next batch. Only one worker can do this, because chunks must be
// begun in order.
func (r *reader) decodeBatch(now, next *frameBatch) error {
	errs := make([]error, len(now.frames))
	err := r.parallel(1+len(now.frames), 1, now.bytes, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if i == 0 {
				r.decodeHeads(next)
				continue
			}
			errs[i-1] = r.decodeFrame(now, i-1)
		}
	})
	if err := firstError(errs, err); err != nil {
		return err
	}
	if next.err != nil {
		return r.frameError(next.frames[:len(next.taskEnds)+1], next.err)
	}
	return nil
}

// decodeHeads begins the chunks of all frames of a batch.
func (r *reader) decodeHeads(b *frameBatch) {
	b.tasks, b.taskEnds = make([]chunkTask, 0, 16*len(b.frames)), make([]int, 0, len(b.frames))
	for i := range b.frames {
		r.stream.Count(&b.frames[i])
		if b.tasks, b.err = r.decodeFrameHeads(b.tasks, &b.frames[i]); b.err != nil {
			return
		}
		b.taskEnds = append(b.taskEnds, len(b.tasks))
	}
}

// decodeFrame verifies a frame and fills its chunks.
func (r *reader) decodeFrame(b *frameBatch, i int) error {
	if err := r.stream.Verify(&b.frames[i]); err != nil {
		return err
	}
	first := 0
	if i > 0 {
		first = b.taskEnds[i-1]
	}
	for k := first; k < b.taskEnds[i]; k++ {
		if err := r.fillChunk(&b.tasks[k]); err != nil {
			return err
		}
	}
	return nil
}

// frameError returns why frames could not be decoded. If a checksum is wrong, it returns the error
// about the checksum, because a wrong checksum explains the other errors. Otherwise it returns err.
func (r *reader) frameError(list []frames.Frame, err error) error {
	for i := range list {
		if wrong := r.stream.Verify(&list[i]); wrong != nil {
			return wrong
		}
	}
	return err
}

// firstError returns the error of the pool, or else the first error of the ranges that the pool has
// run.
func firstError(errs []error, err error) error {
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// fillChunks fills chunks on all workers. The parameter bytes is the total size of the chunks.
func (r *reader) fillChunks(tasks []chunkTask, bytes int) error {
	errs := make([]error, len(tasks))
	err := r.parallel(len(tasks), 4, bytes, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			errs[i] = r.fillChunk(&tasks[i])
			for k := range tasks[i].sameChunkTasks {
				if errs[i] == nil {
					errs[i] = r.fillChunk(&tasks[i].sameChunkTasks[k])
				}
			}
		}
	})
	return firstError(errs, err)
}

// decodeFrameHeads begins the chunks of a frame, or collects them for later, and appends a task for
// each chunk.
func (r *reader) decodeFrameHeads(tasks []chunkTask, f *frames.Frame) ([]chunkTask, error) {
	d := f.Body()
	at, first := d.U32(), d.U32()
	if d.Failed || int64(at) >= int64(len(r.archetypes)) || int(at)+1 < r.archetypesBegun {
		return nil, corrupt("the frame at byte %d has rows of archetype %d", f.Offset, at)
	}
	if err := r.beginArchetypes(int(at) + 1); err != nil {
		return nil, err
	}
	a := &r.archetypes[at]
	n := d.Count(chunkHeadBytes + 8*len(a.Components))
	if d.Failed || int64(first) != int64(r.chunksBegun) || n > a.Chunks-r.chunksBegun {
		return nil, corrupt("the frame at byte %d has %d chunks from chunk %d of archetype %d on, which has %d, and %d came before", f.Offset, n, first, at, a.Chunks, r.chunksBegun)
	}
	h := frameHeads{archetype: int(at), frame: f, heads: make([]chunkHead, n), versions: make([]uint32, n*2*len(a.Components))}
	h.columns, h.rowBytes = r.columnsOf(int(at))
	if r.needsRechunk {
		return tasks, h.keepChunks(r, d)
	}
	h.chunks, h.segments, h.columnBuffer = make([]ecs.ImageChunk, n), make([]segment, n), make([]*ecs.ImageColumn, n*len(h.columns))
	from := len(tasks)
	for j := range n {
		if err := h.readHead(r, d, j); err != nil {
			return nil, err
		}
		t, err := h.beginChunk(r, j)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	for j := range n {
		tasks[from+j].body = frames.In{Rest: d.Take(h.heads[j].bodyBytes)}
	}
	r.chunksBegun += n
	return tasks, h.checkEnd(d)
}

// frameHeads reads the heads of the chunks of a frame. It reuses its memory.
type frameHeads struct {
	archetype     int
	frame         *frames.Frame
	columns       []*column
	columnIndices []int       // for each column, its index among the parts of a chunk; -1 if the program no longer has the component
	rowBytes      uint64      // size of a row in the file, in bytes
	heads         []chunkHead // heads in the order of the chunks
	bodyBytes     uint64      // sum of bodyBytes of the heads that were read
	versions      []uint32
	chunks        []ecs.ImageChunk // the next three fields are nil if chunks are collected for later
	segments      []segment
	columnBuffer  []*ecs.ImageColumn
}

// chunkHead is the head of a chunk. In a frame, the heads of all chunks come before the rows.
type chunkHead struct {
	rows, group  int
	orderVersion uint32
	meta         ecs.Entity
	versions     []uint32 // own and through versions of the chunk, by columns of the file's archetype
	bodyBytes    uint64   // size of the rows; the frame is known to contain that many bytes
}

// keepChunks reads the heads, and collects the chunks for buildRechunked.
func (h *frameHeads) keepChunks(r *reader, d *frames.In) error {
	for j := range h.heads {
		if err := h.readHead(r, d, j); err != nil {
			return err
		}
	}
	for j := range h.heads {
		own := &h.heads[j]
		c := fileChunk{rows: own.rows, orderVersion: own.orderVersion, meta: own.meta, versions: own.versions, columns: h.columns, bodyOffset: h.frame.Offset, body: frames.In{Rest: d.Take(own.bodyBytes)}}
		if err := r.keepChunk(h.archetype, c, own.group); err != nil {
			return err
		}
		r.chunksBegun++
	}
	return h.checkEnd(d)
}

// readHead reads head number j, which must be the next one.
func (h *frameHeads) readHead(r *reader, d *frames.In, j int) error {
	own, each := &h.heads[j], len(h.versions)/len(h.heads)
	rows := d.U32()
	own.group, own.orderVersion, own.meta = int(d.U32()), r.versionOf(d, d.U32()), d.Entity()
	own.versions = h.versions[j*each:][:each]
	for k := range own.versions {
		own.versions[k] = r.versionOf(d, d.U32())
	}
	own.bodyBytes = d.U64()
	if !d.Failed && own.bodyBytes <= uint64(len(d.Rest)) {
		h.bodyBytes += own.bodyBytes
	}
	if d.Failed || uint64(rows)*h.rowBytes > own.bodyBytes || own.bodyBytes > uint64(len(d.Rest)) || h.bodyBytes > uint64(len(d.Rest)) {
		return corrupt("chunk %d of the frame at byte %d has %d rows in %d bytes", j, h.frame.Offset, rows, own.bodyBytes)
	}
	own.rows = int(rows) // fits in an int, because each row takes bytes of the frame
	return nil
}

// checkEnd returns an error unless the whole frame was read.
func (h *frameHeads) checkEnd(d *frames.In) error {
	return checkDone(d, fmt.Sprintf("the frame at byte %d", h.frame.Offset))
}

// beginChunk creates chunk j, which is filled later.
func (h *frameHeads) beginChunk(r *reader, j int) (t chunkTask, err error) {
	chunk, own := &h.chunks[j], &h.heads[j]
	if *chunk, err = r.builder.AddChunk(ecs.ImageChunk{Group: own.group, OrderVersion: own.orderVersion, MetaEntity: own.meta, Overwrite: true}, own.rows); err != nil {
		return t, r.builderError(err)
	}
	if h.columnIndices == nil {
		h.columnIndices = columnIndicesOf(chunk, h.columns)
	}
	parts := h.columnBuffer[j*len(h.columns):][:len(h.columns)]
	for k, at := range h.columnIndices { // never -1 here, because chunks are collected for later if a component is missing
		parts[k] = &chunk.Columns[at]
		parts[k].Version, parts[k].ThroughVersion = own.versions[2*k], own.versions[2*k+1]
	}
	h.segments[j] = segment{count: own.rows, ids: chunk.Entities, columns: parts}
	t = chunkTask{segments: h.segments[j:][:1], columns: h.columns, rows: own.rows, bodyOffset: h.frame.Offset}
	if r.requiresHash {
		t.chunk = chunk
	}
	return t, nil
}

// fillChunk copies the rows of a chunk of the file to the chunks of its segments.
func (r *reader) fillChunk(t *chunkTask) error {
	d := &t.body
	for _, s := range t.segments {
		if littleEndian {
			copy(memoryOf(s.ids), d.Take(8*uint64(len(s.ids))))
		} else {
			d.ReadEntities(s.ids)
		}
	}
	for k, c := range t.columns {
		err := r.fillPart(d, c, t, k)
		switch {
		case errors.Is(err, ErrLimit), errors.Is(err, ErrSchema):
			return fmt.Errorf("snapshot: %s in the frame at byte %d: %w", c.name, t.bodyOffset, err)
		case err != nil:
			return fmt.Errorf("snapshot: %w: %s in the frame at byte %d: %w", ErrCorrupt, c.name, t.bodyOffset, err)
		}
	}
	if !d.Done() {
		return corrupt("a chunk in the frame at byte %d ends too early or too late", t.bodyOffset)
	}
	if t.chunk != nil {
		t.chunk.Filled()
	}
	return nil
}

// fillPart fills a column of the chunks to which a task copies rows.
func (r *reader) fillPart(d *frames.In, k *column, t *chunkTask, at int) (err error) {
	if !k.coversMemory {
		t.clearLanes(at)
	}
	switch {
	case k.kind&isSkipped != 0:
	case k.kind&isBuffer != 0:
		err = k.fillBuffers(r, d, t, at)
	case k.kind&isManaged != 0:
		err = k.fillManaged(d, t, at)
	case k.migration != nil:
		err = k.fillMigrated(d, t, at)
	default:
		err = k.fillLanes(d, t, at)
	}
	if err != nil || k.kind&isEnableable == 0 {
		return err
	}
	on := make([]uint64, (t.rows+63)/64)
	for i := range on {
		on[i] = d.U64()
	}
	return setEnabledBits(on, t, at)
}

// fillManaged fills a column of managed values. If a chunk of the image does not have the component,
// the values are skipped.
func (k *column) fillManaged(d *frames.In, t *chunkTask, at int) error {
	for _, s := range t.segments {
		p := s.columns[at]
		for row := range s.count {
			b := d.Bytes()
			if d.Failed {
				return corrupt("it ends too early")
			}
			if p == nil {
				continue
			}
			if err := k.codec.Decode(b, reflect.ValueOf(p.Value).Index(s.targetRow+row).Addr().Interface()); err != nil {
				return err
			}
		}
	}
	return nil
}

// fillLanes fills the lanes of a column. In the file, a lane contains all rows of the task one
// after the other. Each segment uses consecutive rows.
func (k *column) fillLanes(d *frames.In, t *chunkTask, at int) error {
	for i := range k.lanes {
		l := &k.lanes[i]
		b := d.Take(uint64(t.rows) * uint64(l.fileSize))
		if l.memoryIndex < 0 || b == nil {
			continue
		}
		for _, s := range t.segments {
			lane := s.columns[at].Lanes[l.memoryIndex]
			if err := l.decodeValues(lane[s.targetRow*l.size:][:s.count*l.size], b[s.sourceRow*l.fileSize:][:s.count*l.fileSize]); err != nil {
				return err
			}
		}
	}
	return nil
}

// clearLanes sets the lanes of a column to zero, because the file may not contain all lanes of the
// component.
func (t *chunkTask) clearLanes(at int) {
	for _, s := range t.segments {
		p := s.columns[at]
		if p == nil {
			continue
		}
		for _, lane := range p.Lanes {
			size := len(lane) / len(p.Entities)
			clear(lane[s.targetRow*size:][:s.count*size])
		}
	}
}

// setEnabledBits sets the enabled bits of rows.
func setEnabledBits(on []uint64, t *chunkTask, at int) error {
	if len(t.segments) == 1 && t.segments[0].count == t.rows && t.segments[0].targetRow == 0 {
		if p := t.segments[0].columns[at]; p != nil && len(p.On) == len(on) {
			copy(p.On, on)
			return nil
		}
	}
	if t.rows%64 != 0 && on[len(on)-1]>>(t.rows%64) != 0 {
		return corrupt("a row behind the last is on")
	}
	for _, s := range t.segments {
		if s.columns[at] == nil {
			continue
		}
		words := s.columns[at].On
		for row := range s.count {
			to, bit := s.targetRow+row, uint64(1)<<((s.targetRow+row)%64)
			if words[to/64] &^= bit; on[(s.sourceRow+row)/64]>>((s.sourceRow+row)%64)&1 != 0 {
				words[to/64] |= bit
			}
		}
	}
	return nil
}

// fillBuffers fills a column of buffers. Chunks without the component skip the buffers.
func (k *column) fillBuffers(r *reader, d *frames.In, t *chunkTask, at int) (err error) {
	var memory []byte
	for _, s := range t.segments {
		p, inline := s.columns[at], 0
		if p != nil {
			_, inline = p.Buffer(s.targetRow) // capacity inside of a row, from a row that is still empty
		}
		for row := range s.count {
			if memory, err = k.fillBuffer(r, d, p, s.targetRow+row, inline, memory); err != nil {
				return err
			}
		}
	}
	return nil
}

// fillBuffer fills the buffer of a row. If p is nil, it skips the buffer. It uses memory for the
// elements, and returns that memory for the next call.
func (k *column) fillBuffer(r *reader, d *frames.In, p *ecs.ImageColumn, row, inline int, memory []byte) ([]byte, error) {
	n, capacity := d.U32(), d.U32()
	file := d.Take(uint64(n) * uint64(k.elemShape.fileSize))
	if d.Failed || uint64(n)*uint64(k.elemShape.size) > uint64(len(d.Rest)+len(file))*64 {
		return memory, corrupt("it ends too early")
	}
	if p == nil {
		return memory, nil
	}
	if room := r.bufferRoom.Add(max(0, int64(capacity)-max(2*int64(n), int64(inline))) * int64(k.elemShape.size)); room > r.limits.Room {
		return memory, fmt.Errorf("%w: buffers have room for %d bytes and more; the limit is %d, see Within", ErrLimit, room, r.limits.Room)
	}
	memory = slices.Grow(memory[:0], int(n)*k.elemShape.size)[:int(n)*k.elemShape.size]
	clear(memory)
	if err := k.elemShape.decodeValues(memory, file); err != nil {
		return memory, err
	}
	return memory, p.SetBuffer(row, memory, int(capacity))
}
