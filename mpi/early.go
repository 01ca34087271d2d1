package mpi

import (
	"errors"

	"github.com/lanewise/lanewise/kernels"
)

// early is what is between Start and Finish of a tick.
type early[T kernels.Float] struct {
	started bool
	inner   sieve[T] // lets the rim through: the rows that rows at the border may see
	rim     points[T]
}

// Start is the first half of [Domain.Exchange]: rows that left go to their rank, and ghosts are on their way. Until [Domain.Finish] there is
// time to compute what rows see that are further from the border than Reach: as on a single rank, for no ghost is near them.
//
// Until Finish no rows are exchanged, ghosts brought or cuts moved by other methods: they return an error. Own rows alone are numbered by now, and [Domain.Counts] says which of them are those. Columns may be written, except ID and Place; rows are made or
// destroyed after Finish. Whoever computes long calls [Domain.Progress] now and then: long messages wait for that.
func (d *Domain[T]) Start() error {
	const op = "Start"
	if err := d.tick(op); err != nil {
		return err
	}
	moved := d.comm.wire.Work()
	// Before the halo, which puts rows in the order of IDs by that: there is time enough for messages.
	d.look()
	if err := d.numberOwn(); err != nil {
		return err
	}
	numbered := d.comm.wire.Work()
	if err := d.postHalo(op, true); err != nil {
		return err
	}
	d.early.started = true
	d.stats.Halo += d.comm.wire.Work() - numbered
	d.stats.Order += numbered - moved
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

// ended refuses what would change rows, cuts or ghosts while those of a tick are on their way.
func (e *early[T]) ended(c *Comm, op string) error {
	if e.started {
		return c.fail(op, errors.New("a tick was started: Finish comes first"))
	}
	return nil
}

// numberRim numbers what is near the border, on both sides.
func (d *Domain[T]) numberRim() error {
	o := &d.order
	o.lists = append(o.lists[:0], d.early.rim.ids)
	n := len(d.early.rim.ids)
	for c := range d.halo.ghosts.Chunks() {
		o.lists = append(o.lists, numbers(c.LaneBytes(d.split.ID, 0)))
		n += c.Len()
	}
	if err := d.number(n); err != nil {
		return err
	}
	for i := range o.late {
		o.late[i] = ^uint64(0)
	}
	for _, id := range d.halo.border.ids {
		row := o.row(id)
		o.late[row/64] &^= 1 << (row % 64)
	}
	for _, ids := range o.lists[1:] {
		o.note(o.ghost, ids)
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
