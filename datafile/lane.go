package datafile

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/lanewise/lanewise/study/table"
)

// A storage holds the lanes of a column.
type storage interface {
	kind() Kind
	width() int
	length(lane int) int
	at(lane, row int) table.Value
	// encode writes rows lo to hi of a lane, little-endian. The first number is written at dst[0]. Each
	// further number begins stride bytes after the previous one.
	encode(dst []byte, stride, lane, lo, hi int)
	// encodeAll does the same for all lanes. In each row, the numbers of the lanes follow one another.
	encodeAll(dst []byte, stride, lo, hi int)

	// reserve makes room for more rows.
	reserve(rows int)
	// decode appends n numbers to a lane. In src, the numbers are stored as encode writes them, or
	// big-endian.
	decode(src []byte, stride, lane, n int, big bool)
	add(lane int, v table.Value)
}

// typed holds lanes of one type.
type typed[T Number] [][]T

func makeLanes[T Number](width int) storage {
	l := make(typed[T], width)
	return &l
}

// newStorage returns empty lanes.
func newStorage(k Kind, width int) storage {
	switch k {
	case Float32:
		return makeLanes[float32](width)
	case Float64:
		return makeLanes[float64](width)
	case Int32:
		return makeLanes[int32](width)
	case Int64:
		return makeLanes[int64](width)
	}
	return makeLanes[uint8](width)
}

// kindOf returns the kind of T.
func kindOf[T Number]() Kind {
	switch any(T(0)).(type) {
	case float32:
		return Float32
	case float64:
		return Float64
	case int32:
		return Int32
	case int64:
		return Int64
	}
	return Uint8
}

// text returns the kind of cells that a text format uses for the kind.
func (k Kind) text() table.Kind {
	switch k {
	case Float32:
		return table.KindFloat32
	case Float64:
		return table.KindFloat
	}
	return table.KindInt
}

// float reports whether the numbers of the kind are floats.
func (k Kind) float() bool { return k == Float32 || k == Float64 }

func (l *typed[T]) kind() Kind          { return kindOf[T]() }
func (l *typed[T]) width() int          { return len(*l) }
func (l *typed[T]) length(lane int) int { return len((*l)[lane]) }

func (l *typed[T]) at(lane, row int) table.Value {
	v := (*l)[lane][row]
	if kindOf[T]().float() {
		return table.FloatValue(float64(v))
	}
	return table.IntValue(int64(v))
}

func (l *typed[T]) add(lane int, v table.Value) {
	if kindOf[T]().float() {
		(*l)[lane] = append((*l)[lane], T(v.Float()))
		return
	}
	(*l)[lane] = append((*l)[lane], T(v.Int()))
}

func (l *typed[T]) reserve(rows int) {
	for i, lane := range *l {
		(*l)[i] = slices.Grow(lane, rows)
	}
}

func (l *typed[T]) encode(dst []byte, stride, lane, lo, hi int) {
	at := 0
	switch x := any((*l)[lane][lo:hi]).(type) {
	case []float32:
		for _, v := range x {
			binary.LittleEndian.PutUint32(dst[at:at+4], math.Float32bits(v))
			at += stride
		}
	case []float64:
		for _, v := range x {
			binary.LittleEndian.PutUint64(dst[at:at+8], math.Float64bits(v))
			at += stride
		}
	case []int32:
		for _, v := range x {
			binary.LittleEndian.PutUint32(dst[at:at+4], uint32(v))
			at += stride
		}
	case []int64:
		for _, v := range x {
			binary.LittleEndian.PutUint64(dst[at:at+8], uint64(v))
			at += stride
		}
	case []uint8:
		for _, v := range x {
			dst[at] = v
			at += stride
		}
	}
}

func (l *typed[T]) encodeAll(dst []byte, stride, lo, hi int) {
	if len(*l) == 3 { // vectors of floats are most of the bytes, and take half the time in this way
		x, y, z := (*l)[0][lo:hi], (*l)[1][lo:hi], (*l)[2][lo:hi]
		switch x := any(x).(type) {
		case []float32:
			encode32(dst, stride, x, any(y).([]float32), any(z).([]float32))
			return
		case []float64:
			encode64(dst, stride, x, any(y).([]float64), any(z).([]float64))
			return
		}
	}
	for lane := range *l {
		l.encode(dst[lane*kinds[kindOf[T]()].size:], stride, lane, lo, hi)
	}
}

// encode32 encodes the vectors of three lanes.
func encode32(dst []byte, stride int, x, y, z []float32) {
	at := 0
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		d := dst[at : at+12]
		binary.LittleEndian.PutUint32(d, math.Float32bits(v))
		binary.LittleEndian.PutUint32(d[4:], math.Float32bits(y[i]))
		binary.LittleEndian.PutUint32(d[8:], math.Float32bits(z[i]))
		at += stride
	}
}

// encode64 is encode32 for float64. A single generic function would make a function call for each number,
// because the conversion to bits depends on the type.
func encode64(dst []byte, stride int, x, y, z []float64) {
	at := 0
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		d := dst[at : at+24]
		binary.LittleEndian.PutUint64(d, math.Float64bits(v))
		binary.LittleEndian.PutUint64(d[8:], math.Float64bits(y[i]))
		binary.LittleEndian.PutUint64(d[16:], math.Float64bits(z[i]))
		at += stride
	}
}

func (l *typed[T]) decode(src []byte, stride, lane, n int, big bool) {
	old := len((*l)[lane])
	(*l)[lane] = slices.Grow((*l)[lane], n)[:old+n]
	switch x := any((*l)[lane][old:]).(type) {
	case []float32:
		for i := range x {
			x[i] = math.Float32frombits(word32(src[i*stride:], big))
		}
	case []float64:
		for i := range x {
			x[i] = math.Float64frombits(word64(src[i*stride:], big))
		}
	case []int32:
		for i := range x {
			x[i] = int32(word32(src[i*stride:], big))
		}
	case []int64:
		for i := range x {
			x[i] = int64(word64(src[i*stride:], big))
		}
	case []uint8:
		for i := range x {
			x[i] = src[i*stride]
		}
	}
}

func word32(b []byte, big bool) uint32 {
	v := binary.LittleEndian.Uint32(b)
	if big {
		v = bits.ReverseBytes32(v)
	}
	return v
}

func word64(b []byte, big bool) uint64 {
	v := binary.LittleEndian.Uint64(b)
	if big {
		v = bits.ReverseBytes64(v)
	}
	return v
}

// convert converts a number of a kind to T. The second result reports whether the number stays the same. A
// NaN stays a NaN, but its bits may change.
func convert[T Number](v table.Value, from Kind) (T, bool) {
	to := kindOf[T]()
	switch {
	case from.float() && to.float():
		x := v.Float()
		y := T(x)
		return y, float64(y) == x || math.IsNaN(x)
	case from.float():
		x := v.Float()
		if x != math.Trunc(x) || !(x >= -1<<63 && x < 1<<63) || x == 0 && math.Signbit(x) { // a NaN is not equal to itself
			return 0, false
		}
		y := T(int64(x))
		return y, float64(y) == x
	}
	x := v.Int()
	if !to.float() {
		y := T(x)
		return y, int64(y) == x
	}
	y := T(x)
	f := float64(y)
	return y, f < 1<<63 && int64(f) == x
}
