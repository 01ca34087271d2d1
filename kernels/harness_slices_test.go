package kernels

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// This harness is for kernels with an operand that does not have one T for each row: a mask, one
// result for all rows, or numbers of the other type. It uses the memory, the paths and the numbers
// of harness_test.go.

// A kind is the shape and element type of an operand.
type kind uint8

const (
	laneKind   kind = iota // one T a row
	otherKind              // one of the other type a row
	maskKind               // a mask: one uint64 for 64 rows
	resultKind             // one T for all rows
	indexKind              // one int64 for all rows: an index or a count
	planesKind             // six planes, for all rows
)

// size returns the bytes of an operand of n rows and the bytes of one unit.
func (k kind) size(n, element int) (all, unit int) {
	switch k {
	case laneKind:
		return n * element, element
	case otherKind:
		return n * (12 - element), 12 - element
	case maskKind:
		return 8 * MaskLen(n), 8
	case resultKind:
		return element, element
	case planesKind:
		return 6 * 4 * element, 4 * element
	}
	return 8, 8
}

// A sliceKernel is one row of sliceTable.
type sliceKernel[T Float] struct {
	name     string
	dst, src []kind
	alias    []int // the sources that the first destination may be
	run      func(a *args[T])
}

// addLengths adds further numbers of rows to ns if a body of the kernel runs only with many rows. Boxes.Union runs its body for
// AVX-512 if there are 300 rows of float32 or more. 304 is a multiple of 16; with 333 rows, the Go body runs the last ones.
func (k *sliceKernel[T]) addLengths(ns ...int) []int {
	if strings.HasPrefix(k.name, "Boxes.Union") {
		ns = append(ns, 304, 333)
	}
	return ns
}

// inMask and outMask return an operand as a mask.
func (a *args[T]) inMask(k int) []uint64  { return castLane[uint64](a.src[k]) }
func (a *args[T]) outMask(k int) []uint64 { return castLane[uint64](a.dst[k]) }

// boxes, spheres and planes return a view of the source lanes k, k+1 and so on. putBox stores a
// box.
func (a *args[T]) boxes(k int) *Boxes[T] {
	a.box = Boxes[T]{a.in(k), a.in(k + 1), a.in(k + 2), a.in(k + 3), a.in(k + 4), a.in(k + 5)}
	return &a.box
}

func (a *args[T]) spheres(k int) *Spheres[T] {
	a.ball = Spheres[T]{a.in(k), a.in(k + 1), a.in(k + 2), a.in(k + 3)}
	return &a.ball
}

func (a *args[T]) planes(k int) []Plane[T] { return castLane[Plane[T]](a.src[k]) }

func (a *args[T]) putBox(b Box[T]) {
	for k, v := range [6]T{b.X, b.Y, b.Z, b.HX, b.HY, b.HZ} {
		a.put(k, v)
	}
}

// put stores the result of a reduction. putPlace stores an index or a count.
func (a *args[T]) put(k int, v T)        { a.out(k)[0] = v }
func (a *args[T]) putPlace(k int, i int) { castLane[int64](a.dst[k])[0] = int64(i) }

// pick returns a number for comparisons. If the first source has rows, the number is one of them,
// so that equal rows occur.
func (a *args[T]) pick() T {
	if x := a.in(0); len(x) > 0 {
		return x[len(x)/2]
	}
	return a.scalar[0]
}

