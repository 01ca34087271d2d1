package ecs

import (
	"encoding/binary"
	"math"
	"reflect"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/fold"
)

// list returns the hash of a list of hashes.
func (d *digest) list(list []uint64) uint64 {
	d.reset()
	d.counts(list...)
	return d.sum()
}

// named hashes a number that another package has added with OnHash.
func (d *digest) named(name string, sum uint64) {
	d.name(name)
	d.counts(sum)
}

// part is a sequence of equal numbers in a Go value, as the hash reads them.
type part struct {
	count   int // how many numbers
	width   int // size of each in bytes
	float   int // equal to width if they are floats, else 0
	padding int // number of bytes after them that are not hashed
}

// idParts are the numbers of an entity id.
var idParts = partsOf(reflect.TypeFor[Entity]())

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// partsOf returns the numbers in a value of type t, which must hold no Go pointers.
func partsOf(t reflect.Type) []part {
	var p []part
	end := appendParts(&p, t, 0, 0)
	if gap := int(t.Size()) - end; gap > 0 {
		if len(p) == 0 {
			p = append(p, part{}) // no number, only bytes to skip
		}
		p[len(p)-1].padding += gap
	}
	return p
}

// appendParts appends the numbers of t. The value starts at offset at, and the previous number
// ended at end. appendParts returns the end of the last number.
func appendParts(p *[]part, t reflect.Type, at, end int) int {
	if isBlob(t) {
		return end // a blob reference differs between runs, because it depends on the blobs created before
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				end = appendParts(p, f.Type, at+int(f.Offset), end)
			}
		}
		return end
	case reflect.Array:
		for i := range t.Len() {
			end = appendParts(p, t.Elem(), at+i*int(t.Elem().Size()), end)
		}
		return end
	case reflect.Complex64, reflect.Complex128:
		width := int(t.Size()) / 2
		end = appendPart(p, width, width, at, end)
		return appendPart(p, width, width, at+width, end)
	case reflect.Float32, reflect.Float64:
		return appendPart(p, int(t.Size()), int(t.Size()), at, end)
	default:
		return appendPart(p, int(t.Size()), 0, at, end)
	}
}

func appendPart(p *[]part, width, float, at, end int) int {
	list := *p
	if gap := at - end; gap > 0 {
		if len(list) == 0 {
			list = append(list, part{}) // no number, only bytes to skip
		}
		list[len(list)-1].padding += gap
	}
	if last := len(list) - 1; last >= 0 && list[last].width == width && list[last].float == float && list[last].padding == 0 {
		list[last].count++
	} else {
		list = append(list, part{count: 1, width: width, float: float})
	}
	*p = list
	return at + width
}

// append appends the first number in b, in little-endian order. NaNs become canonical.
func (p part) append(out, b []byte) []byte {
	switch {
	case p.float == 4:
		return binary.LittleEndian.AppendUint32(out, canonicalFloat32(binary.NativeEndian.Uint32(b)))
	case p.float == 8:
		return binary.LittleEndian.AppendUint64(out, canonical64(binary.NativeEndian.Uint64(b)))
	case p.width == 1:
		return append(out, b[0])
	case p.width == 2:
		return binary.LittleEndian.AppendUint16(out, binary.NativeEndian.Uint16(b))
	case p.width == 4:
		return binary.LittleEndian.AppendUint32(out, binary.NativeEndian.Uint32(b))
	default:
		return binary.LittleEndian.AppendUint64(out, binary.NativeEndian.Uint64(b))
	}
}

