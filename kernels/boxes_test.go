package kernels

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// These tests compare the results of the kernels on boxes with results that are computed in exact numbers. For lanes of small
// integers, kernels compute without rounding, so a box that touches a plane touches it exactly. With
// other numbers, a result near a plane may be wrong by the rounding of six products and sums.

func whole[T Float](r *rand.Rand) T { return T(r.IntN(41) - 20) }

func randomBoxes[T Float](r *rand.Rand, n int, number func(*rand.Rand) T) *Boxes[T] {
	b := new(Boxes[T])
	for k := range boxesLanes(b) {
		lane := make([]T, n)
		for i := range lane {
			lane[i] = number(r)
			if k >= 3 {
				lane[i] = magnitude(lane[i])
			}
		}
		boxesLanes(b)[k] = lane
	}
	return b
}

// reach returns the largest value of X*x + Y*y + Z*z + D of plane p for a point of box i, computed
// exactly, and the sum of the magnitudes of the four terms.
func reach[T Float](b *Boxes[T], i int, p Plane[T]) (top, size *big.Rat) {
	top, size = new(big.Rat), new(big.Rat)
	add := func(x, y T, positive bool) {
		product := new(big.Rat).Mul(rational(x), rational(y))
		size.Add(size, new(big.Rat).Abs(product))
		if positive {
			product.Abs(product)
		}
		top.Add(top, product)
	}
	add(p.X, b.X[i], false)
	add(p.Y, b.Y[i], false)
	add(p.Z, b.Z[i], false)
	add(p.X, b.HX[i], true)
	add(p.Y, b.HY[i], true)
	add(p.Z, b.HZ[i], true)
	add(p.D, 1, false)
	return top, size
}

func rational[T Float](x T) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }

// TestInPlanesAgainstGeometry checks that InPlanes keeps every box that touches the inner sides of all
// planes. A lost box would make an entity vanish at the border of the screen.
func TestInPlanesAgainstGeometry(t *testing.T) {
	t.Run("type=f32", testGeometry[float32])
	t.Run("type=f64", testGeometry[float64])
}

func testGeometry[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	epsilon := new(big.Rat).SetFloat64(0x1p-20)
	if !single[T]() {
		epsilon.SetFloat64(0x1p-49)
	}
	touching, inside := 0, 0
	for round := range max(samples(72), 18) { // with fewer rounds no box touches a plane
		const n = 67
		number := whole[T]
		if round%2 == 1 {
			number = func(r *rand.Rand) T { return T(r.Float64()*40 - 20) }
		}
		b := randomBoxes(r, n, number)
		planes := make([]Plane[T], round%(MaxPlanes+1))
		for k := range planes {
			planes[k] = Plane[T]{number(r), number(r), number(r), 6 * number(r)}
		}
		mask := make([]uint64, MaskLen(n))
		b.InPlanes(mask, planes)
		if mask[1]>>(n-64) != 0 {
			t.Fatalf("bits beyond the last row: %x", mask[1])
		}
		for i := range n {
			want, sure := true, true
			for _, p := range planes {
				top, size := reach(b, i, p)
				if round%2 == 0 && top.Sign() == 0 {
					touching++
				}
				if round%2 == 1 && new(big.Rat).Abs(top).Cmp(size.Mul(size, epsilon)) <= 0 {
					sure = false
				}
				want = want && top.Sign() >= 0
			}
			got := mask[i/64]>>(i%64)&1 != 0
			if got != want && sure {
				t.Fatalf("round %d, box %d: inside is %v, want %v", round, i, got, want)
			}
			if got && len(planes) > 0 {
				inside++
			}
		}
	}
	if touching == 0 || inside == 0 {
		t.Errorf("%d boxes touch, %d are inside: the cases prove little", touching, inside)
	}
}

// TestUnionHolds checks that the union contains each box exactly and is hardly larger than necessary.
func TestUnionHolds(t *testing.T) {
	t.Run("type=f32", testUnionHolds[float32])
	t.Run("type=f64", testUnionHolds[float64])
}