// sliceInputs returns random operands for one run.
func sliceInputs[T Float](k *sliceKernel[T], n int, raw bool, seed uint64) *inputs[T] {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	in := &inputs[T]{n: n, scalar: make([]T, 8)}
	for i := range in.scalar {
		in.scalar[i] = number[T](r, raw && i%3 == 2)
	}
	for _, kind := range k.src {
		all, _ := kind.size(n, rowBytes[T](1))
		b := make([]byte, all)
		switch {
		case kind == maskKind:
			for i := range castLane[uint64](b) {
				castLane[uint64](b)[i] = maskWord(r)
			}
		case kind == otherKind && single[T]():
			fillNumbers(castLane[float64](b), r, raw)
		case kind == otherKind:
			fillNumbers(castLane[float32](b), r, raw)
		default:
			fillNumbers(castLane[T](b), r, raw)
		}
		in.src = append(in.src, b)
	}
	for _, kind := range k.dst {
		all, unit := kind.size(n, rowBytes[T](1))
		b := make([]byte, all)
		if unit == 4 { // by value, because other CPUs have another byte order
			for i := range castLane[uint32](b) {
				castLane[uint32](b)[i] = r.Uint32()
			}
		} else {
			for i := range castLane[uint64](b) {
				castLane[uint64](b)[i] = r.Uint64()
			}
		}
		in.dst = append(in.dst, b)
	}
	return in
}

func fillNumbers[E Float](p []E, r *rand.Rand, raw bool) {
	if raw && r.IntN(4) == 0 { // few different values, so that ties occur, or only NaN
		few := []E{E(math.NaN()), E(math.Copysign(0, -1)), 0, E(math.Inf(1)), E(math.Inf(-1)), 1}
		few = few[:1+r.IntN(len(few))]
		for i := range p {
			p[i] = few[r.IntN(len(few))]
		}
		return
	}
	for i := range p {
		p[i] = number[E](r, raw)
	}
}

func number[E Float](r *rand.Rand, raw bool) E {
	if raw {
		return pattern[E](r)
	}
	return E(r.Float64()*4 - 2)
}

// maskWord returns a random word of random density, from almost no bits to almost all.
func maskWord(r *rand.Rand) uint64 {
	switch r.IntN(5) {
	case 0:
		return 0
	case 1:
		return ^uint64(0)
	case 2:
		return r.Uint64() & r.Uint64() & r.Uint64()
	case 3:
		return r.Uint64() | r.Uint64() | r.Uint64()
	}
	return r.Uint64()
}

// outcome runs the kernel on the generic path, in separate memory.
func (k *sliceKernel[T]) outcome(in *inputs[T]) [][]byte { return in.runGeneric(k.run) }

// check runs the kernel on the current path, with its operands at the addresses that place chooses.
// check returns the first difference or write outside an operand. If alias ≥ 0, the first destination
// is the source with that index.
func (k *sliceKernel[T]) check(in *inputs[T], want [][]byte, place func(lane, rowBytes int, b []byte) *room, alias int) error {
	a := args[T]{n: in.n, scalar: in.scalar}
	var rooms []*room
	put := func(i int, kind kind, b []byte) []byte {
		_, unit := kind.size(in.n, rowBytes[T](1))
		r := place(i, unit, b)
		rooms = append(rooms, r)
		return r.lane
	}
	for i, b := range in.src {
		a.src = append(a.src, put(i, k.src[i], b))
	}
	for i, b := range in.dst {
		if i == 0 && alias >= 0 {
			a.dst = append(a.dst, a.src[alias])
			continue
		}
		a.dst = append(a.dst, put(len(k.src)+i, k.dst[i], b))
	}
	k.run(&a)
	for i, kind := range k.dst {
		if alias >= 0 && i == 0 && k.name == "Compress" { // the rows after the kept ones still hold the source
			kept := int(castLane[int64](want[1])[0]) * rowBytes[T](1)
			if err := sameBits(castLane[T](a.dst[0][:kept]), castLane[T](want[0][:kept])); err != nil {
				return fmt.Errorf("dst: %w", err)
			}
			if !bytes.Equal(a.dst[0][kept:], in.src[alias][kept:]) {
				return fmt.Errorf("rows after the %d bytes kept were written to", kept)
			}
			continue
		}
		if err := kind.compare(a.dst[i], want[i], rowBytes[T](1)); err != nil {
			return fmt.Errorf("dst %d: %w", i, err)
		}
	}
	for i := range a.src {
		if i != alias && !bytes.Equal(a.src[i], in.src[i]) {
			return fmt.Errorf("src %d was written to", i)
		}
	}
	return allIntact(rooms)
}

