package mpi

import (
	"errors"

	"github.com/lanewise/lanewise/kernels"
)

// early holds the state between Start and Finish of a tick.
type early[T kernels.Float] struct {
	started bool
	inner   sieve[T] // selects the rim: the rows that rows at the border may see
	rim     points[T]
}

// Start is the first half of [Domain.Exchange]: it moves rows to their ranks
// and begins to send ghosts. Until [Domain.Finish] the program can compute the
// rows that are further from the border than Reach, because they see no ghosts.
//
// Until Finish, other methods that exchange rows, bring ghosts or move cuts
// return an error. Only this rank's rows are numbered, and [Domain.Counts] reports which of
// these rows may be computed. Columns may be written, except ID and Place; add or destroy
// rows only after Finish. If the computation is long, call [Domain.Progress] at intervals,
// because long messages need it.
func (d *Domain[T]) Start() error {
	const op = "Start"
	if err := d.tick(op); err != nil {
		return err
	}
	moved := d.comm.wire.Work()
	// Number the rows before the halo, because the halo sorts rows by these
	// numbers. Messages have enough time later.
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

// Finish is the second half of [Domain.Exchange]: it waits for ghosts. Finish numbers
// ghosts, the rows that may see ghosts, and the rows that those rows may see. The numbered
// rows are all rows up to twice Reach from the border. [Domain.Counts] reports which of
// these rows may be computed. All other rows now have the number −1.
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

// checkEnded returns an error for an operation that would change rows, cuts or
// ghosts between Start and Finish.
func (e *early[T]) checkEnded(c *Comm, op string) error {
	if e.started {
		return c.fail(op, errors.New("a tick was started: Finish comes first"))
	}
	return nil
}

// numberRim numbers the rows near the border, on both sides of it.
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

// Progress lets MPI make progress with messages, without waiting. Call it at
// intervals between Start and Finish, on the goroutine of [Begin].
func (d *Domain[T]) Progress() error {
	if _, err := d.comm.wire.Progress(); err != nil {
		return d.comm.fail("Progress", err)
	}
	return nil
}
