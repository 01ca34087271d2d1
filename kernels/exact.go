package kernels

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// An exact sum is an integer. This works because every float is a whole multiple of the smallest
// float. So numbers of any size can be added without rounding if the integer has enough bits.
// ExactSum holds that integer in digits of 32 bits, each in a word of 64 bits. The spare bits of a
// word allow many additions before digits must be carried.
//
// Bit j of the integer has the value 2^(j-1075). A number with the exponent
// field e and the fraction m, including its hidden bit, is m·2^(e-1075). So this number
// adds m << e to the integer. Subnormal numbers have e = 1 and no hidden bit.

// digits is the number of words of an exact sum. The highest bits of the largest number are in
// digit 64. The last two digits hold the carries of up to 2^63 such numbers.
const digits = 67

// An ExactSum adds numbers without rounding. The value depends only on the numbers. It does not
// depend on their order, on how they are grouped, or on how many machines computed parts of the
// sum. The zero value is an empty sum; an ExactSum may be copied. Methods that change an ExactSum
// must not be called concurrently with other methods.
type ExactSum[T Float] struct {
	digit     [digits]int64 // all but the last in [0, 2^32) between calls; the last has the sign
	nonFinite nonFinite
}

// nonFinite records the values that digits cannot represent: NaN and infinities.
type nonFinite uint8

const (
	seenNaN nonFinite = 1 << iota
	seenInf           // +Inf
	seenNegInf
)

// SumExact returns the sum of x, rounded once. The result is the float
// nearest to the true sum of the rows; if two floats are equally near, it is
// the even one. It does not depend on the order of the rows. To combine sums
// of several goroutines or machines use an [ExactSum]. [Sum] is faster.
//
// Shape: any length, any alignment.
// Values: ≤ 0.5 ulp. The result is ±Inf only if the sum itself is too large for the type, since
// partial sums cannot overflow. An infinity in x gives that infinity; a NaN, or infinities of
// both signs, give NaN. If the sum is zero or there are no rows, the result is +0. It does not
// allocate.
//
//go:noinline
func SumExact[T Float](x []T) T {
	var s ExactSum[T]
	if checked {
		inspect("SumExact", nil, lane("x", x))
	}
	s.add(x)
	return s.Value()
}

// Add adds the rows of x. Call it as often as needed: for example, once for
// each chunk.
//
// Shape: any length, any alignment.
// It does not allocate.
func (s *ExactSum[T]) Add(x []T) {
	if checked {
		inspect("ExactSum.Add", nil, lane("x", x))
	}
	s.add(x)
}

func (s *ExactSum[T]) add(x []T) {
	for len(x) > 0 {
		n := min(piece, len(x))
		if single[T]() {
			s.nonFinite |= addExact32(&s.digit, f32(x[:n]))
		} else {
			s.nonFinite |= addExact64(&s.digit, f64(x[:n]))
		}
		carry(&s.digit)
		x = x[n:]
	}
}

// Merge adds the numbers of t to s. t and s may be the same sum.
func (s *ExactSum[T]) Merge(t *ExactSum[T]) {
	for i, d := range &t.digit {
		s.digit[i] += d
	}
	carry(&s.digit)
	s.nonFinite |= t.nonFinite
}

// carry brings all digits but the last into the range [0, 2^32).
func carry(d *[digits]int64) {
	var over int64
	for i := range digits - 1 {
		v := d[i] + over
		over = v >> 32
		d[i] = v & math.MaxUint32
	}
	d[digits-1] += over
}

// exactBlock is the number of rows of a block. The rows of one block are added with float
// additions that need no rounding. exactLanes is the number of partial sums; each addition to
// one of them adds four rows.
const (
	exactBlock = 1 << 11
	exactLanes = 1 << 7
)

// addExact64 adds x to digit; x has no more rows than a piece. It adds a whole block with addCoarse
// or addBlock if possible, and all other rows number by number.
func addExact64(digit *[digits]int64, x []float64) (seen nonFinite) {
	for coarse := true; path != generic && len(x) >= exactBlock; x = x[exactBlock:] {
		block := x[:exactBlock]
		most := largestOf(block)
		if coarse = coarse && addCoarse(digit, block, most); coarse || addBlock(digit, block, most) {
			continue
		}
		seen |= addWords64(digit, block)
	}
	return seen | addWords64(digit, x)
}

// largestOf returns the largest absolute value of the rows of x. It ignores NaN.
func largestOf[T Float](x []T) float64 { return float64(max(maxOf(x), -minOf(x))) }