// appendValue appends the numbers of a shared value, in little-endian order. NaNs become canonical.
func appendValue(out []byte, v reflect.Value) []byte {
	le := binary.LittleEndian
	if isBlob(v.Type()) {
		return out
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(out, 1)
		}
		return append(out, 0)
	case reflect.Int8:
		return append(out, byte(v.Int()))
	case reflect.Int16:
		return le.AppendUint16(out, uint16(v.Int()))
	case reflect.Int32:
		return le.AppendUint32(out, uint32(v.Int()))
	case reflect.Int, reflect.Int64:
		return le.AppendUint64(out, uint64(v.Int()))
	case reflect.Uint8:
		return append(out, byte(v.Uint()))
	case reflect.Uint16:
		return le.AppendUint16(out, uint16(v.Uint()))
	case reflect.Uint32:
		return le.AppendUint32(out, uint32(v.Uint()))
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return le.AppendUint64(out, v.Uint())
	case reflect.Float32:
		return le.AppendUint32(out, canonicalFloat32(math.Float32bits(float32(v.Float()))))
	case reflect.Float64:
		return le.AppendUint64(out, canonical64(math.Float64bits(v.Float())))
	case reflect.Complex64:
		c := complex64(v.Complex())
		out = le.AppendUint32(out, canonicalFloat32(math.Float32bits(real(c))))
		return le.AppendUint32(out, canonicalFloat32(math.Float32bits(imag(c))))
	case reflect.Complex128:
		c := v.Complex()
		out = le.AppendUint64(out, canonical64(math.Float64bits(real(c))))
		return le.AppendUint64(out, canonical64(math.Float64bits(imag(c))))
	case reflect.String:
		return append(le.AppendUint64(out, uint64(v.Len())), v.String()...)
	case reflect.Array:
		for i := range v.Len() {
			out = appendValue(out, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out = appendValue(out, v.Field(i))
		}
	}
	return out
}

func canonicalFloat32(u uint32) uint32 {
	if u&0x7fffffff > 0x7f800000 {
		return 0x7fc00000
	}
	return u
}

// canonical64 replaces every NaN by the same one, because CPUs produce different NaNs.
func canonical64(w uint64) uint64 {
	if w&math.MaxInt64 > 0x7ff0000000000000 {
		return 0x7ff8000000000000
	}
	return w
}

// digest is the state of a hash. [World.Hash] documents how it hashes a list.
type digest struct {
	s     fold.State
	stage [4096]byte // numbers in little-endian order, before they are hashed
}

// seeds are the first 256 bits of the fraction of π, which shows that they hide no choice.
var seeds = fold.State{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}

// pairs is the size of a block in bytes: two words for each of the states.
const pairs = fold.Block

func newDigest() *digest { return &digest{s: seeds} }

// reset starts another hash.
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

// name hashes the length of a string and its bytes.
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

// bytes hashes bytes in little-endian order. Their number must be a multiple of 64, except for the
// last piece of a list.
func (d *digest) bytes(b []byte) {
	whole := len(b) &^ (pairs - 1)
	fold.Bytes(&d.s, b[:whole])
	d.tail(b[whole:])
}

// tail hashes fewer than 64 bytes.
func (d *digest) tail(b []byte) {
	var last [pairs]byte
	for i := range (copy(last[:], b) + 15) / 16 {
		d.s[i] = fold.Fold(binary.LittleEndian.Uint64(last[16*i:])^d.s[i], binary.LittleEndian.Uint64(last[16*i+8:])^fold.Key)
	}
}

// nan says how to detect NaNs in a word and how to make them canonical.
type nan struct {
	wide      bool // one float64 in a word, not two float32
	canonical func(uint64) uint64
}

var (
	nan32 = &nan{false, canonical32}
	nan64 = &nan{true, canonical64}
)

// blocks hashes whole blocks of floats and reports whether some may be NaNs.
func (f *nan) blocks(s *fold.State, b []byte) bool {
	if f.wide {
		return fold.Floats64(s, b)
	}
	return fold.Floats32(s, b)
}

// floats hashes floats in little-endian order. It hashes them as they are and detects possible NaNs
// in the same pass; only if there are some, it starts again and makes them canonical. This is fast
// because NaNs are rare.
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

// odd hashes whole blocks of floats that may contain NaNs.
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

// cachedSum caches the hash of data that does not change. 0 means that it is not computed yet.
// Several goroutines may compute it at once; no lock is needed, because all of them store the same
// number.
type cachedSum struct{ sum atomic.Uint64 }

// of returns the hash and computes it if necessary.
func (c *cachedSum) of(one func() uint64) uint64 {
	sum := c.sum.Load()
	if sum == 0 {
		sum = one()
		c.sum.Store(sum)
	}
	return sum
}

// forget drops the hash, because the memory gets other data.
func (c *cachedSum) forget() { c.sum.Store(0) }

// hasher is a shared value that defines its own equality: it also has a method Equal for its own type.
type hasher interface{ Hash() uint64 }
