package ecs

import (
	"sync"

	"github.com/lanewise/lanewise/jobs"
)

// HashVersion is the version of the hash that World.Hash computes. Hashes of different versions
// cannot be compared.
const HashVersion = 2

// chunkHash returns the hash of a chunk.
func (d *digest) chunkHash(r *chunkData, values sharedHashes) uint64 {
	sums := make([]uint64, 2, 16)
	sums[0], sums[1] = uint64(r.count), d.idsHash(r.ids()[:r.count])
	for i := range r.arch.columns {
		c := &r.arch.columns[i]
		if c.comp.kind.has(isShared) {
			sums = append(sums, values.get(c.comp, r.group.valueIndices[c.sharedIndex]))
		} else {
			sums = append(sums, d.columnHash(r, c))
		}
	}
	return d.listHash(sums)
}

// columnHash returns the hash of a column of a chunk.
func (d *digest) columnHash(r *chunkData, c *column) uint64 {
	d.reset()
	if c.comp.kind.has(isBuffer) {
		d.addInt32s(r.count, func(i int) int32 { return bufferAt(r, c, i).head()[0] })
		for i := range r.count {
			d.addRows(bufferAt(r, c, i).elementBytes(), c.comp.buffer.numberRuns)
		}
	} else {
		for i, l := range c.lanes {
			d.addRows(r.Bytes(l, 0, r.count), c.comp.numberRuns[i])
		}
	}
	if c.enabledIndex >= 0 {
		d.addUint64s(r.enabledBits[c.enabledIndex].words[:wordsFor(r.count)]...)
	}
	return d.sum()
}

// addArchetype hashes the types of an archetype and the hashes of its chunks.
func (d *digest) addArchetype(columns int, chunks []uint64, at func(i int) *component) {
	d.addUint64s(uint64(columns), uint64(len(chunks)))
	for i := range columns {
		d.addString(at(i).name)
	}
	d.addUint64s(chunks...)
}

// idsHash returns the hash of a list of ids.
func (d *digest) idsHash(list []Entity) uint64 {
	d.reset()
	d.addRows(sliceBytes(list), idNumberRuns)
	return d.sum()
}

// digestPool reuses the digests of workers. A digest has a large buffer, so clearing a new one for
// every few chunks would take time.
var digestPool = sync.Pool{New: func() any { return newDigest() }}

// hashEach returns n hashes. If the pool is open, all its workers compute the hashes. Each task
// uses one digest for several hashes.
func hashEach(pool *jobs.Pool, n int, one func(d *digest, i int) uint64) []uint64 {
	const grain = 8
	sums := make([]uint64, n)
	some := func(lo, hi int) {
		d := digestPool.Get().(*digest)
		for i := lo; i < hi; i++ {
			sums[i] = one(d, i)
		}
		digestPool.Put(d)
	}
	if pool == nil || n <= grain || jobs.Closed(pool) {
		some(0, n)
	} else if err := pool.Range(n, grain, some); err != nil {
		panic(err)
	}
	return sums
}

// hashFreeSlots splits a list of n free slots into pieces, and returns the hash of each piece.
// So several workers can share the work for a long list.
func hashFreeSlots(pool *jobs.Pool, n int, at func(i int) Entity) []uint64 {
	const piece = 4096
	return hashEach(pool, (n+piece-1)/piece, func(d *digest, k int) uint64 {
		list := make([]Entity, min(n-k*piece, piece))
		for i := range list {
			list[i] = at(k*piece + i)
		}
		return d.idsHash(list)
	})
}

// sharedHashes caches the hashes of shared values. The owner computes them before the workers start,
// because it may call a user's method Hash, which need not be safe for several goroutines.
type sharedHashes map[sharedValueKey]uint64

// sharedValueKey identifies a value by its component and its index among the component's values.
type sharedValueKey struct {
	comp  *component
	index int32
}

