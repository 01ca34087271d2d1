package ecs

import (
	"encoding/binary"
	"testing"
)

// BenchmarkHashAndRead hashes a world on all workers. The world has a million rows, each with an id and
// 24 bytes of data. For comparison, it reads the same bytes on the same number of workers. The ratio of
// both times in one run is the result.
func BenchmarkHashAndRead(b *testing.B) {
	const n = 1_000_000
	w := newWorld(b, 2)
	list := make([]Entity, n)
	must(b, w.CreateInto(w.Archetype(With[Position](), With[Velocity]()), list))
	k := float32(0)
	for c := range w.Query(Write[Position](), Write[Velocity]()).Chunks() {
		p, v := Column[Position](c), Column[Velocity](c)
		for _, lane := range [][]float32{p.X, p.Y, p.Z, v.X, v.Y, v.Z} {
			for i := range lane {
				lane[i] = k
				k += 0.25
			}
		}
	}
	b.Run("hash", func(b *testing.B) {
		b.SetBytes(32 * n)
		for b.Loop() {
			w.Hash()
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(32 * n)
		for b.Loop() {
			hashEach(w.Pool(), len(w.tables.chunks), func(_ *digest, i int) uint64 {
				r := w.tables.chunks[i]
				sum := xor(sliceBytes(r.ids()))
				for k := range r.arch.columns {
					for _, l := range r.arch.columns[k].lanes {
						sum ^= xor(r.Bytes(l, 0, r.count))
					}
				}
				return sum
			})
		}
	})
}

// xor reads bytes, 64 at a time, at the highest speed of plain Go.
func xor(b []byte) uint64 {
	var s0, s1, s2, s3 uint64
	for ; len(b) >= 64; b = b[64:] {
		p := (*[64]byte)(b)
		s0 ^= binary.NativeEndian.Uint64(p[0:]) ^ binary.NativeEndian.Uint64(p[32:])
		s1 ^= binary.NativeEndian.Uint64(p[8:]) ^ binary.NativeEndian.Uint64(p[40:])
		s2 ^= binary.NativeEndian.Uint64(p[16:]) ^ binary.NativeEndian.Uint64(p[48:])
		s3 ^= binary.NativeEndian.Uint64(p[24:]) ^ binary.NativeEndian.Uint64(p[56:])
	}
	return s0 ^ s1 ^ s2 ^ s3
}
