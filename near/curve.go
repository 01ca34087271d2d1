package near

import (
	"fmt"

	"github.com/lanewise/lanewise/kernels"
)

// Morton sets keys to the positions of points on Morton's space-filling curve
// (1966), which runs through cells that divide the box. A key consists of the interleaved bits of
// the cell's numbers along the axes; the lowest bit is from x. In a plane there are 2^31 cells
// along each axis, so keys are below 2^62. In space there are 2^21 cells along each axis, so keys
// are below 2^63. In a plane z is nil. A point outside of the box has the key of the nearest point
// in the box. A NaN coordinate counts as the lowest coordinate.
//
// Points with nearby keys are near each other, and points near each other usually have nearby keys.
// So if lanes, or the rows of a world, are sorted by these keys, a search usually finds neighbours
// in the CPU's caches: see package order and ecs.OrderBy. key>>(Dims*n) is the key for cells that
// are 2^n times as wide. Such keys have fewer bits and take less time to sort.
//
// Morton panics if the box is not valid: Dims is neither 2 nor 3, or an axis has no length. It does
// not use Cell and Border.
//
// Shape: len(keys) == len(x) == len(y) == len(z); any length, any alignment.
// Alias: keys must not overlap x, y or z.
// Values: the cell along an axis is floor((x-low)*(cells/(high-low))), every
// result rounded.
func (s Space[T]) Morton(keys []uint64, x, y, z []T) {
	b := s.curveScale("Space.Morton", len(keys), x, y, z)
	switch x := any(x).(type) {
	case []float32:
		if s.Dims == 2 {
			mortonPlane32(keys, x, any(y).([]float32), any(b[:]).([]float32))
		} else {
			mortonSpace32(keys, x, any(y).([]float32), any(z).([]float32), any(b[:]).([]float32))
		}
	case []float64:
		if s.Dims == 2 {
			mortonPlane64(keys, x, any(y).([]float64), any(b[:]).([]float64))
		} else {
			mortonSpace64(keys, x, any(y).([]float64), any(z).([]float64), any(b[:]).([]float64))
		}
	}
}

// Hilbert sets keys as Morton does, but along Hilbert's curve (1891). That curve has no jumps:
// cells with consecutive keys touch each other. In exchange, the keys take more time to compute. In
// space, the curve is the one in Skilling, "Programming the Hilbert curve" (2004).
//
// Hilbert panics for the same arguments as Morton. Shape, alias and values are the same as for
// Morton.
func (s Space[T]) Hilbert(keys []uint64, x, y, z []T) {
	b := s.curveScale("Space.Hilbert", len(keys), x, y, z)
	switch x := any(x).(type) {
	case []float32:
		if s.Dims == 2 {
			hilbertPlane32(keys, x, any(y).([]float32), any(b[:]).([]float32))
		} else {
			hilbertSpace32(keys, x, any(y).([]float32), any(z).([]float32), any(b[:]).([]float32))
		}
	case []float64:
		if s.Dims == 2 {
			hilbertPlane64(keys, x, any(y).([]float64), any(b[:]).([]float64))
		} else {
			hilbertSpace64(keys, x, any(y).([]float64), any(z).([]float64), any(b[:]).([]float64))
		}
	}
}

// curveScale checks the arguments, and returns the low corner of the box and, for each axis, the
// number of cells per unit of length.
func (s *Space[T]) curveScale(name string, n int, x, y, z []T) (b [6]T) {
	if s.Dims != 2 && s.Dims != 3 {
		panic(fmt.Sprintf("near: %s: Dims is %d: 2 or 3", name, s.Dims))
	}
	want := n * (s.Dims - 2)
	if len(x) != n || len(y) != n || len(z) != want {
		panic(fmt.Sprintf("near: %s: len(keys) is %d, len(x) is %d, len(y) is %d, len(z) is %d, want %d, because there are %d dimensions", name, n, len(x), len(y), len(z), want, s.Dims))
	}
	cells := T(float64(1 << planeBits))
	if s.Dims == 3 {
		cells = 1 << spaceBits
	}
	low, high := coords(s.Low), coords(s.High)
	for a := range s.Dims {
		scale := cells / (high[a] - low[a])
		if !(scale > 0) || !finite(scale) {
			panic(fmt.Sprintf("near: %s: the box reaches from %v to %v along %s: High is to be above Low", name, low[a], high[a], "XYZ"[a:a+1]))
		}
		b[a], b[3+a] = low[a], scale
	}
	return b
}

