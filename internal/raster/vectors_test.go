package raster

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// eachPath runs a test on every path of the kernels, because a canvas uses the same path.
func eachPath(t *testing.T, body func(t *testing.T)) {
	defer func(path string) {
		if err := kernels.Use(path); err != nil {
			t.Error(err)
		}
	}(kernels.Path())
	for _, path := range kernels.Paths() {
		if err := kernels.Use(path); err != nil {
			t.Fatal(err)
		}
		t.Run(path, body)
	}
}

// crumbs returns triangles of all shapes, on a picture and around its edges. Their sizes go from
// a sixteenth of a pixel to more than the assembly accepts.
func crumbs(d *random, size image.Point, n int) *List {
	l := &List{}
	for i := range n {
		x, y := d.number(-20, float32(size.X+20)), d.number(-20, float32(size.Y+20))
		wide := []float32{0.3, 2, 6, 13, 27}[d.below(5)]
		high := []float32{0.3, 2, 6, 13, 27}[d.below(5)]
		var v [3]Vertex
		for k := range v {
			v[k] = Vertex{X: x + d.number(-wide, wide)/2, Y: y + d.number(-high, high)/2, Z: float32(d.below(5)), W: 1}
			switch d.below(6) {
			case 0: // samples on the edges
				v[k].X, v[k].Y = float32(math.Round(float64(v[k].X))), float32(math.Round(float64(v[k].Y)))
			case 1: // edges along the rows and columns
				v[k].X = v[0].X
			case 2:
				v[k].Y = v[0].Y
			}
			v[k].Z = v[0].Z
		}
		l.Triangle(&v, &Paint{Color: color.RGBA{uint8(d.next()), uint8(i), uint8(i >> 8), uint8(d.next())}})
	}
	return l
}

// TestVectors checks small triangles against the model on every path, on pictures of every width and
// at their edges.
//
// Conformance: 439
func TestVectors(t *testing.T) {
	pool := jobs.New(jobs.Workers(1))
	defer pool.Close()
	for seed, size := range []image.Point{{1, 40}, {3, 9}, {4, 33}, {7, 40}, {8, 8}, {21, 70}, {66, 21}} {
		d := random(seed + 1)
		lists := []*List{crumbs(&d, size, 40), crumbs(&d, size, 120)}
		rects := []image.Rectangle{image.Rect(0, 0, size.X, size.Y), image.Rect(size.X/3, size.Y/3, size.X, size.Y)}
		for _, rect := range rects {
			want := background(size)
			model(want, rect, lists)
			eachPath(t, func(t *testing.T) {
				var c Canvas
				got := background(size)
				if err := c.Draw(On(pool), got, rect, lists); err != nil {
					t.Fatal(err)
				}
				if at := differs(got, want); at != nil {
					t.Errorf("%v of %v: pixel %v is %v, want %v", rect, size, *at, got.RGBAAt(at.X, at.Y), want.RGBAAt(at.X, at.Y))
				}
			})
		}
	}
}

// TestVectorTakes checks that the three ways to draw a small triangle give the same sums, if
// they accept the triangle. Each of the three ways must accept triangles as large as those of a
// boat.
func TestVectorTakes(t *testing.T) {
	if !vectors() {
		t.Skip("there is no assembly on this path: TestVectors draws with what there is")
	}
	const w, h = 90, 31
	d := random(11)
	var bands [3]band
	for i := range bands {
		bands[i] = band{w: w, h: h, masks: make([]uint8, w), sums: make([]uint64, w*h), summing: true}
	}
	taken, all := 0, 0
	l := crumbs(&d, image.Pt(w, h), 4000)
	c := Canvas{rect: image.Rect(0, 0, w, h)}
	for i := range l.prims {
		p := &l.prims[i]
		if lo, hi := c.reach(p); lo == hi {
			continue // in no band
		}
		for k := range bands {
			bands[k].x = i % 3 * 1000
			clear(bands[k].sums)
		}
		for k := range p.x {
			p.x[k] += int32(subs * bands[0].x)
		}
		all++
		if !bands[0].vector(p) {
			reach := max(p.x[0], p.x[1], p.x[2]) - min(p.x[0], p.x[1], p.x[2]) + max(p.y[0], p.y[1], p.y[2]) - min(p.y[0], p.y[1], p.y[2])
			if reach < 18*subs {
				t.Fatalf("%+v is small and not taken", *p)
			}
			continue
		}
		taken++
		bands[1].drawRows(p, nil)
		same(t, p, &bands[0], &bands[1])
		if bands[2].drawTiny(p) {
			same(t, p, &bands[0], &bands[2])
		}
	}
	if taken < all/2 {
		t.Errorf("%d of %d are taken", taken, all)
	}
}

func same(t *testing.T, p *prim, a, b *band) {
	t.Helper()
	for i := range a.sums {
		if a.sums[i] != b.sums[i] {
			t.Fatalf("%+v: column %d, row %d: %s, want %s", *p, i%a.w, i/a.w, fmt.Sprintf("%016x", a.sums[i]), fmt.Sprintf("%016x", b.sums[i]))
		}
	}
}
