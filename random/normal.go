package random

import (
	"math"

	"github.com/lanewise/lanewise/kernels"
)

const twoPi = 2 * math.Pi

// Normal sets dst[i] = mean + deviation*z, where z is a number of the standard
// normal distribution.
//
// Normal uses the method of Box and Muller: z is √(-2 log u) times the cosine of an angle. For odd
// rows by index, the sine replaces the cosine. By id, u and the angle come from the first two words
// of a row (float64: pairs of words). By index, u comes from the first word of an even row, and the
// angle from the first word of the next row. So both rows share one logarithm. The largest |z| is
// 6.56 for float32 and 8.57 for float64. An exact normal distribution has larger |z| in one of
// 10^10 draws (float32) or 10^17 draws (float64).
//
// Shape: any length; by ids, one id for each row.
// Values: the same bits on every CPU. z differs from the formula by at most 2½
// units in the last place of √(-2 log u). Sum and product are each rounded.
// It panics if the number of ids is not len(dst). It does not allocate.
func Normal[T kernels.Float](dst []T, r Rows, mean, deviation T) {
	r.checkIDs("Normal", len(dst))
	var w wordBatch
	switch dst := any(dst).(type) {
	case []float32:
		if r.byID {
			normalIDs32(dst, &r, &w)
		} else {
			normalIndex32(dst, &r, &w)
		}
	case []float64:
		if r.byID {
			normalIDs64(dst, &r, &w)
		} else {
			normalIndex64(dst, &r, &w)
		}
	}
	for i, z := range dst {
		dst[i] = mean + T(deviation*z)
	}
}

// NormalOf returns the number of one row, which is exactly the same as from [Normal].
func NormalOf[T kernels.Float](r Row, mean, deviation T) T {
	odd := !r.byID && r.id%2 != 0
	if !r.byID {
		r.id &^= 1
	}
	next := r // its first number is the angle
	next.id |= 1
	var z T
	switch z := any(&z).(type) {
	case *float32:
		u, a := r.word(0), uint32(0)
		if r.byID {
			a = r.word(1)
		} else {
			a = next.word(0)
		}
		sin, cos := sincosOf(angle32(a))
		*z = radius32(u) * sinOrCos(odd, sin, cos)
	case *float64:
		u, a := r.word64(0), uint64(0)
		if r.byID {
			a = r.word64(1)
		} else {
			a = next.word64(0)
		}
		sin, cos := sincosOf(angle64(a))
		*z = radius64(u) * sinOrCos(odd, sin, cos)
	}
	return mean + T(deviation*z)
}

func sinOrCos[T any](odd bool, sin, cos T) T {
	if odd {
		return sin
	}
	return cos
}

// sincosOf returns the sine and the cosine of one angle, as Sincos does.
func sincosOf[T kernels.Float](a T) (sin, cos T) {
	var s, c, x [1]T
	x[0] = a
	kernels.Sincos(s[:], c[:], x[:])
	return s[0], c[0]
}

func radius32(w uint32) float32 {
	return float32(math.Sqrt(float64(0 - float32(2*log32(positive32(w))))))
}
func radius64(u uint64) float64 { return math.Sqrt(0 - float64(2*log64(positive64(u)))) }

func angle32(w uint32) float32 { return twoPi * unit32(w) }
func angle64(u uint64) float64 { return twoPi * unit64(u) }

func normalIDs32(dst []float32, r *Rows, w *wordBatch) {
	var angle, sin, cos [batchRows]float32
	for lo := 0; lo < len(dst); lo += batchRows {
		d := dst[lo:min(lo+batchRows, len(dst))]
		r.fillWords(w, lo, len(d), 0, 2)
		for i := range d {
			angle[i&(batchRows-1)] = angle32(w[1][i&(batchRows-1)])
		}
		kernels.Sincos(sin[:len(d)], cos[:len(d)], angle[:len(d)])
		for i := range d {
			d[i] = radius32(w[0][i&(batchRows-1)]) * cos[i&(batchRows-1)]
		}
	}
}

func normalIDs64(dst []float64, r *Rows, w *wordBatch) {
	var angle, sin, cos [batchRows]float64
	for lo := 0; lo < len(dst); lo += batchRows {
		d := dst[lo:min(lo+batchRows, len(dst))]
		r.fillWords(w, lo, len(d), 0, 4)
		for i := range d {
			angle[i&(batchRows-1)] = angle64(w.word64(1, i))
		}
		kernels.Sincos(sin[:len(d)], cos[:len(d)], angle[:len(d)])
		for i := range d {
			d[i] = radius64(w.word64(0, i)) * cos[i&(batchRows-1)]
		}
	}
}

// forPairs calls draw for each piece of a lane by index. A piece consists of whole pairs of rows,
// but the lane may contain only the second row of the first pair, or only the first row of the
// last pair. draw computes z for all rows of the piece. The first skip of them are not in the
// lane; the next n belong to dst[at:at+n].
func (r *Rows) forPairs(rows int, draw func(first uint64, pairs, at, skip, n int)) {
	for at := 0; at < rows; {
		first := r.first + uint64(at)
		skip := int(first & 1)
		n := min(batchRows-skip, rows-at)
		draw(first-uint64(skip), (skip+n+1)/2, at, skip, n)
		at += n
	}
}

func normalIndex32(dst []float32, r *Rows, w *wordBatch) {
	var angle, sin, cos [batchRows / 2]float32
	var z [batchRows]float32
	r.forPairs(len(dst), func(first uint64, pairs, at, skip, n int) {
		r.fillIndex(w[0][:2*pairs], first, firstIndexBlock)
		for i := range angle[:pairs] {
			angle[i] = angle32(w[0][2*i+1])
		}
		kernels.Sincos(sin[:pairs], cos[:pairs], angle[:pairs])
		for i := range angle[:pairs] {
			radius := radius32(w[0][2*i])
			z[2*i], z[2*i+1] = radius*cos[i], radius*sin[i]
		}
		copy(dst[at:at+n], z[skip:])
	})
}

func normalIndex64(dst []float64, r *Rows, w *wordBatch) {
	var angle, sin, cos [batchRows / 2]float64
	var z [batchRows]float64
	r.forPairs(len(dst), func(first uint64, pairs, at, skip, n int) {
		r.fillIndex(w[0][:2*pairs], first, firstIndexBlock)
		r.fillIndex(w[1][:2*pairs], first, firstIndexBlock+1)
		for i := range angle[:pairs] {
			angle[i] = angle64(w.word64(0, 2*i+1))
		}
		kernels.Sincos(sin[:pairs], cos[:pairs], angle[:pairs])
		for i := range angle[:pairs] {
			radius := radius64(w.word64(0, 2*i))
			z[2*i], z[2*i+1] = radius*cos[i], radius*sin[i]
		}
		copy(dst[at:at+n], z[skip:])
	})
}
