package ecs

import (
	"encoding/binary"
	"math/bits"
	"reflect"
)

// hashV1 computes World.Hash of HashVersion 1, to check old hashes.
func (w *World) hashV1() uint64 {
	d := newDigestV1()
	d.hashCounts(1, uint64(len(w.tables.entities.slots)), uint64(len(w.tables.entities.freeSlots)))
	d.int32s(len(w.tables.entities.slots), func(i int) int32 { return w.tables.entities.slots[i].version })
	d.int32s(len(w.tables.entities.freeSlots), func(i int) int32 { return w.tables.entities.freeSlots[i] })
	for _, a := range w.tables.archetypes {
		if a.rowCount > 0 {
			w.hashArchetypeV1(d, a)
		}
	}
	for _, h := range w.hooks.onHash {
		if sum, has := h.hash(); has {
			d.hashCounts(uint64(len(h.name)))
			d.hashBytes([]byte(h.name))
			d.hashCounts(sum)
		}
	}
	return d.sum()
}

func (w *World) hashArchetypeV1(d *digestV1, a *archetype) {
	d.archetype(len(a.columns), len(a.chunks), func(i int) *component { return a.columns[i].comp })
	for _, r := range a.chunks {
		d.hashCounts(uint64(r.count))
		d.hashRows(sliceBytes(r.ids()[:r.count]), idNumberRuns)
		for i := range a.columns {
			w.hashColumnV1(d, r, &a.columns[i])
		}
	}
}

// archetype hashes the types of an archetype, and its number of chunks.
func (d *digestV1) archetype(columns, chunks int, at func(i int) *component) {
	d.hashCounts(uint64(columns), uint64(chunks))
	for i := range columns {
		name := at(i).name
		d.hashCounts(uint64(len(name)))
		d.hashBytes([]byte(name))
	}
}

func (w *World) hashColumnV1(d *digestV1, r *chunkData, c *column) {
	switch {
	case c.comp.kind.has(isShared):
		d.value(r.arch.sharedStores[c.sharedIndex].values[r.group.valueIndices[c.sharedIndex]])
	case c.comp.kind.has(isBuffer):
		d.int32s(r.count, func(i int) int32 { return bufferAt(r, c, i).head()[0] })
		for i := range r.count {
			d.hashRows(bufferAt(r, c, i).elementBytes(), c.comp.buffer.numberRuns)
		}
	default:
		for i, l := range c.lanes {
			d.hashRows(r.Bytes(l, 0, r.count), c.comp.numberRuns[i])
		}
	}
	if c.enabledIndex >= 0 {
		d.hashCounts(r.enabledBits[c.enabledIndex].words[:wordsFor(r.count)]...)
	}
}

// digestV1 is the state of a hash.
type digestV1 struct {
	s0, s1, s2, s3 uint64
	stage          [4096]byte // numbers that are to be converted to words
}

func newDigestV1() *digestV1 {
	return &digestV1{s0: 0x243f6a8885a308d3, s1: 0x13198a2e03707344, s2: 0xa4093822299f31d0, s3: 0x082efa98ec4e6c89}
}

func (d *digestV1) sum() uint64 {
	h := d.s0
	for _, s := range [...]uint64{d.s1, d.s2, d.s3} {
		h = mixBits(h) ^ s
	}
	return mixBits(h)
}

// hashCounts hashes the numbers of a list of uint64.
func (d *digestV1) hashCounts(list ...uint64) {
	b := d.stage[:0]
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	d.hashBytes(b)
}

// addInt32s hashes a list of n int32.
func (d *digestV1) int32s(n int, at func(i int) int32) {
	for lo := 0; lo < n; {
		b := d.stage[:0]
		for ; lo < n && len(b) < len(d.stage); lo++ {
			b = binary.LittleEndian.AppendUint32(b, uint32(at(lo)))
		}
		d.hashBytes(b)
	}
}

// value hashes a shared value.
func (d *digestV1) value(v any) {
	if h, ok := v.(hasher); ok {
		d.hashCounts(h.Hash())
		return
	}
	d.hashBytes(appendSharedValue(nil, reflect.ValueOf(v)))
}

// hashRows hashes the values of a list, which consist of the given parts.
func (d *digestV1) hashRows(b []byte, p []numberRun) {
	if len(p) == 1 && p[0].padding == 0 && (littleEndian || p[0].width == 1) {
		if p[0].floatWidth == 0 {
			d.hashBytes(b)
			return
		}
	}
	out := d.stage[:0]
	for len(b) > 0 {
		for _, p := range p {
			for range p.count {
				if len(out)+8 > len(d.stage) {
					whole := len(out) &^ 31
					d.hashBytes(out[:whole])
					out = d.stage[:copy(d.stage[:], out[whole:])]
				}
				out = p.appendNumber(out, b)
				b = b[p.width:]
			}
			b = b[p.padding:]
		}
	}
	d.hashBytes(out)
}

// hashBytes hashes the bytes of b in little-endian order. Their number is a multiple of 32, except for the
// last piece of a list.
func (d *digestV1) hashBytes(b []byte) {
	s0, s1, s2, s3 := d.s0, d.s1, d.s2, d.s3
	for ; len(b) >= 32; b = b[32:] {
		s0 = bits.RotateLeft64(s0^binary.LittleEndian.Uint64(b), 29) * 0x9e3779b97f4a7c15
		s1 = bits.RotateLeft64(s1^binary.LittleEndian.Uint64(b[8:]), 29) * 0x9e3779b97f4a7c15
		s2 = bits.RotateLeft64(s2^binary.LittleEndian.Uint64(b[16:]), 29) * 0x9e3779b97f4a7c15
		s3 = bits.RotateLeft64(s3^binary.LittleEndian.Uint64(b[24:]), 29) * 0x9e3779b97f4a7c15
	}
	d.s0, d.s1, d.s2, d.s3 = s0, s1, s2, s3
	d.tail(b)
}

// tail hashes fewer than 32 bytes.
func (d *digestV1) tail(b []byte) {
	var last [32]byte
	n := (copy(last[:], b) + 7) / 8
	states := [...]*uint64{&d.s0, &d.s1, &d.s2, &d.s3}
	for i, s := range states[:n] {
		*s = bits.RotateLeft64(*s^binary.LittleEndian.Uint64(last[8*i:]), 29) * 0x9e3779b97f4a7c15
	}
}
