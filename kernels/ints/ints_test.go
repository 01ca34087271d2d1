package ints

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/kernels/kerneltest"
)

// eachType runs a test for every type of integers.
func eachType(t *testing.T, i32, u32, i64, u64 func(*testing.T)) {
	t.Run("int32", i32)
	t.Run("uint32", u32)
	t.Run("int64", i64)
	t.Run("uint64", u64)
}

func TestLanes(t *testing.T) {
	eachType(t, testLanes[int32], testLanes[uint32], testLanes[int64], testLanes[uint64])
}

// testLanes compares every kernel that writes one number for each row with the plain Go expression,
// on every path. It uses all numbers of rows that kerneltest tries, and also calls each kernel with
// dst and x as the same lane.
func testLanes[T Integer](t *testing.T) {
	for _, k := range []struct {
		name string
		run  func(dst, x, y []T, s, u T)
		want func(x, y, s, u T) T
	}{
		{"Add", func(dst, x, y []T, _, _ T) { Add(dst, x, y) }, func(x, y, _, _ T) T { return x + y }},
		{"Sub", func(dst, x, y []T, _, _ T) { Sub(dst, x, y) }, func(x, y, _, _ T) T { return x - y }},
		{"Mul", func(dst, x, y []T, _, _ T) { Mul(dst, x, y) }, func(x, y, _, _ T) T { return x * y }},
		{"AddScalar", func(dst, x, _ []T, s, _ T) { AddScalar(dst, x, s) }, func(x, _, s, _ T) T { return x + s }},
		{"Scale", func(dst, x, _ []T, s, _ T) { Scale(dst, x, s) }, func(x, _, s, _ T) T { return x * s }},
		{"Neg", func(dst, x, _ []T, _, _ T) { Neg(dst, x) }, func(x, _, _, _ T) T { return 0 - x }},
		{"Abs", func(dst, x, _ []T, _, _ T) { Abs(dst, x) }, func(x, _, _, _ T) T { return magnitude(x) }},
		{"Minimum", func(dst, x, y []T, _, _ T) { Minimum(dst, x, y) }, func(x, y, _, _ T) T { return min(x, y) }},
		{"Maximum", func(dst, x, y []T, _, _ T) { Maximum(dst, x, y) }, func(x, y, _, _ T) T { return max(x, y) }},
		{"Clamp", func(dst, x, _ []T, s, u T) { Clamp(dst, x, s, u) }, func(x, _, s, u T) T { return min(max(x, s), u) }},
		{"And", func(dst, x, y []T, _, _ T) { And(dst, x, y) }, func(x, y, _, _ T) T { return x & y }},
		{"Or", func(dst, x, y []T, _, _ T) { Or(dst, x, y) }, func(x, y, _, _ T) T { return x | y }},
		{"Xor", func(dst, x, y []T, _, _ T) { Xor(dst, x, y) }, func(x, y, _, _ T) T { return x ^ y }},
		{"AndNot", func(dst, x, y []T, _, _ T) { AndNot(dst, x, y) }, func(x, y, _, _ T) T { return x &^ y }},
		{"ShiftLeft", func(dst, x, _ []T, s, _ T) { ShiftLeft(dst, x, uint(s)&127) }, func(x, _, s, _ T) T { return x << (uint(s) & 127) }},
		{"ShiftRight", func(dst, x, _ []T, s, _ T) { ShiftRight(dst, x, uint(s)&127) }, func(x, _, s, _ T) T { return x >> (uint(s) & 127) }},
		{"Not", func(dst, x, _ []T, _, _ T) { Not(dst, x) }, func(x, _, _, _ T) T { return ^x }},
	} {
		t.Run(k.name, func(t *testing.T) {
			for _, alias := range []bool{false, true} {
				kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
					x, y, s, u := kerneltest.Lane[T](in), kerneltest.Lane[T](in), kerneltest.Value[T](in), kerneltest.Value[T](in)
					dst := x
					if !alias {
						dst = kerneltest.Lane[T](in)
					}
					return func() {
						for i := range dst {
							dst[i] = k.want(x[i], y[i], s, u)
						}
					}, func() { k.run(dst, x, y, s, u) }
				})
			}
		})
	}
}