// compare compares bit by bit, but any NaN equals any NaN.
func (k kind) compare(got, want []byte, element int) error {
	if k == maskKind || k == indexKind {
		if !bytes.Equal(got, want) {
			return fmt.Errorf("got %x, want %x", castLane[uint64](got), castLane[uint64](want))
		}
		return nil
	}
	if (element == 4) != (k == otherKind) {
		return sameBits(castLane[float32](got), castLane[float32](want))
	}
	return sameBits(castLane[float64](got), castLane[float64](want))
}

// eachSlice runs a test for every row of the table and both types.
func eachSlice(t *testing.T, test32 func(*testing.T, *sliceKernel[float32]), test64 func(*testing.T, *sliceKernel[float64])) {
	for _, k := range sliceTable[float32]() {
		t.Run(k.name+"/type=f32", func(t *testing.T) { test32(t, &k) })
	}
	for _, k := range sliceTable[float64]() {
		t.Run(k.name+"/type=f64", func(t *testing.T) { test64(t, &k) })
	}
}

// TestSlices compares every path with the generic one and checks that no path writes outside its
// operands.
func TestSlices(t *testing.T) { eachSlice(t, testSlice[float32], testSlice[float64]) }

func testSlice[T Float](t *testing.T, k *sliceKernel[T]) {
	for _, n := range k.addLengths(allLengths()...) {
		for _, raw := range []bool{false, true} {
			in := sliceInputs(k, n, raw, 1)
			want := k.outcome(in)
			eachPathOf(func(path string) {
				for _, alias := range append([]int{-1}, k.alias...) {
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

// TestSliceOffsets places all operands at the same distance from a multiple of 64, so that a body
// that relies on alignment fails.
func TestSliceOffsets(t *testing.T) {
	eachPath(t, func(t *testing.T) { eachSlice(t, testSliceOffsets[float32], testSliceOffsets[float64]) })
}

func testSliceOffsets[T Float](t *testing.T, k *sliceKernel[T]) {
	for _, n := range k.addLengths(1, 7, 16, 33, 130) {
		in := sliceInputs(k, n, false, 2)
		want := k.outcome(in)
		for offset := 0; offset < 64; offset += rowBytes[T](1) {
			place := func(_, unit int, b []byte) *room { return heapRoom(offset/unit*unit, b) }
			if err := k.check(in, want, place, -1); err != nil {
				t.Fatalf("n=%d offset=%d: %v", n, offset, err)
			}
		}
	}
}

// TestSlicePieces runs more rows than one piece has, so that a kernel must combine the results of
// several pieces.
func TestSlicePieces(t *testing.T) {
	eachSlice(t, testSlicePieces[float32], testSlicePieces[float64])
}

func testSlicePieces[T Float](t *testing.T, k *sliceKernel[T]) {
	in := sliceInputs(k, 2*piece+37, false, 3)
	want := k.outcome(in)
	place := func(_, _ int, b []byte) *room { return heapRoom(0, b) }
	eachFastPath(func(path string) {
		for _, alias := range append([]int{-1}, k.alias...) {
			if err := k.check(in, want, place, alias); err != nil {
				t.Fatalf("path=%s alias=%d: %v", path, alias, err)
			}
		}
	})
}

// TestSliceLengths shortens each operand of each kernel and expects a panic each time.
func TestSliceLengths(t *testing.T) {
	eachSlice(t, testSliceLengths[float32], testSliceLengths[float64])
}

func testSliceLengths[T Float](t *testing.T, k *sliceKernel[T]) {
	const n = 65 // a mask of 64 rows has one word fewer
	kinds := slices.Concat(k.dst, k.src)
	slicesOf := 0
	for _, kind := range kinds {
		if kind != resultKind && kind != indexKind {
			slicesOf++
		}
	}
	for short, kind := range kinds {
		if slicesOf == 1 || kind == resultKind || kind == indexKind || kind == planesKind {
			continue
		}
		in := sliceInputs(k, n, false, 4)
		a := args[T]{n: n, dst: in.dst, src: in.src, scalar: in.scalar}
		all, unit := kind.size(n, rowBytes[T](1))
		if short < len(k.dst) {
			a.dst[short] = a.dst[short][:all-unit]
		} else {
			a.src[short-len(k.dst)] = a.src[short-len(k.dst)][:all-unit]
		}
		if k.name == "Compress" && short == 0 { // Compress needs a row only for each set bit
			for i := range a.inMask(1) {
				a.inMask(1)[i] = ^uint64(0)
			}
		}
		got := panicOf(func() { k.run(&a) })
		name, _, _ := strings.Cut(k.name, "/")
		if !strings.HasPrefix(got, "kernels: "+name+": len(") || !strings.Contains(got, fmt.Sprint(" is ", all/unit-1)) {
			t.Errorf("operand %d of %d short: panic %q", short, len(kinds), got)
		}
	}
}

// TestSliceAllocs checks that no kernel allocates.
func TestSliceAllocs(t *testing.T) {
	if checked {
		t.Skip("race and guard builds allocate for their checks")
	}
	eachSlice(t, testSliceAllocs[float32], testSliceAllocs[float64])
}

func testSliceAllocs[T Float](t *testing.T, k *sliceKernel[T]) {
	in := sliceInputs(k, piece+1, false, 5)
	a := args[T]{n: in.n, dst: in.dst, src: in.src, scalar: in.scalar}
	eachFastPath(func(path string) {
		if got := testing.AllocsPerRun(1, func() { k.run(&a) }); got != 0 {
			t.Errorf("path=%s: %v allocations a run", path, got)
		}
	})
}

const sliceGoldenFile = "testdata/golden_slices.txt"

// TestSliceGolden compares the bits of every kernel, on every path, with testdata. -lanewise.update
// rewrites the file from the generic path.
func TestSliceGolden(t *testing.T) {
	if *update {
		before := Path()
		use("generic")
		err := os.WriteFile(sliceGoldenFile, []byte(strings.Join(sliceGoldens(), "\n")+"\n"), 0o644)
		use(before)
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(sliceGoldenFile)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	eachPath(t, func(t *testing.T) {
		got := sliceGoldens()
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("not in %s: %s", sliceGoldenFile, line)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has %d lines, there are %d kernels", sliceGoldenFile, len(want), len(got))
		}
	})
}

// sliceGoldens returns the lines of the golden file, computed on the current path.
func sliceGoldens() (lines []string) {
	for _, k := range sliceTable[float32]() {
		lines = append(lines, k.name+"/type=f32 "+sliceHash(&k))
	}
	for _, k := range sliceTable[float64]() {
		lines = append(lines, k.name+"/type=f64 "+sliceHash(&k))
	}
	return lines
}

// sliceHash hashes the results for ordinary and for raw inputs. It treats all NaNs as equal.
func sliceHash[T Float](k *sliceKernel[T]) string {
	h := fnv.New64a()
	for seed, n := range []int{1, 160, 257, 1000, 31, 64, 257, 1000} {
		in := sliceInputs(k, n, seed >= 4, uint64(100+seed))
		a := args[T]{n: n, dst: in.dst, src: in.src, scalar: in.scalar}
		k.run(&a)
		for i, kind := range k.dst {
			h.Write(kind.canonical(a.dst[i], rowBytes[T](1)))
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// canonical returns the operand as little-endian bytes, with one bit pattern for every NaN.
func (k kind) canonical(b []byte, element int) []byte {
	var out []byte
	switch {
	case k == maskKind || k == indexKind:
		for _, w := range castLane[uint64](b) {
			out = binary.LittleEndian.AppendUint64(out, w)
		}
	case (element == 4) != (k == otherKind):
		for _, x := range castLane[float32](b) {
			if x != x {
				x = math.Float32frombits(0x7fc00000)
			}
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
	default:
		for _, x := range castLane[float64](b) {
			if x != x {
				x = math.NaN()
			}
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		}
	}
	return out
}
