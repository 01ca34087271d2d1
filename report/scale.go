package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// scale maps numbers to positions on an axis of a picture. The plotter computes differences, squares and powers of ten of
// the numbers that it draws. If such a result is infinite, or if the differences of the numbers are too small for their
// size, the plotter panics or searches for ticks without end. Therefore such numbers are drawn between 0 and 1, and their
// labels show the true numbers.
type scale struct {
	lo, hi float64
	plain  bool // numbers are drawn where they are
}

// newScale returns a scale from the smallest to the largest of the values. All values must be finite.
func newScale(values []float64) scale {
	s := scale{lo: math.Inf(1), hi: math.Inf(-1)}
	for _, v := range values {
		s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	}
	const large, small, near = 1e100, 1e-100, 1e-9
	size, span := max(math.Abs(s.lo), math.Abs(s.hi)), s.hi-s.lo
	s.plain = size < large && span >= small && span >= near*size || span == 0 && size < 1/near
	return s
}

// position returns the position at which a number is drawn. Numbers beyond the ends
// are drawn at the ends unless the scale is plain.
func (s *scale) position(v float64) float64 {
	switch {
	case s.plain:
		return v
	case s.lo == s.hi:
		return 0.5
	case math.IsInf(s.hi-s.lo, 0):
		return min(max((float64(v/2)-float64(s.lo/2))/(float64(s.hi/2)-float64(s.lo/2)), 0), 1)
	}
	return min(max((v-s.lo)/(s.hi-s.lo), 0), 1)
}

// label sets the range and the ticks of an axis.
func (s *scale) label(a *plot.Axis) {
	if s.plain {
		return
	}
	var ticks plot.ConstantTicks
	for _, v := range []float64{s.lo, float64(s.lo/2) + float64(s.hi/2), s.hi} {
		text := strconv.FormatFloat(v, 'g', -1, 64)
		if len(ticks) == 0 || ticks[len(ticks)-1].Label != text && v > s.lo {
			ticks = append(ticks, plot.Tick{Value: s.position(v), Label: text})
		}
	}
	a.Min, a.Max, a.Tick.Marker = 0, 1, ticks
}

// finite reports whether a number can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
