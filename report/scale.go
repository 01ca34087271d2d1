package report

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/lanewise/lanewise/kernels"
)

// scale maps the numbers of an axis to positions from 0 to 1, and has the ticks of the axis. The positions are finite
// for all finite numbers, also if the difference of the ends overflows, because positions are computed from halves.
type scale struct {
	lo, hi float64
	log    bool
	names  int // if positive, numbers are the indices of so many names
	ticks  []mark
}

// mark is a labeled position on an axis.
type mark struct {
	at   float64 // 0 to 1
	text string
}

// newScale returns a scale from the smallest to the largest of the values. All values must be finite. On a
// logarithmic scale, they must also be positive.
func newScale(values []float64, log bool) scale {
	s := scale{lo: math.Inf(1), hi: math.Inf(-1), log: log}
	for _, v := range values {
		s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	}
	size, span := max(math.Abs(s.lo), math.Abs(s.hi)), s.hi-s.lo
	switch {
	case len(values) == 0:
	case log && s.hi/s.lo > 1+1e-6 && s.lo > 1e-300:
		s.powers()
	case !log && span > 1e-300 && span > 1e-12*size && !math.IsInf(span, 0):
		s.steps(size, span)
	}
	if len(s.ticks) < 2 && len(values) > 0 {
		s.ticks = nil
		for _, v := range []float64{s.lo, float64(s.lo/2) + float64(s.hi/2), s.hi} {
			if n := len(s.ticks); v >= s.lo && v <= s.hi && (n == 0 || s.position(v) > s.ticks[n-1].at) {
				s.add(v, -1)
			}
		}
	}
	return s
}

// newNames returns a scale on which number i is the middle of the i-th of equal intervals, with its name.
func newNames(names []string) scale {
	s := scale{names: len(names)}
	every := 1 + (len(names)-1)/12
	for i := 0; i < len(names); i += every {
		s.ticks = append(s.ticks, mark{s.position(float64(i)), shorten(names[i])})
	}
	return s
}

// shorten cuts a text that is too long for a label.
func shorten(text string) string {
	const most = 18
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// add adds a tick. A negative number of digits stands for as many as the number needs.
func (s *scale) add(v float64, digits int) {
	s.ticks = append(s.ticks, mark{s.position(v), strconv.FormatFloat(v, 'g', digits, 64)})
}

// steps adds ticks at multiples of 1, 2 or 5 times a power of ten.
func (s *scale) steps(size, span float64) {
	power := math.Pow10(int(math.Floor(kernels.Log10Of(span / 5))))
	step := power
	for _, f := range []float64{2, 5, 10} {
		if step < span/5*0.999 {
			step = float64(f * power)
		}
	}
	digits := max(6, 2+int(kernels.Log10Of(size/step)))
	for k := math.Ceil(s.lo/step - 1e-9); float64(k*step) <= s.hi+float64(1e-9*step) && len(s.ticks) < 12; k++ {
		s.add(float64(k*step)+0, digits) // + 0, because -0 is not a label
	}
}

// powers adds ticks at powers of ten. If there are fewer than three of them, it also adds their multiples by 2 and 5.
func (s *scale) powers() {
	first, last := int(math.Ceil(kernels.Log10Of(s.lo)-1e-9)), int(math.Floor(kernels.Log10Of(s.hi)+1e-9))
	if last-first >= 2 {
		for e, every := first, 1+(last-first)/7; e <= last; e += every {
			s.add(math.Pow10(e), 6)
		}
		return
	}
	for e := first - 1; e <= last; e++ {
		for _, f := range []float64{1, 2, 5} {
			if v := float64(f * math.Pow10(e)); v >= float64(s.lo*(1-1e-9)) && v <= float64(s.hi*(1+1e-9)) {
				s.add(v, 6)
			}
		}
	}
}

// position returns the position at which a number is drawn. Numbers beyond the ends are drawn at the ends.
func (s *scale) position(v float64) float64 {
	p := 0.5
	switch {
	case s.names > 0:
		p = (v + 0.5) / float64(s.names)
	case s.lo >= s.hi:
	case s.log:
		p = (kernels.LogOf(v) - kernels.LogOf(s.lo)) / (kernels.LogOf(s.hi) - kernels.LogOf(s.lo))
	case math.IsInf(s.hi-s.lo, 0):
		p = (float64(v/2) - float64(s.lo/2)) / (float64(s.hi/2) - float64(s.lo/2))
	default:
		p = (v - s.lo) / (s.hi - s.lo)
	}
	return min(max(p, 0), 1)
}

// finite reports whether a number can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// drawable reports whether a number can be drawn on an axis, which may be logarithmic.
func drawable(v float64, log bool) bool { return finite(v) && (!log || v > 0) }
