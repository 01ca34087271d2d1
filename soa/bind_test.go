package soa

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type (
	id     struct{ Index, Version int32 }
	parent struct{ Entity id }
	mixed  struct {
		T float64
		N int32
		B bool
	}
	speed  struct{ Metres metres }
	hidden struct{ handle uint64 }
	padded struct {
		Entity id
		_      struct{}
	}
	numbers []float32
)

// mustLanes returns the lanes of T.
func mustLanes[T any](t testing.TB) []Lane {
	t.Helper()
	lanes, err := Lanes(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	return lanes
}

func TestBind(t *testing.T) {
	three, one := mustLanes[vec3](t), mustLanes[parent](t)
	for _, tc := range []struct {
		name  string
		view  any
		lanes []Lane
		want  []int
	}{
		{"all lanes", vec3s{}, three, []int{0, 1, 2}},
		{"another order", struct{ Z, X, Y []float32 }{}, three, []int{2, 0, 1}},
		{"a subset", struct{ Y []float32 }{}, three, []int{1}},
		{"nothing", struct{}{}, three, []int{}},
		{"nothing of nothing", struct{}{}, nil, []int{}},
		{"named elements", struct{ Z []metres }{}, three, []int{2}},
		{"named slices", struct{ X numbers }{}, three, []int{0}},
		{"elements of a named lane", struct{ Metres []float32 }{}, mustLanes[speed](t), []int{0}},
		{"different types", struct {
			B []bool
			T []float64
		}{}, mustLanes[mixed](t), []int{2, 0}},
		{"struct elements", struct{ At, Up []struct{ X, Y, Z float32 } }{}, mustLanes[pose](t), []int{0, 1}},
		{"array elements", struct{ M [][16]float32 }{}, mustLanes[struct{ M [16]float32 }](t), []int{0}},

		{"slice of a number", []metres{}, mustLanes[metres](t), []int{0}},
		{"slice of its underlying type", []float32{}, mustLanes[metres](t), []int{0}},
		{"slice of an array", [][3]int16{}, mustLanes[[3]int16](t), []int{0}},
		{"slice of the only field", []id{}, one, []int{0}},
		{"slice of the struct around it", []parent{}, one, []int{0}},
		{"slice of a struct of another name", []struct {
			Entity struct{ Index, Version int32 }
		}{}, one, []int{0}},
		{"slice of the struct around an unexported field", []hidden{{handle: 1}}, mustLanes[hidden](t), []int{0}},
		{"slice of an unexported field", []uint64{}, mustLanes[hidden](t), []int{0}},
		{"slice of a whole struct as one lane", []vec3{}, []Lane{{Name: "Value", Type: reflect.TypeFor[vec3](), Size: 12}}, []int{0}},
		{"named slice", numbers{}, mustLanes[metres](t), []int{0}},
		{"view by name", struct{ Value []float32 }{}, mustLanes[metres](t), []int{0}},
	} {
		got, err := Bind(reflect.TypeOf(tc.view), tc.lanes)
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %T on %v: got %v, %v, want %v", tc.name, tc.view, tc.lanes, got, err, tc.want)
		}
	}
}

