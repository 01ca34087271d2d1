package ecs

import (
	"sync"

	"github.com/lanewise/lanewise/jobs"
)

// HashVersion is the version of the hash that World.Hash computes. Hashes of different versions
// cannot be compared.
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

// archetype hashes the types of an archetype and the hashes of its chunks.
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

// digests reuses the digests of workers. A digest has a large stage, and clearing a new one for
// every few chunks took time.
var digests = sync.Pool{New: func() any { return newDigest() }}

// hashEach returns n hashes. If there is an open pool, all its workers compute them; each task uses
// one digest for several hashes.
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

// hashFree returns the hashes of a list of n free slots, in pieces. Pieces let several workers
// share a long list.
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

// sharedSums caches the hashes of shared values. The owner computes them before the workers start,
// because it may call a user's method Hash, which need not be safe for several goroutines.
type sharedSums map[sharedValue]uint64

// sharedValue is an index in the store of a component.
type sharedValue struct {
	comp  *component
	index int32
}

// take computes the hash of a value of a component, unless it is known.
func (s sharedSums) take(c *component, index int32, values []any) {
	if _, done := s[sharedValue{c, index}]; !done {
		d := newDigest()
		d.value(values[index])
		s[sharedValue{c, index}] = d.sum()
	}
}

// of returns the hash of a value; take has computed it before.
func (s sharedSums) of(c *component, index int32) uint64 { return s[sharedValue{c, index}] }

// Hash returns a number for the contents of the world: equal worlds have the same hash, on every machine,
// path and number of workers, and different worlds have different hashes, except by chance. It first
// completes all jobs, and hashes chunks on all workers of the pool. The hash does not include change
// versions, capacities of buffers, the order of free rows, scratch rows, managed components, and memory
// addresses.
//
// # What is hashed
//
// A list of numbers is hashed as bytes: each number in little-endian order and in its own width, one after
// the other, without padding; a bool is one byte, 0 or 1, a complex number is two floats. A NaN becomes
// the canonical quiet NaN, 0x7fc00000 or 0x7ff8000000000000; −0 stays −0. The bytes are split into
// pairs of 64-bit words, in little-endian order, and the last pair is filled up with zero bytes. Pair i of
// a list goes to state i mod 4. A string is the list of its bytes. The hash of a world is that of these
// lists, one after the other:
//
//  1. the list HashVersion, number of slots, number of free slots (uint64 each);
//  2. the list of the hashes of pieces of the list of free slots (int32 index, int32
//     version), in which the next slot to be used is the last one: each piece of 4,096
//     slots has its own hash, and the last piece is the remainder;
//  3. for each archetype that has entities, in the order of creation:
//     the list number of columns, number of chunks (uint64 each), for each column in
//     order the list length of the type's full name, and that string, and at last the
//     list of the hashes of its chunks in order;
//  4. the numbers that other packages have added, see Hooks.OnHash; most worlds have
//     none.
//
// The hash of a chunk is that of one list: the number of rows, the hash of the list of the rows' ids
// (int32 index, int32 version), and the hash of each column. The hash of a column is that of these lists:
//
//   - for a shared component, the numbers of its value, or the result of its Hash method (uint64). A
//     string in the value is its length (uint64) and its bytes; other references are left out.
//   - for a buffer, the list of the lengths (int32), and for each row the list of the elements' numbers;
//   - for any other component, for each lane in order, the list of the rows' numbers;
//   - after an enableable component, the list of words (uint64) whose bits say which rows are on: row i
//     is bit i mod 64.
//
// The four states of a hash begin as the first 256 bits of the fraction of π. A pair of words v, w goes
// into state s by s = fold(s ^ v, w ^ 0x452821e638d01377), where fold(a, b) is the upper half of the
// 128-bit product ^ its lower half ^ a. At the end h = s0, then for s1, s2, s3: h = mix(h) ^ s, and the
// hash is mix(h), where mix is the finalizer of MurmurHash3.
func (w *World) Hash() uint64 {
	w.mustBeOpen("Hash")
	if err := w.hashedNow("Hash"); err != nil {
		panic(err)
	}
	if err := w.complete("Hash"); err != nil {
		panic(err)
	}
	t := &w.tables.entities
	pool, chunks := w.gate.workers(), []*record(nil)
	for _, a := range w.tables.archetypes {
		chunks = append(chunks, a.chunks...)
	}
	values := sharedSums{}
	for _, r := range chunks {
		for k, s := range r.arch.stores {
			values.take(s.comp, r.group.values[k], s.values)
		}
	}
	sums := hashEach(pool, len(chunks), func(d *digest, i int) uint64 { return d.record(chunks[i], values) })
	free := hashFree(pool, len(t.free), func(i int) Entity { return Entity{t.free[i], t.slots[t.free[i]].version} })
	d := newDigest()
	d.counts(HashVersion, uint64(len(t.slots)), uint64(len(t.free)))
	d.counts(free...)
	for _, a := range w.tables.archetypes {
		if a.rows > 0 {
			d.archetype(len(a.columns), sums[:len(a.chunks)], func(i int) *component { return a.columns[i].comp })
		}
		sums = sums[len(a.chunks):]
	}
	w.hooks.eachNamed(d.named)
	return d.sum()
}