func testUnionHolds[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	slack := 0x1p-19
	if !single[T]() {
		slack = 0x1p-48
	}
	for round := range samples(300) {
		n := 1 + r.IntN(400) // the body for AVX-512 needs 300 rows
		scale := math.Ldexp(1, r.IntN(60)-30)
		b := randomBoxes(r, n, func(r *rand.Rand) T { return T((r.Float64()*2 - 1) * scale) })
		if round%3 == 0 { // far from the origin
			Fill(b.X, T(1e6))
		}
		mask := make([]uint64, MaskLen(n))
		for i := range mask {
			mask[i] = maskWord(r)
		}
		for i := range n {
			if r.IntN(9) == 0 {
				b.HY[i] = -b.HY[i] - 1
			}
		}
		u := b.Union(mask)
		counted, far := 0, 0.0
		for i := range n {
			if mask[i/64]>>(i%64)&1 == 0 || b.HY[i] < 0 {
				continue
			}
			counted++
			for _, a := range [][4]T{{b.X[i], b.HX[i], u.X, u.HX}, {b.Y[i], b.HY[i], u.Y, u.HY}, {b.Z[i], b.HZ[i], u.Z, u.HZ}} {
				lo, hi := new(big.Rat).Sub(rational(a[0]), rational(a[1])), new(big.Rat).Add(rational(a[0]), rational(a[1]))
				from, to := new(big.Rat).Sub(rational(a[2]), rational(a[3])), new(big.Rat).Add(rational(a[2]), rational(a[3]))
				if lo.Cmp(from) < 0 || hi.Cmp(to) > 0 {
					t.Fatalf("round %d, box %d of %d: [%v, %v] is not in [%v, %v]", round, i, n, lo, hi, from, to)
				}
			}
			far = max(far, math.Abs(float64(b.X[i]))+float64(b.HX[i]))
		}
		if counted == 0 {
			if u != (Box[T]{HX: -1, HY: -1, HZ: -1}) {
				t.Fatalf("round %d: the box around nothing is %v", round, u)
			}
			continue
		}
		tight := math.Inf(-1)
		for i := range n {
			if mask[i/64]>>(i%64)&1 != 0 && b.HY[i] >= 0 {
				tight = max(tight, float64(b.X[i])+float64(b.HX[i]))
			}
		}
		if over := float64(u.X) + float64(u.HX) - tight; over > far*slack {
			t.Fatalf("round %d: the box reaches %v beyond the last, of %v", round, over, far)
		}
	}
}

// TestUnionOfOddBoxes checks boxes with unusual bounds, such as NaN, infinities and negative sizes.
func TestUnionOfOddBoxes(t *testing.T) {
	t.Run("type=f32", testUnionOfOddBoxes[float32])
	t.Run("type=f64", testUnionOfOddBoxes[float64])
}

func testUnionOfOddBoxes[T Float](t *testing.T) {
	inf, nan, most := T(math.Inf(1)), T(math.NaN()), T(math.MaxFloat32)
	if !single[T]() {
		x := math.MaxFloat64
		most = T(x)
	}
	everything := Box[T]{HX: inf, HY: inf, HZ: inf}
	none := Box[T]{HX: -1, HY: -1, HZ: -1}
	unit := func(x, h T) Box[T] { return Box[T]{x, x, x, h, h, h} }
	for _, c := range []struct {
		name  string
		boxes []Box[T]
		want  Box[T]
	}{
		{"none", nil, none},
		{"empty", []Box[T]{unit(1, -1)}, none},
		{"empty on one axis", []Box[T]{{1, 1, 1, 2, -0.5, 2}}, none},
		{"half size NaN", []Box[T]{{1, 1, 1, 2, nan, 2}}, none},
		{"middle NaN", []Box[T]{{1, nan, 1, 2, 2, 2}}, none},
		{"infinite", []Box[T]{unit(3, inf), unit(1, 1)}, everything},
		{"infinitely far", []Box[T]{unit(inf, 1), unit(1, 1)}, everything},
		{"overflow", []Box[T]{unit(most, most)}, everything},
		{"a point at -0", []Box[T]{unit(T(math.Copysign(0, -1)), 0)}, Box[T]{}},
	} {
		eachPathOf(func(path string) {
			var b Boxes[T]
			for round := 0; b.Len() < 330; round++ { // AVX-512 runs from 300 rows on, and AVX2 from 24 on
				for _, v := range c.boxes {
					for k, x := range [6]T{v.X, v.Y, v.Z, v.HX, v.HY, v.HZ} {
						boxesLanes(&b)[k] = append(boxesLanes(&b)[k], x)
					}
				}
				if round%7 == 0 {
					got := b.Union(nil)
					if got != c.want || math.Signbit(float64(got.X)) {
						t.Errorf("path=%s %s × %d: %v, want %v", path, c.name, b.Len(), got, c.want)
					}
				}
				if len(c.boxes) == 0 {
					break
				}
			}
		})
	}
}

