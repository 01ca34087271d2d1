package mpi

import (
	"errors"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// early is what is between Start and Finish of a tick.
type early[T kernels.Float] struct {
	started bool
	inner   sieve[T] // lets the rim through: the rows that rows at the border may see
	ids     []uint64
	list    []ecs.Entity // of the rim
	border  []ecs.Entity // of those that may see ghosts
	own     []*ecs.Query
}

// Start is the first half of [Domain.Exchange]: rows that left go to their rank, and ghosts are on their way. Until [Domain.Finish] there is
// time to compute what rows see who are further from the border than Reach: as on a single rank, for no ghost is near them.
//
// Own rows alone are numbered by now, and [Domain.Counts] says which of them are those. Columns may be written, except ID and Place; rows are made or
// destroyed after Finish. Whoever computes long calls [Domain.Progress] now and then: long messages wait for that.
func (d *Domain[T]) Start() error {
	const op = "Start"
	if err := d.tick(op); err != nil {
		return err
	}
	moved := d.comm.wire.Work()
	if d.early.own == nil {
		d.early.own = []*ecs.Query{d.own}
	}
	// Before the halo, which finds IDs and entities in the cache then: there is time enough for messages.
	if err := d.number(d.early.own); err != nil {
		return err
	}
	numbered := d.comm.wire.Work()
	if err := d.postHalo(op); err != nil {
		return err
	}
	d.early.started = true
	posted := d.comm.wire.Work()
	d.order.note(d.order.late, d.early.border)
	d.stats.Halo += posted - numbered
	d.stats.Order += numbered - moved + d.comm.wire.Work() - posted
	return nil
}

// Finish is the second half of [Domain.Exchange]: it waits for ghosts. Numbered are ghosts, the rows that may see them, and those that
// these may see, which is twice Reach from the border; [Domain.Counts] says whose results count. Other rows are −1 now.
func (d *Domain[T]) Finish() error {
	const op = "Finish"
	if !d.early.started {
		return d.comm.fail(op, errors.New("no tick was started: Start comes first"))
	}
	d.early.started = false
	begin := d.comm.wire.Work()
	if err := d.takeHalo(op); err != nil {
		return err
	}
	seen := d.comm.wire.Work()
	err := d.numberRim()
	d.stats.Halo += seen - begin
	d.stats.Order += d.comm.wire.Work() - seen
	return err
}

// numberRim numbers what is near the border, on both sides.
func (d *Domain[T]) numberRim() error {
	e, o := &d.early, &d.order
	clear(o.at)
	for c := range d.halo.ghosts.Chunks() {
		e.ids, e.list = append(e.ids, numbers(ecs.LaneOf(c, d.split.ID, 0))...), append(e.list, c.Entities()...)
	}
	o.begin(len(e.list))
	if o.mark(e.ids) && o.counted() {
		o.number(e.ids, e.list)
	} else {
		o.marks, o.ids, o.places = o.marks[:0], append(o.ids[:0], e.ids...), o.places[:0]
		for _, e := range e.list {
			o.places = append(o.places, e.Index)
		}
		if err := d.sortIDs(); err != nil {
			return err
		}
	}
	for i := range o.late {
		o.late[i] = ^uint64(0)
	}
	for _, e := range e.border {
		row := o.at[e.Index] - 1
		o.late[row/64] &^= 1 << (row % 64)
	}
	for c := range d.halo.ghosts.Chunks() {
		o.note(o.ghost, c.Entities())
	}
	return nil
}

// Progress lets MPI go on with what is on its way, and does not wait. It is called by the goroutine of [Begin], now and then between Start and
// Finish.
func (d *Domain[T]) Progress() error {
	if _, err := d.comm.wire.Progress(); err != nil {
		return d.comm.fail("Progress", err)
	}
	return nil
}
