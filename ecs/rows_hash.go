package ecs

import (
	"encoding/binary"
	"reflect"
	"slices"
)

// RowHashVersion is the version of the hash of [Query.HashRows]. It changes when the same rows get another
// hash.
const RowHashVersion = 1

// HashRows returns the sum of the hashes of all rows that q matches and that pass its filters. The sum
// does not depend on the order of the rows, their chunks or their ids. For example, if a world is divided
// among several machines, the sums of the parts, added as uint64, are the sum of the whole world.
//
// Because ids differ between worlds, a key identifies the entity of a row. The key is a plain component to
// which the program gives a different value for each entity, and the same value on every machine. A
// reference is hashed as the key of the entity that it refers to. It is hashed as 0 if that entity does
// not exist or has no key. Components in except are left out, as if the entities did not have them.
//
// HashRows first waits for all jobs. It uses all workers of the pool. The error is of category
// [ErrArgument] if key is not a plain component or contains references to entities, or if a matched
// entity has no key.
//
// # What is hashed
//
// The hash of a row is the hash of one list of bytes, as in [World.Hash]: first the hash of the types, then
// for each component in the order of the archetype:
//
//   - the numbers of each lane;
//   - the number of elements (uint32) of a buffer, and the elements;
//   - the hash of the value of a shared component;
//   - one byte after an enableable component, which is 1 if the component is on.
//
// A reference is eight bytes: the hash of the numbers of the key, or 0. Tags, managed values, chunk
// components and references to blobs add nothing. The hash of the types is the hash of several lists.
// The first list has [RowHashVersion] and the number of components. Then come two lists for each
// component: the length of its full name, and the name.
func (q *Query) HashRows(key reflect.Type, except ...reflect.Type) (uint64, error) {
	const op = "Query.HashRows"
	if err := checkOpenQuery(q, op); err != nil {
		return 0, err
	}
	w := q.world
	h := &rowHasher{world: w, archetypes: map[*archetype]*hashedArchetype{}, shared: sharedHashes{}}
	var err error
	if h.key, err = w.types.componentOf(op, key); err != nil {
		return 0, err
	}
	switch {
	case h.key.kind&(isShared|isManaged|isBuffer|isPerChunk|isTag) != 0:
		return 0, w.gate.fault(ErrArgument, op, "the component is no key: a key is plain, and has data").forComponent(h.key)
	case len(h.key.refOffsets) > 0:
		return 0, w.gate.fault(ErrArgument, op, "the component refers to entities, and is no key: ids are not the same wherever the entity is").forComponent(h.key)
	case slices.Contains(except, key):
		return 0, w.gate.fault(ErrArgument, op, "the component is the key, and is to be left out: take it from the list").forComponent(h.key)
	}
	for _, t := range except {
		c, err := w.types.componentOf(op, t)
		if err != nil {
			return 0, err
		}
		h.except = append(h.except, c)
	}
	if err := w.completeJobs(op); err != nil {
		return 0, err
	}
	if err := h.collect(op, q); err != nil {
		return 0, err
	}
	sum := uint64(0)
	for _, s := range hashEach(w.gate.workerPool(), len(h.runs), h.hashRun) {
		sum += s
	}
	return sum, nil
}

// rowHasher hashes rows.
type rowHasher struct {
	world      *World
	key        *component
	except     []*component
	archetypes map[*archetype]*hashedArchetype
	shared     sharedHashes
	runs       []hashedRun
}

// hashedArchetype describes the hashed columns of an archetype.
type hashedArchetype struct {
	typesHash   uint64
	columns     []*column
	columnLanes [][]laneFormat
}

// hashedRun is a range of rows of one chunk.
type hashedRun struct {
	rowRange
	mask []uint64 // the matching ones; nil: all
}

// collect finds the rows, and all data that the workers need.
func (h *rowHasher) collect(op string, q *Query) (err error) {
	if err := q.awaitConflicts(op); err != nil {
		return err
	}
	q.loopChunks(func(c *Chunk) bool {
		a := c.chunk.arch
		if a.findColumn(h.key.key) < 0 {
			err = h.world.gate.fault(ErrArgument, op, "the entity has no key: ask the query for entities With it").forEntity(c.Entities()[0]).forComponent(h.key)
			return false
		}
		if h.archetypes[a] == nil {
			h.addArchetype(a)
		}
		h.runs = append(h.runs, hashedRun{rowRange{c.chunk, c.firstRow, c.count}, slices.Clone(c.rowMask)})
		return true
	})
	if err != nil {
		return err
	}
	d := newDigest()
	for _, r := range h.runs {
		for i, s := range r.chunk.arch.sharedStores {
			at := sharedValueKey{s.comp, r.chunk.group.valueIndices[i]}
			if _, done := h.shared[at]; !done && !slices.Contains(h.except, s.comp) {
				v := remapBoxedRefs(s.comp, s.values[at.index], func(e Entity) Entity {
					k := h.keyHash(d, e)
					return Entity{int32(uint32(k)), int32(uint32(k >> 32))}
				})
				d.reset()
				d.addSharedValue(v)
				h.shared[at] = d.sum()
			}
		}
	}
	return nil
}

