package kernels

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// The harness runs every kernel of the table in kernels_test.go on every path and compares the results
// with the generic path. It tries all lengths, alignments and aliases and raw bit patterns, and it
// surrounds each operand with guard pages and poison. A new kernel needs one row in the table.

var (
	full = flag.Bool("lanewise.full", false, "try all lengths and samples instead of a few, and what takes long: make full")
	// required is the list of the paths that must exist, separated by commas. Without this list, a
	// machine that lacks a path would pass because it tests nothing there.
	required = os.Getenv("LANEWISE_PATHS")
)

func TestMain(m *testing.M) {
	flag.Parse()
	for _, name := range strings.FieldsFunc(required, func(r rune) bool { return r == ',' }) {
		if !slices.Contains(Paths(), name) {
			fmt.Fprintf(os.Stderr, "FAIL: LANEWISE_PATHS: path %s is required, there are %v\n", name, Paths())
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// eachPath runs test once on every path of this CPU and build.
func eachPath(t *testing.T, test func(t *testing.T)) {
	eachPathOf(func(path string) { t.Run("path="+path, test) })
}

func eachPathOf(do func(path string)) {
	defer use(Path())
	for _, name := range Paths() {
		use(name)
		do(name)
	}
}

// eachFastPath skips the generic path if there are others, because it is slow and is the reference for
// them. With -lanewise.full it runs too.
func eachFastPath(do func(path string)) {
	eachPathOf(func(path string) {
		if path != "generic" || *full || len(Paths()) == 1 {
			do(path)
		}
	})
}

// samples returns n, or a smaller number without -lanewise.full.
func samples(n int) int {
	if *full {
		return n
	}
	return n / 20
}

func use(name string) {
	if err := Use(name); err != nil {
		panic(err)
	}
}

// allLengths returns the numbers of rows to test. They cover every tail of every loop. With
// -lanewise.full, they are all numbers up to several iterations of the widest loop.
func allLengths() []int {
	var ns []int
	for n := range 258 {
		if *full || n <= 33 || n >= 63 && n <= 65 || n == 160 || n == 257 {
			ns = append(ns, n)
		}
	}
	return ns
}

// A kernel is one row of the table.
type kernel[T Float] struct {
	name string
	// dst and src hold the number of elements per row of each lane. It is 1 for a number, 16 for a
	// matrix, and index for an int32 that is a row number.
	dst, src []int
	// alias holds the source lanes that the destination may share. Each entry has one source for each
	// lane of the destination.
	alias [][]int
	run   func(a *args[T])
}

const index = -1

// args are the operands of one run. The lanes are bytes, because the harness chooses their memory. The
// views are fields, so that a run allocates nothing.
type args[T Float] struct {
	n        int
	dst, src [][]byte
	scalar   []T

	vecs  [10]Vec3s[T]
	quats [10]Quats[T]
	mats  [10]Mat4s[T]
	box   Boxes[T]
	out6  Boxes[T]
	ball  Spheres[T]
}

const outView = 9 // index of the destination's view

func (a *args[T]) in(k int) []T          { return castLane[T](a.src[k]) }
func (a *args[T]) out(k int) []T         { return castLane[T](a.dst[k]) }
func (a *args[T]) inIndex(k int) []int32 { return castLane[int32](a.src[k]) }

// inVec returns a view of the source lanes k, k+1 and k+2.
func (a *args[T]) inVec(k int) *Vec3s[T] {
	a.vecs[k] = Vec3s[T]{a.in(k), a.in(k + 1), a.in(k + 2)}
	return &a.vecs[k]
}

func (a *args[T]) inQuat(k int) *Quats[T] {
	a.quats[k] = Quats[T]{a.in(k), a.in(k + 1), a.in(k + 2), a.in(k + 3)}
	return &a.quats[k]
}

func (a *args[T]) inMat(k int) *Mat4s[T] {
	a.mats[k].M = castLane[[16]T](a.src[k])
	return &a.mats[k]
}

func (a *args[T]) outVec() *Vec3s[T] {
	a.vecs[outView] = Vec3s[T]{a.out(0), a.out(1), a.out(2)}
	return &a.vecs[outView]
}

func (a *args[T]) outQuat() *Quats[T] {
	a.quats[outView] = Quats[T]{a.out(0), a.out(1), a.out(2), a.out(3)}
	return &a.quats[outView]
}

func (a *args[T]) outMat() *Mat4s[T] {
	a.mats[outView].M = castLane[[16]T](a.dst[0])
	return &a.mats[outView]
}

func (a *args[T]) outBoxes() *Boxes[T] {
	a.out6 = Boxes[T]{a.out(0), a.out(1), a.out(2), a.out(3), a.out(4), a.out(5)}
	return &a.out6
}

// castLane returns the bytes as elements.
//
// SAFETY: the harness places lanes at multiples of the element's size.
func castLane[E any](b []byte) []E {
	var e E
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(e)))
}

// rowBytes returns the size of one row of a lane.
func rowBytes[T Float](width int) int {
	var x T
	if width == index {
		return 4
	}
	return width * int(unsafe.Sizeof(x))
}

// inputs holds the values for one run of a kernel: the bytes of each source lane, and the bytes of
// the destination before the call.
type inputs[T Float] struct {
	n        int
	src, dst [][]byte
	scalar   []T
}

// newInputs returns inputs of n rows. Raw inputs are arbitrary bit patterns; other inputs are numbers
// as they occur in practice.
func newInputs[T Float](k *kernel[T], n int, raw bool, seed uint64) *inputs[T] {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	in := &inputs[T]{n: n, scalar: make([]T, 8)}
	for i := range in.scalar {
		in.scalar[i] = T(r.Float64()*4 - 2)
		if raw && i%3 == 2 {
			in.scalar[i] = pattern[T](r)
		}
	}
	for _, width := range k.src {
		b := make([]byte, n*rowBytes[T](width))
		if width == index {
			for i := range castLane[int32](b) {
				castLane[int32](b)[i] = int32(r.IntN(n))
			}
		} else {
			for i := range castLane[T](b) {
				if raw {
					castLane[T](b)[i] = pattern[T](r)
				} else {
					castLane[T](b)[i] = T(r.Float64()*4 - 2)
				}
			}
		}
		in.src = append(in.src, b)
	}
	for _, width := range k.dst {
		b := make([]byte, n*rowBytes[T](width))
		for i := range b {
			b[i] = byte(i*167) + byte(seed) // bytes that a kernel must not read
		}
		in.dst = append(in.dst, b)
	}
	return in
}

// pattern returns random bits of every class: zeros, infinities, NaN, denormals, integers, ordinary
// and huge numbers, of both signs.
func pattern[T Float](r *rand.Rand) T {
	kind, v := r.IntN(16), 0.0
	switch kind {
	case 0:
		v = 0
	case 1:
		v = 1
	case 2:
		v = math.Inf(1)
	case 3:
		v = math.NaN()
	case 4: // denormal
		if single[T]() {
			return T(math.Float32frombits(r.Uint32() & 0x807fffff))
		}
		return T(math.Float64frombits(r.Uint64() & 0x800fffffffffffff))
	case 5:
		v = float64(r.IntN(100))
	case 6: // larger than the angles that vectors reduce
		v = math.Ldexp(r.Float64(), r.IntN(120))
	case 7, 8, 9:
		v = r.Float64() * 100
	case 10, 11, 12:
		v = math.Ldexp(r.Float64()+1, r.IntN(40)-20)
	default: // arbitrary bits
		if single[T]() {
			return T(math.Float32frombits(r.Uint32()))
		}
		return T(math.Float64frombits(r.Uint64()))
	}
	negative := r.IntN(2) == 0
	if v != v { // a conversion loses the sign of a NaN on RISC-V, so CopySign sets it
		return signedNaN[T](negative)
	}
	if negative {
		v = -v
	}
	return T(v)
}

// signedNaN returns the NaN of package math with a sign.
func signedNaN[T Float](negative bool) T {
	if single[T]() {
		b := uint32(0x7fc00000)
		if negative {
			b |= 1 << 31
		}
		return T(math.Float32frombits(b))
	}
	b := math.Float64bits(math.NaN())
	if negative {
		b |= 1 << 63
	}
	return T(math.Float64frombits(b))
}

// reference runs the kernel on the generic path, in separate memory.
func (k *kernel[T]) reference(in *inputs[T]) [][]byte { return in.runGeneric(k.run) }

// runGeneric runs a kernel on the generic path, in separate memory, and returns its results.
func (in *inputs[T]) runGeneric(run func(*args[T])) [][]byte {
	defer use(Path())
	use("generic")
	a := args[T]{n: in.n, scalar: in.scalar}
	for _, b := range in.src {
		a.src = append(a.src, bytes.Clone(b))
	}
	for _, b := range in.dst {
		a.dst = append(a.dst, bytes.Clone(b))
	}
	run(&a)
	return a.dst
}

// check runs the kernel on the current path, with its lanes at the addresses that place chooses.
// check reports the first difference or write outside a lane. If alias is not nil, each
// destination lane is the source lane whose number alias contains.
func (k *kernel[T]) check(in *inputs[T], want [][]byte, place func(lane, width int, b []byte) *room, alias []int) error {
	a := args[T]{n: in.n, scalar: in.scalar}
	var rooms []*room
	put := func(lane, width int, b []byte) []byte {
		r := place(lane, rowBytes[T](width), b)
		rooms = append(rooms, r)
		return r.lane
	}
	for i, b := range in.src {
		a.src = append(a.src, put(i, k.src[i], b))
	}
	for i, b := range in.dst {
		if alias != nil {
			a.dst = append(a.dst, a.src[alias[i]])
		} else {
			a.dst = append(a.dst, put(len(k.src)+i, k.dst[i], b))
		}
	}
	k.run(&a)
	for i := range a.dst {
		if err := sameBits(castLane[T](a.dst[i]), castLane[T](want[i])); err != nil {
			return fmt.Errorf("dst %d: %w", i, err)
		}
	}
	for i := range a.src {
		if !slices.Contains(alias, i) && !bytes.Equal(a.src[i], in.src[i]) {
			return fmt.Errorf("src %d was written to", i)
		}
	}
	return allIntact(rooms)
}

// sameBits compares bit by bit, but any NaN equals any NaN.
func sameBits[T Float](got, want []T) error {
	for i := range want {
		if got[i] != got[i] && want[i] != want[i] {
			continue
		}
		if bitsOf(got[i]) != bitsOf(want[i]) {
			return fmt.Errorf("element %d is %x (%v), want %x (%v)", i, bitsOf(got[i]), got[i], bitsOf(want[i]), want[i])
		}
	}
	return nil
}

func bitsOf[T Float](x T) uint64 {
	if single[T]() {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(float64(x))
}
