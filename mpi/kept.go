package mpi

import "math/bits"

// kept keeps the IDs of this rank's rows from tick to tick, because only few
// rows come or leave in a tick.
type kept struct {
	marks  []mark
	n      int
	good   bool     // the marks are valid, if only lost and fresh rows have changed
	orders uint32   // number of structural changes at that time
	lost   []uint64 // IDs of removed rows
	fresh  []uint64 // IDs of new rows
}

// begin begins to record changes. Parameter good reports whether the kept IDs are still
// valid.
func (k *kept) begin(good bool) {
	k.good = k.good && good
	k.lost, k.fresh = k.lost[:0], k.fresh[:0]
}

// next updates the marks for n rows. The result reports whether the update has succeeded.
func (k *kept) next(n int) bool {
	good := k.good
	k.good = false // set again only after success
	if !good {
		return false
	}
	for _, id := range k.lost {
		if !k.flip(id, 1) {
			return false
		}
	}
	for _, id := range k.fresh {
		if !k.flip(id, 0) {
			return false
		}
	}
	if len(k.lost)+len(k.fresh) > 0 {
		k.count()
	}
	k.good = k.n == n
	return k.good
}

// learn keeps the marks of n rows, if there are any marks.
func (k *kept) learn(n int, marks []mark) {
	k.marks, k.n, k.good = append(k.marks[:0], marks...), n, len(marks) > 0
}

// flip changes the bit of an ID, if it had the expected value.
func (k *kept) flip(id, was uint64) bool {
	if id/64 >= uint64(len(k.marks)) || k.marks[id/64].bits>>(id%64)&1 != was {
		return false
	}
	k.marks[id/64].bits ^= 1 << (id % 64)
	return true
}

// count counts, for each word of marks, the rows before it.
func (k *kept) count() {
	k.n = 0
	for i := range k.marks {
		m := &k.marks[i]
		m.before = int32(k.n)
		k.n += bits.OnesCount64(m.bits)
	}
}