// TestSpheresInPlanes checks that the length of a plane's normal scales the radius, and that a sphere
// that touches the plane is inside.
func TestSpheresInPlanes(t *testing.T) {
	s := Spheres[float64]{X: []float64{0, -2, -2.5, 5}, Y: []float64{0, 0, 0, 0}, Z: []float64{0, 0, 0, 0}, R: []float64{1, 1, 1, math.NaN()}}
	mask := make([]uint64, 1)
	for _, scale := range []float64{1, 2, 1024} {
		s.InPlanes(mask, []Plane[float64]{{X: 3 * scale, Y: 4 * scale, D: 1 * scale}})
		if mask[0] != 0b0011 { // at 0: 1; at -2: -6+1 against 5; at -2.5: -7.5+1 against 5
			t.Errorf("scale %v: mask is %b", scale, mask[0])
		}
	}
	s.InPlanes(mask, nil)
	if mask[0] != 0b1111 {
		t.Errorf("without planes: mask is %b", mask[0])
	}
}

// TestInPlanesOfAnyNumber compares the paths for numbers of planes from zero to MaxPlanes.
func TestInPlanesOfAnyNumber(t *testing.T) {
	t.Run("type=f32", testPlanes[float32])
	t.Run("type=f64", testPlanes[float64])
}

func testPlanes[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 140 {
		b := randomBoxes(r, n, whole[T])
		s := Spheres[T]{b.X, b.Y, b.Z, b.HX}
		planes := make([]Plane[T], MaxPlanes)
		for k := range planes {
			planes[k] = Plane[T]{whole[T](r), whole[T](r), whole[T](r), 30 * magnitude(whole[T](r))}
		}
		want, got := make([]uint64, MaskLen(n)), make([]uint64, MaskLen(n))
		for k := range MaxPlanes + 1 {
			for _, inPlanes := range []func([]uint64, []Plane[T]){b.InPlanes, s.InPlanes} {
				before := Path()
				use("generic")
				inPlanes(want, planes[:k])
				use(before)
				eachPathOf(func(path string) {
					inPlanes(got, planes[:k])
					if !slices.Equal(got, want) {
						t.Fatalf("path=%s n=%d planes=%d: %x, want %x", path, n, k, got, want)
					}
				})
			}
		}
	}
}

// BenchmarkUnion runs the paths with the numbers of rows at which choose_amd64.go changes to AVX2 and to AVX-512, and with a few
// larger numbers.
func BenchmarkUnion(b *testing.B) {
	benchUnion[float32](b, "f32", 24, 304, 400)
	benchUnion[float64](b, "f64", 20, 96)
}

func benchUnion[T Float](b *testing.B, typ string, rows ...int) {
	for _, n := range rows {
		boxes := randomBoxes(rand.New(rand.NewPCG(9, 10)), n, whole[T])
		eachPathOf(func(path string) {
			b.Run(fmt.Sprintf("type=%s/rows=%d/path=%s", typ, n, path), func(b *testing.B) {
				for b.Loop() {
					boxes.Union(nil)
				}
			})
		})
	}
}