func magnitude[T Integer](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

func TestCompare(t *testing.T) {
	eachType(t, testCompare[int32], testCompare[uint32], testCompare[int64], testCompare[uint64])
}

// testCompare does the same as testLanes for comparisons. Half of the rows of y are equal to those
// of x, so that equal rows occur.
func testCompare[T Integer](t *testing.T) {
	for _, k := range []struct {
		name string
		run  func(mask []uint64, x, y []T, s T)
		want func(x, y, s T) bool
	}{
		{"Less", func(m []uint64, x, y []T, _ T) { Less(m, x, y) }, func(x, y, _ T) bool { return x < y }},
		{"LessEqual", func(m []uint64, x, y []T, _ T) { LessEqual(m, x, y) }, func(x, y, _ T) bool { return x <= y }},
		{"Equal", func(m []uint64, x, y []T, _ T) { Equal(m, x, y) }, func(x, y, _ T) bool { return x == y }},
		{"Below", func(m []uint64, x, _ []T, s T) { Below(m, x, s) }, func(x, _, s T) bool { return x < s }},
		{"AtMost", func(m []uint64, x, _ []T, s T) { AtMost(m, x, s) }, func(x, _, s T) bool { return x <= s }},
		{"Above", func(m []uint64, x, _ []T, s T) { Above(m, x, s) }, func(x, _, s T) bool { return x > s }},
		{"AtLeast", func(m []uint64, x, _ []T, s T) { AtLeast(m, x, s) }, func(x, _, s T) bool { return x >= s }},
		{"EqualTo", func(m []uint64, x, _ []T, s T) { EqualTo(m, x, s) }, func(x, _, s T) bool { return x == s }},
	} {
		compare := func(t *testing.T, mask []uint64, x, y []T, s T) {
			k.run(mask, x, y, s)
			for w, word := range mask {
				for b := range 64 {
					i := 64*w + b
					if want := i < len(x) && k.want(x[i], y[i], s); word>>b&1 != 0 != want {
						t.Fatalf("%s: row %d of %d: %v, %v, %v: want %v", k.name, i, len(x), x[min(i, len(x)-1)], y[min(i, len(x)-1)], s, want)
					}
				}
			}
		}
		t.Run(k.name, func(t *testing.T) {
			kerneltest.Same(t, func(in *kerneltest.Input) (want, got func()) {
				x, y, s := kerneltest.Lane[T](in), kerneltest.Lane[T](in), kerneltest.Value[T](in)
				for i := range y {
					if in.Draw().IntN(2) == 0 {
						y[i] = x[i]
					}
				}
				if len(x) > 0 && in.Draw().IntN(2) == 0 {
					s = x[0]
				}
				mask := kerneltest.Slice[uint64](in, kernels.MaskLen(len(x)))
				return func() {
					clear(mask)
					for i := range x {
						if k.want(x[i], y[i], s) {
							mask[i/64] |= 1 << (i % 64)
						}
					}
				}, func() { k.run(mask, x, y, s) }
			})
			r := rand.New(rand.NewPCG(1, 2))
			for _, n := range []int{255, 256, 257, 511, 512, 513, 1500} {
				x, y := anyLane[T](r, n), anyLane[T](r, n)
				copy(y[n/3:], x[n/3:n/2])
				onPaths(t, func() { compare(t, make([]uint64, kernels.MaskLen(n)), x, y, x[n/2]) })
			}
		})
	}
}

// onPaths calls do on every path.
func onPaths(t *testing.T, do func()) {
	t.Helper()
	defer use(t, kernels.Path())
	for _, p := range kernels.Paths() {
		use(t, p)
		do()
	}
}

func use(t *testing.T, path string) {
	t.Helper()
	if err := kernels.Use(path); err != nil {
		t.Fatal(err)
	}
}

// anyLane returns a lane in which a few values repeat often and the rest are random bits.
func anyLane[T Integer](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		switch r.IntN(3) {
		case 0:
			x[i] = T(r.IntN(5))
		case 1:
			x[i] = []T{0, 1, least[T](), most[T](), most[T]() - 1}[r.IntN(5)]
		default:
			x[i] = T(r.Uint64())
		}
	}
	return x
}

// lengths has numbers of rows, most of them close to the length of a vector or a block.
var lengths = []int{0, 1, 3, 4, 5, 31, 32, 33, 100, 511, 512, 513, 1023, 1024, 1025, 5000}

func TestReductions(t *testing.T) {
	eachType(t, testReductions[int32], testReductions[uint32], testReductions[int64], testReductions[uint64])
}

