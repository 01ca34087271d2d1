package mpi

import (
	"encoding/binary"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// moves holds the rows that change ranks, indexed by their new rank.
type moves[T kernels.Float] struct {
	own    sieve[T] // selects rows that are not in the brick
	gone   [][]ecs.Entity
	out    [][]byte
	packed [][]byte
	rooms  [][]byte // memory for received rows
	ids    []byte   // the same, of rows
}

// findLeaving finds the rows that belong to other ranks.
func (d *Domain[T]) findLeaving() [][]ecs.Entity {
	m := &d.moves
	if len(m.gone) == 0 {
		n := d.comm.Size()
		m.gone, m.out, m.packed, m.rooms = make([][]ecs.Entity, n), make([][]byte, n), make([][]byte, n), make([][]byte, n)
	}
	for r := range m.gone {
		m.gone[r] = m.gone[r][:0]
	}
	own := &d.order.own
	own.begin(d.own.OrderCount() == own.orders && d.renamed.Empty())
	if len(m.own.axes) == 0 {
		return m.gone
	}
	for c := range d.own.Chunks() {
		p, entities := d.points(c, m.own.axes), c.Entities()
		for _, i := range m.own.outsideRows(&p) {
			if r := d.bricks.owner(p.point(i)); r != d.comm.Rank() {
				m.gone[r] = append(m.gone[r], entities[i])
				own.lost = append(own.lost, p.ids[i])
			}
		}
	}
	return m.gone
}

// Keep removes the rows that belong to other ranks. Use Keep if all ranks have
// created the same world.
func (d *Domain[T]) Keep() error {
	const op = "Keep"
	if err := d.early.checkEnded(d.comm, op); err != nil {
		return err
	}
	for _, list := range d.findLeaving() {
		if err := ecs.DestroyAll(d.world, ecs.Entities(list)); err != nil {
			return d.comm.fail(op, err)
		}
	}
	return nil
}

// Migrate moves each row to the rank of its position, with all components,
// shared values, buffers, disabled components, cleanup components and names.
// If two rows move to the same rank in the same tick, references between them
// are kept. A reference to any other row is an error, because it would be lost.
func (d *Domain[T]) Migrate() error {
	const op = "Migrate"
	if err := d.early.checkEnded(d.comm, op); err != nil {
		return err
	}
	m, own := &d.moves, &d.order.own
	for r, list := range d.findLeaving() {
		m.out[r] = nil
		if len(list) == 0 {
			continue
		}
		b, err := d.packer.Take(m.packed[r][:0], list)
		if err != nil {
			return d.comm.fail(op, fmt.Errorf("%d rows for rank %d: %w", len(list), r, err))
		}
		m.packed[r], m.out[r] = b, b
		d.stats.Moved += int64(len(list))
	}
	in, err := d.comm.exchange(op, m.out, m.rooms)
	if err != nil {
		return err
	}
	for r, b := range in {
		if len(b) == 0 {
			continue
		}
		list, err := d.packer.Unpack(b)
		if err != nil {
			return d.comm.fail(op, fmt.Errorf("rows of rank %d: %w", r, err))
		}
		if m.ids, err = d.ids.Gather(m.ids[:0], list); err != nil {
			return d.comm.fail(op, err)
		}
		for ids := m.ids; len(ids) > 0; ids = ids[8:] {
			own.fresh = append(own.fresh, binary.NativeEndian.Uint64(ids))
		}
	}
	return nil
}
