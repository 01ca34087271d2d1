package snapshot

import (
	"fmt"
	"io"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/images"
	"github.com/lanewise/lanewise/ecs/internal/frames"
)

// DeltaVersion is the latest version of the format of deltas. Apply reads it and all before.
const DeltaVersion = 1

var deltaMagic = [8]byte{0x89, 'L', 'W', 'D', '\r', '\n', 0x1a, '\n'}

// The kinds of the frames of a delta.
const (
	deltaBase = 1 + iota
	deltaFrame
	deltaRows
	deltaEnd
)

// base is an image of which a delta is made: what its snapshot would have, asked for in pieces.
type base struct {
	*writer
	payloads map[uint32][]byte // of the frames that are not of rows
	sets     map[string]int    // archetypes by their components
	shift    int64             // what is added to ages
}

// newBase makes the base of an image.
func newBase(m *ecs.Image, o *options) (*base, error) {
	o.given = nil // pieces are no part of an image
	w, err := newWriter(m, o)
	if err != nil {
		return nil, err
	}
	b := &base{writer: w, payloads: map[uint32][]byte{}, sets: map[string]int{}}
	w.send = func(o *frames.Out) error {
		f := frames.Frame{Bytes: o.B}
		b.payloads[f.Kind()] = slices.Clone(f.Body().B)
		return nil
	}
	for i := range w.archetypes {
		b.sets[w.setOf(i)] = i
	}
	return b, w.all(func() error { return nil })
}

// setOf returns the names of the components of an archetype.
func (w *writer) setOf(archetype int) string {
	var o frames.Out
	for _, t := range w.archetypes[archetype].Components {
		o.Text(w.columns[w.places[t]].name)
	}
	return string(o.B)
}

// headOf writes the head that a chunk of the base is expected to have later: nothing was written to it.
func (b *base) headOf(o *frames.Out, c *images.Chunk, size int) {
	from := len(o.B)
	b.chunkHead(o, c, size)
	shift := func(at int) {
		head := frames.In{B: o.B[at:]}
		age := b.later(head.U32())
		own := frames.Out{B: o.B[:at]}
		own.U32(age)
	}
	shift(from + 8)
	for k := range 2 * len(c.Parts) {
		shift(from + 20 + 4*k)
	}
}

// later returns what an age becomes when nothing is written.
func (b *base) later(age uint32) uint32 {
	if age == 0 {
		return 0
	}
	return uint32(min(max(int64(age)+b.shift, 1), maxAge))
}

// expected collects heads and bodies of the chunks from first on, as the base has them: no more than there are.
type expected struct {
	heads, bodies frames.Out
	headEnds      []int // one a chunk
	bodyEnds      []int
	pieces        [][2]int // of each chunk, in ends
	ends          ends     // of the pieces of all bodies
}

// expect fills x with chunks of an archetype of the base.
func (b *base) expect(x *expected, archetype, first, n int) error {
	x.heads.B, x.bodies.B, x.headEnds, x.bodyEnds, x.pieces, x.ends = x.heads.B[:0], x.bodies.B[:0], x.headEnds[:0], x.bodyEnds[:0], x.pieces[:0], x.ends[:0]
	if archetype < 0 {
		return nil
	}
	for j := first; j < min(first+n, b.archetypes[archetype].Chunks); j++ {
		c := images.ChunkOf(b.image, archetype, j)
		at, piece := len(x.bodies.B), len(x.ends)
		if err := b.body(&x.bodies, &c, &x.ends); err != nil {
			return err
		}
		b.headOf(&x.heads, &c, len(x.bodies.B)-at)
		x.headEnds, x.bodyEnds = append(x.headEnds, len(x.heads.B)), append(x.bodyEnds, len(x.bodies.B))
		x.pieces = append(x.pieces, [2]int{piece, len(x.ends)})
	}
	return nil
}

// chunk returns the body of the j-th chunk, and where its pieces end in it.
func (x *expected) chunk(j int) (body []byte, from int, ends []int) {
	if j >= len(x.bodyEnds) {
		return nil, 0, nil
	}
	if j > 0 {
		from = x.bodyEnds[j-1]
	}
	return x.bodies.B[from:x.bodyEnds[j]], from, x.ends[x.pieces[j][0]:x.pieces[j][1]]
}

// deltaWriter writes a delta.
type deltaWriter struct {
	*writer // of what is to be
	base    *base
	to      io.Writer
	n       int64
	made    frames.Out // a frame of the delta
	open    bool       // it is of rows, and may get more
	number  uint64
	sums    uint32
}

// Delta writes what Apply needs to make the image after of the image before, and returns how many bytes it has written:
// about as many as were written in the world between them. For a journal of autosaves, or a peer who has the image before.
// The images may be of one world or of others, and equal pairs have equal bytes. Options and errors are those of [Write].
//
// A delta is made of the snapshots of the two, so that it costs as much as to write these, on all workers, and leads to the
// image of which the snapshot is the same to the last byte.
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
	b.shift = d.shift()
	head := frames.Out{B: append([]byte(nil), deltaMagic[:]...)}
	head.U32(DeltaVersion)
	head.U32(ecs.HashVersion)
	d.sums = frames.Sum(head.B)
	if err := put(to, &d.n, head.B); err != nil {
		return d.n, err
	}
	d.made.Begin(deltaBase)
	d.made.U64(before.Hash())
	d.made.U64(uint64(b.shift))
	d.made.B = append(d.made.B, w.head()...)
	if err := d.flush(); err != nil {
		return d.n, err
	}
	w.send = d.frame
	err = w.all(d.rows)
	return d.n, err
}

