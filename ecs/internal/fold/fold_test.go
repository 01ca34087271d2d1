package fold

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// begin is an arbitrary state.
var begin = State{1, 1 << 63, 0xa4093822299f31d0, Key}

// TestFold compares Fold with big integers.
func TestFold(t *testing.T) {
	for _, a := range begin {
		for _, b := range []uint64{0, 1, math.MaxUint64, 0x243f6a8885a308d3} {
			p := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
			hi, lo := new(big.Int).Rsh(p, 64).Uint64(), new(big.Int).And(p, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
			if got := Fold(a, b); got != hi^lo^a {
				t.Errorf("Fold(%#x, %#x) is %#x, not %#x", a, b, got, hi^lo^a)
			}
		}
	}
}

// TestWays checks that the functions of this build and the loops in Go compute the formula for
// each pair of words. It uses each number of blocks and each offset. Bytes after the last block
// must not be read.
func TestWays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]byte, 40*Block)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	for n := range 2100 {
		b := all[n%17:][:n]
		if n > 300 && n%Block > 1 && n%Block < Block-1 {
			continue
		}
		want := begin
		for at := 0; at+Block <= n; at += Block {
			for i := range want {
				want[i] = Fold(want[i]^binary.LittleEndian.Uint64(b[at+16*i:]), binary.LittleEndian.Uint64(b[at+16*i+8:])^Key)
			}
		}
		for name, way := range map[string]func(s *State, b []byte) bool{
			"Bytes":           func(s *State, b []byte) bool { Bytes(s, b); return false },
			"bytesGeneric":    func(s *State, b []byte) bool { bytesGeneric(s, b); return false },
			"Floats32":        Floats32,
			"floats32Generic": floats32Generic,
			"Floats64":        Floats64,
			"floats64Generic": floats64Generic,
		} {
			got := begin
			if way(&got, b); got != want {
				t.Fatalf("%s of %d bytes: %x, want %x", name, n, got, want)
			}
		}
	}
}

// TestNaN checks that the functions find a NaN with any sign and payload at each position of a
// block, and that they do not mistake an ordinary number for a NaN.
func TestNaN(t *testing.T) {
	type way struct {
		name  string
		width int
		find  func(s *State, b []byte) bool
	}
	ways := []way{
		{"Floats32", 4, Floats32}, {"floats32Generic", 4, floats32Generic},
		{"Floats64", 8, Floats64}, {"floats64Generic", 8, floats64Generic},
	}
	for _, w := range ways {
		numbers, nans := []uint64{0, 1 << 63, 1, 1<<63 | 1, math.Float64bits(-1), math.Float64bits(math.MaxFloat64), math.Float64bits(-math.MaxFloat64)},
			[]uint64{0x7ff0000000000001, 0xfff0000000000001, 0x7ff8000000000000, 0xfff8000000000000, math.MaxUint64, math.MaxUint64 >> 1}
		put := binary.LittleEndian.PutUint64
		if w.width == 4 {
			numbers = []uint64{0, 1 << 31, 1, 1<<31 | 1, 0xbf800000, 0x7f7fffff, 0xff7fffff}
			nans = []uint64{0x7f800001, 0xff800001, 0x7fc00000, 0xffc00000, math.MaxUint32, math.MaxUint32 >> 1}
			put = func(b []byte, v uint64) { binary.LittleEndian.PutUint32(b, uint32(v)) }
		}
		const blocks = 3
		b := make([]byte, blocks*Block)
		for at := 0; at < len(b); at += w.width {
			put(b[at:], numbers[at/w.width%len(numbers)])
		}
		s := begin
		if w.find(&s, b) {
			t.Errorf("%s takes numbers for NaN", w.name)
		}
		for at := 0; at < len(b); at += w.width {
			was := string(b)
			for _, v := range nans {
				put(b[at:], v)
				if s := begin; !w.find(&s, b) {
					t.Errorf("%s does not find %#x at %d", w.name, v, at)
				}
				if s := begin; w.find(&s, b[:at&^(Block-1)]) {
					t.Errorf("%s finds what is behind the last block", w.name)
				}
			}
			copy(b, was)
		}
	}
}

var sum uint64

// BenchmarkFold compares the loops with a loop that only reads the same bytes.
func BenchmarkFold(b *testing.B) {
	ways := []struct {
		name string
		do   func(s *State, b []byte)
	}{
		{"bytes", Bytes},
		{"bytes/go", bytesGeneric},
		{"floats32", func(s *State, b []byte) { Floats32(s, b) }},
		{"floats32/go", func(s *State, b []byte) { floats32Generic(s, b) }},
		{"xor", func(_ *State, b []byte) { sum += xor(b) }},
	}
	for _, n := range []int{16 << 10, 1 << 20, 32 << 20} {
		m := make([]byte, n)
		for i := range m {
			m[i] = byte(i*31) &^ 0x40
		}
		for _, w := range ways {
			b.Run(fmt.Sprintf("way=%s/bytes=%d", w.name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				s := begin
				for b.Loop() {
					w.do(&s, m)
				}
			})
		}
	}
}

// xor reads bytes, 64 at a time, as fast as Go can.
func xor(b []byte) uint64 {
	var s0, s1, s2, s3 uint64
	for ; len(b) >= Block; b = b[Block:] {
		p := (*[Block]byte)(b)
		s0 ^= binary.NativeEndian.Uint64(p[0:]) ^ binary.NativeEndian.Uint64(p[32:])
		s1 ^= binary.NativeEndian.Uint64(p[8:]) ^ binary.NativeEndian.Uint64(p[40:])
		s2 ^= binary.NativeEndian.Uint64(p[16:]) ^ binary.NativeEndian.Uint64(p[48:])
		s3 ^= binary.NativeEndian.Uint64(p[24:]) ^ binary.NativeEndian.Uint64(p[56:])
	}
	return s0 ^ s1 ^ s2 ^ s3
}