func testReductions[T Integer](t *testing.T) {
	if Min[T](nil) != most[T]() || Max[T](nil) != least[T]() || most[T]() < least[T]() || least[T]()-1 != most[T]() {
		t.Fatalf("no rows: Min %v, Max %v; least %v, most %v", Min[T](nil), Max[T](nil), least[T](), most[T]())
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range lengths {
		x := anyLane[T](r, n)
		var sum int64
		lowest, highest := most[T](), least[T]()
		for _, v := range x {
			sum += int64(v)
			lowest, highest = min(lowest, v), max(highest, v)
		}
		prefix := make([]T, n)
		onPaths(t, func() {
			if got := Sum(x); got != sum {
				t.Fatalf("%s: Sum of %d is %d, want %d", kernels.Path(), n, got, sum)
			}
			if a, b := Min(x), Max(x); a != lowest || b != highest {
				t.Fatalf("%s: %d rows from %v to %v, want %v to %v", kernels.Path(), n, a, b, lowest, highest)
			}
			PrefixSum(prefix, x)
			if n > 0 && narrow[T]() && uint32(prefix[n-1]) != uint32(sum) || n > 0 && !narrow[T]() && int64(prefix[n-1]) != sum {
				t.Fatalf("PrefixSum of %d ends with %v, the sum is %d", n, prefix[n-1], sum)
			}
		})
	}
}

// TestSumIsWide checks that a sum of 32-bit rows does not wrap around.
func TestSumIsWide(t *testing.T) {
	x, y, z := make([]int32, 3000), make([]int32, 3000), make([]uint32, 3000)
	for i := range x {
		x[i], y[i], z[i] = math.MinInt32, math.MaxInt32, math.MaxUint32
	}
	onPaths(t, func() {
		if a, b, c := Sum(x), Sum(y), Sum(z); a != -3000<<31 || b != 3000*(1<<31-1) || c != 3000*(1<<32-1) {
			t.Errorf("%s: %d, %d, %d", kernels.Path(), a, b, c)
		}
	})
}

func TestMoves(t *testing.T) {
	eachType(t, testMoves[int32], testMoves[uint32], testMoves[int64], testMoves[uint64])
}

func testMoves[T Integer](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range lengths {
		x, y := anyLane[T](r, n), anyLane[T](r, n)
		mask := make([]uint64, kernels.MaskLen(n))
		for i := range mask {
			mask[i] = r.Uint64() & r.Uint64()
		}
		var kept, chosen, prefix []T
		counts, outside := make([]int, 5), 0
		for i, v := range x {
			if mask[i/64]>>(i%64)&1 != 0 {
				kept, chosen = append(kept, v), append(chosen, v)
			} else {
				chosen = append(chosen, y[i])
			}
			if i == 0 {
				prefix = append(prefix, v)
			} else {
				prefix = append(prefix, prefix[i-1]+v)
			}
			if v >= 1 && v < 6 {
				counts[v-1]++
			} else {
				outside++
			}
		}
		onPaths(t, func() {
			dst := make([]T, n)
			if Select(dst, mask, x, y); !slices.Equal(dst, chosen) {
				t.Fatalf("%s: Select of %d: %v, want %v", kernels.Path(), n, dst, chosen)
			}
			if k := Compress(dst, x, mask); !slices.Equal(dst[:k], kept) {
				t.Fatalf("%s: Compress of %d: %v, want %v", kernels.Path(), n, dst[:k], kept)
			}
			if PrefixSum(dst, x); !slices.Equal(dst, prefix) {
				t.Fatalf("PrefixSum of %d: %v, want %v", n, dst, prefix)
			}
			got := make([]int, 5)
			if out := Histogram(got, x, 1); out != outside || !slices.Equal(got, counts) {
				t.Fatalf("Histogram of %d: %v and %d, want %v and %d", n, got, out, counts, outside)
			}
		})
	}
	got := make([]int, 3) // the limits of the type
	if out := Histogram(got, []T{least[T](), most[T](), most[T]() - 1, most[T]() - 3}, most[T]()-2); out != 2 || !slices.Equal(got, []int{0, 1, 1}) {
		t.Errorf("at the end of the type: %v, %d outside", got, out)
	}
}

func TestMisuse(t *testing.T) {
	two, three := make([]int32, 2), make([]int32, 3)
	mask := make([]uint64, 1)
	for _, c := range []struct {
		want string
		run  func()
	}{
		{"ints: Add: len(y) is 3, len(dst) is 2", func() { Add(two, two, three) }},
		{"ints: Sub: len(x) is 3, len(dst) is 2", func() { Sub(two, three, two) }},
		{"ints: Not: len(x) is 3, len(dst) is 2", func() { Not(two, three) }},
		{"ints: ShiftLeft: len(x) is 3, len(dst) is 2", func() { ShiftLeft(two, three, 1) }},
		{"ints: ShiftRight: len(x) is 3, len(dst) is 2", func() { ShiftRight(two, three, 1) }},
		{"ints: Minimum: len(y) is 3, len(dst) is 2", func() { Minimum(two, two, three) }},
		{"ints: Clamp: len(x) is 3, len(dst) is 2", func() { Clamp(two, three, 0, 1) }},
		{"ints: PrefixSum: len(x) is 3, len(dst) is 2", func() { PrefixSum(two, three) }},
		{"ints: Select: len(y) is 3, len(dst) is 2", func() { Select(two, mask, two, three) }},
		{"ints: Select: len(mask) is 1, MaskLen(len(x)) is 2", func() { Select(make([]int32, 65), mask, make([]int32, 65), make([]int32, 65)) }},
		{"ints: Less: len(y) is 3, len(x) is 2", func() { Less(mask, two, three) }},
		{"ints: Below: len(mask) is 0, MaskLen(len(x)) is 1", func() { Below(nil, two, 0) }},
		{"kernels: Compress: len(dst) is 2, mask has 3 bits set", func() { Compress(two, three, []uint64{7}) }},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
			}()
			c.run()
		}()
	}
}

