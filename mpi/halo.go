package mpi

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/order"
)

// halo keeps ghosts: of rows of other ranks here, and of own rows there.
type halo struct {
	inner  inner
	kind   ecs.Archetype // of a ghost
	ghosts *ecs.Query
	values *ecs.RowSet // what ghosts get at each tick
	names  *ecs.RowSet // and once: their IDs
	peers  []*peer
	sorter order.Sorter[uint64, ecs.Entity]
	fresh  []uint64
	made   []ecs.Entity
	gone   []ecs.Entity
	bytes  []byte
}

// peer is a rank with which one exchanges ghosts.
type peer struct {
	rank int
	view view

	// What it has of ours: in the order of IDs.
	ids, was []uint64
	shown    []ecs.Entity
	out      message
	// What we have of it, in its order.
	seen   []uint64
	ghosts []ecs.Entity
	in     message
}

// begin makes ghosts possible.
func (h *halo) begin(w *ecs.World, id reflect.Type, others []reflect.Type) (err error) {
	terms := []ecs.Term{ecs.With[ecs.Ghost](), ecs.With[struct{}]().Of(id)}
	for _, t := range others {
		terms = append(terms, ecs.With[struct{}]().Of(t))
	}
	h.kind = w.Archetype(terms...)
	h.ghosts = w.Query(ecs.Read[struct{}]().Of(id), ecs.With[ecs.Ghost]())
	if h.values, err = ecs.NewRowSet(w, others...); err != nil {
		return err
	}
	h.names, err = ecs.NewRowSet(w, id)
	return err
}

// cut finds the peers again. Ghosts of those who are none any more are forgotten by Halo.
func (h *halo) cut(b *bricks, rank int) {
	h.inner = b.innerOf(rank, 1)
	ranks := b.appendPeers(nil, rank)
	slices.Sort(ranks)
	old := h.peers
	h.peers = nil
	for _, r := range ranks {
		h.peers = append(h.peers, &peer{rank: int(r), view: b.viewOf(int(r))})
	}
	for _, p := range old {
		h.gone = append(h.gone, p.ghosts...)
	}
}

// Halo brings ghosts of all rows that own ones may see, with the values that these have now: of Place and the components of Halo. A
// ghost stays the same entity as long as it is needed; if those that are needed have not changed, values are written where they are.
func (d *Domain[T]) Halo() error {
	const op = "Halo"
	if err := d.postHalo(op); err != nil {
		return err
	}
	return d.takeHalo(op)
}

// postHalo sends what others may see.
func (d *Domain[T]) postHalo(op string) error {
	h := &d.halo
	d.borders()
	for _, p := range h.peers {
		if err := h.show(p); err != nil {
			return d.comm.fail(op, err)
		}
	}
	return d.comm.begin(op, h.peers)
}

// takeHalo waits for what others show, and makes ghosts of it.
func (d *Domain[T]) takeHalo(op string) error {
	h := &d.halo
	if err := d.comm.finish(op, h.peers); err != nil {
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
		if err := h.values.Scatter(p.ghosts, p.in.values); err != nil {
			return d.comm.fail(op, fmt.Errorf("ghosts of rank %d: %w", p.rank, err))
		}
	}
	return nil
}

// borders finds the rows that others may see, and with them those of the rim.
func (d *Domain[T]) borders() {
	h, e := &d.halo, &d.early
	for _, p := range h.peers {
		p.ids, p.shown = p.ids[:0], p.shown[:0]
	}
	e.ids, e.list, e.border = e.ids[:0], e.list[:0], e.border[:0]
	if len(h.peers) == 0 {
		return
	}
	for c := range d.own.Chunks() {
		p, entities := d.points(c, e.inner.axes), c.Entities()
		for _, i := range e.inner.outside(&p) {
			id, entity, at := p.ids[i], entities[i], p.point(i)
			e.ids, e.list = append(e.ids, id), append(e.list, entity)
			if h.inner.has(&at) {
				continue
			}
			e.border = append(e.border, entity)
			for _, p := range h.peers {
				if p.view.has(&at) {
					p.ids, p.shown = append(p.ids, id), append(p.shown, entity)
				}
			}
		}
	}
}

// A message to a peer is a flag whether the rows are those of the message before, how many they are, their IDs if they are not, and the
// values of their components, lane by lane.

// show writes what a peer is to know.
func (h *halo) show(p *peer) (err error) {
	h.sorter.SortPairs(p.ids, p.shown)
	b := p.out.begin()
	same := slices.Equal(p.ids, p.was) && p.out.known
	if same {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(p.ids)))
	if !same {
		for _, id := range p.ids {
			b = binary.LittleEndian.AppendUint64(b, id)
		}
		p.was = append(p.was[:0], p.ids...)
	}
	p.out.known = true
	b, err = h.values.Gather(b, p.shown)
	p.out.end(b)
	return err
}

// see reads which rows a peer shows. Ghosts that are to be made are no entities yet.
func (h *halo) see(p *peer) error {
	b := p.in.bytes
	if len(b) < 9 {
		return fmt.Errorf("a message of %d bytes", len(b))
	}
	same, n := b[0] == 1, int(binary.LittleEndian.Uint64(b[1:]))
	b = b[9:]
	if same {
		if n != len(p.seen) {
			return fmt.Errorf("%d rows as before, which were %d", n, len(p.seen))
		}
	} else {
		if n > len(b)/8 {
			return fmt.Errorf("%d rows in %d bytes", n, len(b))
		}
		h.fresh, h.made = h.fresh[:0], h.made[:0]
		old := 0
		for i := range n {
			id := binary.LittleEndian.Uint64(b[8*i:])
			for ; old < len(p.seen) && p.seen[old] < id; old++ {
				h.gone = append(h.gone, p.ghosts[old])
			}
			var e ecs.Entity
			if old < len(p.seen) && p.seen[old] == id {
				e = p.ghosts[old]
				old++
			}
			h.fresh, h.made = append(h.fresh, id), append(h.made, e)
		}
		h.gone = append(h.gone, p.ghosts[old:]...)
		p.seen, h.fresh = h.fresh, p.seen
		p.ghosts, h.made = h.made, p.ghosts
		b = b[8*n:]
	}
	if len(b) != n*h.values.RowBytes() {
		return fmt.Errorf("%d rows in %d bytes: ghosts have %d each", n, len(b), h.values.RowBytes())
	}
	p.in.values = b
	return nil
}

// renew lets old ghosts go and makes new ones.
func (h *halo) renew(w *ecs.World) error {
	if len(h.gone) > 0 {
		if err := ecs.DestroyAll(w, ecs.List(h.gone)); err != nil {
			return err
		}
		h.gone = h.gone[:0]
	}
	h.fresh, h.made, h.bytes = h.fresh[:0], h.made[:0], h.bytes[:0]
	for _, p := range h.peers {
		for i, e := range p.ghosts {
			if e == (ecs.Entity{}) {
				h.bytes = binary.NativeEndian.AppendUint64(h.bytes, p.seen[i])
			}
		}
	}
	n := len(h.bytes) / 8
	if n == 0 {
		return nil
	}
	for c := range w.Create(h.kind, n) {
		h.made = append(h.made, c.Entities()...)
	}
	next := 0
	for _, p := range h.peers {
		for i, e := range p.ghosts {
			if e == (ecs.Entity{}) {
				p.ghosts[i] = h.made[next]
				next++
			}
		}
	}
	return h.names.Scatter(h.made, h.bytes)
}
