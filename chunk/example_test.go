package chunk_test

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/lanewise/lanewise/chunk"
	"github.com/lanewise/lanewise/soa"
)

func ExampleNewLayout() {
	type Position struct{ X, Y, Z float32 }
	type Velocity struct{ X, Y, Z float32 }

	position, err := soa.Lanes(reflect.TypeFor[Position]())
	if err != nil {
		fmt.Println(err)
		return
	}
	velocity, err := soa.Lanes(reflect.TypeFor[Velocity]())
	if err != nil {
		fmt.Println(err)
		return
	}
	var l *chunk.Layout
	l, err = chunk.NewLayout([][]soa.Lane{position, velocity}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Capacity, "rows in", l.Used, "bytes")
	for _, c := range l.Columns { // each is a chunk.Column
		fmt.Println(c.Offsets, "stride", c.Stride)
	}
	fmt.Println(chunk.RowsPadded(100, l.Capacity), "rows may be touched when 100 are live")
	// Output:
	// 512 rows in 16384 bytes
	// [4096 6144 8192] stride 2048
	// [10240 12288 14336] stride 2048
	// 112 rows may be touched when 100 are live
}

func ExampleNewLayout_tooLarge() {
	name := []soa.Lane{{Name: "Text", Type: reflect.TypeFor[[20000]byte](), Size: 20000}}
	_, err := chunk.NewLayout([][]soa.Lane{name}, 0)
	fmt.Println(err)
	fmt.Println(errors.Is(err, chunk.ErrTooLarge))
	// Output:
	// chunk: layout of {Text [20000]uint8}: 20008 bytes a row, 20096 of 16384 with every lane on 64 bytes: row does not fit in a chunk
	// true
}

func ExampleSlabs() {
	var s chunk.Slabs                            // holds no memory yet; s.Reserve would make some
	few, many := s.Get(500), s.Get(4*chunk.Size) // up to chunk.MaxSpan
	fmt.Println(len(few.Memory()), "and", len(many.Memory()), "bytes of", s.Bytes())
	s.Put(many)
	fmt.Println(s.Used(), "bytes in use,", s.Owns(few), uintptr(few.Pointer())%64)
	s.Trim()
	fmt.Println(s.Bytes(), "bytes are kept", s.Beside() > 0) // lists of free spans take some memory
	// Output:
	// 512 and 65536 bytes of 81920
	// 512 bytes in use, true 0
	// 16384 bytes are kept true
}

// One world takes over the memory of another. Slabs are adopted without a copy if that is possible.
func ExampleSlabs_Adopt() {
	var from, to chunk.Slabs
	from.Reserve(chunk.MaxSpan)
	list := []chunk.Span{from.Get(chunk.MaxSpan)}
	chunk.Advise(list[0].Memory()) // uses huge pages if the system has any
	to.Adopt(list, &from)
	fmt.Println(to.Owns(list[0]), from.Used(), to.Used() == chunk.MaxSpan)
	// Output: true 0 true
}