// TestOverlap checks that builds with overlap checks name the operands that overlap.
func TestOverlap(t *testing.T) {
	if !kernels.Checked {
		t.Skip("this build does not look for overlaps")
	}
	onPaths(t, func() {
		if kernels.VectorBytes() == 0 {
			return // the loop in Go handles such an overlap row by row, as documented
		}
		defer func() {
			if got := fmt.Sprint(recover()); !strings.Contains(got, "ints: add32: dst and x overlap") {
				t.Errorf("%s: %s", kernels.Path(), got)
			}
		}()
		x := make([]int32, 100)
		Add(x[1:], x[:99], x[1:])
	})
}

func TestAllocs(t *testing.T) {
	if kernels.Checked {
		t.Skip("checks of overlaps may allocate")
	}
	x, y, mask, counts := make([]int32, 3000), make([]int32, 3000), make([]uint64, 47), make([]int, 3)
	u, v := make([]uint64, 3000), make([]uint64, 3000)
	var sink int64
	onPaths(t, func() {
		if n := testing.AllocsPerRun(10, func() {
			Add(x, x, y)
			Clamp(u, v, 1, 2)
			Less(mask, x, y)
			EqualTo(mask, u, 3)
			sink += Sum(x) + int64(Max(u))
			sink += int64(Compress(u, v, mask))
			Histogram(counts, x, 0)
		}); n != 0 {
			t.Errorf("%s: %v allocations", kernels.Path(), n)
		}
	})
	_ = sink
}

// TestCounts checks for random rows that the comparisons agree with each other, by the numbers of
// set bits in their masks.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		n := r.IntN(700)
		x, y, s := anyLane[uint32](r, n), anyLane[uint32](r, n), uint32(r.IntN(5))
		a, b, c := make([]uint64, kernels.MaskLen(n)), make([]uint64, kernels.MaskLen(n)), make([]uint64, kernels.MaskLen(n))
		Less(a, x, y)
		Less(b, y, x)
		Equal(c, x, y)
		if kernels.Count(a)+kernels.Count(b)+kernels.Count(c) != n {
			t.Fatalf("%d rows: %d less, %d more, %d equal", n, kernels.Count(a), kernels.Count(b), kernels.Count(c))
		}
		Below(a, x, s)
		AtLeast(b, x, s)
		kernels.And(c, a, b)
		kernels.Or(a, a, b)
		if kernels.Any(c) || !kernels.All(a, n) {
			t.Fatalf("%d rows, %d: below and at least are not two halves", n, s)
		}
		if n := len(x); n > 0 {
			EqualTo(c, x, x[n-1])
			if at := c[(n-1)/64]; bits.LeadingZeros64(at) != 63-(n-1)%64 {
				t.Fatalf("the last of %d rows is not equal to itself: %b", n, at)
			}
		}
	}
}
