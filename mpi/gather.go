package mpi

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
)

// appendEntities appends all rows of this rank.
func (d *Domain[T]) appendEntities(list []ecs.Entity) []ecs.Entity {
	for c := range d.own.Chunks() {
		list = append(list, c.Entities()...)
	}
	return list
}

// Gather copies the rows of all ranks, with all components, into a world on
// root, for pictures and tables. The copies are in the order of ranks. Ranks other than
// root pass nil as the world. The original rows stay on their ranks.
func (d *Domain[T]) Gather(root int, into *ecs.World) error {
	const op = "Gather"
	b, err := d.packer.Pack(nil, d.appendEntities(nil))
	if err != nil {
		return d.comm.fail(op, err)
	}
	in, err := d.comm.Gather(b, root)
	if err != nil || d.comm.Rank() != root {
		return err
	}
	p := pack.New(into, d.split.Pack...)
	for r, b := range in {
		if _, err := p.Unpack(b); err != nil {
			return d.comm.fail(op, fmt.Errorf("rows of rank %d: %w", r, err))
		}
	}
	return nil
}
