package mpi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/order"
)

// halo manages the ghosts of other ranks' rows on this rank, and the ghosts of
// this rank's rows on other ranks.
type halo[T kernels.Float] struct {
	inner  sieve[T] // selects rows that others may see
	border points[T]
	rows   []int32   // rows at the border, by chunk
	chunks []int     // number of rows at the border up to the end of each chunk
	place  []int32   // their positions in the order of IDs
	sorted points[T] // them in that order
	values [][]byte  // their values, a slice for each lane
	sorter order.Sorter[uint64, int32]
	keys   []uint64
	index  []int32
	before []int32

	kind     ecs.Archetype // of a ghost
	id       reflect.Type
	lanes    []lane // the other components of ghosts
	ghosts   *ecs.Query
	rowBytes int      // of all of that
	shown    [][]byte // the received values of ghosts, one slice for each lane
	of       places   // of ghosts among that
	from     []int32  // the same, for one chunk
	peers    []*peer[T]
	ids      []uint64 // IDs of new ghosts

	tags     []reflect.Type // tags in Halo, which have no values
	switches []reflect.Type // enableable components of ghosts
	marks    []rowMarks     // marks of the rows at the border, in the order of IDs
	marked   bool           // some are not zero
	want     []rowMarks     // the received marks, in the order of h.of
	wanted   bool
	seen     chunkMarks // marks of a chunk of ghosts
	changes  []change
	made     []ecs.Entity
	gone     []ecs.Entity
	spare    []ecs.Entity
}

// lane is one lane of a component.
type lane struct {
	of       reflect.Type
	at, size int
}

// peer is a rank with which this rank exchanges ghosts.
type peer[T kernels.Float] struct {
	rank int
	view sieve[T]

	// These are the rows of this rank that have ghosts on the peer, in the order of IDs.
	ids, was []uint64
	rows     []int32 // indices among those at the border, in that order
	out      message
	// These are the rows of the peer that have ghosts on this rank, in the peer's order.
	seen, next []uint64
	ghosts     []ecs.Entity
	marked     bool // it has sent marks
	in         message
}

// begin prepares the world for ghosts.
func (h *halo[T]) begin(w *ecs.World, id reflect.Type, others []reflect.Type) (err error) {
	terms := []ecs.Term{ecs.With[ecs.Ghost](), ecs.With[struct{}]().OfType(id)}
	for _, t := range others {
		terms = append(terms, ecs.With[struct{}]().OfType(t))
	}
	h.id, h.kind = id, w.Archetype(terms...)
	// The set also determines which components ghosts may have.
	set, err := ecs.NewRowSet(w, others...)
	if err != nil {
		return err
	}
	h.rowBytes = set.RowBytes()
	terms = []ecs.Term{ecs.Read[struct{}]().OfType(id), ecs.With[ecs.Ghost]()}
	for _, t := range others {
		terms = append(terms, ecs.Write[struct{}]().OfType(t))
	}
	h.ghosts = w.Query(append(terms, ecs.IncludeInactive(), ecs.IncludePrefabs(), ecs.IgnoreEnabled())...)
	if h.switches, err = switchesOf(append([]reflect.Type{id}, others...)); err != nil {
		return err
	}
	for _, t := range others {
		for _, c := range ecs.TermTypes(ecs.Read[struct{}]().OfType(t)) {
			if len(c.Lanes) == 0 {
				h.tags = append(h.tags, t)
			}
			for k, l := range c.Lanes {
				h.lanes = append(h.lanes, lane{t, k, int(l.Type.Size())})
			}
		}
	}
	h.values, h.shown = make([][]byte, len(h.lanes)), make([][]byte, len(h.lanes))
	return nil
}

// cut finds the peers after cuts have moved. Halo later removes ghosts of
// former peers.
func (h *halo[T]) cut(b *bricks, rank int) {
	h.inner.set(b.innerOf(rank, 1))
	ranks := b.appendPeers(nil, rank)
	slices.Sort(ranks)
	old := h.peers
	h.peers = nil
	for _, r := range ranks {
		p, view := &peer[T]{rank: int(r)}, b.viewOf(int(r))
		p.view.set(view[:]...)
		h.peers = append(h.peers, p)
	}
	for _, p := range old {
		h.gone = append(h.gone, p.ghosts...)
	}
}