// powerOver returns a power of two that is at least 2^12 times as large as most.
// powerOver returns false if most is NaN, or is too large or too small for such a
// power.
func powerOver(most float64) (power uint64, ok bool) {
	top := math.Float64bits(most) >> 52 // a sign bit makes the number too large, so that it is refused
	return top + 1 + spareBits, top <= 1023+1000 && top >= 1023-800
}

const spareBits = 12

// addCoarse adds the rows of a block. The argument most is the largest absolute value of the
// rows. It adds nothing and returns false if the exponents of the rows are too far apart, or if
// some rows are too large, NaN or infinite.
//
// If a power of two is added to a number and then subtracted again, the result is the number
// without the bits that are below the last bit of the power. The remaining part is a multiple
// of that bit, and so is every sum of such parts. If the power is 2^12 times as large as all
// rows, a sum of 2^11 rows needs at most the 53 bits of a float64. So if no bits were cut off,
// float64 additions are exact. For example, this holds for integers, and for float32 numbers
// that are within a factor of 2^16.
func addCoarse[T Float](digit *[digits]int64, x []T, most float64) bool {
	power, ok := powerOver(most)
	if !ok {
		return false
	}
	coarse := math.Float64frombits(power << 52)
	var high, rest [exactLanes]float64
	for ; len(x) > 0; x = x[4*exactLanes:] {
		const n = exactLanes
		if x := x[:4*n]; single[T]() {
			spread32(high[:], rest[:], f32(x[:n]), f32(x[n:2*n]), f32(x[2*n:3*n]), f32(x[3*n:]), coarse)
		} else {
			spread64(high[:], rest[:], f64(x[:n]), f64(x[n:2*n]), f64(x[2*n:3*n]), f64(x[3*n:]), coarse)
		}
	}
	if !(sum64(nil, rest[:]) == 0) { // NaN is not 0
		return false
	}
	addWord64(digit, math.Float64bits(sum64(nil, high[:])))
	carry(digit)
	return true
}

// addBlock works like addCoarse with two cuts: it cuts the parts that the first
// cut removes once more. It returns false if a row has bits below the second cut. The
// parts of both cuts together have 82 bits.
func addBlock(digit *[digits]int64, x []float64, most float64) bool {
	power, ok := powerOver(most)
	if !ok {
		return false
	}
	coarse := math.Float64frombits(power << 52)
	fine := math.Float64frombits((power - 53 + spareBits) << 52)
	var high, low, rest [exactLanes]float64
	for ; len(x) > 0; x = x[4*exactLanes:] {
		const n = exactLanes
		extract64(high[:], low[:], rest[:], x[:n], x[n:2*n], x[2*n:3*n], x[3*n:4*n], coarse, fine)
	}
	if !(sum64(nil, rest[:]) == 0) {
		return false
	}
	addWord64(digit, math.Float64bits(sum64(nil, high[:])))
	addWord64(digit, math.Float64bits(sum64(nil, low[:])))
	carry(digit)
	return true
}

// spreadGeneric adds four rows to each element of high. For each row, it also adds the
// absolute value of the part below the cut coarse to an element of rest.
func spreadGeneric[T Float](high, rest []float64, a, b, c, d []T, coarse float64) {
	rest, a, b, c, d = rest[:len(high)], a[:len(high)], b[:len(high)], c[:len(high)], d[:len(high)]
	for i := range high {
		p, q, r, s := float64(a[i]), float64(b[i]), float64(c[i]), float64(d[i])
		high[i] += (p + q) + (r + s)
		p, q = p-((coarse+p)-coarse), q-((coarse+q)-coarse)
		r, s = r-((coarse+r)-coarse), s-((coarse+s)-coarse)
		rest[i] += (math.Abs(p) + math.Abs(q)) + (math.Abs(r) + math.Abs(s))
	}
}

// extractGeneric splits each row into three parts at the cuts coarse and fine. For every i, it
// adds the upper parts of four rows to high[i], the middle parts to low[i], and the absolute
// values of the remainders to rest[i].
func extractGeneric[T Float](high, low, rest, a, b, c, d []T, coarse, fine T) {
	low, rest, a, b, c, d = low[:len(high)], rest[:len(high)], a[:len(high)], b[:len(high)], c[:len(high)], d[:len(high)]
	for i := range high {
		ha, hb := (coarse+a[i])-coarse, (coarse+b[i])-coarse
		hc, hd := (coarse+c[i])-coarse, (coarse+d[i])-coarse
		high[i] += (ha + hb) + (hc + hd)
		ra, rb, rc, rd := a[i]-ha, b[i]-hb, c[i]-hc, d[i]-hd
		la, lb := (fine+ra)-fine, (fine+rb)-fine
		lc, ld := (fine+rc)-fine, (fine+rd)-fine
		low[i] += (la + lb) + (lc + ld)
		ra, rb, rc, rd = T(math.Abs(float64(ra-la))), T(math.Abs(float64(rb-lb))), T(math.Abs(float64(rc-lc))), T(math.Abs(float64(rd-ld)))
		rest[i] += (ra + rb) + (rc + rd)
	}
}

