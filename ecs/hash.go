package ecs

import (
	"encoding/binary"
	"math"
	"math/bits"
	"reflect"
)

// HashVersion is the version of what Hash hashes and how. Hashes of different
// versions have nothing to do with each other.
const HashVersion = 1

// Hash returns a number that says what the world contains: worlds that are equal
// have the same hash, on every machine, path and number of workers, and worlds
// that differ have different ones but for chance. It completes all jobs first.
// It does not see change versions, capacities of buffers, the order of free
// rows, scratch rows, managed components, and memory addresses.
//
// # What is hashed
//
// A list of numbers is hashed as bytes: each number little end first in its own
// width, one after the other, without padding; a bool is one byte, 0 or 1, a
// complex number is two floats. A NaN is the canonical quiet NaN, 0x7fc00000 or
// 0x7ff8000000000000; −0 is itself. The bytes are cut into words of 64 bits,
// little end first, the last one filled up with zero bytes. Word i of a list
// goes to state i mod 4. A string is the list of its bytes.
//
//  1. the list HashVersion, number of slots, number of free slots (uint64 each);
//  2. the list of the slots' versions (int32);
//  3. the list of the free slots (int32), the next to be used last;
//  4. for each archetype that has entities, in the order of creation:
//     the list number of columns, number of chunks (uint64 each), and for each
//     column in order the list length of the type's full name, and that string;
//  5. then for each of its chunks in order: the list number of rows (uint64); the
//     list of the rows' ids (int32 index, int32 version); and for each column:
//     a shared component is the list of its value's numbers, where a string is
//     its length (uint64) and bytes, and other references are left out, or the
//     result of its Hash method (uint64); a buffer is the list of the lengths
//     (int32) and the list of the elements' numbers for each row; any other
//     component is, for each lane in order, the list of the rows' numbers; an
//     enableable one is followed by the list of words (uint64) whose bits say
//     which rows are on, row i in bit i mod 64;
//  6. at last what other packages have added, see [World.OnHash]: most worlds have
//     nothing of that.
//
// The four states begin as the first 256 bits of the fraction of π. A word w goes
// into state s by s = rotateLeft(s ^ w, 29) * 0x9e3779b97f4a7c15. At the end
// h = s0, then for s1, s2, s3: h = mix(h) ^ s, and the hash is mix(h), where mix
// is the finalizer of MurmurHash3.
func (w *World) Hash() uint64 {
	w.mustBeOpen("Hash")
	if err := w.complete("Hash"); err != nil {
		panic(err)
	}
	d := newDigest()
	d.counts(HashVersion, uint64(len(w.entities.slots)), uint64(len(w.entities.free)))
	d.int32s(len(w.entities.slots), func(i int) int32 { return w.entities.slots[i].version })
	d.int32s(len(w.entities.free), func(i int) int32 { return w.entities.free[i] })
	for _, a := range w.archetypes {
		if a.rows > 0 {
			w.hashArchetype(d, a)
		}
	}
	w.hashNamed(d)
	return d.sum()
}

func (w *World) hashArchetype(d *digest, a *archetype) {
	d.counts(uint64(len(a.columns)), uint64(len(a.chunks)))
	for i := range a.columns {
		name := a.columns[i].comp.name
		d.counts(uint64(len(name)))
		d.bytes([]byte(name))
	}
	for _, r := range a.chunks {
		d.counts(uint64(r.n))
		d.rows(sliceBytes(r.ids()[:r.n]), idParts)
		for i := range a.columns {
			w.hashColumn(d, r, &a.columns[i])
		}
	}
}

func (w *World) hashColumn(d *digest, r *record, c *column) {
	switch {
	case c.comp.kind.has(isShared):
		d.value(r.arch.stores[c.shared].values[r.group.values[c.shared]])
	case c.comp.kind.has(isBuffer):
		d.int32s(r.n, func(i int) int32 { return bufferAt(r, c, i).head()[0] })
		for i := range r.n {
			d.rows(bufferAt(r, c, i).bytes(), c.comp.buffer.parts)
		}
	default:
		for i, l := range c.lanes {
			d.rows(r.Bytes(l, 0, r.n), c.comp.parts[i])
		}
	}
	if c.bit >= 0 {
		d.counts(r.switches[c.bit].words[:wordsFor(r.n)]...)
	}
}

// digest is the state of a hash.
type digest struct {
	s0, s1, s2, s3 uint64
	stage          [4096]byte // numbers on their way to words
}

func newDigest() *digest {
	return &digest{s0: 0x243f6a8885a308d3, s1: 0x13198a2e03707344, s2: 0xa4093822299f31d0, s3: 0x082efa98ec4e6c89}
}

const golden = 0x9e3779b97f4a7c15

func (d *digest) sum() uint64 {
	h := d.s0
	for _, s := range [...]uint64{d.s1, d.s2, d.s3} {
		h = mix(h) ^ s
	}
	return mix(h)
}

func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// counts hashes a list of uint64.
func (d *digest) counts(list ...uint64) {
	b := d.stage[:0]
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	d.bytes(b)
}