// Halo updates the ghosts of all rows that this rank's rows may see, with their
// current values of Place and the components of Halo. A ghost stays the same
// entity as long as it is needed. If the set of ghosts has not changed, Halo
// only writes their values.
func (d *Domain[T]) Halo() error {
	const op = "Halo"
	if err := d.early.checkEnded(d.comm, op); err != nil {
		return err
	}
	if err := d.postHalo(op, false); err != nil {
		return err
	}
	return d.takeHalo(op)
}

// postHalo sends the rows that other ranks may see. Parameter numbered is true if rows are
// numbered.
func (d *Domain[T]) postHalo(op string, numbered bool) error {
	h := &d.halo
	if !numbered {
		d.look()
	}
	d.findBorders()
	if numbered {
		h.sortNumbered(&d.order)
	} else {
		h.sort()
	}
	if err := h.readValues(d.chunks); err != nil {
		return d.comm.fail(op, err)
	}
	for _, p := range h.peers {
		h.show(p)
	}
	return begin(d.comm, op, h.peers)
}

// takeHalo waits for the rows of other ranks, and makes ghosts from them.
func (d *Domain[T]) takeHalo(op string) error {
	h := &d.halo
	if err := finish(d.comm, op, h.peers); err != nil {
		return err
	}
	for _, p := range h.peers {
		if err := h.see(p); err != nil {
			return d.comm.fail(op, fmt.Errorf("ghosts of rank %d: %w", p.rank, err))
		}
	}
	if err := h.renew(d.world); err != nil {
		return d.comm.fail(op, err)
	}
	n := h.collect()
	if err := h.mark(d.world); err != nil {
		return d.comm.fail(op, err)
	}
	d.stats.Ghosts += int64(n)
	if got := h.write(); got != n {
		return d.comm.fail(op, fmt.Errorf("%d of %d ghosts are there, with what is of Halo: they are for this package to make and destroy", got, n))
	}
	return nil
}

// collect joins the rows of all peers, lane by lane, records which rows belong
// to which peer, and returns the number of ghosts.
func (h *halo[T]) collect() (n int) {
	for k := range h.shown {
		h.shown[k] = h.shown[k][:0]
	}
	h.want, h.wanted = h.want[:0], false
	for _, p := range h.peers {
		values := p.in.values
		for k, l := range h.lanes {
			size := len(p.ghosts) * l.size
			h.shown[k] = append(h.shown[k], values[:size]...)
			values = values[size:]
		}
		for i := range p.ghosts {
			m := rowMarks(0)
			if p.marked {
				m = rowMarks(binary.LittleEndian.Uint64(values[marksBytes*i:]))
			}
			h.want = append(h.want, m)
		}
		h.wanted = h.wanted || p.marked
		n += len(p.ghosts)
	}
	h.of.begin(n)
	at := int32(0)
	for _, p := range h.peers {
		for _, e := range p.ghosts {
			h.of.put(e.Index, at)
			at++
		}
	}
	return n
}

// write writes the values of ghosts chunk by chunk, because all ghosts are in a
// few chunks. The result is the number of ghosts that got values.
func (h *halo[T]) write() (n int) {
	for c := range h.ghosts.Chunks() {
		rows := h.from[:0]
		for _, e := range c.Entities() {
			at := h.of.position(e.Index)
			if at >= 0 {
				n++
			}
			rows = append(rows, at)
		}
		for k, l := range h.lanes {
			takeValues(c.WriteLaneBytes(l.of, l.at), h.shown[k], rows, l.size)
		}
		h.from = rows
	}
	return n
}

// findBorders finds the rows that other ranks may see, and the rows of the rim.
func (d *Domain[T]) findBorders() {
	h, e := &d.halo, &d.early
	e.rim.clear()
	h.border.clear()
	h.rows, h.chunks = h.rows[:0], h.chunks[:0]
	axes := e.inner.axes
	for i := range d.chunks {
		c := &d.chunks[i]
		if rows := e.inner.outsideRows(&c.points); len(h.peers) > 0 && len(rows) > 0 {
			rim := e.rim.add(&c.points, rows, axes)
			rim.mapInside()
			border := h.inner.outsideRows(&rim)
			h.border.add(&rim, border, axes)
			h.rows = appendRows(h.rows, rows, border)
		}
		h.chunks = append(h.chunks, len(h.rows))
	}
}