// addWords64 adds x number by number.
//
// A number spans up to three digits. Its upper two digits have at most 52 bits together and are
// added to the word of the second digit. So a word can hold the sum of 2^10 numbers in addition to
// a digit. Two sets of words alternate. Otherwise each addition would wait for the previous
// addition, because numbers of one size go to the same word.
func addWords64(digit *[digits]int64, x []float64) (seen nonFinite) {
	if len(x) == 0 {
		return 0
	}
	var even, odd [digits]int64
	for len(x) > 0 {
		n := min(1<<10, len(x))
		block := x[:n]
		for ; len(block) >= 2; block = block[2:] {
			a, b := math.Float64bits(block[0]), math.Float64bits(block[1])
			seen |= beyond64(a) | beyond64(b)
			addWord64(&even, a)
			addWord64(&odd, b)
		}
		if len(block) > 0 {
			a := math.Float64bits(block[0])
			seen |= beyond64(a)
			addWord64(&even, a)
		}
		carry(&even)
		carry(&odd)
		x = x[n:]
	}
	for i := range digits {
		digit[i] += even[i] + odd[i]
	}
	return seen
}

func exponent64(b uint64) uint64 { return b >> 52 & 0x7ff }

// addWord64 adds the number with the bits b. It adds nothing for an infinity or
// NaN.
func addWord64(d *[digits]int64, b uint64) {
	e := exponent64(b)
	m := b & (1<<52 - 1)
	if e-1 < 0x7fe { // normal
		m |= 1 << 52
	} else if e != 0 {
		return
	} else {
		e = 1
	}
	sign := int64(b) >> 63
	lo, hi := int64(m<<(e&31)&math.MaxUint32), int64(m>>(32-e&31)) // 32-0 is 32
	k := e >> 5
	d[k] += lo ^ sign - sign
	d[k+1] += hi ^ sign - sign
}

// beyond64 classifies the number with the bits b. beyond64 returns 0 if the number is neither NaN
// nor an infinity.
func beyond64(b uint64) nonFinite {
	switch {
	case exponent64(b) < 0x7ff:
		return 0
	case b<<12 != 0:
		return seenNaN
	case b>>63 != 0:
		return seenNegInf
	}
	return seenInf
}

// addExact32 does the work of addExact64 for float32. A block that needs two cuts is
// converted to float64.
func addExact32(digit *[digits]int64, x []float32) (seen nonFinite) {
	for ; path != generic && len(x) >= exactBlock; x = x[exactBlock:] {
		block := x[:exactBlock]
		if most := largestOf(block); addCoarse(digit, block, most) || addWide(digit, block, most) {
			continue
		}
		seen |= addWords32(digit, block)
	}
	return seen | addWords32(digit, x)
}

// addWide does the work of addBlock for float32.
//
//go:noinline
func addWide(digit *[digits]int64, x []float32, most float64) bool {
	var block [exactBlock]float64
	widen(block[:], x)
	return addBlock(digit, block[:], most)
}

// addWords32 adds x number by number. Each word is the sum for 16 consecutive exponents. A number
// adds its fraction of 24 bits, shifted by up to 15 bits, to one of the words. Each addend has at
// most 39 bits, so the sum of a piece fits into a word.
func addWords32(digit *[digits]int64, x []float32) (seen nonFinite) {
	var word [4][16]int64
	block := x
	for ; len(block) >= 4; block = block[4:] {
		a, b := math.Float32bits(block[0]), math.Float32bits(block[1])
		c, d := math.Float32bits(block[2]), math.Float32bits(block[3])
		seen |= addWord32(&word[0], a) | addWord32(&word[1], b) | addWord32(&word[2], c) | addWord32(&word[3], d)
	}
	for k, v := range block {
		seen |= addWord32(&word[k], math.Float32bits(v))
	}
	// Bit 0 of word k has the value 2^(16k-150), like bit 16k+925 of the digits.
	for k := range 16 {
		v := word[0][k] + word[1][k] + word[2][k] + word[3][k]
		at := 16*k + 925
		i, shift := at/32, at%32
		sign := v >> 63
		m := uint64(v ^ sign - sign)
		lo, hi := m<<shift, m>>(64-shift)
		for _, part := range [3]uint64{lo & math.MaxUint32, lo >> 32, hi} {
			digit[i] += int64(part) ^ sign - sign
			i++
		}
	}
	return seen
}

