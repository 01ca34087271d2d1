package scene

import (
	"math"
	"reflect"
	"strconv"
	"strings"
)

// numeral reads the text of a number.
func (d *decoder) numeral(what string) (text string, whole bool, err *Error) {
	c, err := d.peek()
	if err != nil {
		return "", false, err
	}
	if c != '-' && c-'0' > 9 {
		return "", false, d.wrong(d.i, "%s is expected; there is %s", what, d.found())
	}
	return d.number()
}

// float reads a number of 32 or 64 bits.
func (d *decoder) float(bits int) (float64, *Error) {
	if c, err := d.peek(); err != nil {
		return 0, err
	} else if c == '"' {
		return d.notFinite()
	}
	at := d.i
	text, _, err := d.numeral("a number")
	if err != nil {
		return 0, err
	}
	v, wrong := strconv.ParseFloat(text, bits)
	if wrong != nil {
		return 0, d.wrong(at, "%s does not fit a float%d", text, bits)
	}
	return v, nil
}

// notFinite reads what is no number of JSON.
func (d *decoder) notFinite() (float64, *Error) {
	at := d.i
	text, err := d.str("a number")
	if err != nil {
		return 0, err
	}
	switch text {
	case "NaN":
		return math.NaN(), nil
	case "+Inf":
		return math.Inf(1), nil
	case "-Inf":
		return math.Inf(-1), nil
	}
	return 0, d.wrong(at, "a number is expected, or \"NaN\", \"+Inf\" or \"-Inf\"; there is %q", text)
}

// integer reads a number with a sign.
func (d *decoder) integer(t reflect.Type, bits int) (int64, *Error) {
	at := d.i
	text, whole, err := d.numeral("a whole number")
	if err != nil {
		return 0, err
	}
	if whole {
		if v, wrong := strconv.ParseInt(text, 10, bits); wrong == nil {
			return v, nil
		}
		return 0, d.wrong(at, "%s does not fit %v: it is from %d to %d", text, t, int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits))
	}
	return 0, d.wrong(at, "%s is not a whole number, as %v is", text, t)
}

// unsigned reads a number without a sign.
func (d *decoder) unsigned(t reflect.Type, bits int) (uint64, *Error) {
	at := d.i
	text, whole, err := d.numeral("a whole number")
	if err != nil {
		return 0, err
	}
	if whole {
		if v, wrong := strconv.ParseUint(text, 10, bits); wrong == nil {
			return v, nil
		}
		return 0, d.wrong(at, "%s does not fit %v: it is from 0 to %d", text, t, uint64(math.MaxUint64)>>(64-bits))
	}
	return 0, d.wrong(at, "%s is not a whole number, as %v is", text, t)
}

// bool reads true or false.
func (d *decoder) bool() (bool, *Error) {
	if _, err := d.peek(); err != nil {
		return false, err
	}
	switch rest := d.text[d.i:]; {
	case strings.HasPrefix(rest, "true"):
		d.i += 4
		return true, nil
	case strings.HasPrefix(rest, "false"):
		d.i += 5
		return false, nil
	}
	return false, d.wrong(d.i, "true or false is expected; there is %s", d.found())
}
