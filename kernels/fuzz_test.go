package kernels

import (
	"testing"
)

// FuzzKernels runs one kernel on every path, with operands made of the input's bits.
func FuzzKernels(f *testing.F) {
	for i := range table[float32]() {
		f.Add(uint8(i), uint8(17), uint8(3), []byte{0, 0, 0x80, 0x7f, 1, 0, 0, 0x80, 0xdb, 0x0f, 0x49, 0x40})
		f.Add(uint8(i), uint8(35), uint8(0), []byte{0xff, 0xff, 0x7f, 0x3f, 0, 0, 0xc0, 0x7f})
	}
	f.Fuzz(func(t *testing.T, which, rows, offset uint8, bits []byte) {
		fuzzKernel(t, table[float32](), which, rows, offset, bits)
		fuzzKernel(t, table[float64](), which, rows, offset, bits)
	})
}

func fuzzKernel[T Float](t *testing.T, kernels []kernel[T], which, rows, offset uint8, bits []byte) {
	k, n := &kernels[int(which)%len(kernels)], int(rows)%80
	in := newInputs(k, n, false, uint64(which))
	at := 0
	for i, width := range k.src {
		if width == index || len(bits) == 0 {
			continue
		}
		for b := in.src[i]; len(b) > 0; {
			taken := copy(b, bits[at:])
			b, at = b[taken:], (at+taken)%len(bits)
		}
	}
	want := k.reference(in)
	place := func(lane, rowBytes int, b []byte) *room {
		return heapRoom((int(offset)+lane)*rowBytes%64, b)
	}
	eachPathOf(func(path string) {
		for _, alias := range append([][]int{nil}, k.alias...) {
			if err := k.check(in, want, place, alias); err != nil {
				t.Fatalf("%s path=%s n=%d alias=%v: %v", k.name, path, n, alias, err)
			}
		}
	})
}