const (
	planeBits = 31 // bits of a cell's number along an axis
	spaceBits = 21
)

// curveCell returns the number of the cell of a coordinate.
func curveCell[T kernels.Float](x, low, scale T, last int32) uint64 {
	return uint64(min(max(kernels.ToInt32(T((x-low)*scale)), 0), last))
}

// spread2 inserts one zero bit before each of 32 bits.
func spread2(v uint64) uint64 {
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
	v = (v | v<<2) & 0x3333333333333333
	return (v | v<<1) & 0x5555555555555555
}

// spread3 inserts two zero bits before each of 21 bits.
func spread3(v uint64) uint64 {
	v = (v | v<<32) & 0x001f00000000ffff
	v = (v | v<<16) & 0x001f0000ff0000ff
	v = (v | v<<8) & 0x100f00f00f00f00f
	v = (v | v<<4) & 0x10c30c30c30c30c3
	return (v | v<<2) & 0x1249249249249249
}

//lanec:kernel mortonPlane32[float32]
//lanec:kernel mortonPlane64[float64]
func mortonPlane[T kernels.Float](keys []uint64, x, y, b []T) {
	for i := range keys {
		cx, cy := curveCell(x[i], b[0], b[3], 1<<planeBits-1), curveCell(y[i], b[1], b[4], 1<<planeBits-1)
		keys[i] = spread2(cx) | spread2(cy)<<1
	}
}

//lanec:kernel mortonSpace32[float32]
//lanec:kernel mortonSpace64[float64]
func mortonSpace[T kernels.Float](keys []uint64, x, y, z, b []T) {
	for i := range keys {
		cx, cy := curveCell(x[i], b[0], b[3], 1<<spaceBits-1), curveCell(y[i], b[1], b[4], 1<<spaceBits-1)
		cz := curveCell(z[i], b[2], b[5], 1<<spaceBits-1)
		keys[i] = spread3(cx) | spread3(cy)<<1 | spread3(cz)<<2
	}
}

// hilbertPlane descends bit by bit. In each quarter the curve is rotated, by
// swapping and mirroring x and y.
//
//lanec:kernel hilbertPlane32[float32]
//lanec:kernel hilbertPlane64[float64]
func hilbertPlane[T kernels.Float](keys []uint64, x, y, b []T) {
	for i := range keys {
		cx, cy := curveCell(x[i], b[0], b[3], 1<<planeBits-1), curveCell(y[i], b[1], b[4], 1<<planeBits-1)
		key, s := uint64(0), uint64(1<<(planeBits-1))
		for range planeBits {
			rx, ry := cx&s, cy&s
			key <<= 2
			if rx != 0 {
				key ^= 3
			}
			if ry != 0 {
				key ^= 1
			}
			if ry == 0 {
				if rx != 0 {
					cx ^= s - 1
					cy ^= s - 1
				}
				cx, cy = cy, cx
			}
			s >>= 1
		}
		keys[i] = key
	}
}

//lanec:kernel hilbertSpace32[float32]
//lanec:kernel hilbertSpace64[float64]
func hilbertSpace[T kernels.Float](keys []uint64, x, y, z, b []T) {
	for i := range keys {
		// The first axis of the paper has the highest bits. As with Morton, that axis is z.
		p, q := curveCell(z[i], b[2], b[5], 1<<spaceBits-1), curveCell(y[i], b[1], b[4], 1<<spaceBits-1)
		r := curveCell(x[i], b[0], b[3], 1<<spaceBits-1)
		s := uint64(1 << (spaceBits - 1))
		for range spaceBits - 1 {
			low := s - 1
			if p&s != 0 {
				p ^= low
			}
			t := (p ^ q) & low
			if q&s != 0 {
				p ^= low
			} else {
				p ^= t
				q ^= t
			}
			t = (p ^ r) & low
			if r&s != 0 {
				p ^= low
			} else {
				p ^= t
				r ^= t
			}
			s >>= 1
		}
		q ^= p // Gray code
		r ^= q
		t := uint64(0)
		s = 1 << (spaceBits - 1)
		for range spaceBits - 1 {
			if r&s != 0 {
				t ^= s - 1
			}
			s >>= 1
		}
		keys[i] = spread3(r^t) | spread3(q^t)<<1 | spread3(p^t)<<2
	}
}
