package render

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/kernels"
)

// scatter makes boxes with numbers of one magnitude, some of them empty.
func scatter(r *rand.Rand, n int) kernels.Boxes[float32] {
	size := float32(math.Ldexp(1, r.IntN(80)-40))
	lane := func(offset, spread float32) []float32 {
		l := make([]float32, n)
		for i := range l {
			l[i] = offset + (r.Float32()*2-1)*spread
		}
		return l
	}
	offset := func() float32 { return (r.Float32()*2 - 1) * size * float32(r.IntN(2)) }
	spread := size / float32(int(1)<<r.IntN(12))
	b := kernels.Boxes[float32]{X: lane(offset(), spread), Y: lane(offset(), spread), Z: lane(offset(), spread)}
	for _, l := range []*[]float32{&b.HX, &b.HY, &b.HZ} {
		*l = lane(0, spread/8)
		for i := range *l {
			(*l)[i] = abs((*l)[i])
			if r.IntN(3) == 0 {
				(*l)[i] = 0
			}
		}
	}
	if r.IntN(4) == 0 {
		k := r.IntN(n)
		b.HX[k], b.HY[k], b.HZ[k] = -1, -1, -1
	}
	return b
}

// graze creates a plane that touches one of the boxes, as closely as rounding allows.
func graze(r *rand.Rand, b *kernels.Boxes[float32]) kernels.Plane[float32] {
	n := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
	switch r.IntN(3) {
	case 0:
		n[r.IntN(3)] = 0
	case 1:
		n = [3]float64{}
		n[r.IntN(3)] = 1 - 2*float64(r.IntN(2))
	}
	p := scaledPlane([4]float64{n[0], n[1], n[2]})
	if p.X != p.X {
		return kernels.Plane[float32]{X: 1}
	}
	reach := func(i int, side float32) float32 {
		d := (float32(p.X*b.X[i]) + float32(p.Y*b.Y[i])) + float32(p.Z*b.Z[i])
		return d + float32(side*((float32(abs(p.X)*b.HX[i])+float32(abs(p.Y)*b.HY[i]))+float32(abs(p.Z)*b.HZ[i])))
	}
	side := float32(1 - 2*r.IntN(2)) // it touches the farthest box from outside or from inside, or any box
	far := reach(0, side)
	for i := range b.X {
		if v := reach(i, side); side*(v-far) > 0 {
			far = v
		}
	}
	if r.IntN(8) == 0 {
		far = reach(r.IntN(b.Len()), side)
	}
	p.D = -far
	if r.IntN(2) == 0 { // beside it, by about the margin
		p.D -= side * far0(p, b) * r.Float32() * float32(int(1)<<r.IntN(20)) * 0x1p-24
	}
	for range r.IntN(4) {
		p.D = math.Nextafter32(p.D, float32(math.Inf(1-2*r.IntN(2))))
	}
	return p
}

// far0 returns the sum of |p.D| and the largest product of p and b, as a scale for rounding errors.
func far0(p kernels.Plane[float32], b *kernels.Boxes[float32]) (size float32) {
	for i := range b.X {
		size = max(size, abs(p.X*b.X[i]), abs(p.Y*b.Y[i]), abs(p.Z*b.Z[i]))
	}
	return size + abs(p.D)
}

// tightBox returns the smallest box that contains all given boxes, as far as rounding allows, without a
// margin.
func tightBox(x, h []float32) (middle, size float32) {
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	for i := range x {
		if h[i] >= 0 {
			lo, hi = min(lo, x[i]-h[i]), max(hi, x[i]+h[i])
		}
	}
	return (lo + hi) / 2, (hi - lo) / 2
}

