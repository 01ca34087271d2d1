package mpi

import (
	"fmt"
	"math/bits"
	"slices"
)

// rowOrder maps an ID to its row in the grid's input. Rows are in the order of
// IDs, including ghosts. So a grid that is built from them has the rows of each cell in
// the order of IDs, and sums over neighbours are added in the same order on any number of
// ranks.
type rowOrder struct {
	now   []mark   // marks of the IDs with rows, if the IDs are dense enough
	far   far      // else
	own   kept     // marks of own rows
	ghost []uint64 // a bit for each row that is a ghost
	late  []uint64 // the same, for rows that must not be computed: all ghosts, and those of the other half of a tick
	n     int
	turns [][4]uint64 // bits of the present IDs, distributed over four words, because writing to one word twice in a row would stall
	marks []mark      // the same, counted
	lists [][]uint64  // the numbered IDs
}

// mark holds a bit for each of 64 IDs, and the number of rows before these IDs.
type mark struct {
	bits   uint64
	before int32
}

// row returns the row of an ID, or -1 if the ID has none. The code has no
// branch for an ID without a row, because the CPU would mispredict it.
func row(marks []mark, id uint64) int32 {
	if id/64 >= uint64(len(marks)) {
		return -1
	}
	m := &marks[id/64]
	behind := m.before + int32(bits.OnesCount64(m.bits&(2<<(id%64)-1))) // number of rows up to and including the ID
	return behind&-int32(m.bits>>(id%64)&1) - 1
}

// row returns the row of an ID, or -1 if the ID has none.
func (o *rowOrder) row(id uint64) int32 {
	if len(o.far.ids) > 0 {
		return o.far.row(id)
	}
	return row(o.now, id)
}

// wordsOfRow is the largest number of words of marks per row. If the IDs are sparser, the
// type far sorts them instead.
const wordsOfRow = 4

// Order numbers this rank's rows and ghosts in the order of their IDs. Call it
// after Migrate and Halo.
func (d *Domain[T]) Order() error {
	if err := d.early.checkEnded(d.comm, "Order"); err != nil {
		return err
	}
	d.look()
	o := &d.order
	n := d.list()
	for c := range d.halo.ghosts.Chunks() {
		o.lists = append(o.lists, numbers(c.LaneBytes(d.split.ID, 0)))
		n += c.Len()
	}
	if err := d.number(n); err != nil {
		return err
	}
	for c := range d.halo.ghosts.Chunks() {
		ids := numbers(c.LaneBytes(d.split.ID, 0))
		o.note(o.ghost, ids)
		o.note(o.late, ids)
	}
	return nil
}

// look records this rank's rows, chunk by chunk, because several loops use the rows. The
// result is valid until rows are added or removed.
func (d *Domain[T]) look() {
	d.chunks = d.chunks[:0]
	for c := range d.own.Chunks() {
		n := len(d.chunks)
		d.chunks = slices.Grow(d.chunks, 1)[:n+1] // grown by reslicing, to keep the memory for its lanes
		o := &d.chunks[n]
		o.points, o.lanes = d.points(c, d.early.inner.axes), o.lanes[:0]
		for _, l := range d.halo.lanes {
			o.lanes = append(o.lanes, c.LaneBytes(l.of, l.at))
		}
		o.marks.look(c, d.halo.switches, d.halo.tags)
	}
}

// list lists the IDs of this rank's rows, and returns their number.
func (d *Domain[T]) list() (n int) {
	o := &d.order
	o.lists = o.lists[:0]
	for i := range d.chunks {
		o.lists = append(o.lists, d.chunks[i].ids)
		n += len(d.chunks[i].ids)
	}
	return n
}

// numberOwn numbers only this rank's rows, after Migrate.
func (d *Domain[T]) numberOwn() error {
	o := &d.order
	if n := d.list(); !o.own.next(n) {
		if err := d.number(n); err != nil {
			return err
		}
		o.own.learn(n, o.now)
	} else {
		if guard {
			o.check(n)
		}
		o.begin(n)
	}
	if len(o.far.ids) == 0 {
		o.now = o.own.marks // Finish numbers the others
	}
	o.own.orders = d.own.OrderCount()
	// End the update as a system does, because otherwise later writes would
	// seem as old as this write.
	d.renamed.SetSince(d.world.Scheduler().EndUpdate(d.world.Scheduler().BeginUpdate("")))
	return nil
}

