package datafile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxHeader is the largest header of an array, in bytes. NumPy reads no more than 10,000.
const maxHeader = 1 << 20

// maxAxes is the largest number of axes of an array, as in NumPy.
const maxAxes = 64

// readLayout reads the header of an array.
func (in *input) readLayout(name string) (*array, error) {
	var b [12]byte
	if err := in.read(b[:10], "the header of an array"); err != nil {
		return nil, err
	}
	if string(b[:len(npyMagic)]) != npyMagic {
		return nil, in.malformed("the file begins with %q, not with the mark of an npy file", b[:len(npyMagic)])
	}
	version := b[6]
	size := int64(binary.LittleEndian.Uint16(b[8:]))
	switch version {
	case 1:
	case 2, 3:
		if err := in.read(b[10:], "the header of an array"); err != nil {
			return nil, err
		}
		size = int64(binary.LittleEndian.Uint32(b[8:]))
	default:
		return nil, in.malformed("the file has version %d of npy, and versions 1 to 3 are known", version)
	}
	if size > maxHeader {
		return nil, in.malformed("the header has %d bytes: %d are allowed", size, maxHeader)
	}
	text := make([]byte, size)
	if err := in.read(text, "the header of an array"); err != nil {
		return nil, err
	}
	source := string(text)
	if version < 3 { // Latin-1
		runes := make([]rune, len(text))
		for i, c := range text {
			runes[i] = rune(c)
		}
		source = string(runes)
	} else if !utf8.ValidString(source) {
		return nil, in.malformed("the header is not UTF-8")
	}
	p := &python{text: source}
	v, err := p.value(0)
	if err == nil {
		if p.space(); p.at < len(p.text) {
			err = p.fault("the end")
		}
	}
	if err != nil {
		return nil, in.malformed("the header of an array: %v", err)
	}
	a, err := layoutOf(v, name)
	if err != nil {
		return nil, in.malformed("the array %q: %v", name, err)
	}
	return a, nil
}

// layoutOf interprets a header.
func layoutOf(header any, name string) (*array, error) {
	h, _ := header.(map[string]any)
	order, ok := h["fortran_order"].(bool)
	if !ok {
		return nil, errors.New("the header lacks fortran_order")
	}
	dims, ok := h["shape"].([]any)
	if !ok {
		return nil, errors.New("the header lacks a shape")
	}
	axes, width, err := lanesOf(dims)
	if err != nil {
		return nil, err
	}
	a := &array{rows: 1, shape: strings.ReplaceAll(strings.Trim(fmt.Sprint(dims), "[]"), " ", "×")}
	if len(axes) > 0 {
		a.rows = axes[0]
	}
	switch descr := h["descr"].(type) {
	case string:
		f := field{name: name, width: width}
		if err := f.setType(descr); err != nil {
			return nil, err
		}
		if f.padding {
			return nil, fmt.Errorf("its type is %s: %s", descr, types)
		}
		a.fields, a.stride, a.plain = []field{f}, width*kinds[f.kind].size, true
		if order && len(axes) > 1 {
			a.fortran = fortranLanes(axes[1:])
		}
		return a, nil
	case []any:
		if len(axes) > 1 {
			return nil, fmt.Errorf("it is a structured array of shape %s: reshape it to one axis", a.shape)
		}
		return a, a.setFields(descr)
	}
	return nil, errors.New("the header lacks a descr")
}

// lanesOf checks a shape, and returns its axes and the number of lanes, which is the product of all axes but the first.
func lanesOf(dims []any) (axes []int64, width int, err error) {
	if len(dims) > maxAxes {
		return nil, 0, fmt.Errorf("its shape has %d axes: %d are allowed", len(dims), maxAxes)
	}
	width = 1
	for i, d := range dims {
		n, ok := d.(int64)
		if !ok || n < 0 {
			return nil, 0, fmt.Errorf("its shape contains %v", shorten(fmt.Sprint(d)))
		}
		if axes = append(axes, n); i == 0 {
			continue
		}
		if n == 0 || n > MaxLanes || width*int(n) > MaxLanes {
			return nil, 0, fmt.Errorf("its shape has more than %d lanes or none: the first axis is the row, so transpose the array if another axis is", MaxLanes)
		}
		width *= int(n)
	}
	return axes, width, nil
}

// setFields sets the fields of a structured array.
func (a *array) setFields(descr []any) error {
	for _, d := range descr {
		parts, _ := d.([]any)
		if len(parts) != 2 && len(parts) != 3 {
			return errors.New("a field of its type is no tuple of a name and a type")
		}
		f := field{offset: a.stride, width: 1}
		if f.name, _ = parts[0].(string); f.name == "" {
			if titled, _ := parts[0].([]any); len(titled) == 2 { // a title and a name
				f.name, _ = titled[1].(string)
			}
		}
		code, ok := parts[1].(string)
		if !ok {
			return fmt.Errorf("the type of field %q is nested: flatten it", f.name)
		}
		if err := f.setType(code); err != nil {
			return fmt.Errorf("field %q: %w", f.name, err)
		}
		if len(parts) == 3 {
			dims, ok := parts[2].([]any)
			if n, one := parts[2].(int64); one {
				dims, ok = []any{n}, true
			}
			if !ok {
				return fmt.Errorf("field %q: its shape is %v, and neither a tuple nor a whole number", f.name, shorten(fmt.Sprint(parts[2])))
			}
			_, width, err := lanesOf(append([]any{int64(0)}, dims...))
			if err != nil {
				return fmt.Errorf("field %q: %w", f.name, err)
			}
			f.width *= width
		}
		size := f.width
		if !f.padding {
			size *= kinds[f.kind].size
		}
		if size > maxRowBytes-a.stride {
			return fmt.Errorf("a row of it takes more than %d bytes", maxRowBytes)
		}
		a.fields, a.stride = append(a.fields, f), a.stride+size
	}
	if a.stride == 0 {
		return errors.New("it has no fields")
	}
	return nil
}

