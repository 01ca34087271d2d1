package ecs

import (
	"encoding/binary"
	"math"
	"reflect"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs/internal/fold"
)

// listHash returns the hash of a list of hashes.
func (d *digest) listHash(list []uint64) uint64 {
	d.reset()
	d.addUint64s(list...)
	return d.sum()
}

// addNamed hashes a number that another package has added with OnHash.
func (d *digest) addNamed(name string, sum uint64) {
	d.addString(name)
	d.addUint64s(sum)
}

// numberRun is a sequence of numbers of the same kind in a Go value. The hash reads a value as such
// sequences.
type numberRun struct {
	count      int // how many numbers
	width      int // size of each in bytes
	floatWidth int // equal to width if they are floats, else 0
	padding    int // number of bytes after them that are not hashed
}

// idNumberRuns describes the numbers of an entity id.
var idNumberRuns = numberRunsOf(reflect.TypeFor[Entity]())

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// numberRunsOf returns the numbers in a value of type t, which must hold no Go pointers.
func numberRunsOf(t reflect.Type) []numberRun {
	var p []numberRun
	end := appendNumberRuns(&p, t, 0, 0)
	if gap := int(t.Size()) - end; gap > 0 {
		if len(p) == 0 {
			p = append(p, numberRun{}) // no number, only bytes to skip
		}
		p[len(p)-1].padding += gap
	}
	return p
}

// appendNumberRuns appends the numbers of t. The argument at is the offset of the value, and end is
// the offset at which the previous number ended. appendNumberRuns returns the end of the last
// number.
func appendNumberRuns(p *[]numberRun, t reflect.Type, at, end int) int {
	if isBlobRef(t) {
		return end // a blob reference differs between runs, because it depends on the blobs created before
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				end = appendNumberRuns(p, f.Type, at+int(f.Offset), end)
			}
		}
		return end
	case reflect.Array:
		for i := range t.Len() {
			end = appendNumberRuns(p, t.Elem(), at+i*int(t.Elem().Size()), end)
		}
		return end
	case reflect.Complex64, reflect.Complex128:
		width := int(t.Size()) / 2
		end = appendNumberRun(p, width, width, at, end)
		return appendNumberRun(p, width, width, at+width, end)
	case reflect.Float32, reflect.Float64:
		return appendNumberRun(p, int(t.Size()), int(t.Size()), at, end)
	default:
		return appendNumberRun(p, int(t.Size()), 0, at, end)
	}
}

func appendNumberRun(p *[]numberRun, width, float, at, end int) int {
	list := *p
	if gap := at - end; gap > 0 {
		if len(list) == 0 {
			list = append(list, numberRun{}) // no number, only bytes to skip
		}
		list[len(list)-1].padding += gap
	}
	if last := len(list) - 1; last >= 0 && list[last].width == width && list[last].floatWidth == float && list[last].padding == 0 {
		list[last].count++
	} else {
		list = append(list, numberRun{count: 1, width: width, floatWidth: float})
	}
	*p = list
	return at + width
}

