package ecs

import (
	"sync"

	"github.com/lanewise/lanewise/jobs"
)

// HashVersion is the version of what Hash hashes and how. Hashes of different
// versions have nothing to do with each other.
const HashVersion = 2

// record returns the hash of a chunk.
func (d *digest) record(r *record, values sharedSums) uint64 {
	sums := make([]uint64, 2, 16)
	sums[0], sums[1] = uint64(r.n), d.ids(r.ids()[:r.n])
	for i := range r.arch.columns {
		c := &r.arch.columns[i]
		if c.comp.kind.has(isShared) {
			sums = append(sums, values.of(c.comp, r.group.values[c.shared]))
		} else {
			sums = append(sums, d.column(r, c))
		}
	}
	return d.list(sums)
}

// column returns the hash of a column of a chunk.
func (d *digest) column(r *record, c *column) uint64 {
	d.reset()
	if c.comp.kind.has(isBuffer) {
		d.int32s(r.n, func(i int) int32 { return bufferAt(r, c, i).head()[0] })
		for i := range r.n {
			d.rows(bufferAt(r, c, i).bytes(), c.comp.buffer.parts)
		}
	} else {
		for i, l := range c.lanes {
			d.rows(r.Bytes(l, 0, r.n), c.comp.parts[i])
		}
	}
	if c.bit >= 0 {
		d.counts(r.switches[c.bit].words[:wordsFor(r.n)]...)
	}
	return d.sum()
}

// archetype hashes the types of an archetype, and the hashes of its chunks.
func (d *digest) archetype(columns int, chunks []uint64, at func(i int) *component) {
	d.counts(uint64(columns), uint64(len(chunks)))
	for i := range columns {
		d.name(at(i).name)
	}
	d.counts(chunks...)
}

// ids returns the hash of a list of ids.
func (d *digest) ids(list []Entity) uint64 {
	d.reset()
	d.rows(sliceBytes(list), idParts)
	return d.sum()
}

// list returns the hash of one list.
func (d *digest) list(list []uint64) uint64 {
	d.reset()
	d.counts(list...)
	return d.sum()
}

// digests is memory for those that workers have: with a new one for every few chunks, a world had pages cleared for a hash.
var digests = sync.Pool{New: func() any { return newDigest() }}

// hashEach returns n hashes, which all workers of a pool make, if there is one and it is open, several at
// a time: a digest is made for as many.
func hashEach(pool *jobs.Pool, n int, one func(d *digest, i int) uint64) []uint64 {
	const grain = 8
	sums := make([]uint64, n)
	some := func(lo, hi int) {
		d := digests.Get().(*digest)
		for i := lo; i < hi; i++ {
			sums[i] = one(d, i)
		}
		digests.Put(d)
	}
	if pool == nil || n <= grain || jobs.Closed(pool) {
		some(0, n)
	} else if err := pool.Range(n, grain, some); err != nil {
		panic(err)
	}
	return sums
}

// hashFree returns the hashes of the pieces of a list of n free slots.
func hashFree(pool *jobs.Pool, n int, at func(i int) Entity) []uint64 {
	const piece = 4096
	return hashEach(pool, (n+piece-1)/piece, func(d *digest, k int) uint64 {
		list := make([]Entity, min(n-k*piece, piece))
		for i := range list {
			list[i] = at(k*piece + i)
		}
		return d.ids(list)
	})
}

// sharedSums is the hashes of shared values. They are asked of the values, whose methods are
// the user's, before the workers begin.
type sharedSums map[sharedValue]uint64

// sharedValue is a place in the store of a component.
type sharedValue struct {
	comp  *component
	index int32
}

// take hashes one of the values of a component, if that is not done.
func (s sharedSums) take(c *component, index int32, values []any) {
	if _, done := s[sharedValue{c, index}]; !done {
		d := newDigest()
		d.value(values[index])
		s[sharedValue{c, index}] = d.sum()
	}
}

// of returns the hash of a value that was taken.
func (s sharedSums) of(c *component, index int32) uint64 { return s[sharedValue{c, index}] }

// named hashes a number that another package adds.
func (d *digest) named(name string, sum uint64) {
	d.name(name)
	d.counts(sum)
}
