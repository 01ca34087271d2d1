package snapshot

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// task is a chunk of the file, and what is to be filled of it.
type task struct {
	segments []segment
	columns  []*column // of the file
	rows     int
	body     frames.In
	at       int64
	behind   []task        // those that fill rows of the same chunks, and so come one after the other
	chunk    *images.Chunk // that is filled then; nil if that is not to be said
}

// segment is rows of a chunk of the file that go to one chunk of the image.
type segment struct {
	from, n, to int
	ids         []ecs.Entity
	parts       []*images.Part // in the order of the file
}

// batchOf is frames of chunks that are decoded at a time.
type batchOf struct {
	list  []frames.Frame
	bytes int
	tasks []task
	ends  []int // of each frame's tasks
	err   error // of the heads
}

// rows reads the frames of chunks, and returns the one behind them.
func (r *reader) rows() (frames.Frame, error) {
	var now batchOf // its heads are read
	for {
		next, last, err := r.nextBatch()
		if err != nil {
			return frames.Frame{}, first([]error{r.wave(&now, &batchOf{}), err}, nil)
		}
		if err := r.wave(&now, &next); err != nil {
			return frames.Frame{}, err
		}
		if !r.holds {
			r.stream.reuse(now.list)
		}
		if now = next; last == nil {
			continue
		}
		if err := r.wave(&now, &batchOf{}); err != nil {
			return frames.Frame{}, err
		}
		if err := r.whole(last); err != nil {
			return frames.Frame{}, err
		}
		return *last, r.endRows()
	}
}

// endRows gives the builder what it does not have yet when all frames of chunks are read.
func (r *reader) endRows() error {
	if err := r.complete(); err != nil || !r.holds {
		return err
	}
	tasks, err := r.release()
	if err != nil {
		return err
	}
	return r.fillAll(tasks, math.MaxInt)
}

// nextBatch reads the next frames of chunks, and the one behind them if that comes before they are enough.
func (r *reader) nextBatch() (b batchOf, last *frames.Frame, err error) {
	for len(b.list) < wave {
		f, err := r.next()
		if err != nil {
			return b, nil, err
		}
		if f.Kind() != kindRows {
			return b, &f, nil
		}
		b.list, b.bytes = append(b.list, f), b.bytes+len(f.Bytes)
	}
	return b, nil, nil
}

// wave checks frames of chunks, and decodes them: each by one worker, in whose cache it is then. One of them reads the heads of the next
// ones meanwhile, which only one can.
func (r *reader) wave(now, next *batchOf) error {
	errs := make([]error, len(now.list))
	err := r.spread(1+len(now.list), 1, now.bytes, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if i == 0 {
				r.allHeads(next)
				continue
			}
			errs[i-1] = r.fillFrame(now, i-1)
		}
	})
	if err := first(errs, err); err != nil {
		return err
	}
	if next.err != nil {
		return r.broken(next.list[:len(next.ends)+1], next.err)
	}
	return nil
}

// allHeads makes the chunks of frames.
func (r *reader) allHeads(b *batchOf) {
	b.tasks, b.ends = make([]task, 0, 16*len(b.list)), make([]int, 0, len(b.list))
	for i := range b.list {
		r.sum(&b.list[i])
		if b.tasks, b.err = r.heads(b.tasks, &b.list[i]); b.err != nil {
			return
		}
		b.ends = append(b.ends, len(b.tasks))
	}
}

// fillFrame checks a frame, and fills its chunks.
func (r *reader) fillFrame(b *batchOf, i int) error {
	if err := r.whole(&b.list[i]); err != nil {
		return err
	}
	first := 0
	if i > 0 {
		first = b.ends[i-1]
	}
	for k := first; k < b.ends[i]; k++ {
		if err := r.fill(&b.tasks[k]); err != nil {
			return err
		}
	}
	return nil
}