// addArchetype determines the hashed columns of an archetype.
func (h *rowHasher) addArchetype(a *archetype) {
	own := &hashedArchetype{}
	for i := range a.columns {
		if c := &a.columns[i]; !slices.Contains(h.except, c.comp) {
			own.columns, own.columnLanes = append(own.columns, c), append(own.columnLanes, laneFormatsOf(c.comp))
		}
	}
	d := newDigest()
	d.addUint64s(RowHashVersion, uint64(len(own.columns)))
	for _, c := range own.columns {
		d.addString(c.comp.name)
	}
	own.typesHash = d.sum()
	h.archetypes[a] = own
}

// hashRun returns the sum of the hashes of the rows of a run.
func (h *rowHasher) hashRun(d *digest, i int) (sum uint64) {
	r := &h.runs[i]
	own := h.archetypes[r.chunk.arch]
	var b []byte
	for row := range r.count {
		if r.mask != nil && r.mask[row/64]>>(row%64)&1 == 0 {
			continue
		}
		b = binary.LittleEndian.AppendUint64(b[:0], own.typesHash)
		for k, c := range own.columns {
			b = h.appendColumn(d, b, r.chunk, r.first+row, c, own.columnLanes[k])
		}
		d.reset()
		d.addBytes(b)
		sum += d.sum()
	}
	return sum
}

// appendColumn appends the value of a row in a column.
func (h *rowHasher) appendColumn(d *digest, b []byte, r *chunkData, row int, c *column, shape []laneFormat) []byte {
	switch {
	case c.sharedIndex >= 0:
		return binary.LittleEndian.AppendUint64(b, h.shared.get(c.comp, r.group.valueIndices[c.sharedIndex]))
	case c.comp.perChunkValue != nil, c.managedIndex >= 0:
	case c.bufferIndex >= 0:
		s := bufferAt(r, c, row)
		b = binary.LittleEndian.AppendUint32(b, uint32(s.head()[0]))
		at := len(b)
		b = appendNumbers(b, s.elementBytes(), c.comp.buffer.numberRuns)
		h.replaceRefs(d, b[at:], &shape[0])
	default:
		for l := range c.lanes {
			at := len(b)
			b = appendNumbers(b, r.Bytes(c.lanes[l], row, 1), c.comp.numberRuns[l])
			h.replaceRefs(d, b[at:], &shape[l])
		}
	}
	if c.enabledIndex >= 0 {
		if r.enabledBits[c.enabledIndex].isOn(row) {
			return append(b, 1)
		}
		return append(b, 0)
	}
	return b
}

// replaceRefs replaces each reference in values by the hash of the key of the entity.
func (h *rowHasher) replaceRefs(d *digest, values []byte, s *laneFormat) {
	s.mapRefs(values, func(e Entity) Entity {
		k := h.keyHash(d, e)
		return Entity{int32(uint32(k)), int32(uint32(k >> 32))}
	})
}

// keyHash returns the hash of an entity's key, or 0 if the entity has no key.
func (h *rowHasher) keyHash(d *digest, e Entity) uint64 {
	s := h.world.tables.entities.find(e)
	if s == nil {
		return 0
	}
	r := h.world.tables.chunks[s.chunk]
	i := r.arch.findColumn(h.key.key)
	if i < 0 {
		return 0
	}
	var room [64]byte
	b := room[:0]
	for l, lane := range r.arch.columns[i].lanes {
		b = appendNumbers(b, r.Bytes(lane, int(s.row), 1), h.key.numberRuns[l])
	}
	d.reset()
	d.addBytes(b)
	return d.sum()
}

// appendNumbers appends the numbers in a list of values to out, in little-endian order. p describes
// the numbers of one value.
func appendNumbers(out, b []byte, p []numberRun) []byte {
	for len(b) > 0 {
		for _, p := range p {
			for range p.count {
				out = p.appendNumber(out, b)
				b = b[p.width:]
			}
			b = b[p.padding:]
		}
	}
	return out
}