// number numbers the n rows of all lists.
func (d *Domain[T]) number(n int) error {
	o := &d.order
	o.begin(n)
	clear(o.turns)
	good := true
	for _, ids := range o.lists {
		good = good && o.mark(ids)
	}
	if good && o.countMarks() {
		o.now = o.marks
		return nil
	}
	o.now = nil
	if id, twice := o.far.number(o.lists); twice {
		return d.comm.fail("Order", fmt.Errorf("%w, %d: each row has one of its own; rows that ranks make are numbered apart", ErrID, id))
	}
	return nil
}

// check panics if the kept marks are not the marks of the n rows of all lists.
func (o *rowOrder) check(n int) {
	o.n = n
	clear(o.turns)
	good := true
	for _, ids := range o.lists {
		good = good && o.mark(ids)
	}
	good = good && o.countMarks()
	for _, ids := range o.lists {
		for _, id := range ids {
			if !good || row(o.marks, id) != row(o.own.marks, id) {
				panic(fmt.Sprintf("mpi: Domain.Start: the marks of %d own rows are not those of their IDs, as of %d: was one changed?", n, id))
			}
		}
	}
}

// begin begins to number n rows.
func (o *rowOrder) begin(n int) {
	o.n = n
	o.far.ids = o.far.ids[:0]
	o.ghost = append(o.ghost[:0], make([]uint64, (n+63)/64)...)
	o.late = append(o.late[:0], make([]uint64, (n+63)/64)...)
}

// countMarks counts the marks, and reports whether all rows are marked.
func (o *rowOrder) countMarks() bool {
	n := 0
	o.marks = resizeList(o.marks, len(o.turns))
	for i := range o.turns {
		t := &o.turns[i]
		m := mark{t[0] | t[1] | t[2] | t[3], int32(n)}
		o.marks[i] = m
		n += bits.OnesCount64(m.bits)
	}
	return n == o.n
}

// mark sets the marks of IDs. The result reports whether the words of marks sufficed.
func (o *rowOrder) mark(ids []uint64) bool {
	turns := o.turns
	for len(ids) >= 4 {
		a, b, c, d := ids[0], ids[1], ids[2], ids[3]
		if max(a, b, c, d)/64 >= uint64(len(turns)) {
			break
		}
		turns[a/64][0] |= 1 << (a % 64)
		turns[b/64][1] |= 1 << (b % 64)
		turns[c/64][2] |= 1 << (c % 64)
		turns[d/64][3] |= 1 << (d % 64)
		ids = ids[4:]
	}
	for _, id := range ids {
		w := id / 64
		if w >= uint64(len(turns)) {
			if w >= uint64(wordsOfRow*o.n) {
				return false
			}
			turns = append(turns, make([][4]uint64, int(w)+1-len(turns))...)
			o.turns = turns
		}
		turns[w][0] |= 1 << (id % 64)
	}
	return true
}

// note sets the bits of the given IDs in words.
func (o *rowOrder) note(words, ids []uint64) {
	for _, id := range ids {
		row := o.row(id)
		words[row/64] |= 1 << (row % 64)
	}
}

// Len returns the number of numbered rows, including ghosts, after Order,
// [Domain.Start] or [Domain.Finish].
func (d *Domain[T]) Len() int { return d.order.n }

// AppendRows appends the rows of IDs in the order of Order, or −1 for IDs
// without a row. An ID has no row in three cases: Finish leaves it out, its row is not on
// this rank now, or its row was not on this rank when the rows were numbered. Any goroutine
// may call it.
func (d *Domain[T]) AppendRows(rows []int32, ids []uint64) []int32 {
	n := len(rows)
	rows = slices.Grow(rows, len(ids))[:n+len(ids)]
	to := rows[n:][:len(ids)]
	if o := &d.order; len(o.far.ids) > 0 {
		for i, id := range ids {
			to[i] = o.far.row(id)
		}
		return rows
	}
	marks := d.order.now
	for i, id := range ids {
		to[i] = row(marks, id)
	}
	return rows
}

// Ghost reports whether a row is a ghost, which belongs to another rank. Any
// goroutine may call it.
func (d *Domain[T]) Ghost(row int32) bool { return d.order.ghost[row/64]>>(row%64)&1 != 0 }

// Counts reports whether this rank must compute a row. A rank does not compute
// ghosts, because their owners do. After [Domain.Start], it computes the rows
// that see no ghosts, and after [Domain.Finish] the remaining rows. Any
// goroutine may call it.
func (d *Domain[T]) Counts(row int32) bool { return d.order.late[row/64]>>(row%64)&1 == 0 }