// sort sorts the rows at the border by ID.
func (h *halo[T]) sort() {
	h.keys, h.index = append(h.keys[:0], h.border.ids...), h.index[:0]
	for i := range h.keys {
		h.index = append(h.index, int32(i))
	}
	h.sorter.SortPairs(h.keys, h.index)
	h.place = resizeList(h.place, len(h.index))
	for at, i := range h.index {
		h.place[i] = int32(at)
	}
	h.sortRows()
}

// sortNumbered does the same as sort for numbered rows, whose order it reads from their bit
// marks. It also records that the results of these rows come late.
func (h *halo[T]) sortNumbered(o *rowOrder) {
	h.place = resizeList(h.place, len(h.border.ids))
	place := h.place
	for i, id := range h.border.ids {
		row := o.row(id)
		place[i] = row
		o.late[row/64] |= 1 << (row % 64)
	}
	h.before = count(h.before, o.late)
	for i, row := range place {
		place[i] = h.before[row/64] + int32(bits.OnesCount64(o.late[row/64]&(1<<(row%64)-1)))
	}
	h.sortRows()
}

// sortRows sorts the lists of rows by ID.
func (h *halo[T]) sortRows() {
	ids := resizeList(h.sorted.ids, len(h.place))
	for i, at := range h.place {
		ids[at] = h.border.ids[i]
	}
	h.sorted.ids = ids
	for a, x := range h.border.at {
		sorted := resizeList(h.sorted.at[a], len(x))
		for i, x := range x {
			sorted[h.place[i]] = x
		}
		h.sorted.at[a] = sorted
	}
}

// readValues reads the values that are sent, chunk by chunk, because looking
// up each entity took twice as long.
func (h *halo[T]) readValues(chunks []chunk[T]) error {
	for k, l := range h.lanes {
		h.values[k] = resizeList(h.values[k], len(h.rows)*l.size)
	}
	h.marks, h.marked = resizeList(h.marks, len(h.rows)), false
	clear(h.marks)
	first := 0
	for i, end := range h.chunks {
		rows, place := h.rows[first:end], h.place[first:end]
		first = end
		if len(rows) == 0 {
			continue
		}
		if err := h.readMarks(&chunks[i], rows, place); err != nil {
			return err
		}
		for k, l := range h.lanes {
			lane := chunks[i].lanes[k]
			if lane == nil {
				return lacksOfHalo(chunks[i].ids[rows[0]], l.of)
			}
			moveValues(h.values[k], lane, place, rows, l.size)
		}
	}
	return nil
}

// A message to a peer begins with a byte of flags. One flag says whether the rows are the
// same as in the previous message; another says whether marks follow. If the rows differ,
// the message has a bit for each old row, which says whether the row is still there. After
// these bits come the number of new rows and their IDs. The message ends with the values of
// all rows, lane by lane, in the order of IDs, and with their marks.
const (
	sameRows  = 1
	marksCome = 2
)

// show writes the message that tells a peer which rows it sees, and their values.
func (h *halo[T]) show(p *peer[T]) {
	in := p.view.insideMask(&h.sorted.at, len(h.sorted.ids))
	if n := len(h.sorted.ids) % 64; n > 0 {
		in[len(in)-1] &= 1<<n - 1
	}
	p.rows = appendBits(p.rows[:0], in)
	p.ids, p.was = appendRows(p.was[:0], h.sorted.ids, p.rows), p.ids
	b := p.out.begin()
	flags := len(b)
	if slices.Equal(p.ids, p.was) {
		b = append(b, sameRows)
	} else {
		b = h.appendChange(append(b, 0), p.was, p.ids)
	}
	for k, l := range h.lanes {
		if len(p.rows) == len(h.sorted.ids) {
			b = append(b, h.values[k]...)
		} else {
			b = appendValues(b, h.values[k], p.rows, l.size)
		}
	}
	b, any := h.appendMarks(b, p.rows)
	if any {
		b[flags] |= marksCome
	}
	p.out.end(b)
}

