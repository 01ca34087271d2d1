package soa

import (
	"testing"
	"unsafe"
)

// TestPointTwelve checks that Point sets all lanes of a view with many lanes, such as the view of an
// affine matrix.
func TestPointTwelve(t *testing.T) {
	const lanes, rows = 12, 16
	block := Make[[]int32](lanes * rows)
	for i := range block {
		block[i] = int32(i)
	}
	var view struct{ XX, XY, XZ, YX, YY, YZ, ZX, ZY, ZZ, PX, PY, PZ []int32 }
	Point(&view, unsafe.Pointer(&block[0]), rows*4, rows)
	for k, lane := range [lanes][]int32{
		view.XX, view.XY, view.XZ, view.YX, view.YY, view.YZ, view.ZX, view.ZY, view.ZZ, view.PX, view.PY, view.PZ,
	} {
		if len(lane) != rows || lane[0] != int32(k*rows) || lane[rows-1] != int32(k*rows+rows-1) {
			t.Errorf("lane %d begins with %d, want %d", k, lane[0], k*rows)
		}
	}
}