// types is the remedy in errors about other types.
const types = "convert it with astype to float32, float64, int32, int64 or uint8"

// setType sets the type of a field from a code of NumPy, for example <f4. The type of padding is |V with a number of bytes.
func (f *field) setType(code string) error {
	if n, ok := strings.CutPrefix(code, "|V"); ok && f.name == "" {
		size, err := strconv.Atoi(n)
		if err != nil || size < 0 || size > maxRowBytes {
			return fmt.Errorf("its type is %q: %s", code, types)
		}
		f.padding, f.width = true, size
		return nil
	}
	if code == "|b1" {
		code = "|u1"
	}
	for k, names := range kinds {
		big := ">" + names.npy[1:]
		if code == names.npy || code == big && names.size > 1 {
			f.kind, f.big = Kind(k), code == big
			return nil
		}
	}
	return fmt.Errorf("its type is %q: %s", code, types)
}

// fortranLanes returns the lanes in Fortran order, where the first of the axes varies fastest. Lanes are numbered in C order,
// where the last axis varies fastest.
func fortranLanes(axes []int64) []int {
	lanes := []int{0}
	step := int64(1)
	for _, n := range axes {
		step *= n
	}
	for _, n := range axes {
		step /= n // between two neighbours along this axis
		old := lanes
		lanes = nil
		for i := range n {
			for _, lane := range old {
				lanes = append(lanes, lane+int(i*step))
			}
		}
	}
	return lanes
}

// python parses the literals of Python that headers have: dicts, lists, tuples, strings, whole numbers and bools.
type python struct {
	text string
	at   int
}

func (p *python) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n\x00", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take skips the given character if it is the next one.
func (p *python) take(c byte) bool {
	if p.space(); p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *python) fault(want string) error {
	rest := p.text[p.at:]
	if len(rest) > 20 {
		rest = rest[:20]
	}
	return fmt.Errorf("%q at byte %d, want %s", rest, p.at, want)
}

// value parses a value at the given depth of nesting.
func (p *python) value(depth int) (any, error) {
	p.space()
	switch rest := p.text[p.at:]; {
	case depth > 8:
		return nil, p.fault("less nesting")
	case rest == "":
		return nil, p.fault("a value")
	case rest[0] == '{':
		return p.dict(depth)
	case rest[0] == '(' || rest[0] == '[':
		return p.list(depth)
	case rest[0] == '\'' || rest[0] == '"':
		return p.str()
	case strings.HasPrefix(rest, "True"):
		p.at += len("True")
		return true, nil
	case strings.HasPrefix(rest, "False"):
		p.at += len("False")
		return false, nil
	default:
		n := len(rest) - len(strings.TrimLeft(rest, "-0123456789"))
		v, err := strconv.ParseInt(rest[:n], 10, 64)
		if err != nil || v == math.MinInt64 {
			return nil, p.fault("a value")
		}
		p.at += n
		if p.at < len(p.text) && p.text[p.at] == 'L' { // Python 2
			p.at++
		}
		return v, nil
	}
}

func (p *python) dict(depth int) (any, error) {
	p.take('{')
	m := map[string]any{}
	for !p.take('}') {
		key, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok || !p.take(':') {
			return nil, p.fault("a name and a colon")
		}
		if m[name], err = p.value(depth + 1); err != nil {
			return nil, err
		}
		if p.take('}') {
			break
		}
		if !p.take(',') {
			return nil, p.fault("a comma")
		}
	}
	return m, nil
}

// list parses a list or a tuple. For a single value in parentheses, it returns the value.
func (p *python) list(depth int) (any, error) {
	open, end := p.text[p.at], byte(')')
	if open == '[' {
		end = ']'
	}
	p.at++
	list := []any{}
	for !p.take(end) {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if p.take(end) {
			break
		}
		if !p.take(',') {
			return nil, p.fault("a comma")
		}
	}
	return list, nil
}

func (p *python) str() (any, error) {
	quote := p.text[p.at]
	var b strings.Builder
	for i := p.at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == quote:
			p.at = i + 1
			return b.String(), nil
		case c == '\\' && i+1 < len(p.text) && (p.text[i+1] == '\\' || p.text[i+1] == '\'' || p.text[i+1] == '"'):
			i++
			b.WriteByte(p.text[i])
		case c == '\\':
			p.at = i
			return nil, p.fault(`one of \\, \' and \"`)
		default:
			b.WriteByte(c)
		}
	}
	return nil, p.fault("a string with an end")
}