// broken returns what is wrong where frames could not be read: that one was changed, if so, or else err.
func (r *reader) broken(list []frames.Frame, err error) error {
	for i := range list {
		if wrong := r.whole(&list[i]); wrong != nil {
			return wrong
		}
	}
	return err
}

// whole returns an error if a frame is not what was written.
func (r *reader) whole(f *frames.Frame) error {
	if r.unchecked || f.Whole() {
		return nil
	}
	return corrupt("the frame at byte %d was changed", f.At)
}

// first returns the first error of a loop, of which err is what the pool says.
func first(errs []error, err error) error {
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

// fillAll fills chunks, of so many bytes, on all workers.
func (r *reader) fillAll(tasks []task, bytes int) error {
	errs := make([]error, len(tasks))
	err := r.spread(len(tasks), 4, bytes, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			errs[i] = r.fill(&tasks[i])
			for k := range tasks[i].behind {
				if errs[i] == nil {
					errs[i] = r.fill(&tasks[i].behind[k])
				}
			}
		}
	})
	return first(errs, err)
}

// heads makes the chunks of a frame.
func (r *reader) heads(tasks []task, f *frames.Frame) ([]task, error) {
	d := f.Body()
	at, first := d.U32(), d.U32()
	if d.Bad || int64(at) >= int64(len(r.sets)) || int(at)+1 < r.given {
		return nil, corrupt("the frame at byte %d has rows of archetype %d", f.At, at)
	}
	if err := r.give(int(at) + 1); err != nil {
		return nil, err
	}
	a := &r.sets[at]
	n := d.Count(headBytes + 8*len(a.Components))
	if d.Bad || int64(first) != int64(r.chunks) || n > a.Chunks-r.chunks {
		return nil, corrupt("the frame at byte %d has %d chunks from chunk %d of archetype %d on, which has %d, and %d came before", f.At, n, first, at, a.Chunks, r.chunks)
	}
	h := headed{archetype: int(at), frame: f, heads: make([]head, n), versions: make([]uint32, n*2*len(a.Components))}
	h.columns, h.least = r.columnsOf(int(at))
	if r.holds {
		return tasks, h.hold(r, d)
	}
	h.chunks, h.segments, h.parts = make([]images.Chunk, n), make([]segment, n), make([]*images.Part, n*len(h.columns))
	from := len(tasks)
	for j := range n {
		if err := h.read(r, d, j); err != nil {
			return nil, err
		}
		t, err := h.begin(r, j)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	for j := range n {
		tasks[from+j].body = frames.In{B: d.Take(h.heads[j].size)}
	}
	r.chunks += n
	return tasks, h.done(d)
}

// headed is a frame of which the heads are read, and memory for all its chunks.
type headed struct {
	archetype int
	frame     *frames.Frame
	columns   []*column
	places    []int  // of the columns among the parts of a chunk; -1 for those that it has no longer
	least     uint64 // bytes of a row in the file
	heads     []head // in order
	size      uint64 // of the rows of those that are read
	versions  []uint32
	chunks    []images.Chunk // none of these if chunks are held
	segments  []segment
	parts     []*images.Part
}

// head is what stands before the rows of all chunks of a frame about one of them.
type head struct {
	rows, group int
	order       uint32
	meta        ecs.Entity
	versions    []uint32 // and those through chunks, by columns of the file's archetype
	size        uint64   // of its rows: what those of a frame have together is there
}

// hold reads the heads, and keeps the chunks for later.
func (h *headed) hold(r *reader, d *frames.In) error {
	for j := range h.heads {
		if err := h.read(r, d, j); err != nil {
			return err
		}
	}
	for j := range h.heads {
		own := &h.heads[j]
		c := heldChunk{rows: own.rows, order: own.order, meta: own.meta, versions: own.versions, columns: h.columns, at: h.frame.At, body: frames.In{B: d.Take(own.size)}}
		if err := r.hold(h.archetype, c, own.group); err != nil {
			return err
		}
		r.chunks++
	}
	return h.done(d)
}

// read reads the next head, number j.
func (h *headed) read(r *reader, d *frames.In, j int) error {
	own, each := &h.heads[j], len(h.versions)/len(h.heads)
	rows := d.U32()
	own.group, own.order, own.meta = int(d.U32()), r.versionOf(d, d.U32()), d.Entity()
	own.versions = h.versions[j*each:][:each]
	for k := range own.versions {
		own.versions[k] = r.versionOf(d, d.U32())
	}
	own.size = d.U64()
	if !d.Bad && own.size <= uint64(len(d.B)) {
		h.size += own.size
	}
	if d.Bad || uint64(rows)*h.least > own.size || own.size > uint64(len(d.B)) || h.size > uint64(len(d.B)) {
		return corrupt("chunk %d of the frame at byte %d has %d rows in %d bytes", j, h.frame.At, rows, own.size)
	}
	own.rows = int(rows) // fewer than bytes of the frame
	return nil
}

// done says whether all of the frame was read.
func (h *headed) done(d *frames.In) error {
	return done(d, fmt.Sprintf("the frame at byte %d", h.frame.At))
}

// begin makes chunk j, to be filled.
func (h *headed) begin(r *reader, j int) (t task, err error) {
	chunk, own := &h.chunks[j], &h.heads[j]
	if *chunk, err = r.builder.Chunk(images.Chunk{Group: own.group, Order: own.order, Meta: own.meta, Overwrite: true}, own.rows); err != nil {
		return t, r.wrong(err)
	}
	if h.places == nil {
		h.places = placesOf(chunk, h.columns)
	}
	parts := h.parts[j*len(h.columns):][:len(h.columns)]
	for k, at := range h.places { // without -1: chunks are held where a component is missing
		parts[k] = &chunk.Parts[at]
		parts[k].Version, parts[k].Through = own.versions[2*k], own.versions[2*k+1]
	}
	h.segments[j] = segment{n: own.rows, ids: chunk.Entities, parts: parts}
	t = task{segments: h.segments[j:][:1], columns: h.columns, rows: own.rows, at: h.frame.At}
	if r.hashes {
		t.chunk = chunk
	}
	return t, nil
}

// fill fills chunks with one of the file.
func (r *reader) fill(t *task) error {
	d := &t.body
	for _, s := range t.segments {
		if littleEndian {
			copy(memoryOf(s.ids), d.Take(8*uint64(len(s.ids))))
		} else {
			d.ReadEntities(s.ids)
		}
	}
	for k, c := range t.columns {
		err := r.part(d, c, t, k)
		switch {
		case errors.Is(err, ErrLimit), errors.Is(err, ErrSchema):
			return fmt.Errorf("snapshot: %s in the frame at byte %d: %w", c.name, t.at, err)
		case err != nil:
			return fmt.Errorf("snapshot: %w: %s in the frame at byte %d: %w", ErrCorrupt, c.name, t.at, err)
		}
	}
	if !d.Done() {
		return corrupt("a chunk in the frame at byte %d ends too early or too late", t.at)
	}
	if t.chunk != nil {
		t.chunk.Filled()
	}
	return nil
}

// part fills a column of chunks.
func (r *reader) part(d *frames.In, k *column, t *task, at int) (err error) {
	if !k.whole {
		t.blank(at)
	}
	switch {
	case k.kind&isSkipped != 0:
	case k.kind&isBuffer != 0:
		err = k.buffers(r, d, t, at)
	case k.kind&isManaged != 0:
		err = k.decodeAll(d, t, at)
	case k.migration != nil:
		err = k.migrateAll(d, t, at)
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
	return setOn(on, t, at)
}

// decodeAll fills a column of managed values; those of chunks that have it no longer are read over.
func (k *column) decodeAll(d *frames.In, t *task, at int) error {
	for _, s := range t.segments {
		p := s.parts[at]
		for row := range s.n {
			b := d.Bytes()
			if d.Bad {
				return corrupt("it ends too early")
			}
			if p == nil {
				continue
			}
			if err := k.codec.decode(b, reflect.ValueOf(p.Value).Index(s.to+row).Addr().Interface()); err != nil {
				return err
			}
		}
	}
	return nil
}

// fillLanes fills the lanes of a column: each is all rows of the task in the file, of which segments have neighbouring ones.
func (k *column) fillLanes(d *frames.In, t *task, at int) error {
	for i := range k.lanes {
		l := &k.lanes[i]
		b := d.Take(uint64(t.rows) * uint64(l.file))
		if l.to < 0 || b == nil {
			continue
		}
		for _, s := range t.segments {
			lane := s.parts[at].Lanes[l.to]
			if err := l.fill(lane[s.to*l.size:][:s.n*l.size], b[s.from*l.file:][:s.n*l.file]); err != nil {
				return err
			}
		}
	}
	return nil
}

// blank makes the lanes of a column zero: what a file does not have of them stays so.
func (t *task) blank(at int) {
	for _, s := range t.segments {
		p := s.parts[at]
		if p == nil {
			continue
		}
		for _, lane := range p.Lanes {
			size := len(lane) / len(p.Entities)
			clear(lane[s.to*size:][:s.n*size])
		}
	}
}

// setOn gives the rows of chunks their bits.
func setOn(on []uint64, t *task, at int) error {
	if len(t.segments) == 1 && t.segments[0].n == t.rows && t.segments[0].to == 0 {
		if p := t.segments[0].parts[at]; p != nil && len(p.On) == len(on) {
			copy(p.On, on)
			return nil
		}
	}
	if t.rows%64 != 0 && on[len(on)-1]>>(t.rows%64) != 0 {
		return corrupt("a row behind the last is on")
	}
	for _, s := range t.segments {
		if s.parts[at] == nil {
			continue
		}
		words := s.parts[at].On
		for row := range s.n {
			to, bit := s.to+row, uint64(1)<<((s.to+row)%64)
			if words[to/64] &^= bit; on[(s.from+row)/64]>>((s.from+row)%64)&1 != 0 {
				words[to/64] |= bit
			}
		}
	}
	return nil
}

// buffers fills a column of buffers; those of chunks that have it no longer are read over.
func (k *column) buffers(r *reader, d *frames.In, t *task, at int) (err error) {
	var memory []byte
	for _, s := range t.segments {
		p, inline := s.parts[at], 0
		if p != nil {
			_, inline = images.BufferOf(p, s.to) // of a row that is still empty
		}
		for row := range s.n {
			if memory, err = k.buffer(r, d, p, s.to+row, inline, memory); err != nil {
				return err
			}
		}
	}
	return nil
}

// buffer fills the buffer of a row, if there is a part for it. Memory is for the elements, and is returned to be used again.
func (k *column) buffer(r *reader, d *frames.In, p *images.Part, row, inline int, memory []byte) ([]byte, error) {
	n, capacity := d.U32(), d.U32()
	file := d.Take(uint64(n) * uint64(k.elem.file))
	if d.Bad || uint64(n)*uint64(k.elem.size) > uint64(len(d.B)+len(file))*64 {
		return memory, corrupt("it ends too early")
	}
	if p == nil {
		return memory, nil
	}
	if room := r.room.Add(max(0, int64(capacity)-max(2*int64(n), int64(inline))) * int64(k.elem.size)); room > r.limits.Room {
		return memory, fmt.Errorf("%w: buffers have room for %d bytes and more; the limit is %d, see Within", ErrLimit, room, r.limits.Room)
	}
	memory = slices.Grow(memory[:0], int(n)*k.elem.size)[:int(n)*k.elem.size]
	clear(memory)
	if err := k.elem.fill(memory, file); err != nil {
		return memory, err
	}
	return memory, images.SetBuffer(p, row, memory, int(capacity))
}
