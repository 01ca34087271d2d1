package snapshot

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// task is a chunk to be filled, and the bytes of its rows.
type task struct {
	chunk   ecs.ImageChunk
	parts   []*ecs.ImagePart // in the order of the file
	columns []*column        // of the parts
	body    in
	at      int64
}

// rows reads the frames of chunks, and returns the one behind them.
func (r *reader) rows() (frame, error) {
	for {
		var list []frame
		var last *frame
		for len(list) < wave && last == nil {
			f, err := r.next()
			if err != nil {
				return f, err
			}
			if f.kind() == kindRows {
				list = append(list, f)
			} else {
				last = &f
			}
		}
		if err := r.wave(list); err != nil {
			return frame{}, err
		}
		if last == nil {
			continue
		}
		if !r.unchecked && !last.whole() {
			return frame{}, corrupt("the frame at byte %d was changed", last.at)
		}
		return *last, nil
	}
}

// wave checks and decodes frames of chunks, each step on all workers.
func (r *reader) wave(list []frame) error {
	whole := make([]bool, len(list))
	err := r.pool.Range(len(list), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			whole[i] = r.unchecked || list[i].whole()
		}
	})
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	var tasks []task
	for i := range list {
		if !whole[i] {
			return corrupt("the frame at byte %d was changed", list[i].at)
		}
		r.sum(&list[i])
		if tasks, err = r.heads(tasks, &list[i]); err != nil {
			return err
		}
	}
	errs := make([]error, len(tasks))
	err = r.pool.Range(len(tasks), 4, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			errs[i] = r.fill(&tasks[i])
		}
	})
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

// heads makes the chunks of a frame.
func (r *reader) heads(tasks []task, f *frame) ([]task, error) {
	d := f.body()
	at, first := d.u32(), d.u32()
	n := d.count(28)
	if d.bad || int64(at) >= int64(len(r.sets)) || int(at)+1 < r.given {
		return nil, corrupt("the frame at byte %d has rows of archetype %d", f.at, at)
	}
	if err := r.give(int(at) + 1); err != nil {
		return nil, err
	}
	a := &r.sets[at]
	if int64(first) != int64(r.chunks) || n > a.Chunks-r.chunks {
		return nil, corrupt("the frame at byte %d has chunk %d of archetype %d, not %d", f.at, first, at, r.chunks)
	}
	columns, least := r.columnsOf(a)
	sizes, all := make([]uint64, n), uint64(0)
	from := len(tasks)
	for j := range n {
		rows, c := d.u32(), ecs.ImageChunk{Group: int(d.u32())}
		c.Order, c.Meta = r.versionOf(d, d.u32()), d.entity()
		versions := make([]uint32, 0, 2*len(a.Components))
		for range 2 * len(a.Components) {
			versions = append(versions, r.versionOf(d, d.u32()))
		}
		sizes[j] = d.u64()
		if !d.bad && sizes[j] <= uint64(len(d.b)) {
			all += sizes[j]
		}
		if d.bad || uint64(rows)*least > sizes[j] || sizes[j] > uint64(len(d.b)) || all > uint64(len(d.b)) {
			return nil, corrupt("chunk %d of the frame at byte %d has %d rows in %d bytes", j, f.at, rows, sizes[j])
		}
		chunk, err := r.builder.Chunk(c, int(rows))
		if err != nil {
			return nil, r.wrong(err)
		}
		t := task{chunk: chunk, columns: columns, at: f.at}
		for k, typ := range a.Components { // whose order names have made: a component that was Renamed may have another place
			i := slices.IndexFunc(chunk.Parts, func(p ecs.ImagePart) bool { return p.Component == typ })
			p := &chunk.Parts[i]
			p.Version, p.Through = versions[2*k], versions[2*k+1]
			t.parts = append(t.parts, p)
		}
		tasks = append(tasks, t)
	}
	for j := range n {
		tasks[from+j].body = in{b: d.take(sizes[j])}
	}
	r.chunks += n
	return tasks, d.done(fmt.Sprintf("the frame at byte %d", f.at))
}

// columnsOf returns the columns of an archetype in the order of the file, and how many bytes
// a row has in it at least.
func (r *reader) columnsOf(a *ecs.ImageArchetype) (list []*column, least uint64) {
	least = 8
	for _, typ := range a.Components {
		k := &r.columns[slices.IndexFunc(r.columns, func(k column) bool { return k.typ == typ })]
		list = append(list, k)
		switch {
		case k.kind&isSkipped != 0:
		case k.kind&isBuffer != 0:
			least += 8
		case k.kind&isManaged != 0:
			least += 4
		default:
			least += uint64(k.rowBytes())
		}
	}
	return list, least
}

// fill fills a chunk.
func (r *reader) fill(t *task) error {
	d := &t.body
	for i := range t.chunk.Entities {
		t.chunk.Entities[i] = d.entity()
	}
	for k, p := range t.parts {
		err := r.part(d, t.columns[k], p)
		switch {
		case errors.Is(err, ErrLimit), errors.Is(err, ErrSchema):
			return fmt.Errorf("snapshot: %s in the frame at byte %d: %w", t.columns[k].name, t.at, err)
		case err != nil:
			return fmt.Errorf("snapshot: %w: %s in the frame at byte %d: %w", ErrCorrupt, t.columns[k].name, t.at, err)
		}
	}
	return d.done(fmt.Sprintf("a chunk in the frame at byte %d", t.at))
}

// part fills a column of a chunk.
func (r *reader) part(d *in, k *column, p *ecs.ImagePart) error {
	n := len(p.Entities)
	switch {
	case k.kind&isSkipped != 0:
	case k.kind&isBuffer != 0:
		if err := r.buffers(d, k, p); err != nil {
			return err
		}
	case k.kind&isManaged != 0:
		list := reflect.ValueOf(p.Value)
		for row := range n {
			b := d.take(uint64(d.u32()))
			if d.bad {
				return corrupt("it ends too early")
			}
			if err := k.codec.decode(b, list.Index(row).Addr().Interface()); err != nil {
				return err
			}
		}
	default:
		for i := range k.lanes {
			l := &k.lanes[i]
			b := d.take(uint64(n) * uint64(l.file))
			if l.to >= 0 && b != nil {
				if err := l.fill(p.Lanes[l.to], b); err != nil {
					return err
				}
			}
		}
	}
	for i := range p.On {
		p.On[i] = d.u64()
	}
	return nil
}

// buffers fills a column of buffers.
func (r *reader) buffers(d *in, k *column, p *ecs.ImagePart) error {
	var memory []byte
	_, inline := p.Buffer(0) // of a row that is still empty
	for row := range p.Entities {
		n, capacity := d.u32(), d.u32()
		file := d.take(uint64(n) * uint64(k.elem.file))
		if d.bad || uint64(n)*uint64(k.elem.size) > uint64(len(d.b)+len(file))*64 {
			return corrupt("it ends too early")
		}
		if room := r.room.Add(max(0, int64(capacity)-max(2*int64(n), int64(inline))) * int64(k.elem.size)); room > r.limits.Room {
			return fmt.Errorf("%w: buffers have room for %d bytes and more; the limit is %d, see Within", ErrLimit, room, r.limits.Room)
		}
		memory = slices.Grow(memory[:0], int(n)*k.elem.size)[:int(n)*k.elem.size]
		clear(memory)
		if err := k.elem.fill(memory, file); err != nil {
			return err
		}
		if err := p.SetBuffer(row, memory, int(capacity)); err != nil {
			return err
		}
	}
	return nil
}
