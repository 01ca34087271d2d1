package snapshot

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// wave is how many frames are encoded, or decoded, at a time: so many that they are still in the caches of two CPUs when the
// next step looks at them.
const wave = 8

// look asks the image for its chunks, once.
func (w *writer) look() {
	w.chunks = make([][]images.Chunk, len(w.archetypes))
	for i := range w.archetypes {
		list := make([]images.Chunk, w.archetypes[i].Chunks)
		w.chunks[i] = list
		const about = 1 << 10 // bytes that are written of one
		some := func(lo, hi int) {
			for j := lo; j < hi; j++ {
				list[j] = images.ChunkOf(w.image, i, j)
			}
		}
		if err := w.spread(len(list), 64, len(list)*about, some); err != nil {
			some(0, len(list)) // the pool is closed, or a job of it was cancelled: rows will say so
		}
	}
}

// batch is the chunks of one frame, and where that will be among all of these, and how long; 0 if it is not known.
type batch struct{ archetype, first, n, at, size int }

// batches cuts the chunks into frames, by what is known without looking at them.
func (w *writer) batches() (list []batch) {
	for i := range w.archetypes {
		a := &w.archetypes[i]
		row := 8
		for _, t := range a.Components {
			row += w.columns[w.places[t]].rowBytes()
		}
		n := max(1, frameTarget/(row*a.Capacity))
		for first := 0; first < a.Chunks; first += n {
			list = append(list, batch{archetype: i, first: first, n: min(n, a.Chunks-first)})
		}
	}
	return list
}

// sizes finds out how long the frames will be, if that is known without the values, and all of them.
func (w *writer) sizes(list []batch) (all int, known bool) {
	for i := range list {
		b := &list[i]
		row := 8
		for _, t := range w.archetypes[b.archetype].Components {
			k := &w.columns[w.places[t]]
			if k.kind&isSkipped == 0 && k.kind&(isBuffer|isManaged) != 0 {
				return 0, false
			}
			if k.kind&isSkipped == 0 {
				row += k.rowBytes()
			}
		}
		size := 3 * 4
		for j := range b.n {
			c := &w.chunks[b.archetype][b.first+j]
			size += headBytes + 8*len(c.Parts) + row*len(c.Entities)
			for k := range c.Parts {
				size += 8 * len(c.Parts[k].On)
			}
		}
		b.at, b.size = all, frames.Size(size)
		all += b.size
	}
	return all, true
}

// waves is memory for the frames of one wave each: pages that are fresh cost more than what is written to them.
var waves = sync.Pool{New: func() any { return new([wave]frames.Out) }}

// rows writes the frames of the chunks.
func (w *writer) rows() error {
	list := w.batches()
	if size, known := w.sizes(list); known && w.into != nil {
		return w.inPlace(list, size)
	}
	return w.inWaves(list)
}

// inPlace makes the frames, of so many bytes in all, where they are to be.
func (w *writer) inPlace(list []batch, size int) error {
	w.into.Grow(size)
	all := w.into.AvailableBuffer()[:size]
	sums := make([]uint32, len(list))
	err := w.spread(len(list), 1, size, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			b := list[i]
			o := frames.Out{B: all[b.at : b.at : b.at+b.size]}
			if err := w.batch(&o, b); err != nil {
				panic(err) // what has no codec is written without an error
			}
			if sums[i] = o.End(); len(o.B) != b.size || &o.B[0] != &all[b.at] {
				panic(fmt.Sprintf("snapshot: a frame has %d bytes, not %d", len(o.B), b.size))
			}
		}
	})
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	for _, sum := range sums {
		w.crcs = frames.Joined(w.crcs, sum)
		w.count++
	}
	return put(w.into, &w.n, all) // they are there already
}

