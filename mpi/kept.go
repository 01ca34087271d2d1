package mpi

import "math/bits"

// kept is which IDs own rows have, from tick to tick: few rows come and go in one.
type kept struct {
	marks  []mark
	n      int
	good   bool     // it is that of the rows if nothing but lost and fresh has happened
	orders uint32   // of the query of own rows, as of then
	lost   []uint64 // the IDs of rows that go
	fresh  []uint64 // and of those that come
}

// begin begins with what comes and goes. Whether rows are those of the last time says good.
func (k *kept) begin(good bool) {
	k.good = k.good && good
	k.lost, k.fresh = k.lost[:0], k.fresh[:0]
}

// next brings marks to what they are for n rows now, and reports whether it could.
func (k *kept) next(n int) bool {
	good := k.good
	k.good = false // until all has gone well
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

// learn keeps the marks of n rows, if there are any.
func (k *kept) learn(n int, marks []mark) {
	k.marks, k.n, k.good = append(k.marks[:0], marks...), n, len(marks) > 0
}

// flip changes the bit of an ID, if it was as it should.
func (k *kept) flip(id, was uint64) bool {
	if id/64 >= uint64(len(k.marks)) || k.marks[id/64].bits>>(id%64)&1 != was {
		return false
	}
	k.marks[id/64].bits ^= 1 << (id % 64)
	return true
}

// count counts how many rows are before those of each word.
func (k *kept) count() {
	k.n = 0
	for i := range k.marks {
		m := &k.marks[i]
		m.before = int32(k.n)
		k.n += bits.OnesCount64(m.bits)
	}
}
