package plain

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// all has a field of every plain kind.
type all struct {
	I    int
	I8   int8
	I16  int16
	I32  int32
	I64  int64
	U    uint
	U8   uint8
	U16  uint16
	U32  uint32
	U64  uint64
	F    float32
	D    float64
	B    bool
	S    string
	List [2]struct{ A, B string }
	_    int32
	None struct{}
}

// A value must be the same after encoding and decoding. Decoding any shorter prefix of the
// bytes must return an error.
func TestValue(t *testing.T) {
	v := all{
		-1 << 30, -1 << 7, -1 << 15, -1 << 31, -1 << 63, 1<<32 - 1, 1<<8 - 1, 1<<16 - 1, 1<<32 - 1, 1<<64 - 1,
		float32(math.Copysign(0, -1)), 0x1p-1074, true, "ä", [2]struct{ A, B string }{{"", "b"}, {"c", ""}}, 0, struct{}{},
	}
	b, err := Append([]byte{7}, reflect.ValueOf(v), CustomCodec{})
	if err != nil {
		t.Fatal(err)
	}
	if b[0] != 7 || len(b) != 1+8+1+2+4+8+8+1+2+4+8+4+8+1+4+2+4*4+2 {
		t.Fatalf("%d bytes", len(b))
	}
	var got all
	if rest, err := Set(append(b[1:], 9), reflect.ValueOf(&got).Elem(), CustomCodec{}); err != nil || len(rest) != 1 || got != v {
		t.Errorf("%+v, %d bytes left, %v; want %+v", got, len(rest), err, v)
	}
	for n := range len(b) - 1 {
		if _, err := Set(b[1:1+n], reflect.ValueOf(&all{}).Elem(), CustomCodec{}); !errors.Is(err, ErrShort) {
			t.Fatalf("%d of %d bytes: %v", n, len(b)-1, err)
		}
	}
}

// An int has eight bytes in every file. On a CPU whose int has four bytes, a value that does
// not fit must be refused and not truncated.
func TestWide(t *testing.T) {
	fits := strconv.IntSize == 64
	var v struct {
		I int
		U uint
	}
	for _, c := range []struct {
		i    int64
		u    uint64
		fits bool
		want string
	}{
		{math.MaxInt32, math.MaxUint32, true, ""}, {math.MinInt32, 0, true, ""},
		{math.MaxInt32 + 1, 0, fits, "2147483648 does not fit the int"}, {math.MinInt32 - 1, 0, fits, "-2147483649 does not fit the int"},
		{0, math.MaxUint32 + 1, fits, "4294967296 does not fit the uint"}, {math.MinInt64, math.MaxUint64, fits, "fit the int"},
	} {
		b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(c.i)), c.u)
		_, err := Set(b, reflect.ValueOf(&v).Elem(), CustomCodec{})
		switch {
		case c.fits && (err != nil || int64(v.I) != c.i || uint64(v.U) != c.u):
			t.Errorf("%d, %d: %v, %v", c.i, c.u, v, err)
		case !c.fits && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%d, %d: %v, %v; want %q", c.i, c.u, v, err, c.want)
		}
	}
}

// The error for a value that is not plain must contain its name. A caller may have its own
// format for such values.
func TestOdd(t *testing.T) {
	for _, v := range []any{struct{ P *int }{}, struct{ C complex64 }{}, struct{ L []int32 }{}, struct{ hidden int32 }{1}} {
		_, err := Append(nil, reflect.ValueOf(v), CustomCodec{})
		p := reflect.New(reflect.TypeOf(v)).Elem()
		_, again := Set(make([]byte, 64), p, CustomCodec{})
		if err == nil || again == nil || err.Error() != again.Error() || !strings.Contains(err.Error(), "give a Codec") {
			t.Errorf("%T: %v, %v", v, err, again)
		}
	}
	var flag bool
	if _, err := Set([]byte{2}, reflect.ValueOf(&flag).Elem(), CustomCodec{}); err == nil {
		t.Error("a bool is 2")
	}
	own := CustomCodec{
		Append: func(b []byte, v reflect.Value) ([]byte, bool, error) {
			return append(b, byte(len(v.String()))), v.Kind() == reflect.String, nil
		},
		Set: func(b []byte, v reflect.Value) ([]byte, bool, error) {
			if v.Kind() != reflect.String {
				return b, false, nil
			}
			v.SetString(strings.Repeat("x", int(b[0])))
			return b[1:], true, nil
		},
	}
	v := struct{ S string }{"abc"}
	b, err := Append(nil, reflect.ValueOf(v), own)
	if err != nil || len(b) != 1 {
		t.Fatal(b, err)
	}
	if rest, err := Set(b, reflect.ValueOf(&v).Elem(), own); err != nil || len(rest) != 0 || v.S != "xxx" {
		t.Error(v, rest, err)
	}
}
