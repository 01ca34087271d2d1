package soa

import (
	"testing"
	"unsafe"
)

type vec3s struct{ X, Y, Z []float32 }

func TestHeaders(t *testing.T) {
	x, y := []int32{1, 2, 3}, make([]int32, 5, 9)
	view := struct{ X, Y []int32 }{x, y}
	h := Headers(&view)
	if len(h) != 2 || h[0] != (Header{unsafe.Pointer(&x[0]), 3, 3}) || h[1] != (Header{unsafe.Pointer(&y[0]), 5, 9}) {
		t.Errorf("headers %v", h)
	}
	h[1] = h[0]
	if len(view.Y) != 3 || &view.Y[2] != &x[2] {
		t.Errorf("view %v after its second header was set to the first", view)
	}
	if h := Headers(new(struct{})); len(h) != 0 {
		t.Errorf("headers of nothing: %v", h)
	}
}

func TestPoint(t *testing.T) {
	block := Make[[]int32](256)
	for i := range block {
		block[i] = int32(i)
	}
	base := unsafe.Pointer(&block[0])
	var one []int32
	Point(&one, base, 0, 7)
	var two struct{ A, B []int32 }
	Point(&two, base, 64, 7)
	var three struct{ A, B, C []int32 }
	Point(&three, base, 64, 7)
	var four struct{ A, B, C, D []int32 }
	Point(&four, base, 64, 7)
	var five struct{ A, B, C, D, E []int32 }
	Point(&five, base, 64, 7)
	for i, lane := range [][]int32{
		one, two.A, two.B, three.A, three.B, three.C,
		four.A, four.B, four.C, four.D, five.A, five.B, five.C, five.D, five.E,
	} {
		first := []int32{0, 0, 16, 0, 16, 32, 0, 16, 32, 48, 0, 16, 32, 48, 64}[i]
		if len(lane) != 7 || cap(lane) != 7 || lane[0] != first || lane[6] != first+6 {
			t.Errorf("lane %d: len %d, cap %d, %v, want 7 from %d", i, len(lane), cap(lane), lane, first)
		}
	}
	if n := testing.AllocsPerRun(100, func() { Point(&five, base, 64, 7); Point(&three, base, 64, 7) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkView fills a view of three lanes in place, as ecs does for a chunk.
func BenchmarkView(b *testing.B) {
	memory := Make[[]float32](3 * 512)
	base := unsafe.Pointer(&memory[0])
	for _, bc := range []struct {
		name string
		fill func(v *vec3s, base unsafe.Pointer, stride uintptr, n int)
	}{
		{"by=nothing", func(*vec3s, unsafe.Pointer, uintptr, int) {}},
		{"by=point", Point[vec3s]},
		{"by=headers", fillHeaders},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			var view vec3s
			for b.Loop() {
				bc.fill(&view, base, 2048, 512)
			}
		})
	}
}

func fillHeaders(v *vec3s, base unsafe.Pointer, stride uintptr, n int) {
	h := Headers(v)
	for i := range h {
		h[i] = Header{Data: unsafe.Add(base, uintptr(i)*stride), Len: n, Cap: n}
	}
}