// appendChange appends the difference between two lists of IDs. Both are
// sorted.
func (h *halo[T]) appendChange(b []byte, was, ids []uint64) []byte {
	bits := len(b)
	b = append(b, make([]byte, (len(was)+7)/8)...)
	h.keys = h.keys[:0]
	old := 0
	for _, id := range ids {
		for old < len(was) && was[old] < id {
			old++
		}
		if old < len(was) && was[old] == id {
			b[bits+old/8] |= 1 << (old % 8)
			old++
		} else {
			h.keys = append(h.keys, id)
		}
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(h.keys)))
	for _, id := range h.keys {
		b = binary.LittleEndian.AppendUint64(b, id)
	}
	return b
}

// see reads which rows a peer shows to this rank. New ghosts have no entities yet.
func (h *halo[T]) see(p *peer[T]) (err error) {
	b := p.in.bytes
	if len(b) == 0 {
		return errors.New("a message of no bytes")
	}
	same := b[0]&sameRows != 0
	bytes := h.rowBytes
	if p.marked = b[0]&marksCome != 0; p.marked {
		bytes += marksBytes
	}
	if b = b[1:]; !same {
		if b, err = h.seeChange(p, b); err != nil {
			return err
		}
	}
	if n := len(p.seen); len(b) != n*bytes {
		return fmt.Errorf("%d rows in %d bytes: ghosts have %d each", n, len(b), bytes)
	}
	p.in.values = b
	return nil
}

// seeChange reads a difference that appendChange has written, and returns the rest of the message.
func (h *halo[T]) seeChange(p *peer[T], b []byte) (rest []byte, err error) {
	kept := (len(p.seen) + 7) / 8
	if len(b) < kept+8 || binary.LittleEndian.Uint64(b[kept:]) > uint64(len(b)-kept-8)/8 {
		return nil, fmt.Errorf("%d rows before, and a message of %d bytes", len(p.seen), len(b))
	}
	fresh := b[kept+8:][:8*binary.LittleEndian.Uint64(b[kept:])]
	rest = b[kept+8+len(fresh):]
	next, ghosts := p.next[:0], h.spare[:0]
	for old, id := range p.seen {
		for len(fresh) > 0 && binary.LittleEndian.Uint64(fresh) <= id { // the same ID, if another entity has it now
			next, ghosts = append(next, binary.LittleEndian.Uint64(fresh)), append(ghosts, ecs.Entity{})
			fresh = fresh[8:]
		}
		if b[old/8]>>(old%8)&1 != 0 {
			next, ghosts = append(next, id), append(ghosts, p.ghosts[old])
		} else {
			h.gone = append(h.gone, p.ghosts[old])
		}
	}
	for ; len(fresh) > 0; fresh = fresh[8:] {
		next, ghosts = append(next, binary.LittleEndian.Uint64(fresh)), append(ghosts, ecs.Entity{})
	}
	p.next, p.seen = p.seen, next
	h.spare, p.ghosts = p.ghosts, ghosts
	return rest, nil
}

// renew removes old ghosts and makes new ones.
func (h *halo[T]) renew(w *ecs.World) error {
	if len(h.gone) > 0 {
		if err := ecs.DestroyAll(w, ecs.Entities(h.gone)); err != nil {
			return err
		}
		h.gone = h.gone[:0]
	}
	h.ids, h.made = h.ids[:0], h.made[:0]
	for _, p := range h.peers {
		for i, e := range p.ghosts {
			if e == (ecs.Entity{}) {
				h.ids = append(h.ids, p.seen[i])
			}
		}
	}
	if len(h.ids) == 0 {
		return nil
	}
	for c := range w.Create(h.kind, len(h.ids)).Chunks() {
		copy(numbers(c.WriteLaneBytes(h.id, 0)), h.ids[len(h.made):])
		h.made = append(h.made, c.Entities()...)
	}
	made := h.made
	for _, p := range h.peers {
		for i, e := range p.ghosts {
			if e == (ecs.Entity{}) {
				p.ghosts[i], made = made[0], made[1:]
			}
		}
	}
	return nil
}
