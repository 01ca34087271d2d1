package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestIndices compares Indices and Any with a loop over every bit.
func TestIndices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for words := range samples(120) + 1 {
		mask := make([]uint64, words)
		for i := range mask {
			mask[i] = maskWord(r)
		}
		if r.IntN(3) == 0 {
			clear(mask)
		}
		var want []int32
		for i := range int32(64 * words) {
			if mask[i/64]>>(i%64)&1 != 0 {
				want = append(want, i)
			}
		}
		dst := slices.Repeat([]int32{-7}, len(want)+3)
		if n := Indices(dst, mask); n != len(want) || !slices.Equal(dst[:n], want) {
			t.Fatalf("%d words: got %v, want %v", words, dst[:n], want)
		}
		if !slices.Equal(dst[len(want):], []int32{-7, -7, -7}) {
			t.Fatalf("%d words: rows beyond the %d were written to", words, len(want))
		}
		if got := Any(mask); got != (len(want) > 0) {
			t.Fatalf("Any of %d words with %d bits is %v", words, len(want), got)
		}
	}
}

// TestIndicesOfPieces uses more bits than a piece has rows, and sets the last bit. Indices must
// add the start of the piece to the index of the bit.
func TestIndicesOfPieces(t *testing.T) {
	mask := make([]uint64, piece/64+3)
	dst := make([]int32, 2)
	if Any(mask) {
		t.Error("nothing is set")
	}
	mask[0], mask[len(mask)-1] = 1<<5, 1<<63
	if n := Indices(dst, mask); n != 2 || dst[0] != 5 || dst[1] != int32(64*len(mask)-1) {
		t.Errorf("%d indices, %v", n, dst)
	}
	if !Any(mask) || !Any(mask[1:]) || Any(mask[1:len(mask)-1]) {
		t.Error("Any does not see the bits at the ends")
	}
	if !checked {
		if got := testing.AllocsPerRun(3, func() { Indices(dst, mask); Any(mask) }); got != 0 {
			t.Errorf("%v allocations a run", got)
		}
	}
}