// int32s hashes a list of n int32.
func (d *digest) int32s(n int, at func(i int) int32) {
	for lo := 0; lo < n; {
		b := d.stage[:0]
		for ; lo < n && len(b) < len(d.stage); lo++ {
			b = binary.LittleEndian.AppendUint32(b, uint32(at(lo)))
		}
		d.bytes(b)
	}
}

// value hashes a shared value.
func (d *digest) value(v any) {
	if h, ok := v.(hasher); ok {
		d.counts(h.Hash())
		return
	}
	d.bytes(appendValue(nil, reflect.ValueOf(v)))
}

// rows hashes a list of values that consist of the given parts.
func (d *digest) rows(b []byte, p []part) {
	if len(p) == 1 && p[0].padding == 0 && (littleEndian || p[0].width == 1) {
		switch p[0].float {
		case 4:
			d.floats(b, nan32)
		case 8:
			d.floats(b, nan64)
		default:
			d.bytes(b)
		}
		return
	}
	out := d.stage[:0]
	for len(b) > 0 {
		for _, p := range p {
			for range p.count {
				if len(out)+8 > len(d.stage) {
					whole := len(out) &^ 31
					d.bytes(out[:whole])
					out = d.stage[:copy(d.stage[:], out[whole:])]
				}
				out = p.append(out, b)
				b = b[p.width:]
			}
			b = b[p.padding:]
		}
	}
	d.bytes(out)
}

// bytes hashes bytes that are in order already. But for the last piece of a
// list they are a multiple of 32.
func (d *digest) bytes(b []byte) {
	s0, s1, s2, s3 := d.s0, d.s1, d.s2, d.s3
	for ; len(b) >= 32; b = b[32:] {
		s0 = bits.RotateLeft64(s0^binary.LittleEndian.Uint64(b), 29) * golden
		s1 = bits.RotateLeft64(s1^binary.LittleEndian.Uint64(b[8:]), 29) * golden
		s2 = bits.RotateLeft64(s2^binary.LittleEndian.Uint64(b[16:]), 29) * golden
		s3 = bits.RotateLeft64(s3^binary.LittleEndian.Uint64(b[24:]), 29) * golden
	}
	d.s0, d.s1, d.s2, d.s3 = s0, s1, s2, s3
	d.tail(b)
}

// tail hashes less than 32 bytes.
func (d *digest) tail(b []byte) {
	var last [32]byte
	n := (copy(last[:], b) + 7) / 8
	states := [...]*uint64{&d.s0, &d.s1, &d.s2, &d.s3}
	for i, s := range states[:n] {
		*s = bits.RotateLeft64(*s^binary.LittleEndian.Uint64(last[8*i:]), 29) * golden
	}
}

// nan says how to find NaNs in a word and how to make them canonical.
type nan struct {
	magnitude uint64 // the bits without signs
	above     uint64 // what carries a magnitude over to the sign if it is a NaN
	sign      uint64
	canonical func(uint64) uint64
}

var (
	nan32 = &nan{0x7fffffff7fffffff, 0x007fffff007fffff, 0x8000000080000000, canonical32}
	nan64 = &nan{0x7fffffffffffffff, 0x000fffffffffffff, 0x8000000000000000, canonical64}
)

// floats hashes floats that are in order already, two or one a word. The loop
// looks at four words at once: NaNs are rare.
func (d *digest) floats(b []byte, f *nan) {
	s0, s1, s2, s3 := d.s0, d.s1, d.s2, d.s3
	magnitude, above, sign := f.magnitude, f.above, f.sign
	for ; len(b) >= 32; b = b[32:] {
		w0, w1 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
		over := (w0&magnitude + above) | (w1&magnitude + above) | (w2&magnitude + above) | (w3&magnitude + above)
		if over&sign != 0 {
			w0, w1, w2, w3 = f.canonical(w0), f.canonical(w1), f.canonical(w2), f.canonical(w3)
		}
		s0 = bits.RotateLeft64(s0^w0, 29) * golden
		s1 = bits.RotateLeft64(s1^w1, 29) * golden
		s2 = bits.RotateLeft64(s2^w2, 29) * golden
		s3 = bits.RotateLeft64(s3^w3, 29) * golden
	}
	d.s0, d.s1, d.s2, d.s3 = s0, s1, s2, s3
	var last [32]byte
	n := copy(last[:], b)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(last[i:], f.canonical(binary.LittleEndian.Uint64(last[i:])))
	}
	d.tail(last[:n])
}

// canonical32 makes the NaNs among two float32 canonical.
func canonical32(w uint64) uint64 {
	lo, hi := uint32(w), uint32(w>>32)
	return uint64(canonicalFloat32(lo)) | uint64(canonicalFloat32(hi))<<32
}

func canonicalFloat32(u uint32) uint32 {
	if u&0x7fffffff > 0x7f800000 {
		return 0x7fc00000
	}
	return u
}

// canonical64 makes a NaN canonical.
func canonical64(w uint64) uint64 {
	if w&math.MaxInt64 > 0x7ff0000000000000 {
		return 0x7ff8000000000000
	}
	return w
}
