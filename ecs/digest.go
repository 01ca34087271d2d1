package ecs

import (
	"encoding/binary"
	"reflect"

	"github.com/lanewise/lanewise/ecs/internal/fold"
)

// digest is the state of a hash: see [World.Hash] for what becomes of a list.
type digest struct {
	s     fold.State
	stage [4096]byte // numbers on their way to words
}

// seeds are the first 256 bits of the fraction of π.
var seeds = fold.State{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}

// pairs is how many bytes go to all states once: a pair of words each.
const pairs = fold.Block

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
	whole := len(b) &^ (pairs - 1)
	fold.Bytes(&d.s, b[:whole])
	d.tail(b[whole:])
}

// tail hashes less than 64 bytes.
func (d *digest) tail(b []byte) {
	var last [pairs]byte
	for i := range (copy(last[:], b) + 15) / 16 {
		d.s[i] = fold.Fold(binary.LittleEndian.Uint64(last[16*i:])^d.s[i], binary.LittleEndian.Uint64(last[16*i+8:])^fold.Key)
	}
}

// nan says how to find what may be NaNs among floats, and how to make those of a word canonical.
type nan struct {
	wide      bool // float64
	canonical func(uint64) uint64
}

var (
	nan32 = &nan{false, canonical32}
	nan64 = &nan{true, canonical64}
)

// blocks hashes whole blocks of floats and reports whether some may be NaN.
func (f *nan) blocks(s *fold.State, b []byte) bool {
	if f.wide {
		return fold.Floats64(s, b)
	}
	return fold.Floats32(s, b)
}

// floats hashes floats that are in order already, two or one a word, as if there was no
// NaN, which is looked at in passing. If there may be one it begins again: they are rare.
func (d *digest) floats(b []byte, f *nan) {
	before := d.s
	whole := len(b) &^ (pairs - 1)
	if f.blocks(&d.s, b[:whole]) {
		d.s = before
		d.odd(b[:whole], f)
	}
	var last [pairs]byte
	n := copy(last[:], b[whole:])
	f.clean(last[:(n+7)&^7])
	d.tail(last[:n])
}

// odd hashes whole blocks of floats of which some may not be numbers.
func (d *digest) odd(b []byte, f *nan) {
	for len(b) > 0 {
		n := copy(d.stage[:], b)
		f.clean(d.stage[:n])
		d.bytes(d.stage[:n])
		b = b[n:]
	}
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