// appendNumber appends the number at the beginning of b to out, in little-endian order. It
// replaces a NaN by the canonical NaN.
func (p numberRun) appendNumber(out, b []byte) []byte {
	switch {
	case p.floatWidth == 4:
		return binary.LittleEndian.AppendUint32(out, canonicalFloat32(binary.NativeEndian.Uint32(b)))
	case p.floatWidth == 8:
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

// appendSharedValue appends the numbers of a shared value, in little-endian order. It replaces each
// NaN by the canonical NaN.
func appendSharedValue(out []byte, v reflect.Value) []byte {
	le := binary.LittleEndian
	if isBlobRef(v.Type()) {
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
			out = appendSharedValue(out, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out = appendSharedValue(out, v.Field(i))
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

// canonical64 replaces a NaN by the canonical NaN, because different CPUs produce different NaNs.
func canonical64(w uint64) uint64 {
	if w&math.MaxInt64 > 0x7ff0000000000000 {
		return 0x7ff8000000000000
	}
	return w
}

// digest is the state of a hash. [World.Hash] documents how it hashes a list.
type digest struct {
	state         fold.State
	stagingBuffer [4096]byte // numbers in little-endian order, before they are hashed
}

// hashSeeds holds the first 256 bits of the fraction of π. With these well-known numbers it is
// clear that the seeds have no hidden purpose.
var hashSeeds = fold.State{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}

// blockBytes is the size of a block in bytes: two words for each of the states.
const blockBytes = fold.Block

func newDigest() *digest { return &digest{state: hashSeeds} }

// reset starts another hash.
func (d *digest) reset() { d.state = hashSeeds }

func (d *digest) sum() uint64 {
	h := d.state[0]
	for _, s := range d.state[1:] {
		h = mixBits(h) ^ s
	}
	return mixBits(h)
}

func mixBits(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// addUint64s hashes a list of uint64.
func (d *digest) addUint64s(list ...uint64) {
	for len(list) > len(d.stagingBuffer)/8 {
		d.addUint64s(list[:len(d.stagingBuffer)/8]...)
		list = list[len(d.stagingBuffer)/8:]
	}
	b := d.stagingBuffer[:0]
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	d.addBytes(b)
}

// addString hashes the length of a string and its bytes.
func (d *digest) addString(s string) {
	d.addUint64s(uint64(len(s)))
	d.addBytes([]byte(s))
}

// addInt32s hashes a list of n int32.
func (d *digest) addInt32s(n int, at func(i int) int32) {
	for lo := 0; lo < n; {
		b := d.stagingBuffer[:0]
		for ; lo < n && len(b) < len(d.stagingBuffer); lo++ {
			b = binary.LittleEndian.AppendUint32(b, uint32(at(lo)))
		}
		d.addBytes(b)
	}
}

// addSharedValue hashes a shared value.
func (d *digest) addSharedValue(v any) {
	if h, ok := v.(hasher); ok {
		d.addUint64s(h.Hash())
		return
	}
	d.addBytes(appendSharedValue(nil, reflect.ValueOf(v)))
}

// addRows hashes a list of values that consist of the given parts.
func (d *digest) addRows(b []byte, p []numberRun) {
	if len(p) == 1 && p[0].padding == 0 && (littleEndian || p[0].width == 1) {
		switch p[0].floatWidth {
		case 4:
			d.addFloats(b, nan32)
		case 8:
			d.addFloats(b, nan64)
		default:
			d.addBytes(b)
		}
		return
	}
	out := d.stagingBuffer[:0]
	for len(b) > 0 {
		for _, p := range p {
			for range p.count {
				if len(out)+8 > len(d.stagingBuffer) {
					whole := len(out) &^ (blockBytes - 1)
					d.addBytes(out[:whole])
					out = d.stagingBuffer[:copy(d.stagingBuffer[:], out[whole:])]
				}
				out = p.appendNumber(out, b)
				b = b[p.width:]
			}
			b = b[p.padding:]
		}
	}
	d.addBytes(out)
}

// addBytes hashes a piece of a list, given as bytes in little-endian order. The number of bytes must
// be a multiple of 64, except in the last piece of the list.
func (d *digest) addBytes(b []byte) {
	whole := len(b) &^ (blockBytes - 1)
	fold.Bytes(&d.state, b[:whole])
	d.addTail(b[whole:])
}

// addTail hashes fewer than 64 bytes.
func (d *digest) addTail(b []byte) {
	var last [blockBytes]byte
	for i := range (copy(last[:], b) + 15) / 16 {
		d.state[i] = fold.Fold(binary.LittleEndian.Uint64(last[16*i:])^d.state[i], binary.LittleEndian.Uint64(last[16*i+8:])^fold.Key)
	}
}

// nanKind says how to detect NaNs in a word and how to make them canonical.
type nanKind struct {
	isFloat64 bool // one float64 in a word, not two float32
	canonical func(uint64) uint64
}

var (
	nan32 = &nanKind{false, canonical32}
	nan64 = &nanKind{true, canonical64}
)

// addBlocks hashes whole blocks of floats and reports whether some may be NaNs.
func (f *nanKind) addBlocks(s *fold.State, b []byte) bool {
	if f.isFloat64 {
		return fold.Floats64(s, b)
	}
	return fold.Floats32(s, b)
}

// addFloats hashes floats in little-endian order. addFloats first hashes the floats as they are and
// detects possible NaNs in the same pass. If there may be NaNs, it starts again and replaces each
// NaN by the canonical NaN. This is fast because NaNs are rare.
func (d *digest) addFloats(b []byte, f *nanKind) {
	before := d.state
	whole := len(b) &^ (blockBytes - 1)
	if f.addBlocks(&d.state, b[:whole]) {
		d.state = before
		d.addFloatsWithNaN(b[:whole], f)
	}
	var last [blockBytes]byte
	n := copy(last[:], b[whole:])
	f.canonicalize(last[:(n+7)&^7])
	d.addTail(last[:n])
}

// addFloatsWithNaN hashes whole blocks of floats that may contain NaNs.
func (d *digest) addFloatsWithNaN(b []byte, f *nanKind) {
	for len(b) > 0 {
		n := copy(d.stagingBuffer[:], b)
		f.canonicalize(d.stagingBuffer[:n])
		d.addBytes(d.stagingBuffer[:n])
		b = b[n:]
	}
}

// canonicalize replaces each NaN in a list of whole words by the canonical NaN.
func (f *nanKind) canonicalize(b []byte) {
	for ; len(b) > 0; b = b[8:] {
		binary.LittleEndian.PutUint64(b, f.canonical(binary.LittleEndian.Uint64(b)))
	}
}

// canonical32 replaces each NaN by the canonical NaN, in a word of two float32.
func canonical32(w uint64) uint64 {
	lo, hi := uint32(w), uint32(w>>32)
	return uint64(canonicalFloat32(lo)) | uint64(canonicalFloat32(hi))<<32
}

// cachedHash caches the hash of data that does not change. 0 means that the hash is not computed
// yet. Several goroutines may compute the hash at the same time. No lock is needed, because all of
// them store the same number.
type cachedHash struct{ hash atomic.Uint64 }

// get returns the hash and computes it if necessary.
func (c *cachedHash) get(one func() uint64) uint64 {
	sum := c.hash.Load()
	if sum == 0 {
		sum = one()
		c.hash.Store(sum)
	}
	return sum
}

// reset drops the hash, because the memory is reused for other data.
func (c *cachedHash) reset() { c.hash.Store(0) }

// hasher is implemented by a shared value that defines its own equality. Such a type also has a
// method Equal for its own type.
type hasher interface{ Hash() uint64 }
