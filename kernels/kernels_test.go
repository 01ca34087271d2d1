package kernels

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// lanesOf returns n lanes with one element per row.
func lanesOf(n int) []int { return slices.Repeat([]int{1}, n) }

// table returns every kernel, family by family. Add a new kernel here, so that the harness tests
// it.
func table[T Float]() []kernel[T] {
	return slices.Concat(firstTable[T](), arithmeticTable[T](), vectorTable[T](), quatTable[T](), matrixTable[T]())
}

// firstTable returns those kernels of the table that have no table for their family.
func firstTable[T Float]() []kernel[T] {
	matrix := []int{16}
	return []kernel[T]{
		{"Fill", lanesOf(1), nil, nil, func(a *args[T]) {
			Fill(a.out(0), a.scalar[0])
		}},
		{"AddScaled", lanesOf(1), lanesOf(2), [][]int{{0}, {1}}, func(a *args[T]) {
			AddScaled(a.out(0), a.in(0), a.in(1), a.scalar[0])
		}},
		{"Vec3s.AddScaled", lanesOf(3), lanesOf(6), [][]int{{0, 1, 2}, {3, 4, 5}}, func(a *args[T]) {
			a.outVec().AddScaled(a.inVec(0), a.inVec(3), a.scalar[0])
		}},
		{"Quats.Mul", lanesOf(4), lanesOf(8), [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}}, func(a *args[T]) {
			a.outQuat().Mul(a.inQuat(0), a.inQuat(4))
		}},
		{"Quats.Normalize", lanesOf(4), lanesOf(4), [][]int{{0, 1, 2, 3}}, func(a *args[T]) {
			a.outQuat().Normalize(a.inQuat(0))
		}},
		{"Quats.Integrate", lanesOf(4), lanesOf(7), [][]int{{0, 1, 2, 3}}, func(a *args[T]) {
			a.outQuat().Integrate(a.inQuat(0), a.inVec(4), a.scalar[0])
		}},
		{"Quats.Spin", lanesOf(4), lanesOf(5), [][]int{{0, 1, 2, 3}}, func(a *args[T]) {
			a.outQuat().Spin(a.inQuat(0), a.scalar[0], a.scalar[1], a.scalar[2], a.in(4), a.scalar[3])
		}},
		{"Vec3s.Rotate", lanesOf(3), lanesOf(7), [][]int{{4, 5, 6}}, func(a *args[T]) {
			a.outVec().Rotate(a.inQuat(0), a.inVec(4))
		}},
		{"Vec3s.RotateBy", lanesOf(3), lanesOf(3), [][]int{{0, 1, 2}}, func(a *args[T]) {
			a.outVec().RotateBy([4]T(a.scalar), a.inVec(0))
		}},
		{"Mat4s.Compose", matrix, lanesOf(10), nil, func(a *args[T]) {
			a.outMat().Compose(a.inVec(0), a.inQuat(3), a.inVec(7))
		}},
		{"Mat4s.Compose/rot=nil", matrix, lanesOf(6), nil, func(a *args[T]) {
			a.outMat().Compose(a.inVec(0), nil, a.inVec(3))
		}},
		{"Mat4s.Compose/scale=nil", matrix, lanesOf(7), nil, func(a *args[T]) {
			a.outMat().Compose(a.inVec(0), a.inQuat(3), nil)
		}},
		{"Mat4s.Compose/rot=nil/scale=nil", matrix, lanesOf(3), nil, func(a *args[T]) {
			a.outMat().Compose(a.inVec(0), nil, nil)
		}},
		{"Mat4s.ComposeStream", matrix, lanesOf(10), nil, func(a *args[T]) {
			a.outMat().ComposeStream(a.inVec(0), a.inQuat(3), a.inVec(7))
		}},
		{"Mat4s.ComposeStream/rot=nil", matrix, lanesOf(6), nil, func(a *args[T]) {
			a.outMat().ComposeStream(a.inVec(0), nil, a.inVec(3))
		}},
		{"Mat4s.ComposeStream/scale=nil", matrix, lanesOf(7), nil, func(a *args[T]) {
			a.outMat().ComposeStream(a.inVec(0), a.inQuat(3), nil)
		}},
		{"Mat4s.ComposeStream/rot=nil/scale=nil", matrix, lanesOf(3), nil, func(a *args[T]) {
			a.outMat().ComposeStream(a.inVec(0), nil, nil)
		}},
		{"Mat4s.MulAffine", matrix, []int{16, 16}, [][]int{{0}, {1}}, func(a *args[T]) {
			a.outMat().MulAffine(a.inMat(0), a.inMat(1))
		}},
		{"Mat4s.MulAffineByParent", matrix, []int{16, 16, index}, [][]int{{1}}, func(a *args[T]) {
			a.outMat().MulAffineByParent(a.inMat(0), a.inIndex(2), a.inMat(1))
		}},
		{"Boxes.Transform", lanesOf(6), []int{16, 1, 1, 1, 1, 1, 1}, [][]int{{1, 2, 3, 4, 5, 6}}, func(a *args[T]) {
			a.outBoxes().Transform(a.inMat(0), a.boxes(1))
		}},
		{"Vec3s.DistanceSquared", lanesOf(1), lanesOf(3), nil, func(a *args[T]) {
			a.inVec(0).DistanceSquared(a.out(0), [3]T(a.scalar))
		}},
		{"Sincos", lanesOf(2), lanesOf(1), nil, func(a *args[T]) {
			Sincos(a.out(0), a.out(1), a.in(0))
		}},
		{"Kepler", lanesOf(1), lanesOf(2), [][]int{{0}, {1}}, func(a *args[T]) {
			Kepler(a.out(0), a.in(0), a.in(1))
		}},
	}
}