// inWaves makes the frames of a wave, and then sends them.
func (w *writer) inWaves(list []batch) error {
	outs := waves.Get().(*[wave]frames.Out)
	errs, sums := make([]error, wave), make([]uint32, wave)
	for ; len(list) > 0; list = list[min(wave, len(list)):] {
		now := list[:min(wave, len(list))]
		err := w.spread(len(now), 1, len(now)*(64<<10), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				errs[i] = w.batch(&outs[i], now[i])
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
			if err := w.sum(&outs[i], sums[i]); err != nil {
				return err
			}
		}
	}
	waves.Put(outs) // not after a panic of a codec: another one may still write
	return nil
}

// batch makes a frame of chunks: all heads, for which room is left, and then all bodies.
func (w *writer) batch(o *frames.Out, b batch) error {
	o.Begin(kindRows)
	o.Count(b.archetype)
	o.Count(b.first)
	o.Count(b.n)
	o.B = slices.Grow(o.B, max(0, b.size-len(o.B))) // if that is known
	var head frames.Out
	next := len(o.B)
	for j := range b.n {
		c := &w.chunks[b.archetype][b.first+j]
		if j == 0 {
			w.chunkHead(&head, c, 0) // those of an archetype are of one length
			o.B = append(o.B, make([]byte, b.n*len(head.B))...)
		}
		before := len(o.B)
		if err := w.body(o, c, nil); err != nil {
			return err
		}
		head.B = head.B[:0]
		w.chunkHead(&head, c, len(o.B)-before)
		next += copy(o.B[next:], head.B)
		if j == 0 && b.size == 0 {
			o.B = slices.Grow(o.B, (b.n-1)*(len(o.B)-before)+64) // chunks of an archetype are about as long
		}
	}
	return nil
}

// headBytes is how many bytes chunkHead writes, beside eight for each part.
const headBytes = 4 + 4 + 4 + 8 + 8

// chunkHead writes the head of a chunk.
func (w *writer) chunkHead(o *frames.Out, c *images.Chunk, size int) {
	o.Count(len(c.Entities))
	o.Count(c.Group)
	o.U32(w.age(c.Order))
	o.Entity(c.Meta)
	for k := range c.Parts {
		o.U32(w.age(c.Parts[k].Version))
		o.U32(w.age(c.Parts[k].Through))
	}
	o.U64(uint64(size))
}

// body writes the ids and the columns of a chunk. Ends, unless it is nil, is told where ids, lanes and the like end.
func (w *writer) body(o *frames.Out, c *images.Chunk, ends *ends) error {
	if littleEndian {
		o.B = append(o.B, memoryOf(c.Entities)...)
	} else {
		o.Entities(c.Entities)
	}
	ends.add(o)
	for k := range c.Parts {
		if err := w.part(o, &c.Parts[k], ends); err != nil {
			return err
		}
	}
	return nil
}

// ends is where pieces of bytes end.
type ends []int

func (e *ends) add(o *frames.Out) {
	if e != nil {
		*e = append(*e, len(o.B))
	}
}

// part writes a column of a chunk.
func (w *writer) part(o *frames.Out, p *images.Part, ends *ends) (err error) {
	k := &w.columns[w.places[p.Component]]
	switch {
	case k.kind&isSkipped != 0:
	case k.kind&isBuffer != 0:
		for row := range p.Entities {
			b, capacity := images.BufferOf(p, row)
			o.Count(len(b) / max(k.elem.size, 1))
			o.Count(capacity)
			o.B = k.elem.append(o.B, b)
		}
		ends.add(o)
	case k.kind&isManaged != 0:
		list := reflect.ValueOf(p.Value)
		for row := range p.Entities {
			at := len(o.B)
			o.U32(0)
			if o.B, err = k.codec.append(o.B, list.Index(row).Addr().Interface()); err != nil {
				return fmt.Errorf("snapshot: %w: %s of %v: %w", ErrValue, k.name, p.Entities[row], err)
			}
			head := frames.Out{B: o.B[:at]}
			head.Count(len(o.B) - at - 4)
		}
		ends.add(o)
	default:
		for i := range k.lanes {
			o.B = k.lanes[i].append(o.B, p.Lanes[i])
			ends.add(o)
		}
	}
	for _, word := range p.On {
		o.U64(word)
	}
	if len(p.On) > 0 {
		ends.add(o)
	}
	return nil
}
