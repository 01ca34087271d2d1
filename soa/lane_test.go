package soa

import (
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"
)

type (
	metres      float32
	vec3        struct{ X, Y, Z float32 }
	pose        struct{ At, Up vec3 }
	marker      struct{}
	named       struct{ Name string }
	deep        struct{ Items [4][2]named }
	counter     struct{ N atomic.Int64 }
	text        string
	pair[T any] struct{ A, B T }
)

func TestLanes(t *testing.T) {
	for _, tc := range []struct {
		name string
		of   any
		want string // name, type and size of each lane
	}{
		{"struct", vec3{}, "X float32 4, Y float32 4, Z float32 4"},
		{"nested struct stays whole", pose{}, "At soa.vec3 12, Up soa.vec3 12"},
		{"array field stays whole", struct{ M [16]float32 }{}, "M [16]float32 64"},
		{"embedded struct stays whole", struct {
			vec3
			W float32
		}{}, "vec3 soa.vec3 12, W float32 4"},
		{"embedded marker has no lane", struct {
			marker
			W float32
		}{}, "W float32 4"},
		{"unexported fields have lanes", struct{ a, B int8 }{}, "a int8 1, B int8 1"},
		{"blank fields have none", struct {
			A int8
			_ int64
			B int8
		}{}, "A int8 1, B int8 1"},
		{"fields of size zero have none", struct {
			A int8
			B struct{}
			C [0]int64
			D [3]struct{}
			E int8
		}{}, "A int8 1, E int8 1"},
		{"parts of size zero are not looked into", struct {
			_ [0]func()
			P [0]*int
			A int8
		}{}, "A int8 1"},
		{"empty struct", struct{}{}, ""},
		{"only blank", struct{ _ int32 }{}, ""},
		{"number", metres(0), "Value soa.metres 4"},
		{"bool", false, "Value bool 1"},
		{"array", [3]int16{}, "Value [3]int16 6"},
		{"array of size zero", [0]int16{}, ""},
		{"generic", pair[uint16]{}, "A uint16 2, B uint16 2"},
		{"atomic", counter{}, "N atomic.Int64 8"},
		{"every kind", struct {
			A bool
			B int8
			C int16
			D int32
			E int64
			F uint8
			G uint16
			H uint32
			I uint64
			J float32
			K float64
			L complex64
			M complex128
		}{}, "A bool 1, B int8 1, C int16 2, D int32 4, E int64 8, F uint8 1, G uint16 2, H uint32 4, I uint64 8, " +
			"J float32 4, K float64 8, L complex64 8, M complex128 16"},
	} {
		lanes, err := Lanes(reflect.TypeOf(tc.of))
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		var got []string
		for _, l := range lanes {
			got = append(got, fmt.Sprintf("%v %d", l, l.Size))
		}
		if got := strings.Join(got, ", "); got != tc.want {
			t.Errorf("%s: lanes of %T:\n got %s\nwant %s", tc.name, tc.of, got, tc.want)
		}
	}
}

// TestOffsets reads and writes a value through the offsets of its lanes.
func TestOffsets(t *testing.T) {
	type row struct {
		A int8
		_ int16
		B float64
		C struct{}
		D [3]int16
	}
	want := row{A: 1, B: 2.5, D: [3]int16{3, 4, 5}}
	lanes, err := Lanes(reflect.TypeFor[row]())
	if err != nil {
		t.Fatal(err)
	}
	var got row
	for _, l := range lanes {
		from := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&want), l.Offset)), l.Type.Size())
		to := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&got), l.Offset)), l.Type.Size())
		copy(to, from)
	}
	if len(lanes) != 3 || got != want {
		t.Errorf("copied by %v: got %v, want %v", lanes, got, want)
	}
}

// TestSizes checks sizes that were computed by hand. The sizes are the same on every GOARCH,
// because snapshots move between CPUs. On 64-bit CPUs the sizes are equal to the sizes that the
// compiler uses.
func TestSizes(t *testing.T) {
	for _, tc := range []struct {
		of          any
		size, align uintptr
	}{
		{int64(0), 8, 8},
		{float64(0), 8, 8},
		{complex64(0), 8, 4},
		{complex128(0), 16, 8},
		{[3]complex128{}, 48, 8},
		{struct{}{}, 0, 1},
		{[0]int64{}, 0, 8},
		{[0]*int{}, 0, 8},
		{struct{ A int8 }{}, 1, 1},
		{struct {
			A int8
			B int64
		}{}, 16, 8},
		{struct {
			A int32
			B float64
			C int32
		}{}, 24, 8},
		{struct {
			A int16
			B complex64
		}{}, 12, 4},
		{struct {
			A int8
			B complex128
			C int8
		}{}, 32, 8},
		{[3]struct {
			A int8
			B uint64
		}{}, 48, 8},
		{struct {
			A struct {
				A int8
				B int64
			}
			B int8
		}{}, 24, 8},
		{struct { // padding past the address of B
			A int32
			B struct{}
		}{}, 8, 4},
		{struct {
			A int32
			B [0]int64
		}{}, 16, 8},
		{struct {
			A [0]func()
			B int8
		}{}, 8, 8},
		{struct {
			A int8
			B [0]int32
			C int8
		}{}, 8, 4},
		{counter{}, 8, 8},
		{struct {
			A int32
			B atomic.Uint64
		}{}, 16, 8},
	} {
		typ := reflect.TypeOf(tc.of)
		size, align := size64(typ)
		if size != tc.size || align != tc.align {
			t.Errorf("%v: size %d, align %d, want %d, %d", typ, size, align, tc.size, tc.align)
		}
		checkCompiler(t, typ)
	}
}

// checkCompiler compares size64 with the compiler's rules for this GOARCH.
func checkCompiler(t *testing.T, typ reflect.Type) {
	t.Helper()
	size, align := size64(typ)
	if unsafe.Sizeof(uintptr(0)) == 8 {
		if size != typ.Size() || align != uintptr(typ.Align()) {
			t.Errorf("%v: size %d, align %d, the compiler says %d, %d", typ, size, align, typ.Size(), typ.Align())
		}
	} else if size < typ.Size() || align < uintptr(typ.Align()) {
		t.Errorf("%v: size %d, align %d, less than this CPU's %d, %d", typ, size, align, typ.Size(), typ.Align())
	}
}

// TestDeep splits a type that is nested a hundred levels deep.
func TestDeep(t *testing.T) {
	good, bad := reflect.TypeFor[float32](), reflect.TypeFor[string]()
	nest := func(t reflect.Type) reflect.Type {
		return reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.ArrayOf(1, t)}})
	}
	for range 50 {
		good, bad = nest(good), nest(bad)
	}
	if lanes, err := Lanes(good); err != nil || len(lanes) != 1 || lanes[0].Size != 4 {
		t.Errorf("%d lanes, error %v", len(lanes), err)
	}
	want := "field F[]" + strings.Repeat(".F[]", 49) + " has type string:"
	if _, err := Lanes(bad); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v\ndoes not say %s", err, want)
	}
}