// eachKernel runs test for every row of the table and both types.
func eachKernel(t *testing.T, test32 func(*testing.T, *kernel[float32]), test64 func(*testing.T, *kernel[float64])) {
	for _, k := range table[float32]() {
		t.Run(k.name+"/type=f32", func(t *testing.T) { test32(t, &k) })
	}
	for _, k := range table[float64]() {
		t.Run(k.name+"/type=f64", func(t *testing.T) { test64(t, &k) })
	}
}

// TestKernels compares every path with the generic one and checks that no path writes outside its
// operands.
func TestKernels(t *testing.T) { eachKernel(t, testKernel[float32], testKernel[float64]) }

func testKernel[T Float](t *testing.T, k *kernel[T]) {
	for _, n := range allLengths() {
		for _, raw := range []bool{false, true} {
			in := newInputs(k, n, raw, 1)
			want := k.reference(in)
			eachPathOf(func(path string) {
				for _, alias := range append([][]int{nil}, k.alias...) {
					for name, place := range places(n) {
						if err := k.check(in, want, place, alias); err != nil {
							t.Fatalf("path=%s n=%d raw=%v alias=%v %s: %v", path, n, raw, alias, name, err)
						}
					}
				}
			})
		}
	}
}

// places returns the ways to lay out the lanes of one run.
func places(n int) map[string]func(lane, rowBytes int, b []byte) *room {
	return map[string]func(lane, rowBytes int, b []byte) *room{
		"behind a guard page": func(lane, _ int, b []byte) *room { return cellFor(lane).placeLow(b) },
		"before a guard page": func(lane, _ int, b []byte) *room { return cellFor(lane).placeHigh(b) },
		"unaligned":           func(lane, rowBytes int, b []byte) *room { return heapRoom((n+5*lane)%16*rowBytes%64, b) },
	}
}

// TestOffsets places all lanes at the same distance from a multiple of 64, so that a body that
// relies on alignment fails.
func TestOffsets(t *testing.T) {
	eachPath(t, func(t *testing.T) { eachKernel(t, testOffsets[float32], testOffsets[float64]) })
}

func testOffsets[T Float](t *testing.T, k *kernel[T]) {
	for _, n := range []int{1, 7, 16, 33} {
		in := newInputs(k, n, false, 2)
		want := k.reference(in)
		for offset := 0; offset < 64; offset += rowBytes[T](1) {
			place := func(lane, rowBytes int, b []byte) *room { return heapRoom(offset, b) }
			if err := k.check(in, want, place, nil); err != nil {
				t.Fatalf("n=%d offset=%d: %v", n, offset, err)
			}
		}
	}
}

// TestPieces runs more rows than one piece has, so that a kernel must process several pieces.
func TestPieces(t *testing.T) {
	if raceEnabled {
		t.Skip("takes half a minute under the race detector; other builds compare these numbers")
	}
	eachKernel(t, testPieces[float32], testPieces[float64])
}

func testPieces[T Float](t *testing.T, k *kernel[T]) {
	in := newInputs(k, piece+37, false, 3)
	want := k.reference(in)
	place := func(_, _ int, b []byte) *room { return heapRoom(0, b) }
	eachFastPath(func(path string) {
		if err := k.check(in, want, place, nil); err != nil {
			t.Fatalf("path=%s: %v", path, err)
		}
	})
}

// TestLengths shortens each lane of each kernel and expects a panic each time.
func TestLengths(t *testing.T) {
	eachKernel(t, testLengths[float32], testLengths[float64])
}

func testLengths[T Float](t *testing.T, k *kernel[T]) {
	const n = 8
	lanes := len(k.dst) + len(k.src)
	if lanes == 1 {
		return
	}
	for short := range lanes {
		in := newInputs(k, n, false, 4)
		a := args[T]{n: n, dst: in.dst, src: in.src, scalar: in.scalar}
		width := append(slices.Clone(k.dst), k.src...)[short]
		if short < len(k.dst) {
			in.dst[short] = in.dst[short][:(n-1)*rowBytes[T](width)]
		} else {
			in.src[short-len(k.dst)] = in.src[short-len(k.dst)][:(n-1)*rowBytes[T](width)]
		}
		got := panicOf(func() { k.run(&a) })
		if strings.HasSuffix(k.name, "ByParent") && short == len(k.dst) {
			if got != "" && !strings.Contains(got, ": index[") {
				t.Errorf("the parents may be fewer: panic %q", got)
			}
			continue
		}
		name, _, _ := strings.Cut(k.name, "/")
		if !strings.HasPrefix(got, "kernels: "+name+": len(") || !strings.Contains(got, " is 7") || !strings.Contains(got, " is 8") {
			t.Errorf("lane %d of %d short: panic %q", short, lanes, got)
		}
	}
}

// panicOf returns the message with which f panics, or "".
func panicOf(f func()) (message string) {
	defer func() {
		if v := recover(); v != nil {
			message = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

// TestAllocs checks that no kernel allocates.
func TestAllocs(t *testing.T) {
	if checked {
		t.Skip("race and guard builds allocate for their checks")
	}
	eachKernel(t, testAllocs[float32], testAllocs[float64])
}

func testAllocs[T Float](t *testing.T, k *kernel[T]) {
	in := newInputs(k, piece+1, false, 5)
	a := args[T]{n: in.n, dst: in.dst, src: in.src, scalar: in.scalar}
	eachFastPath(func(path string) {
		if got := testing.AllocsPerRun(1, func() { k.run(&a) }); got != 0 {
			t.Errorf("path=%s: %v allocations a run", path, got)
		}
	})
}
