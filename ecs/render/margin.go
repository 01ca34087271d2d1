package render

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// A chunk is tested before its rows, and the test must never say another thing than
// they would: a chunk that is outside has no row inside, one that is wholly inside has
// no row outside, bit for bit. Both are tests of the chunk's box with the kernel of the
// rows. The rounding of all of them is made up for by a margin.
//
// Of a plane with normal N and distance D, and a box of middle c and half size h, let
// the exact sums be
//
//	d* = N·c + D      r* = |N|·h      B = |N|·(|c| + h) + |D|
//
// and d, r what the kernel computes: five roundings at most stand between a product and
// the sum d + r, whose sign is right, since a sum of two floating-point numbers rounds
// to one of its own sign. So |d - d*| + |r - r*| ≤ 5u·B·(1 + 5u) + t, with u = 2⁻²⁴ and
// t < 2⁻¹⁴⁵ for products that are denormal; sums then are exact. Nothing overflows, as
// will be seen. A row is inside if and only if d + r ≥ 0.
//
// The chunk's box (C, H), from Boxes.Union, holds every row that is not empty: in each
// axis |x - C| + h ≤ H, hence |x| + h ≤ |C| + H, and B of a row is at most B of the
// chunk. Also d* + r* of a row is at most, and d* at least, what d* + r* and d* - r* of
// the chunk are.
//
// Outside. The kernel tests the box (C, H') with H' = H + m(|C| + H) against the plane
// with D' = D + m|D| + t', rounded, m = 32u. If it says outside, d + r < 0 as computed,
// then exactly
//
//	d*(C) + r*(C) + m·B + t' - (rounding of H' and D': 3u·B) - (of the test: 6u·B + t) < 0
//
// and for each row d* + r* + 5.1u·B + t < 0 since 32 - 3 - 6 > 5.1 and t' > 2t: the
// row's d + r is below 0 as computed.
//
// Inside. The kernel tests the box (C, -H') against the plane with D' = D - m|D| - t':
// if it says inside, d*(C) - r*(C) ≥ (32 - 3 - 6)u·B + t' - t for every plane, and for
// each row d* + r* ≥ d* ≥ that, so d + r ≥ 0 as computed.
//
// Rows that are empty are in no Union: they are not in slots.own either, with which
// every mask is cut. All other boxes are finite. A chunk whose numbers are beyond 2¹⁰⁰,
// where a sum could overflow, is given a box that is cut by every plane, as are all
// chunks if a plane is beyond that; the normals of planes are 1 at most.
const (
	margin         = 0x1p-19  // m
	smallestNormal = 0x1p-126 // t'
	beyond         = 0x1p100
)

func widened(x, h float32) float32 { return h + float32(margin*(abs(x)+h)) }

func reach(x, h float32) bool { return abs(x) <= beyond && h <= beyond }

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

func wallsOf(planes [6]kernels.Plane[float32], n int) (w walls) {
	w.n, w.rows, w.outer, w.inner, w.finite = n, planes, planes, planes, true
	for k := range planes[:n] {
		d := planes[k].D
		m := float32(margin*abs(d)) + smallestNormal
		w.outer[k].D, w.inner[k].D = d+m, d-m
		w.finite = w.finite && abs(d) <= beyond
	}
	return w
}

// sound reports whether all numbers of the planes are finite.
func (w *walls) sound() bool {
	for _, p := range w.rows[:w.n] {
		if !finite(p.X) || !finite(p.Y) || !finite(p.Z) || !finite(p.D) {
			return false
		}
	}
	return true
}
