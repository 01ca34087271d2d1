package soa_test

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/lanewise/lanewise/soa"
)

// A view is filled in place: each of its slices gets the memory of a lane. Here, the memory holds
// three lanes of four rows one after another.
func ExampleHeaders() {
	memory := []float32{0: 1, 4: 2, 11: 3}
	var p Positions
	for i := range soa.Headers(&p) {
		soa.Headers(&p)[i] = soa.Header{Data: unsafe.Pointer(&memory[4*i]), Len: 3, Cap: 4}
	}
	fmt.Println(p.X, p.Y, p.Z, cap(p.Z))

	soa.Point(&p, unsafe.Pointer(&memory[0]), 4*unsafe.Sizeof(memory[0]), 4) // the same, because the lanes are equally far apart
	p.Z[3]++
	fmt.Println(p.Z, memory[11])
	// Output:
	// [1 0 0] [2 0 0] [0 0 0] 4
	// [0 0 0 4] 4
}

// A program can test for the faults of a type or a view with errors.Is.
func ExampleErrPointer() {
	_, text := soa.Lanes(reflect.TypeFor[string]())
	_, word := soa.Lanes(reflect.TypeFor[uintptr]())
	lanes, err := soa.Lanes(reflect.TypeFor[Position]())
	_, view := soa.Bind(reflect.TypeFor[struct{ Mass []float32 }](), lanes)
	fmt.Println(errors.Is(text, soa.ErrPointer), errors.Is(word, soa.ErrWordSize), errors.Is(view, soa.ErrView), err)
	fmt.Println("lanes begin at a multiple of", soa.Align)
	// Output:
	// true true true <nil>
	// lanes begin at a multiple of 64
}
