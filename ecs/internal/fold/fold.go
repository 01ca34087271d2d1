package fold

import (
	"encoding/binary"
	"math/bits"
)

// State is the state of a hash, which is four words.
type State = [4]uint64

// Key is xored with the second word of each pair. Its value is the 64 bits of the fraction of π
// that follow the first 256 bits.
const Key = 0x452821e638d01377

// Block is the number of bytes that are hashed at once: two words for each word of the state.
const Block = 64

// Fold returns the xor of a and the two halves of the product a·b. Fold includes a because for b =
// 0 the product is 0 and does not depend on a.
func Fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo ^ a
}

// bytesGeneric implements [Bytes] in Go.
func bytesGeneric(s *State, b []byte) {
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	for ; len(b) >= Block; b = b[Block:] {
		p := (*[Block]byte)(b)
		s0 = Fold(binary.LittleEndian.Uint64(p[0:])^s0, binary.LittleEndian.Uint64(p[8:])^Key)
		s1 = Fold(binary.LittleEndian.Uint64(p[16:])^s1, binary.LittleEndian.Uint64(p[24:])^Key)
		s2 = Fold(binary.LittleEndian.Uint64(p[32:])^s2, binary.LittleEndian.Uint64(p[40:])^Key)
		s3 = Fold(binary.LittleEndian.Uint64(p[48:])^s3, binary.LittleEndian.Uint64(p[56:])^Key)
	}
	*s = State{s0, s1, s2, s3}
}

// floats32Generic implements [Floats32] in Go.
func floats32Generic(s *State, b []byte) (nan bool) {
	return floatsGeneric(s, b, 0x0080000000800000)&0x8000000080000000 != 0
}

// floats64Generic implements [Floats64] in Go.
func floats64Generic(s *State, b []byte) (nan bool) {
	return floatsGeneric(s, b, 0x0010000000000000)&0x8000000000000000 != 0
}

// floatsGeneric returns a word whose sign bits report whether a number of b is a NaN or an
// infinity. The word has one sign bit for each position of a number in a word. The function finds
// these numbers by adding ulp, which flips the sign bit of exactly such numbers.
func floatsGeneric(s *State, b []byte, ulp uint64) (found uint64) {
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	for ; len(b) >= Block; b = b[Block:] {
		p := (*[Block]byte)(b)
		v, w := binary.LittleEndian.Uint64(p[0:]), binary.LittleEndian.Uint64(p[8:])
		found |= ((v + ulp) ^ v) | ((w + ulp) ^ w)
		s0 = Fold(v^s0, w^Key)
		v, w = binary.LittleEndian.Uint64(p[16:]), binary.LittleEndian.Uint64(p[24:])
		found |= ((v + ulp) ^ v) | ((w + ulp) ^ w)
		s1 = Fold(v^s1, w^Key)
		v, w = binary.LittleEndian.Uint64(p[32:]), binary.LittleEndian.Uint64(p[40:])
		found |= ((v + ulp) ^ v) | ((w + ulp) ^ w)
		s2 = Fold(v^s2, w^Key)
		v, w = binary.LittleEndian.Uint64(p[48:]), binary.LittleEndian.Uint64(p[56:])
		found |= ((v + ulp) ^ v) | ((w + ulp) ^ w)
		s3 = Fold(v^s3, w^Key)
	}
	*s = State{s0, s1, s2, s3}
	return found
}
