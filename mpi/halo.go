package mpi

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// halo keeps ghosts: of rows of other ranks here, and of own rows there.
type halo struct {
	inner  inner
	kind   ecs.Archetype // of a ghost
	ghosts *ecs.Query
	values *ecs.RowSet // what ghosts get at each tick
	names  *ecs.RowSet // and once: their IDs
	peers  []*peer
	of     []int32 // the peer of a rank, or -1
	rows   []int32
	near   []int32
	fresh  []uint64
	made   []ecs.Entity
	gone   []ecs.Entity
	bytes  []byte
}

// peer is a rank with which one exchanges ghosts.
type peer struct {
	rank int

	// What it has of ours: in the order of IDs.
	shown []border
	was   []uint64
	out   message
	// What we have of it, in its order.
	ids    []uint64
	ghosts []ecs.Entity
	in     message
}

// border is a row at the border.
type border struct {
	id     uint64
	entity ecs.Entity
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
	h.peers, h.of = nil, make([]int32, b.n[0]*b.n[1]*b.n[2])
	for i := range h.of {
		h.of[i] = -1
	}
	for _, r := range ranks {
		h.of[r] = int32(len(h.peers))
		h.peers = append(h.peers, &peer{rank: int(r)})
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

// borders finds the rows that others may see.
func (d *Domain[T]) borders() {
	h := &d.halo
	for _, p := range h.peers {
		p.shown = p.shown[:0]
	}
	if len(h.peers) == 0 {
		return
	}
	for c := range d.own.Chunks() {
		p, entities := d.points(c), c.Entities()
		h.rows = p.appendOutside(h.rows[:0], &h.inner)
		for _, i := range h.rows {
			h.near = d.bricks.appendNear(h.near[:0], p.point(int(i)))
			for _, r := range h.near {
				if k := h.of[r]; k >= 0 {
					h.peers[k].shown = append(h.peers[k].shown, border{p.ids[i], entities[i]})
				}
			}
		}
	}
}

// A message to a peer is a flag whether the rows are those of the message before, how many they are, their IDs if they are not, and the
// values of their components, lane by lane.

// show writes what a peer is to know.
func (h *halo) show(p *peer) (err error) {
	slices.SortFunc(p.shown, func(a, b border) int {
		if a.id < b.id {
			return -1
		}
		return 1
	})
	h.fresh, h.made = h.fresh[:0], h.made[:0]
	for _, s := range p.shown {
		h.fresh, h.made = append(h.fresh, s.id), append(h.made, s.entity)
	}
	b := p.out.begin()
	same := slices.Equal(h.fresh, p.was) && p.out.known
	if same {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(h.fresh)))
	if !same {
		for _, id := range h.fresh {
			b = binary.LittleEndian.AppendUint64(b, id)
		}
		p.was = append(p.was[:0], h.fresh...)
	}
	p.out.known = true
	b, err = h.values.Gather(b, h.made)
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
		if n != len(p.ids) {
			return fmt.Errorf("%d rows as before, which were %d", n, len(p.ids))
		}
	} else {
		if n > len(b)/8 {
			return fmt.Errorf("%d rows in %d bytes", n, len(b))
		}
		h.fresh, h.made = h.fresh[:0], h.made[:0]
		old := 0
		for i := range n {
			id := binary.LittleEndian.Uint64(b[8*i:])
			for ; old < len(p.ids) && p.ids[old] < id; old++ {
				h.gone = append(h.gone, p.ghosts[old])
			}
			var e ecs.Entity
			if old < len(p.ids) && p.ids[old] == id {
				e = p.ghosts[old]
				old++
			}
			h.fresh, h.made = append(h.fresh, id), append(h.made, e)
		}
		h.gone = append(h.gone, p.ghosts[old:]...)
		p.ids, h.fresh = h.fresh, p.ids
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
				h.bytes = binary.NativeEndian.AppendUint64(h.bytes, p.ids[i])
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