func addWord32(d *[16]int64, b uint32) nonFinite {
	e := b >> 23 & 0xff
	m := int64(b & (1<<23 - 1))
	if e-1 < 0xfe { // normal
		m |= 1 << 23
	} else if e != 0 {
		return beyond64(math.Float64bits(float64(math.Float32frombits(b))))
	} else {
		e = 1
	}
	sign := int64(int32(b) >> 31)
	d[e>>4&15] += m<<(e&15) ^ sign - sign
	return 0
}

// Value returns the sum, rounded once, as [SumExact] does.
func (s *ExactSum[T]) Value() T {
	switch {
	case s.nonFinite&seenNaN != 0 || s.nonFinite == seenInf|seenNegInf:
		return T(math.NaN())
	case s.nonFinite == seenInf:
		return T(math.Inf(1))
	case s.nonFinite == seenNegInf:
		return T(math.Inf(-1))
	}
	d, sign := s.digit, 1.0
	if d[digits-1] < 0 {
		for i := range d {
			d[i] = -d[i]
		}
		carry(&d)
		sign = -1
	}
	return roundDigits[T](d[:], -1075, sign)
}

// roundDigits returns sign times the integer of the digits d times 2^exponent, rounded once. All
// digits are in [0, 2^32), except that the last one has no upper limit. If all digits are zero, the
// result is +0.
func roundDigits[T Float](d []int64, exponent int, sign float64) T {
	high := highestBit(d)
	if high < 0 {
		return 0
	}
	width, lowest := 53, -1074-exponent // the bits of a fraction; the bit of the smallest number
	if single[T]() {
		width, lowest = 24, -149-exponent
	}
	low := max(high-width+1, lowest) // the lowest bit that is kept
	var m uint64
	for at := high; at >= low; at-- {
		m = m<<1 | bitOf(d, at)
	}
	if bitOf(d, low-1) != 0 && (m&1 != 0 || anyBelow(d, low-1)) {
		m++
	}
	return T(math.Copysign(math.Ldexp(float64(m), low+exponent), sign))
}

// highestBit returns the index of the highest bit of the digits d that is set, or -1 if all bits
// are 0.
func highestBit(d []int64) int {
	for top := len(d) - 1; top >= 0; top-- {
		if d[top] != 0 {
			return 32*top + bits.Len64(uint64(d[top])) - 1
		}
	}
	return -1
}

// bitOf returns bit j of digits that are all positive.
func bitOf(d []int64, j int) uint64 {
	if i := j / 32; i < len(d)-1 {
		return uint64(d[i]) >> (j % 32) & 1
	}
	return uint64(d[len(d)-1]) >> (j - 32*(len(d)-1)) & 1
}

// anyBelow reports whether a bit below bit j is set.
func anyBelow(d []int64, j int) bool {
	for i := range j / 32 {
		if d[i] != 0 {
			return true
		}
	}
	return uint64(d[j/32])&(1<<(j%32)-1) != 0
}

// exactBytes is the length of an exact sum as bytes.
const exactBytes = 1 + 4*(digits-1) + 8

// AppendBinary appends an encoding of the sum to b. The encoding has 273 bytes, and equal sums
// have the same encoding on all machines. The error is always nil.
func (s *ExactSum[T]) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, byte(s.nonFinite))
	for _, d := range s.digit[:digits-1] {
		b = binary.LittleEndian.AppendUint32(b, uint32(d))
	}
	return binary.LittleEndian.AppendUint64(b, uint64(s.digit[digits-1])), nil
}

// MarshalBinary returns the bytes that AppendBinary appends.
func (s *ExactSum[T]) MarshalBinary() ([]byte, error) {
	return s.AppendBinary(make([]byte, 0, exactBytes))
}

// UnmarshalBinary sets s to a sum that AppendBinary wrote for the same element
// type. If b has the wrong length or its first byte is not valid, it returns an
// error and does not change s.
func (s *ExactSum[T]) UnmarshalBinary(b []byte) error {
	if len(b) != exactBytes {
		return fmt.Errorf("kernels: ExactSum.UnmarshalBinary: %d bytes, an exact sum has %d", len(b), exactBytes)
	}
	if b[0] > byte(seenNaN|seenInf|seenNegInf) {
		return errors.New("kernels: ExactSum.UnmarshalBinary: the first byte is none of an exact sum")
	}
	s.nonFinite = nonFinite(b[0])
	for i := range digits - 1 {
		s.digit[i] = int64(binary.LittleEndian.Uint32(b[1+4*i:]))
	}
	s.digit[digits-1] = int64(binary.LittleEndian.Uint64(b[exactBytes-8:]))
	return nil
}
