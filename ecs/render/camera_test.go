package render

import (
	"fmt"
	"hash/fnv"
	"image"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs/transform"
)

// cameras returns random cameras of all kinds at random places.
func cameras(r *rand.Rand) (c Camera, place [16]float32) {
	switch r.IntN(4) {
	case 0:
	case 1:
		c.Height = 1 + r.Float32()*100
	case 2:
		c.Height, c.Near, c.Far = 1+r.Float32()*10, -5, 5+r.Float32()*100
	case 3:
		c.FOV, c.Near, c.Far = 0.1+r.Float32()*2.5, float32(r.IntN(2)), 50*float32(1+r.IntN(2))
	}
	if r.IntN(2) == 0 {
		c.X, c.Y, c.W, c.H = 0.5, 0.25, 0.5, 0.5
	}
	l := transform.At(r.Float32()*20-10, r.Float32()*20-10, r.Float32()*20-10)
	q := [4]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
	n := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	l.QX, l.QY, l.QZ, l.QW = float32(q[0]/n), float32(q[1]/n), float32(q[2]/n), float32(q[3]/n)
	l.Scale = 0.5 + r.Float32()
	return c, l.Matrix()
}

// isNear reports whether a and b differ by at most size.
func isNear(a, b, size float64) bool { return math.Abs(a-b) <= size }

// A point is inside of all planes if and only if it is on the screen, between near and
// far.
func TestPlanesAndScreen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const width, height = 640, 360
	in := 0
	for range 4000 {
		c, place := cameras(r)
		port := c.viewport(width, height)
		aspect := float32(port.Dx()) / float32(port.Dy())
		planes, n := c.Planes(&place, aspect)
		p := [3]float32{r.Float32()*60 - 30, r.Float32()*60 - 30, r.Float32()*60 - 30}
		inside, edge := true, false
		for _, q := range planes[:n] {
			d := float64(q.X)*float64(p[0]) + float64(q.Y)*float64(p[1]) + float64(q.Z)*float64(p[2]) + float64(q.D)
			inside = inside && d >= 0
			edge = edge || math.Abs(d) < 1e-4
		}
		x, y, depth, ok := c.ToScreen(&place, width, height, p[0], p[1], p[2])
		onScreen := ok && x >= float32(port.Min.X) && x <= float32(port.Max.X) && y >= float32(port.Min.Y) && y <= float32(port.Max.Y)
		far, close := c.Far, c.Near
		if c.FOV > 0 && close == 0 {
			close = 0.1
		}
		if n == 6 {
			onScreen = onScreen && depth >= close && depth <= far
		}
		if edge {
			continue
		}
		if inside != onScreen {
			t.Fatalf("%+v at %v: point %v is at (%v, %v), %v away: inside of the planes %v is %v", c, place, p, x, y, depth, planes[:n], inside)
		}
		if !ok {
			continue
		}
		if inside {
			in++
		}
		// clip space agrees
		m := c.Matrix(&place, aspect)
		at := func(row int) float64 {
			return float64(m[row])*float64(p[0]) + float64(m[4+row])*float64(p[1]) + float64(m[8+row])*float64(p[2]) + float64(m[12+row])
		}
		u, v, z := at(0)/at(3), at(1)/at(3), at(2)/at(3)
		if wantX, wantY := float64(port.Min.X)+(u+1)/2*float64(port.Dx()), float64(port.Min.Y)+(1-v)/2*float64(port.Dy()); !isNear(wantX, float64(x), 1e-2+1e-4*math.Abs(wantX)) || !isNear(wantY, float64(y), 1e-2+1e-4*math.Abs(wantY)) {
			t.Fatalf("%+v at %v: point %v is at (%v, %v), by the matrix at (%v, %v)", c, place, p, x, y, wantX, wantY)
		}
		if n == 6 && inside && !(z >= -1e-3 && z <= 1+1e-3) || n == 4 && !isNear(z, float64(depth), 1e-3) {
			t.Fatalf("%+v at %v: point %v has z %v at depth %v", c, place, p, z, depth)
		}
		// and back
		wx, wy, wz, ok := c.ToWorld(&place, width, height, x, y, depth)
		size := 1e-3 * (1 + math.Abs(float64(depth)))
		if !ok || !isNear(float64(wx), float64(p[0]), size) || !isNear(float64(wy), float64(p[1]), size) || !isNear(float64(wz), float64(p[2]), size) {
			t.Fatalf("%+v at %v: point %v comes back from the screen as (%v, %v, %v), %v", c, place, p, wx, wy, wz, ok)
		}
	}
	if in < 400 {
		t.Errorf("only %d of 4000 points are seen", in)
	}
}