func TestBindRefusals(t *testing.T) {
	three, one := mustLanes[vec3](t), mustLanes[parent](t)
	for _, tc := range []struct {
		view  reflect.Type
		lanes []Lane
		text  string
	}{
		{nil, three, "soa: Bind: view is nil"},
		{reflect.TypeFor[float32](), three, "soa: view float32 is neither a struct of slices nor a slice"},
		{reflect.TypeFor[*vec3s](), three, "soa: view *soa.vec3s is neither a struct of slices nor a slice"},
		{reflect.TypeFor[[3][]float32](), three, "soa: view [3][]float32 is neither a struct of slices nor a slice"},
		{reflect.TypeFor[struct{ X, W []float32 }](), three,
			"soa: view struct { X []float32; W []float32 }: field W has no lane among X float32, Y float32, Z float32"},
		{reflect.TypeFor[struct{ X []float32 }](), nil,
			"soa: view struct { X []float32 }: field X has no lane among none at all"},
		{reflect.TypeFor[struct{ X []float64 }](), three,
			"soa: view struct { X []float64 }: field X has type []float64, its lane is made of float32"},
		{reflect.TypeFor[struct{ X []int32 }](), three,
			"soa: view struct { X []int32 }: field X has type []int32, its lane is made of float32"},
		{reflect.TypeFor[struct{ M [][3]metres }](), mustLanes[struct{ M [3]float32 }](t),
			"soa: view struct { M [][3]soa.metres }: field M has type [][3]soa.metres, its lane is made of [3]float32"},
		{reflect.TypeFor[struct{ At []struct{ Z, Y, X float32 } }](), mustLanes[pose](t),
			"soa: view struct { At []struct { Z float32; Y float32; X float32 } }: " +
				"field At has type []struct { Z float32; Y float32; X float32 }, its lane is made of soa.vec3"},
		{reflect.TypeFor[struct{ X [8]float32 }](), three,
			"soa: view struct { X [8]float32 }: field X has type [8]float32, not a slice"},
		{reflect.TypeFor[struct{ X struct{ Y []float32 } }](), three,
			"soa: view struct { X struct { Y []float32 } }: field X has type struct { Y []float32 }, not a slice"},
		{reflect.TypeFor[struct{ _ []float32 }](), three,
			"soa: view struct { _ []float32 }: field _ is not exported, so it names no lane"},
		{reflect.TypeFor[struct{ handle []uint64 }](), mustLanes[hidden](t),
			"soa: view struct { handle []uint64 }: field handle is not exported, so it names no lane"},
		{reflect.TypeFor[struct{ vec3s }](), three,
			"soa: view struct { soa.vec3s }: field vec3s is embedded; name it after its lane"},
		{reflect.TypeFor[[]float32](), three,
			"soa: view []float32: a plain slice shows one lane, not X float32, Y float32, Z float32"},
		{reflect.TypeFor[[]vec3](), three,
			"soa: view []soa.vec3: a plain slice shows one lane, not X float32, Y float32, Z float32"},
		{reflect.TypeFor[[]marker](), nil,
			"soa: view []soa.marker: a plain slice shows one lane, not none at all"},
		{reflect.TypeFor[[]int64](), one,
			"soa: view []int64: its elements do not match the lane Entity soa.id"},
		{reflect.TypeFor[[]string](), one,
			"soa: view []string: its elements do not match the lane Entity soa.id"},
		{reflect.TypeFor[[]named](), one,
			"soa: view []soa.named: its elements do not match the lane Entity soa.id"},
		{reflect.TypeFor[[]struct{ Other id }](), one,
			"soa: view []struct { Other soa.id }: its elements do not match the lane Entity soa.id"},
		{reflect.TypeFor[[]padded](), mustLanes[padded](t),
			"soa: view []soa.padded: its elements do not match the lane Entity soa.id"},
	} {
		got, err := Bind(tc.view, tc.lanes)
		want := tc.text + ": view does not match the lanes"
		if got != nil || !errors.Is(err, ErrView) || err.Error() != want {
			t.Errorf("Bind(%v, %v):\n got %v, %v\nwant %s", tc.view, tc.lanes, got, err, want)
		}
	}
}

// TestBindEmbeddedSlice checks that a slice embedded under its type's name is refused, although a lane
// may have that name.
func TestBindEmbeddedSlice(t *testing.T) {
	view := reflect.StructOf([]reflect.StructField{{Name: "X", Type: reflect.TypeFor[[]float32](), Anonymous: true}})
	if _, err := Bind(view, mustLanes[vec3](t)); !errors.Is(err, ErrView) || !strings.Contains(err.Error(), "embedded") {
		t.Errorf("error %v", err)
	}
}
