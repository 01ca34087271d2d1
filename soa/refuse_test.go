package soa

import (
	"errors"
	"reflect"
	"testing"
	"unsafe"
)

func TestRefusals(t *testing.T) {
	type list struct{ Next *list }
	for _, tc := range []struct {
		of   reflect.Type
		want error
		text string
	}{
		{reflect.TypeFor[named](), ErrPointer, "soa: lanes of soa.named: field Name has type string: " +
			"lanes hold no Go pointers: use a fixed array such as [32]byte, or an index into a slice of strings"},
		{reflect.TypeFor[deep](), ErrPointer, "soa: lanes of soa.deep: field Items[][].Name has type string: " +
			"lanes hold no Go pointers: use a fixed array such as [32]byte, or an index into a slice of strings"},
		{reflect.TypeFor[pair[text]](), ErrPointer, "soa: lanes of soa.pair[github.com/lanewise/lanewise/soa.text]: " +
			"field A has type soa.text (string): " +
			"lanes hold no Go pointers: use a fixed array such as [32]byte, or an index into a slice of strings"},
		{reflect.TypeFor[struct{ N int }](), ErrWordSize, "soa: lanes of struct { N int }: field N has type int: " +
			"its size depends on the CPU: use int32 or int64"},
		{reflect.TypeFor[struct{ N uint }](), ErrWordSize, "soa: lanes of struct { N uint }: field N has type uint: " +
			"its size depends on the CPU: use uint32 or uint64"},
		{reflect.TypeFor[struct{ N uintptr }](), ErrWordSize, "soa: lanes of struct { N uintptr }: field N has type uintptr: " +
			"its size depends on the CPU: use uint64"},
		{reflect.TypeFor[struct{ N []int8 }](), ErrPointer, "soa: lanes of struct { N []int8 }: field N has type []int8: " +
			"lanes hold no Go pointers: use a fixed array, or an index into a slice kept elsewhere"},
		{reflect.TypeFor[list](), ErrPointer, "soa: lanes of soa.list: field Next has type *soa.list: " +
			"lanes hold no Go pointers: keep it elsewhere and store an index"},
		{reflect.TypeFor[struct{ E error }](), ErrPointer, "soa: lanes of struct { E error }: field E has type error (interface): " +
			"lanes hold no Go pointers: keep it elsewhere and store an index"},
		{reflect.TypeFor[struct{ _ *int }](), ErrPointer, "soa: lanes of struct { _ *int }: field _ has type *int: " +
			"lanes hold no Go pointers: keep it elsewhere and store an index"},
		{reflect.TypeFor[struct {
			A float32
			B [2]unsafe.Pointer
		}](), ErrPointer, "soa: lanes of struct { A float32; B [2]unsafe.Pointer }: field B[] has type unsafe.Pointer: " +
			"lanes hold no Go pointers: keep it elsewhere and store an index"},
		{reflect.TypeFor[struct{ M map[int8]int8 }](), ErrPointer, "soa: lanes of struct { M map[int8]int8 }: " +
			"field M has type map[int8]int8: lanes hold no Go pointers: keep it elsewhere and store an index"},
		{reflect.TypeFor[struct{ C chan int8 }](), ErrPointer, "soa: lanes of struct { C chan int8 }: " +
			"field C has type chan int8: lanes hold no Go pointers: keep it elsewhere and store an index"},
		{reflect.TypeFor[func()](), ErrPointer, "soa: lanes of func(): lanes hold no Go pointers: keep it elsewhere and store an index"},
		{reflect.TypeFor[int](), ErrWordSize, "soa: lanes of int: its size depends on the CPU: use int32 or int64"},
		{reflect.TypeFor[[4]int](), ErrWordSize, "soa: lanes of [4]int: element [] has type int: " +
			"its size depends on the CPU: use int32 or int64"},
	} {
		lanes, err := Lanes(tc.of)
		if lanes != nil || !errors.Is(err, tc.want) || err.Error() != tc.text {
			t.Errorf("Lanes(%v):\n got %v, %v\nwant %s", tc.of, lanes, err, tc.text)
		}
	}
	if lanes, err := Lanes(nil); lanes != nil || err == nil {
		t.Errorf("Lanes(nil): %v, %v", lanes, err)
	}
}
