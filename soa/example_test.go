package soa_test

import (
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/soa"
)

// Position is a point in metres along the world's axes.
type Position struct{ X, Y, Z float32 }

// Positions is the view of a column of Position.
type Positions struct{ X, Y, Z []float32 }

func ExampleLanes() {
	lanes, err := soa.Lanes(reflect.TypeFor[Position]())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range lanes {
		fmt.Println(l.Name, l.Type, l.Size, "bytes")
	}
	// Output:
	// X float32 4 bytes
	// Y float32 4 bytes
	// Z float32 4 bytes
}

func ExampleLanes_refused() {
	type Player struct {
		Name  string
		Score int32
	}
	_, err := soa.Lanes(reflect.TypeFor[Player]())
	fmt.Println(err)
	type Team struct{ Players [5]struct{ Score int } }
	_, err = soa.Lanes(reflect.TypeFor[Team]())
	fmt.Println(err)
	// Output:
	// soa: lanes of soa_test.Player: field Name has type string: lanes hold no Go pointers: use a fixed array such as [32]byte, or an index into a slice of strings
	// soa: lanes of soa_test.Team: field Players[].Score has type int: its size depends on the CPU: use int32 or int64
}

func ExampleBind() {
	lanes, err := soa.Lanes(reflect.TypeFor[Position]())
	if err != nil {
		fmt.Println(err)
		return
	}
	type Heights struct{ Z, Y []float32 } // a subset, in another order
	index, err := soa.Bind(reflect.TypeFor[Heights](), lanes)
	fmt.Println(index, err)

	type Wrong struct{ X, W []float32 }
	_, err = soa.Bind(reflect.TypeFor[Wrong](), lanes)
	fmt.Println(err)
	// Output:
	// [2 1] <nil>
	// soa: view soa_test.Wrong: field W has no lane among X float32, Y float32, Z float32: view does not match the lanes
}

func ExampleMake() {
	p := soa.Make[Positions](100)
	y := p.Y
	for i := range y {
		y[i] = float32(i) / 2
	}
	fmt.Println(len(p.Y), cap(p.Y), p.Y[99])

	mass := soa.Make[[]float64](16) // a single lane
	fmt.Println(len(mass), cap(mass))
	// Output:
	// 100 112 49.5
	// 16 16
}
