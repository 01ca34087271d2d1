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

// halo keeps ghosts: of rows of other ranks here, and of own rows there.
type halo[T kernels.Float] struct {
	inner  sieve[T] // lets rows through that others may see
	border nearby[T]
	values [][]byte // of the rows at the border: a lane each
	sorted []int32  // the rows at the border in the order of IDs
	sorter order.Sorter[uint64, int32]
	keys   []uint64
	before []int32

	kind   ecs.Archetype // of a ghost
	id     reflect.Type
	lanes  []lane // what ghosts have beside that
	ghosts *ecs.Query
	to     *ecs.RowSet
	peers  []*peer[T]
	ids    []uint64 // of ghosts that are new
	made   []ecs.Entity
	gone   []ecs.Entity
	spare  []ecs.Entity
}

// lane is one of a component.
type lane struct {
	of       reflect.Type
	at, size int
}

// peer is a rank with which one exchanges ghosts.
type peer[T kernels.Float] struct {
	rank int
	view sieve[T]

	// What it has of ours: in the order of IDs.
	ids, was []uint64
	rows     []int32 // among those at the border
	out      message
	// What we have of it, in its order.
	seen, next []uint64
	ghosts     []ecs.Entity
	in         message
}

// begin makes ghosts possible.
func (h *halo[T]) begin(w *ecs.World, id reflect.Type, others []reflect.Type) (err error) {
	terms := []ecs.Term{ecs.With[ecs.Ghost](), ecs.With[struct{}]().Of(id)}
	for _, t := range others {
		terms = append(terms, ecs.With[struct{}]().Of(t))
	}
	h.id, h.kind = id, w.Archetype(terms...)
	h.ghosts = w.Query(ecs.Read[struct{}]().Of(id), ecs.With[ecs.Ghost]())
	if h.to, err = ecs.NewRowSet(w, others...); err != nil {
		return err
	}
	for _, t := range others {
		for _, c := range ecs.TermTypes(ecs.Read[struct{}]().Of(t)) {
			for k, l := range c.Lanes {
				h.lanes = append(h.lanes, lane{t, k, int(l.Type.Size())})
			}
		}
	}
	h.values = make([][]byte, len(h.lanes))
	return nil
}

// cut finds the peers again. Ghosts of those who are none any more are forgotten by Halo.
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

// Halo brings ghosts of all rows that own ones may see, with the values that these have now: of Place and the components of Halo. A
// ghost stays the same entity as long as it is needed; if those that are needed have not changed, values are written where they are.
func (d *Domain[T]) Halo() error {
	const op = "Halo"
	if err := d.postHalo(op, false); err != nil {
		return err
	}
	return d.takeHalo(op)
}

// postHalo sends what others may see; rows may be numbered by now.
func (d *Domain[T]) postHalo(op string, numbered bool) error {
	h := &d.halo
	if !numbered {
		d.look()
	}
	if err := d.borders(); err != nil {
		return d.comm.fail(op, err)
	}
	if numbered {
		d.sortNumbered()
	} else {
		h.sort()
	}
	for _, p := range h.peers {
		h.show(p)
	}
	return begin(d.comm, op, h.peers)
}

// takeHalo waits for what others show, and makes ghosts of it.
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
	for _, p := range h.peers {
		d.stats.Ghosts += int64(len(p.ghosts))
		if err := h.to.Scatter(p.ghosts, p.in.values); err != nil {
			return d.comm.fail(op, fmt.Errorf("ghosts of rank %d: %w", p.rank, err))
		}
	}
	return nil
}

// borders finds the rows that others may see, with what they see of them, and those of the rim. Values are read while their chunk is in the
// cache: to look the rows up by their entities afterwards took twice as long.
func (d *Domain[T]) borders() error {
	h, e := &d.halo, &d.early
	e.rim.clear()
	h.border.clear()
	for k := range h.values {
		h.values[k] = h.values[k][:0]
	}
	if len(h.peers) == 0 {
		return nil
	}
	axes := e.inner.axes
	for i := range d.chunks {
		c := &d.chunks[i]
		rows := e.inner.outside(&c.points)
		if len(rows) == 0 {
			continue
		}
		rim := e.rim.add(&c.nearby, rows, axes)
		rim.inside()
		border := h.inner.outside(&rim.points)
		h.border.add(&rim, border, axes)
		for i, k := range border {
			border[i] = rows[k]
		}
		for k, lane := range c.lanes {
			if lane == nil && len(border) > 0 {
				return fmt.Errorf("%v has no %v, which is of Halo: rows have all of that", c.list[border[0]], h.lanes[k].of)
			}
			h.values[k] = appendValues(h.values[k], lane, border, h.lanes[k].size)
		}
	}
	return nil
}