// add computes the hash of a value of a component, unless it is already known.
func (s sharedHashes) add(c *component, index int32, values []any) {
	if _, done := s[sharedValueKey{c, index}]; !done {
		d := newDigest()
		d.addSharedValue(values[index])
		s[sharedValueKey{c, index}] = d.sum()
	}
}

// get returns the hash of a value, which add has computed before.
func (s sharedHashes) get(c *component, index int32) uint64 { return s[sharedValueKey{c, index}] }

// Hash returns a number for the contents of the world. Equal worlds have the same hash, on every machine
// and path and for every number of workers. Different worlds have different hashes, except by chance.
// Hash first completes all jobs. It hashes chunks on all workers of the pool. The hash ignores change
// versions, capacities of buffers, the order of free rows, scratch rows, managed components, and memory
// addresses.
//
// # What is hashed
//
// A list of numbers is hashed as bytes: each number in little-endian order and in its own width, one after
// the other, without padding. A bool is one byte, 0 or 1. A complex number is two floats. A NaN becomes
// the canonical quiet NaN, 0x7fc00000 or 0x7ff8000000000000; −0 stays −0. The bytes are split into pairs
// of 64-bit words, in little-endian order, and the last pair is filled up with zero bytes. Pair i of a
// list goes to state i mod 4. A string is the list of its bytes. The hash of a world is the hash of the
// following lists, one after the other:
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
// The hash of a chunk is the hash of a list with these elements: the number of rows, the hash of the
// list of the rows' ids (int32 index, int32 version), and the hash of each column. The hash of a column
// is the hash of these lists:
//
//   - for a shared component, the numbers of its value, or the result of its Hash method (uint64). A
//     string in the value is its length (uint64) and its bytes; other references are left out.
//   - for a buffer, the list of the lengths (int32), and for each row the list of the elements' numbers;
//   - for any other component, for each lane in order, the list of the rows' numbers;
//   - after an enableable component, the list of words (uint64) whose bits say which rows are on: row i
//     is bit i mod 64.
//
// The four states of a hash begin as the first 256 bits of the fraction of π. A pair of words v, w
// changes the state s to fold(s ^ v, w ^ 0x452821e638d01377). fold(a, b) is the XOR of three words: a, the upper
// half of the 128-bit product of a and b, and the lower half of this product. At the end, h = s0; then h = mix(h) ^ s for
// s = s1, s2, s3. The hash is mix(h). mix is the finalizer of MurmurHash3.
func (w *World) Hash() uint64 {
	w.mustBeOpen("Hash")
	if err := w.checkNotHashing("Hash"); err != nil {
		panic(err)
	}
	if err := w.completeJobs("Hash"); err != nil {
		panic(err)
	}
	t := &w.tables.entities
	pool, chunks := w.gate.workerPool(), []*chunkData(nil)
	for _, a := range w.tables.archetypes {
		chunks = append(chunks, a.chunks...)
	}
	values := sharedHashes{}
	for _, r := range chunks {
		for k, s := range r.arch.sharedStores {
			values.add(s.comp, r.group.valueIndices[k], s.values)
		}
	}
	sums := hashEach(pool, len(chunks), func(d *digest, i int) uint64 { return d.chunkHash(chunks[i], values) })
	free := hashFreeSlots(pool, len(t.freeSlots), func(i int) Entity { return Entity{t.freeSlots[i], t.slots[t.freeSlots[i]].version} })
	d := newDigest()
	d.addUint64s(HashVersion, uint64(len(t.slots)), uint64(len(t.freeSlots)))
	d.addUint64s(free...)
	for _, a := range w.tables.archetypes {
		if a.rowCount > 0 {
			d.addArchetype(len(a.columns), sums[:len(a.chunks)], func(i int) *component { return a.columns[i].comp })
		}
		sums = sums[len(a.chunks):]
	}
	w.hooks.eachHash(d.addNamed)
	return d.sum()
}