// flush writes the frame that was begun.
func (d *deltaWriter) flush() error {
	d.sums = frames.Joined(d.sums, d.made.End())
	d.number++
	return put(d.to, &d.n, d.made.B)
}

// frame writes how a frame of the snapshot follows from that of the base.
func (d *deltaWriter) frame(o *frames.Out) error {
	f := frames.Frame{Bytes: o.B}
	if f.Kind() == kindEnd {
		d.made.Begin(deltaEnd)
		d.made.U64(d.number)
		d.made.U32(d.sums)
		d.made.B = append(d.made.B, f.Body().B...)
		d.made.End()
		return put(d.to, &d.n, d.made.B)
	}
	d.made.Begin(deltaFrame)
	d.made.U32(f.Kind())
	appendPatch(&d.made, f.Body().B, d.base.payloads[f.Kind()])
	return d.flush()
}

// shift returns by how much most ages have grown.
func (d *deltaWriter) shift() (most int64) {
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
		from, known := d.base.sets[d.setOf(i)]
		if !known {
			continue
		}
		for j := range min(d.archetypes[i].Chunks, d.base.archetypes[from].Chunks) {
			a, b := images.ChunkOf(d.base.image, from, j), images.ChunkOf(d.image, i, j)
			add(d.base.age(a.Order), d.age(b.Order))
			for k := range a.Parts {
				add(d.base.age(a.Parts[k].Version), d.age(b.Parts[k].Version))
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

// deltaBatch is what a worker makes of the chunks of a frame.
type deltaBatch struct {
	is   expected   // what the base says
	now  frames.Out // the frame of the snapshot
	made frames.Out // what the delta says of it
	ends ends
	sum  uint32
	err  error
}

// rows writes how the frames of the rows follow from the base.
func (d *deltaWriter) rows() error {
	list := d.batches()
	work := make([]deltaBatch, wave)
	for ; len(list) > 0; list = list[min(wave, len(list)):] {
		now := list[:min(wave, len(list))]
		err := d.spread(len(now), 1, len(now)*(64<<10), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				work[i].err = d.batch(&work[i], now[i])
			}
		})
		if err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
		for i := range now {
			if err := d.join(&work[i]); err != nil {
				return err
			}
		}
	}
	if d.open {
		return d.flush()
	}
	return nil
}

// join puts what was made of a frame of the snapshot into one of the delta, which has several, until it is as long as one of a snapshot.
func (d *deltaWriter) join(k *deltaBatch) error {
	if k.err != nil {
		return k.err
	}
	d.crcs = frames.Joined(d.crcs, k.sum)
	d.count++
	if d.open && len(d.made.B)+len(k.made.B) > frameTarget {
		if err := d.flush(); err != nil {
			return err
		}
		d.open = false
	}
	if !d.open {
		d.made.Begin(deltaRows)
		d.open = true
	}
	d.made.B = append(d.made.B, k.made.B...)
	return nil
}

// batch makes a frame of chunks, and says how it follows from the base.
func (d *deltaWriter) batch(k *deltaBatch, b batch) error {
	from, known := d.base.sets[d.setOf(b.archetype)]
	if !known {
		from = -1
	}
	if err := d.base.expect(&k.is, from, b.first, b.n); err != nil {
		return err
	}
	o := &k.made
	o.B = o.B[:0]
	o.Count(b.archetype)
	o.Count(from + 1)
	o.Count(b.first)
	o.Count(b.n)
	k.now.Begin(kindRows)
	k.now.Count(b.archetype)
	k.now.Count(b.first)
	k.now.Count(b.n)
	heads := len(k.now.B)
	var bodies, changes frames.Out
	changed := 0
	for j := range b.n {
		c := images.ChunkOf(d.image, b.archetype, b.first+j)
		at := len(bodies.B)
		k.ends = k.ends[:0]
		if err := d.body(&bodies, &c, &k.ends); err != nil {
			return err
		}
		d.chunkHead(&k.now, &c, len(bodies.B)-at)
		changed += chunkChanges(&changes, j, bodies.B[at:], at, k.ends, &k.is)
	}
	appendPatch(o, k.now.B[heads:], k.is.heads.B)
	o.Uvarint(uint64(changed))
	o.B = append(o.B, changes.B...)
	k.now.B = append(k.now.B, bodies.B...)
	k.sum = k.now.End()
	return nil
}

// chunkChanges writes how the pieces of a body follow from those that are expected, and returns 1 if some are others.
func chunkChanges(o *frames.Out, j int, body []byte, at int, ends []int, is *expected) int {
	own, from, known := is.chunk(j)
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