// The test of a chunk's box must always agree with the tests of its rows, however close a plane is to
// the box. Without the margin, the tests would sometimes disagree.
//
// Conformance: 414
func TestChunkFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	rounds := 20_000
	if checked {
		rounds /= 4
	}
	if *full {
		rounds *= 20
	}
	var cut, outside, within, lost int
	for range rounds {
		n := 1 + r.IntN(70)
		b := scatter(r, n)
		planes := [6]kernels.Plane[float32]{}
		k := 1 + r.IntN(2+4*r.IntN(2))
		for i := range k {
			planes[i] = graze(r, &b)
		}
		w := frustumOf(planes, k)
		box := b.Union(nil)
		rows, own := make([]uint64, kernels.MaskLen(n)), make([]uint64, kernels.MaskLen(n))
		b.InPlanes(rows, planes[:k])
		kernels.AtLeast(own, b.HX, 0)
		all := true
		for i := range rows {
			rows[i] &= own[i]
			all = all && rows[i] == own[i]
		}

		e := &cameraView{scene: &scene{}, frustum: w, visibleCounts: make([]int32, 1), visibleMasks: make([]uint64, 3)}
		s := &e.scene.slots
		s.scene, s.list, s.drawableRows = e.scene, make([]slot, 1), own
		for _, l := range []*[]float32{&s.chunkBoxes.X, &s.chunkBoxes.Y, &s.chunkBoxes.Z, &s.chunkBoxes.HX, &s.chunkBoxes.HY, &s.chunkBoxes.HZ, &s.innerBoxes.HX, &s.innerBoxes.HY, &s.innerBoxes.HZ} {
			*l = make([]float32, 1)
		}
		s.innerBoxes.X, s.innerBoxes.Y, s.innerBoxes.Z = s.chunkBoxes.X, s.chunkBoxes.Y, s.chunkBoxes.Z
		s.setChunkBox(0, ChunkBounds(box))
		var out, in [1]uint64
		s.chunkBoxes.InPlanes(out[:], w.outerPlanes[:k])
		s.innerBoxes.InPlanes(in[:], w.innerPlanes[:k])
		switch {
		case out[0] == 0:
			outside++
			if kernels.Any(rows) {
				t.Fatalf("planes %v: the chunk's box %v is outside, rows %b of %v are not", planes[:k], box, rows, b)
			}
		case in[0] != 0:
			within++
			if !all {
				t.Fatalf("planes %v: the chunk's box %v is inside, of the rows of %v only %b are, of %b", planes[:k], box, b, rows, own)
			}
		default:
			cut++
		}
		one := kernels.Boxes[float32]{X: make([]float32, 1), Y: make([]float32, 1), Z: make([]float32, 1), HX: make([]float32, 1), HY: make([]float32, 1), HZ: make([]float32, 1)}
		one.X[0], one.HX[0] = tightBox(b.X, b.HX)
		one.Y[0], one.HY[0] = tightBox(b.Y, b.HY)
		one.Z[0], one.HZ[0] = tightBox(b.Z, b.HZ)
		one.InPlanes(out[:], planes[:k])
		one.HX[0], one.HY[0], one.HZ[0] = -one.HX[0], -one.HY[0], -one.HZ[0]
		one.InPlanes(in[:], planes[:k])
		if out[0] == 0 && kernels.Any(rows) || in[0] != 0 && !all {
			lost++
		}
	}
	if outside < rounds/50 || within < rounds/200 || cut < rounds/20 || lost == 0 {
		t.Errorf("of %d chunks %d were outside, %d inside, %d cut, and %d would have been wrong without the margin: too few of one kind", rounds, outside, within, cut, lost)
	}
	t.Logf("%d outside, %d inside, %d cut; %d wrong without the margin", outside, within, cut, lost)
}

// The kernel gives the same answer about a box as exact geometry, except where the difference is
// smaller than the rounding errors. If a box reaches across a plane by more than the rounding
// errors, it is visible. If a box is outside of the plane by more than the rounding errors, it
// is not visible. If all sums are exact, the answer is always the same as that of exact
// geometry.
//
// Conformance: 404
func TestRational(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	exact := func(v float32) *big.Rat { x := new(big.Rat); x.SetFloat64(float64(v)); return x }
	rounds := 3000
	if *full {
		rounds *= 100
	}
	touching := 0
	for round := range rounds {
		b := scatter(r, 1)
		b.HX[0], b.HY[0], b.HZ[0] = abs(b.HX[0]), abs(b.HY[0]), abs(b.HZ[0])
		p := graze(r, &b)
		whole := round%2 == 0
		if whole { // numbers whose sums are all exact
			num := func() float32 { return float32(r.IntN(65)-32) / 8 }
			b.X[0], b.Y[0], b.Z[0], b.HX[0], b.HY[0], b.HZ[0] = num(), num(), num(), abs(num()), abs(num()), abs(num())
			p = kernels.Plane[float32]{X: 1, Y: num() / 4, Z: num() / 4}
			p.D = -(p.X*b.X[0] + p.Y*b.Y[0] + p.Z*b.Z[0]) - (abs(p.X)*b.HX[0] + abs(p.Y)*b.HY[0] + abs(p.Z)*b.HZ[0])
			p.D += float32(r.IntN(3)-1) / 256
		}
		var mask [1]uint64
		b.InPlanes(mask[:], []kernels.Plane[float32]{p})
		sum, size := exact(p.D), exact(abs(p.D))
		for _, term := range [][3]float32{{p.X, b.X[0], b.HX[0]}, {p.Y, b.Y[0], b.HY[0]}, {p.Z, b.Z[0], b.HZ[0]}} {
			n, x, h := exact(term[0]), exact(term[1]), exact(term[2])
			a := new(big.Rat).Abs(n)
			sum.Add(sum, new(big.Rat).Mul(n, x)).Add(sum, new(big.Rat).Mul(a, h))
			size.Add(size, new(big.Rat).Mul(a, new(big.Rat).Add(new(big.Rat).Abs(x), h)))
		}
		bound := size.Mul(size, big.NewRat(6, 1<<24))
		bound.Add(bound, exact(smallestNormal))
		if whole {
			bound = new(big.Rat)
		}
		if sum.Sign() == 0 {
			touching++
		}
		seen := mask[0] != 0
		if sum.Cmp(bound) >= 0 && !seen || sum.Cmp(bound.Neg(bound)) < 0 && seen {
			t.Fatalf("box %+v and plane %+v: seen is %v, the exact sum %v", b, p, seen, sum.FloatString(20))
		}
	}
	if touching < rounds/10 {
		t.Errorf("only %d of %d boxes touch their plane", touching, rounds)
	}
}