// The test compares ToScreen with results that were computed by hand.
func TestScreen(t *testing.T) {
	half := Camera{Height: 10, X: 0.5, W: 0.5}
	deep := Camera{FOV: math.Pi / 2, Near: 1, Far: 11}
	for _, c := range []struct {
		camera         Camera
		x, y, z        float32
		sx, sy, depth  float32
		hidden, screen bool
	}{
		{Camera{}, 0, 0, 0, 100, 50, 0, false, true},
		{Camera{}, -2, 1, 7, 0, 0, -7, false, true},
		{half, 5, -5, -3, 200, 100, 3, false, true},
		{half, -5, 5, 0, 100, 0, 0, false, true},
		{deep, 0, 0, -5, 100, 50, 5, false, true},
		{deep, 4, 2, -2, 200, 0, 2, false, true},
		{deep, 0, 0, 5, 0, 0, 0, true, true},
		{deep, 0, 0, 0, 0, 0, 0, true, true},
		{Camera{}, inf, 0, 0, 0, 0, 0, true, true},
		{Camera{X: 2}, 0, 0, 0, 0, 0, 0, true, false},
	} {
		v := &View{Camera: c.camera, Place: unit.M, Width: 200, Height: 100}
		x, y, depth, ok := v.ToScreen(c.x, c.y, c.z)
		if ok == c.hidden || ok && (!isNear(float64(x), float64(c.sx), 1e-4) || !isNear(float64(y), float64(c.sy), 1e-4) || !isNear(float64(depth), float64(c.depth), 1e-6)) {
			t.Errorf("%+v: (%v, %v, %v) is at (%v, %v), %v away, %v; want (%v, %v), %v, %v", c.camera, c.x, c.y, c.z, x, y, depth, ok, c.sx, c.sy, c.depth, !c.hidden)
		}
		wx, wy, wz, ok := v.ToWorld(c.sx, c.sy, c.depth)
		if ok != c.screen || ok && !c.hidden && (!isNear(float64(wx), float64(c.x), 1e-4) || !isNear(float64(wy), float64(c.y), 1e-4) || !isNear(float64(wz), float64(c.z), 1e-4)) {
			t.Errorf("%+v: (%v, %v) is (%v, %v, %v) in the world, %v; want (%v, %v, %v)", c.camera, c.sx, c.sy, wx, wy, wz, ok, c.x, c.y, c.z)
		}
	}
	if _, _, _, ok := (&View{Place: unit.M, Width: 1, Height: 1}).ToWorld(inf, 0, 0); ok {
		t.Error("infinity is in the world")
	}
}

// If several viewports share borders, each pixel belongs to exactly one of them.
func TestViewportBorders(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 100, 1081} {
		for parts := 1; parts <= 7; parts++ {
			at := 0
			for k := range parts {
				c := Camera{X: float32(k) / float32(parts), W: float32(k+1)/float32(parts) - float32(k)/float32(parts)}
				r := c.viewport(n, 5)
				if r.Min.X != at || r.Dy() != 5 {
					t.Errorf("part %d of %d of %d pixels is %v, the one before ends at %d", k, parts, n, r, at)
				}
				at = r.Max.X
			}
			if at != n {
				t.Errorf("%d parts of %d pixels end at %d", parts, n, at)
			}
		}
	}
	if r := (&Camera{X: 0.9, W: -3, H: nan}).viewport(10, 10); !r.Empty() {
		t.Errorf("nothing is %v", r)
	}
	if r := (&Camera{X: -1, W: 4, Y: -0.5, H: 0.75}).viewport(10, 8); r != image.Rect(0, 0, 10, 2) {
		t.Errorf("a part that reaches out is %v", r)
	}
}

// Ids are hashes that files contain, so they must not change.
func TestIds(t *testing.T) {
	for _, name := range []string{"a", "boat", "ein Schiff ⛵", strings.Repeat("x", 1000)} {
		h := fnv.New64a()
		h.Write([]byte(name))
		if want := h.Sum64(); uint64(ShapeNamed(name)) != want || uint64(MaterialNamed(name)) != want || ShapeNamed(name).String() != fmt.Sprintf("%016x", want) {
			t.Errorf("the id of %q is %v, want %x", name, ShapeNamed(name), want)
		}
	}
}

// The names of the enumerations.
func TestNames(t *testing.T) {
	got := fmt.Sprint(Triangles, Lines, Points, Sprite, Kind(9), Opaque, Over, Add, Blend(7), SortDepth, SortY, SortNone, Sort(3), ShapeNamed(""), MaterialNamed(""))
	if want := "Triangles Lines Points Sprite 9 Opaque Over Add 7 SortDepth SortY SortNone 3 0000000000000000 0000000000000000"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
