package ecs

import (
	"encoding/binary"
	"math/bits"
	"reflect"
)

// digest is the state of a hash: see [World.Hash] for what becomes of a list.
type digest struct {
	s     [4]uint64
	stage [4096]byte // numbers on their way to words
}

// seeds are the first 256 bits of the fraction of π, key is the 64 behind them.
var seeds = [4]uint64{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}

const key64 = 0x452821e638d01377

// pairs is how many bytes go to all states once: a pair of words each.
const pairs = 64

func newDigest() *digest { return &digest{s: seeds} }

// reset begins another hash.
func (d *digest) reset() { d.s = seeds }

func (d *digest) sum() uint64 {
	h := d.s[0]
	for _, s := range d.s[1:] {
		h = mix(h) ^ s
	}
	return mix(h)
}

func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// fold returns the two halves of a product, one over the other, and over a, which is not
// forgotten if b is 0.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo ^ a
}

// counts hashes a list of uint64.
func (d *digest) counts(list ...uint64) {
	for len(list) > len(d.stage)/8 {
		d.counts(list[:len(d.stage)/8]...)
		list = list[len(d.stage)/8:]
	}
	b := d.stage[:0]
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	d.bytes(b)
}

// name hashes the length of a string, and the string.
func (d *digest) name(s string) {
	d.counts(uint64(len(s)))
	d.bytes([]byte(s))
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
					whole := len(out) &^ (pairs - 1)
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
// list they are a multiple of 64.
func (d *digest) bytes(b []byte) {
	s0, s1, s2, s3 := d.s[0], d.s[1], d.s[2], d.s[3]
	for ; len(b) >= pairs; b = b[pairs:] {
		p := (*[pairs]byte)(b)
		s0 = fold(binary.LittleEndian.Uint64(p[0:])^s0, binary.LittleEndian.Uint64(p[8:])^key64)
		s1 = fold(binary.LittleEndian.Uint64(p[16:])^s1, binary.LittleEndian.Uint64(p[24:])^key64)
		s2 = fold(binary.LittleEndian.Uint64(p[32:])^s2, binary.LittleEndian.Uint64(p[40:])^key64)
		s3 = fold(binary.LittleEndian.Uint64(p[48:])^s3, binary.LittleEndian.Uint64(p[56:])^key64)
	}
	d.s = [4]uint64{s0, s1, s2, s3}
	d.tail(b)
}

// tail hashes less than 64 bytes.
func (d *digest) tail(b []byte) {
	var last [pairs]byte
	for i := range (copy(last[:], b) + 15) / 16 {
		d.s[i] = fold(binary.LittleEndian.Uint64(last[16*i:])^d.s[i], binary.LittleEndian.Uint64(last[16*i+8:])^key64)
	}
}

// nan says how to find what may be NaNs in a word and how to make them canonical.
type nan struct {
	ulp       uint64 // added to a number that is NaN or infinite it turns the sign around
	sign      uint64
	canonical func(uint64) uint64
}

var (
	nan32 = &nan{0x0080000000800000, 0x8000000080000000, canonical32}
	nan64 = &nan{0x0010000000000000, 0x8000000000000000, canonical64}
)

// floats hashes floats that are in order already, two or one a word, as if there was no
// NaN, which is looked at in passing. If there may be one it begins again: they are rare.
func (d *digest) floats(b []byte, f *nan) {
	ulp, found := f.ulp, uint64(0)
	s0, s1, s2, s3 := d.s[0], d.s[1], d.s[2], d.s[3]
	rest := b
	for ; len(rest) >= pairs; rest = rest[pairs:] {
		p := (*[pairs]byte)(rest)
		v, w := binary.LittleEndian.Uint64(p[0:]), binary.LittleEndian.Uint64(p[8:])
		found |= ((v + ulp) ^ v) | ((w + ulp) ^ w)
		s0 = fold(v^s0, w^key64)
		v, w = binary.LittleEndian.Uint64(p[16:]), binary.LittleEndian.Uint64(p[24:])
		found |= ((v + ulp) ^ v) | ((w + ulp) ^ w)
		s1 = fold(v^s1, w^key64)
		v, w = binary.LittleEndian.Uint64(p[32:]), binary.LittleEndian.Uint64(p[40:])
		found |= ((v + ulp) ^ v) | ((w + ulp) ^ w)
		s2 = fold(v^s2, w^key64)
		v, w = binary.LittleEndian.Uint64(p[48:]), binary.LittleEndian.Uint64(p[56:])
		found |= ((v + ulp) ^ v) | ((w + ulp) ^ w)
		s3 = fold(v^s3, w^key64)
	}
	if found&f.sign == 0 {
		d.s = [4]uint64{s0, s1, s2, s3}
	} else {
		rest = d.odd(b, f)
	}
	var last [pairs]byte
	n := copy(last[:], rest)
	f.clean(last[:(n+7)&^7])
	d.tail(last[:n])
}

// odd hashes floats of which some are not numbers, and returns the last of them, less
// than 64 bytes.
func (d *digest) odd(b []byte, f *nan) []byte {
	for len(b) >= pairs {
		n := copy(d.stage[:], b[:len(b)&^(pairs-1)])
		f.clean(d.stage[:n])
		d.bytes(d.stage[:n])
		b = b[n:]
	}
	return b
}

// clean makes the NaNs in whole words canonical.
func (f *nan) clean(b []byte) {
	for ; len(b) > 0; b = b[8:] {
		binary.LittleEndian.PutUint64(b, f.canonical(binary.LittleEndian.Uint64(b)))
	}
}

// canonical32 makes the NaNs among two float32 canonical.
func canonical32(w uint64) uint64 {
	lo, hi := uint32(w), uint32(w>>32)
	return uint64(canonicalFloat32(lo)) | uint64(canonicalFloat32(hi))<<32
}
