package kernels

import (
	"math"
	"testing"
)

// TestWhole checks that fractions are cut off, that numbers out of range become the nearest integer,
// and that NaN becomes 0.
func TestWhole(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		x   float64
		i32 int32
		u32 uint32
		i64 int64
		u64 uint64
	}{
		{0, 0, 0, 0, 0},
		{math.Copysign(0, -1), 0, 0, 0, 0},
		{1.99, 1, 1, 1, 1},
		{-1.99, -1, 0, -1, 0},
		{-0.5, 0, 0, 0, 0},
		{math.MaxInt32 + 0.5, math.MaxInt32, math.MaxInt32, math.MaxInt32, math.MaxInt32},
		{math.MinInt32 - 0.5, math.MinInt32, 0, math.MinInt32, 0},
		{math.MinInt32 - 1, math.MinInt32, 0, math.MinInt32 - 1, 0},
		{1 << 31, math.MaxInt32, 1 << 31, 1 << 31, 1 << 31},
		{1<<32 - 0.5, math.MaxInt32, math.MaxUint32, math.MaxUint32, math.MaxUint32},
		{1 << 32, math.MaxInt32, math.MaxUint32, 1 << 32, 1 << 32},
		{-1 << 63, math.MinInt32, 0, math.MinInt64, 0},
		{-1e19, math.MinInt32, 0, math.MinInt64, 0},
		{1<<63 - 1<<10, math.MaxInt32, math.MaxUint32, 1<<63 - 1<<10, 1<<63 - 1<<10},
		{1 << 63, math.MaxInt32, math.MaxUint32, math.MaxInt64, 1 << 63},
		{1<<64 - 1<<11, math.MaxInt32, math.MaxUint32, math.MaxInt64, 1<<64 - 1<<11},
		{1 << 64, math.MaxInt32, math.MaxUint32, math.MaxInt64, math.MaxUint64},
		{inf, math.MaxInt32, math.MaxUint32, math.MaxInt64, math.MaxUint64},
		{-inf, math.MinInt32, 0, math.MinInt64, 0},
		{nan, 0, 0, 0, 0},
	} {
		if a, b, d, e := ToInt32(c.x), ToUint32(c.x), ToInt64(c.x), ToUint64(c.x); a != c.i32 || b != c.u32 || d != c.i64 || e != c.u64 {
			t.Errorf("%v: %d, %d, %d, %d, want %d, %d, %d, %d", c.x, a, b, d, e, c.i32, c.u32, c.i64, c.u64)
		}
		f := float32(c.x)
		if float64(f) != c.x && c.x == c.x {
			continue
		}
		if a, b, d, e := ToInt32(f), ToUint32(f), ToInt64(f), ToUint64(f); a != c.i32 || b != c.u32 || d != c.i64 || e != c.u64 {
			t.Errorf("float32 %v: %d, %d, %d, %d, want %d, %d, %d, %d", f, a, b, d, e, c.i32, c.u32, c.i64, c.u64)
		}
	}
}
