package soa

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"testing"
	"unsafe"
	"weak"
)

type everything struct {
	A []bool
	B []complex128
	c []int // unexported, and the size depends on the CPU: an ordinary slice, not a lane
	D [][16]float32
	E []struct{}
	F []struct {
		N int16
		X float64
	}
	G numbers
}

// checkColumns checks the slices of a view of n rows by writing all of their memory.
func checkColumns(t *testing.T, view reflect.Type, h []Header, n int) {
	t.Helper()
	sizes := elemSizes(view)
	if len(h) != len(sizes) {
		t.Fatalf("%v: %d headers for %d slices", view, len(h), len(sizes))
	}
	lane := func(i int) []byte {
		return unsafe.Slice((*byte)(h[i].Data), uintptr(h[i].Cap)*sizes[i])
	}
	for i := range h {
		if uintptr(h[i].Data)%Align != 0 {
			t.Errorf("%v, %d rows: slice %d starts at %p", view, n, i, h[i].Data)
		}
		if h[i].Len != n || h[i].Cap != (n+15)/16*16 {
			t.Errorf("%v, %d rows: slice %d has len %d, cap %d", view, n, i, h[i].Len, h[i].Cap)
		}
		for k, b := range lane(i) {
			if b != 0 {
				t.Fatalf("%v, %d rows: slice %d: byte %d is %d", view, n, i, k, b)
			}
		}
	}
	for i := range h {
		for k := range lane(i) {
			lane(i)[k] = byte(i + 1)
		}
	}
	for i := range h {
		for k, b := range lane(i) {
			if b != byte(i+1) {
				t.Fatalf("%v, %d rows: slice %d: byte %d was overwritten by slice %d", view, n, i, k, b-1)
			}
		}
	}
}

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 31, 100, 1024, 5000} {
		v := Make[vec3s](n)
		checkColumns(t, reflect.TypeOf(v), Headers(&v), n)
		e := Make[everything](n)
		checkColumns(t, reflect.TypeOf(e), Headers(&e), n)
		s := Make[[]complex64](n)
		checkColumns(t, reflect.TypeOf(s), Headers(&s), n)
		f := Make[numbers](n)
		checkColumns(t, reflect.TypeOf(f), Headers(&f), n)
		if v.X == nil || s == nil || e.E == nil {
			t.Errorf("%d rows: nil slices", n)
		}
	}
	if Make[struct{}](7) != struct{}{} {
		t.Error("a view of no slices")
	}
}

// TestMakeSpread checks that lanes are an odd number of cache lines apart. Lanes at equal offsets
// in their pages would compete for the same cache lines.
func TestMakeSpread(t *testing.T) {
	for _, n := range []int{1, 16, 512, 1000, 1024, 4096} {
		v := Make[vec3s](n)
		h := Headers(&v)
		for i := range h[1:] {
			apart := uintptr(h[i+1].Data) - uintptr(h[i].Data)
			if apart/Align%2 != 1 || apart < uintptr(4*cap(v.X)) || apart > uintptr(4*cap(v.X)+2*Align) {
				t.Errorf("%d rows: lanes are %d bytes apart", n, apart)
			}
		}
	}
}

func TestMakeUse(t *testing.T) {
	e := Make[everything](100)
	for i := range e.A {
		e.A[i], e.B[i], e.c[i], e.D[i][15], e.F[i].X, e.G[i] = true, complex(1, 2), i, 3, 4, 5
	}
	e.G = append(e.G[:112], 6) // past the capacity, so append copies the slice
	for i := range e.A {
		if !e.A[i] || e.B[i] != complex(1, 2) || e.c[i] != i || e.D[i] != [16]float32{15: 3} || e.F[i].X != 4 || e.G[i] != 5 {
			t.Fatalf("row %d: %v %v %v %v %v %v", i, e.A[i], e.B[i], e.c[i], e.D[i], e.F[i], e.G[i])
		}
	}
}

func TestMakePanics(t *testing.T) {
	for _, tc := range []struct {
		f    func()
		text string
	}{
		{func() { Make[vec3s](-1) }, "soa: Make: n is -1"},
		{func() { Make[vec3s](math.MaxInt) },
			fmt.Sprintf("soa: Make: n is %d: rows of soa.vec3s, 12 bytes each, do not fit in memory", math.MaxInt)},
		{func() { Make[vec3s](math.MaxInt / 12) },
			fmt.Sprintf("soa: Make: n is %d: rows of soa.vec3s, 12 bytes each, do not fit in memory", math.MaxInt/12)},
		{func() { Make[[]struct{}](math.MaxInt) },
			fmt.Sprintf("soa: Make: n is %d: rows of []struct {}, 0 bytes each, do not fit in memory", math.MaxInt)},
		{func() { Make[float32](1) }, "soa: Make: view float32 is neither a struct of slices nor a slice"},
		{func() { Make[[4]float32](1) }, "soa: Make: view [4]float32 is neither a struct of slices nor a slice"},
		{func() { Make[*vec3s](1) }, "soa: Make: view *soa.vec3s is neither a struct of slices nor a slice"},
		{func() { Make[struct{ At, Up vec3s }](1) },
			"soa: Make: view struct { At soa.vec3s; Up soa.vec3s }: field At has type soa.vec3s, not a slice"},
		{func() { Make[struct{ vec3s }](1) }, "soa: Make: view struct { soa.vec3s }: field vec3s has type soa.vec3s, not a slice"},
		{func() { Make[struct{ N int32 }](1) }, "soa: Make: view struct { N int32 }: field N has type int32, not a slice"},
		{func() { Make[[]string](1) }, "soa: Make: view []string: its elements hold a Go pointer: string"},
		{func() { Make[struct{ A, B []*int }](1) },
			"soa: Make: view struct { A []*int; B []*int }: the elements of A hold a Go pointer: *int"},
		{func() { Make[struct{ A []deep }](1) },
			"soa: Make: view struct { A []soa.deep }: the elements of A hold a Go pointer: soa.deep.Items[][].Name string"},
		{func() { Make[[][]float32](1) }, "soa: Make: view [][]float32: its elements hold a Go pointer: []float32"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			defer func() {
				if got := recover(); got != tc.text {
					t.Errorf("\n got %v\nwant %s", got, tc.text)
				}
			}()
			tc.f()
		})
	}
}

// TestMakeLives checks that the memory of all lanes lives exactly as long as one of the lanes does.
func TestMakeLives(t *testing.T) {
	v := Make[vec3s](1000)
	y, held := v.Y, weak.Make(&v.X[0])
	runtime.GC()
	if held.Value() == nil {
		t.Error("the memory is gone while a lane is in use")
	}
	runtime.KeepAlive(y)
	runtime.GC()
	if held.Value() != nil {
		t.Error("the memory stays after the last lane")
	}
}

func TestMakeAllocs(t *testing.T) {
	most := 6.0
	if runtime.GOARCH == "wasm" {
		most = 9 // the compiler inlines less there, so reflect allocates the description of each lane
	}
	if n := testing.AllocsPerRun(100, func() { sink = Make[vec3s](1024) }); n > most {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkMake(b *testing.B) {
	for _, n := range []int{16, 1024, 65536} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(12 * n))
			for b.Loop() {
				sink = Make[vec3s](n)
			}
		})
	}
}

var sink vec3s
