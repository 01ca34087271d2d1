package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// someLengths are lengths around each limit of the loops: short loops, vectors, blocks of 256 bytes,
// blocks of differences, and pieces.
var someLengths = []int{0, 1, 2, 3, 15, 16, 17, 24, 25, 31, 32, 33, 48, 49, 63, 64, 65, 127, 128, 129, 300, 1000, piece, piece + 5}

// TestNormsAreSums checks that norms, distances and moments have exactly the bits of the formulas
// with Sum and Dot in their comments.
func TestNormsAreSums(t *testing.T) {
	testEach(t, testNormsAreSums[float32], testNormsAreSums[float64])
}

func testNormsAreSums[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(45, 2))
	for _, n := range someLengths {
		x, y := make([]T, n), make([]T, n)
		fillNumbers(x, r, false)
		fillNumbers(y, r, false)
		d, e := make([]T, n), make([]T, n)
		same := func(name string, got, want T) {
			if got == got || want == want {
				if bitsOf(got) != bitsOf(want) {
					t.Errorf("%s of %d rows is %v, want %v", name, n, got, want)
				}
			}
		}
		Abs(d, x)
		same("Norm1", Norm1(x), Sum(d))
		same("NormInf", NormInf(x), max(0, zeroIfNaN(Max(d))))
		same("NormScaled", NormScaled(x), Norm(x))
		Sub(d, x, y)
		same("Distance", Distance(x, y), Norm(d))
		Abs(d, d)
		same("Distance1", Distance1(x, y), Sum(d))
		same("DistanceInf", DistanceInf(x, y), max(0, zeroIfNaN(Max(d))))

		rows, xm, ym := T(n), Sum(x)/T(n), Sum(y)/T(n)
		for i := range x {
			d[i], e[i] = x[i]-xm, y[i]-ym
		}
		xs, ys := Sum(d), Sum(e)
		xx, yy, xy := Dot(d, d)-T(xs*xs)/rows, Dot(e, e)-T(ys*ys)/rows, Dot(d, e)-T(xs*ys)/rows
		mean, std := MeanStdDev(x)
		root := T(math.Sqrt(float64(xx / (rows - 1))))
		same("Mean", Mean(x), xm)
		same("the mean of MeanStdDev", mean, xm)
		same("Variance", Variance(x), xx/(rows-1))
		same("StdDev", StdDev(x), root)
		same("the deviation of MeanStdDev", std, root)
		same("Covariance", Covariance(x, y), xy/(rows-1))
		same("Correlation", Correlation(x, y), max(-1, min(1, xy/T(T(math.Sqrt(float64(xx)))*T(math.Sqrt(float64(yy)))))))
	}
}

func zeroIfNaN[T Float](x T) T {
	if x != x {
		return 0
	}
	return x
}

// TestNormScaled compares lengths of numbers from the smallest to the largest with exact arithmetic.
func TestNormScaled(t *testing.T) { testEach(t, testNormScaled[float32], testNormScaled[float64]) }

func testNormScaled[T Float](t *testing.T) {
	least, most, bits := -149, 127, 24
	if !single[T]() {
		least, most, bits = -1074, 1023, 53
	}
	r := rand.New(rand.NewPCG(45, 3))
	for _, n := range []int{1, 2, 7, 65, 300} {
		for e := least; e <= most; e += 3 {
			x, zero := make([]T, n), make([]T, n)
			var sum big.Float
			sum.SetPrec(5000)
			for i := range x {
				x[i] = T(math.Ldexp(r.Float64()*2-1, max(least, e-r.IntN(3))))
				v := new(big.Float).SetPrec(5000).SetFloat64(float64(x[i]))
				sum.Add(&sum, v.Mul(v, v))
			}
			want, _ := new(big.Float).SetPrec(200).Sqrt(&sum).Float64()
			largest := float64(hugest[T]())
			for name, got := range map[string]T{"NormScaled": NormScaled(x), "Distance": Distance(x, zero)} {
				if want > largest/(1+1e-6) { // the result may round to either side
					continue
				}
				if diff := math.Abs(float64(got) - want); diff > want*math.Ldexp(16, -bits) && diff > math.Ldexp(1, least) {
					t.Fatalf("%s of %d numbers below 2^%d is %v, want %v", name, n, e, got, want)
				}
			}
		}
	}
}

// TestNormsOfSpecials checks the rules for NaN, infinities, zeros and differences that overflow, at each
// row and on each path.
func TestNormsOfSpecials(t *testing.T) {
	testEach(t, testNormsOfSpecials[float32], testNormsOfSpecials[float64])
}

func testNormsOfSpecials[T Float](t *testing.T) {
	inf, nan, huge := T(math.Inf(1)), T(math.NaN()), hugest[T]()
	for _, n := range []int{1, 2, 16, 25, 64, 200} {
		for at := 0; at < n; at += 1 + n/9 {
			for _, c := range []struct {
				x, y, length, sum T
			}{
				{nan, 1, nan, nan}, {inf, 1, inf, inf}, {-inf, 1, inf, inf}, {inf, inf, nan, nan}, {0, -inf, inf, inf},
				{huge, -huge, inf, inf}, {3, 7, 4, 4}, {T(math.Copysign(0, -1)), 0, 0, 0},
			} {
				x, y := make([]T, n), make([]T, n)
				x[at], y[at] = c.x, c.y
				for name, got := range map[string]T{"Distance": Distance(x, y), "DistanceInf": DistanceInf(x, y), "Distance1": Distance1(x, y)} {
					if err := sameBits([]T{got}, []T{c.length}); err != nil {
						t.Errorf("%s of %v and %v at row %d of %d: %v", name, c.x, c.y, at, n, err)
					}
				}
				want := T(math.Abs(float64(c.x)))
				for name, got := range map[string]T{"NormScaled": NormScaled(x), "NormInf": NormInf(x), "Norm1": Norm1(x)} {
					if err := sameBits([]T{got}, []T{want}); err != nil {
						t.Errorf("%s of %v at row %d of %d: %v", name, c.x, at, n, err)
					}
				}
			}
			x := make([]T, n)
			x[at] = inf
			if m := Mean(x); m != inf {
				t.Errorf("the mean with an infinity is %v", m)
			}
			for name, got := range map[string]T{"Variance": Variance(x), "Covariance": Covariance(x, make([]T, n)), "Correlation": Correlation(make([]T, n), x)} {
				if got == got {
					t.Errorf("%s with an infinity at row %d of %d is %v, want NaN", name, at, n, got)
				}
			}
		}
	}
}
