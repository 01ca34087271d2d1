package design

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A decimal is a number in decimal notation: digits × 10^-places.
type decimal struct {
	digits int64
	places int
}

// maxPlaces is the largest number of digits after the decimal point.
const maxPlaces = 18

func parseDecimal(text string) (d decimal, err error) {
	wrong := fmt.Errorf("%q is no decimal number of at most %d digits", text, maxPlaces)
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil || exponent > maxPlaces || exponent < -maxPlaces {
			return d, wrong
		}
		mantissa = text[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if d.digits, err = strconv.ParseInt(whole+fraction, 10, 64); err != nil {
		return d, wrong
	}
	d.places = len(fraction) - exponent
	if d.places < 0 {
		return d.withPlaces(0, wrong)
	}
	if d.places > maxPlaces {
		return d, wrong
	}
	return d, nil
}

// withPlaces converts the number to a decimal with more places.
func (d decimal) withPlaces(places int, wrong error) (decimal, error) {
	for d.places < places {
		if d.digits > math.MaxInt64/10 || d.digits < math.MinInt64/10 {
			return d, wrong
		}
		d.digits, d.places = d.digits*10, d.places+1
	}
	return d, nil
}

// String returns the number with all its places.
func (d decimal) String() string {
	digits, sign := strconv.FormatInt(d.digits, 10), ""
	if d.digits < 0 {
		digits, sign = digits[1:], "-"
	}
	if d.places == 0 {
		return sign + digits
	}
	for len(digits) <= d.places {
		digits = "0" + digits
	}
	cut := len(digits) - d.places
	return sign + digits[:cut] + "." + digits[cut:]
}

// parseSteps parses from:to:step. It returns the first number, the step, and the count of the numbers
// that are not beyond to.
func parseSteps(spec string) (first, step decimal, n int, err error) {
	part := strings.Split(spec, ":")
	var d [3]decimal
	places := 0
	for i, text := range part {
		if d[i], err = parseDecimal(strings.TrimSpace(text)); err != nil {
			return first, step, 0, fmt.Errorf("from:to:step: %w", err)
		}
		places = max(places, d[i].places)
	}
	for i := range d {
		if d[i], err = d[i].withPlaces(places, fmt.Errorf("from:to:step: %s is too large for as many digits", part[i])); err != nil {
			return first, step, 0, err
		}
	}
	from, to, by := d[0].digits, d[1].digits, d[2].digits
	switch {
	case by == 0:
		return first, step, 0, fmt.Errorf("from:to:step: the step is 0")
	case by > 0 != (to >= from) && to != from:
		return first, step, 0, fmt.Errorf("from:to:step: steps of %s lead from %s away from %s", part[2], part[0], part[1])
	}
	wide := uint64(to-from) / uint64(max(by, 1))
	if by < 0 {
		wide = uint64(from-to) / uint64(-by)
	}
	if wide >= MaxRuns {
		return first, step, 0, fmt.Errorf("from:to:step: %d values, a study has at most %d runs", wide, MaxRuns)
	}
	// All numbers have as many decimal places as the longer of from and step. The number of decimal
	// places of to does not matter.
	first, _ = parseDecimal(strings.TrimSpace(part[0]))
	step, _ = parseDecimal(strings.TrimSpace(part[2]))
	places = max(first.places, step.places)
	first, _ = first.withPlaces(places, nil)
	step, _ = step.withPlaces(places, nil)
	return first, step, int(wide) + 1, nil
}

// equalDecimals reports whether two valid decimal texts have the same value.
func equalDecimals(a, b string) bool {
	x, _ := parseDecimal(a)
	y, _ := parseDecimal(b)
	places := max(x.places, y.places)
	x, _ = x.withPlaces(places, nil)
	y, _ = y.withPlaces(places, nil)
	return x == y
}

// addSteps returns the number first + i*step.
func (d decimal) addSteps(step decimal, i int) decimal {
	return decimal{d.digits + int64(i)*step.digits, d.places}
}
