package render

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Keys order rows from far to near, for all numbers, and keep the order of equally far rows.
func TestKeys(t *testing.T) {
	order := []float32{inf, math.MaxFloat32, 2, 1, math.SmallestNonzeroFloat32, 0, -math.SmallestNonzeroFloat32, -1, -inf}
	for i := range order[1:] {
		if !(sortKey(order[i], 7, 9) < sortKey(order[i+1], 0, 0)) {
			t.Errorf("%v does not come before %v", order[i], order[i+1])
		}
	}
	minus := float32(math.Copysign(0, -1))
	if sortKey(0, 1, 2) != sortKey(minus, 1, 2) || sortKey(nan, 1, 2) != sortKey(-nan, 1, 2) || sortKey(nan, 0, 0) < sortKey(-inf, 1, 1) {
		t.Error("0 and -0, or kinds of NaN, have different keys")
	}
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 2, 3, 255, 5000} {
		for _, spread := range []int{1, 3, 1 << 30} {
			s := &sortedRows{keyBuffer: make([]uint64, n)}
			for i := range n {
				s.keys = append(s.keys, sortKey(float32(r.IntN(spread))*float32(r.NormFloat64()), i>>5, i&31))
			}
			want := slices.Clone(s.keys)
			slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(a>>32, b>>32) })
			if s.radixSort(); !equal(s.keys, want) {
				t.Errorf("%d keys are not in order", n)
			}
		}
	}
}

// Shapes that are not opaque are drawn after the opaque shapes of their layer, from back to front
// or from top to bottom, no matter which looks they have. Shapes that are equal in this order are
// drawn in the order of chunks and rows.
func TestSortedLooks(t *testing.T) {
	s := newStage(t)
	s.assets.Material(Material{Name: "light", Blend: Add})
	look := func(material string, layer int32) Look {
		return Look{Shape: square.Shape, Material: MaterialNamed(material), Layer: layer}
	}
	spawn := func(l Look, x, y, z float32) ecs.Entity {
		return s.w.Spawn(l, transform.At(x, y, z), transform.LocalToWorld{})
	}
	a := spawn(look("glass", 0), 0, 3, -5)
	b := spawn(look("light", 0), 0, 1, -7)
	c := spawn(look("glass", 0), 0, 2, -9)
	d := spawn(look("glass", 0), 1, 2, -9)
	e := spawn(look("red", 0), 0, 0, -1)
	f := spawn(look("glass", 0), 0, -4, -7)
	g := spawn(look("red", 1), 0, 0, -20)
	h := spawn(look("light", 1), 0, 9, -20)
	s.w.Spawn(Camera{Height: 40})
	s.w.Spawn(Camera{FOV: 2.5, Far: 100, Order: 1})
	s.w.Spawn(Camera{Height: 40, Sort: SortY, Order: 2})
	s.w.Spawn(Camera{Height: 40, Sort: SortNone, Order: 3})
	s.w.Spawn(Camera{Height: 40, Sort: SortY, Order: 4}, transform.LocalTransform{Scale: 1, QZ: 1}, transform.LocalToWorld{})
	s.frame()
	byDepth := []ecs.Entity{e, c, d, f, b, a, g, h}
	if n := len(s.pen.seen[0]); n != 8 {
		t.Fatalf("%d are seen", n)
	}
	glassFirst := []ecs.Entity{e, a, c, d, f, b, g, h}
	if MaterialNamed("light") < MaterialNamed("glass") {
		glassFirst = []ecs.Entity{e, b, a, c, d, f, g, h}
	}
	for k, want := range [][]ecs.Entity{byDepth, byDepth, {e, a, c, d, b, f, g, h}, glassFirst, {e, f, b, c, d, a, g, h}} {
		got := slices.Clone(s.pen.seen[k])
		for _, pair := range [][2]ecs.Entity{{c, d}, {f, b}} { // of equal depth: in the order of chunks, which depends on the looks
			i, j := slices.Index(got, pair[0]), slices.Index(got, pair[1])
			if i == j+1 && (k == 0 || k == 1) {
				got[i], got[j] = got[j], got[i]
			}
		}
		if !equal(got, want) {
			t.Errorf("camera %d draws %v, want %v", k, got, want)
		}
	}
	v := ViewsOf(s.w)[0]
	if n := len(v.Batches); n < 5 || v.Batches[1].Material.Name != "glass" {
		t.Errorf("%d batches", n)
	}
	s.compare("sorted")
}