// sort sorts the rows at the border by their IDs.
func (h *halo[T]) sort() {
	h.keys, h.sorted = append(h.keys[:0], h.border.ids...), h.sorted[:0]
	for i := range h.keys {
		h.sorted = append(h.sorted, int32(i))
	}
	h.sorter.SortPairs(h.keys, h.sorted)
}

// sortNumbered does it for rows that are numbered, and notes that their results are late: a row is where its bit is among those.
func (d *Domain[T]) sortNumbered() {
	h, o := &d.halo, &d.order
	o.note(o.late, h.border.list)
	h.before = count(h.before, o.late)
	h.sorted = append(h.sorted[:0], make([]int32, len(h.border.list))...)
	for i, e := range h.border.list {
		row := o.at[e.Index] - 1
		h.sorted[h.before[row/64]+int32(bits.OnesCount64(o.late[row/64]&(1<<(row%64)-1)))] = int32(i)
	}
}

// A message to a peer is a flag whether the rows are those of the message before. If they are not, there are a bit for each of those that
// says whether it is still there, how many are new, and their IDs. Then come the values of all, lane by lane, in the order of IDs.

// show writes what a peer is to know.
func (h *halo[T]) show(p *peer[T]) {
	in := p.view.inside(&h.border.at, len(h.border.ids))
	p.ids, p.was, p.rows = p.was[:0], p.ids, p.rows[:0]
	for _, i := range h.sorted {
		if has(in, i) {
			p.rows, p.ids = append(p.rows, i), append(p.ids, h.border.ids[i])
		}
	}
	b := p.out.begin()
	if slices.Equal(p.ids, p.was) {
		b = append(b, 1)
	} else {
		b = h.appendChange(append(b, 0), p.was, p.ids)
	}
	for k, l := range h.lanes {
		b = appendValues(b, h.values[k], p.rows, l.size)
	}
	p.out.end(b)
}

// appendChange appends what makes one list of IDs of another one. Both are in order.
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

// see reads which rows a peer shows. Ghosts that are to be made are no entities yet.
func (h *halo[T]) see(p *peer[T]) (err error) {
	b := p.in.bytes
	if len(b) == 0 {
		return errors.New("a message of no bytes")
	}
	same := b[0] == 1
	if b = b[1:]; !same {
		if b, err = h.seeChange(p, b); err != nil {
			return err
		}
	}
	if n := len(p.seen); len(b) != n*h.to.RowBytes() {
		return fmt.Errorf("%d rows in %d bytes: ghosts have %d each", n, len(b), h.to.RowBytes())
	}
	p.in.values = b
	return nil
}

// seeChange reads what has changed, and returns the rest of a message.
func (h *halo[T]) seeChange(p *peer[T], b []byte) (rest []byte, err error) {
	kept := (len(p.seen) + 7) / 8
	if len(b) < kept+8 || binary.LittleEndian.Uint64(b[kept:]) > uint64(len(b)-kept-8)/8 {
		return nil, fmt.Errorf("%d rows before, and a message of %d bytes", len(p.seen), len(b))
	}
	fresh := b[kept+8:][:8*binary.LittleEndian.Uint64(b[kept:])]
	rest = b[kept+8+len(fresh):]
	next, ghosts := p.next[:0], h.spare[:0]
	for old, id := range p.seen {
		for len(fresh) > 0 && binary.LittleEndian.Uint64(fresh) <= id { // the same ID, if an entity took the place of another
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

// renew lets old ghosts go and makes new ones.
func (h *halo[T]) renew(w *ecs.World) error {
	if len(h.gone) > 0 {
		if err := ecs.DestroyAll(w, ecs.List(h.gone)); err != nil {
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
	for c := range w.Create(h.kind, len(h.ids)) {
		copy(numbers(ecs.WriteLaneOf(c, h.id, 0)), h.ids[len(h.made):])
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
