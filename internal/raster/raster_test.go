package raster

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

// These flags select the kinds of primitives with which the function scene fills lists.
const (
	blended = 1 << iota
	mapped
	sloped
	large
	solidOnly = 0
)

func scene(seed uint64, size image.Point, n, flags int) []*List {
	d := random(seed)
	tex := &Texture{Image: checkers(), Part: image.Rect(2, 1, 13, 15)}
	smooth := &Texture{Image: tex.Image, Part: image.Rect(0, 0, 16, 16), Smooth: true}
	lists := []*List{{}, {}, {Near: 0.1}}
	w, h := float32(size.X), float32(size.Y)
	for i := range n {
		l := lists[i*len(lists)/n]
		p := &Paint{Color: d.color()}
		reach := float32(12)
		if flags&large != 0 && d.below(4) == 0 {
			reach = []float32{60, 300, 1e4, 1e7, 1e30}[d.below(5)]
		}
		x, y, z := d.number(-20, w+20), d.number(-20, h+20), float32(d.below(6))
		var v [3]Vertex
		for k := range v {
			v[k] = Vertex{X: x + d.number(-reach, reach), Y: y + d.number(-reach, reach), Z: z, W: 1, U: d.number(-2, 18), V: d.number(-2, 18)}
			if flags&sloped != 0 {
				v[k].Z += d.number(-1, 1)
				if d.below(3) == 0 {
					s := d.number(-0.2, 2)
					v[k] = Vertex{v[k].X * s, v[k].Y * s, v[k].Z * s, s, v[k].U * s, v[k].V * s}
				}
			}
			if d.below(3) == 0 { // whole numbers, so that samples are on the edges
				v[k].X, v[k].Y = float32(math.Round(float64(v[k].X))), float32(math.Round(float64(v[k].Y)))
			}
		}
		if flags&blended != 0 && d.below(2) == 0 {
			p.Blend = Blend(1 + d.below(2))
		}
		if flags&mapped != 0 {
			p.Texture = []*Texture{nil, tex, smooth}[d.below(3)]
			if d.below(3) == 0 {
				p.Corners = &[3]color.RGBA{d.color(), d.color(), d.color()}
			}
		}
		switch d.below(6) {
		case 0:
			l.Line((*[2]Vertex)(v[:2]), d.number(0.2, 9), &Paint{Color: p.Color, Blend: p.Blend})
		case 1:
			l.Point(&v[0], d.number(0.2, 2*min(reach, 50)), p)
		default:
			l.Triangle(&v, p)
		}
	}
	return lists
}

func (r *random) color() color.RGBA {
	a := r.below(4) * 85
	at := func() uint8 { return uint8(r.below(a + 1)) }
	return color.RGBA{at(), at(), at(), uint8(a)}
}

func checkers() *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, 16, 16))
	d := random(9)
	for i := 0; i < len(m.Pix); i += 4 {
		c := d.color()
		copy(m.Pix[i:], []uint8{c.R, c.G, c.B, c.A})
	}
	return m
}

func background(size image.Point) *image.RGBA {
	m := image.NewRGBA(image.Rectangle{Max: size})
	for i := range m.Pix {
		m.Pix[i] = uint8(i*7%32 + 8)
	}
	return m
}

// kinds maps the names of scenes to flags. Some scenes have only solid bands.
var kinds = map[string]int{
	"solid": solidOnly, "solid large": large, "blended": blended, "mapped": mapped, "sloped": sloped, "all": blended | mapped | sloped | large,
}

// TestModel checks that the picture is equal to the picture that the model draws, for every number of
// workers. Pixels outside the rectangle must not change.
//
// Conformance: 439
func TestModel(t *testing.T) {
	for name, flags := range kinds {
		for seed, size := range []image.Point{{40, 30}, {75, 70}, {130, 33}, {1, 100}} {
			lists := scene(uint64(seed+1), size, 90, flags)
			rect := image.Rect(size.X/9, size.Y/7, size.X, size.Y-size.Y/10)
			want := background(size)
			model(want, rect, lists)
			for _, workers := range []int{1, 2, 3, 8, 64} {
				pool := jobs.New(jobs.Workers(workers))
				var c Canvas
				for range 2 { // again, with the memory of the first picture
					got := background(size)
					if err := c.Draw(On(pool), got, rect, lists); err != nil {
						t.Fatal(err)
					}
					if at := differs(got, want); at != nil {
						t.Fatalf("%s, seed %d, %d workers: pixel %v is %v, want %v", name, seed+1, workers, *at, got.RGBAAt(at.X, at.Y), want.RGBAAt(at.X, at.Y))
					}
				}
				pool.Close()
			}
		}
	}
}

func differs(a, b *image.RGBA) *image.Point {
	for i := range a.Pix {
		if a.Pix[i] != b.Pix[i] {
			return &image.Point{i % a.Stride / 4, i / a.Stride}
		}
	}
	return nil
}

// TestPartOfImage checks that the picture is the same if it is drawn into a part of a larger image.
func TestPartOfImage(t *testing.T) {
	lists := scene(5, image.Pt(60, 50), 80, blended|sloped)
	whole, want := background(image.Pt(100, 90)), image.NewRGBA(image.Rect(0, 0, 60, 50))
	part := whole.SubImage(image.Rect(30, 20, 90, 70)).(*image.RGBA)
	for y := range 50 {
		copy(want.Pix[y*want.Stride:][:want.Stride], part.Pix[y*part.Stride:])
	}
	var c Canvas
	on := On(jobs.Default())
	if err := c.Draw(on, want, want.Rect, lists); err != nil {
		t.Fatal(err)
	}
	if err := c.Draw(on, part, image.Rect(0, 0, 1000, 1000), lists); err != nil {
		t.Fatal(err)
	}
	clean := background(image.Pt(100, 90))
	for y := range 90 {
		for x := range 100 {
			w := clean.RGBAAt(x, y)
			if image.Pt(x, y).In(part.Rect) {
				w = want.RGBAAt(x-30, y-20)
			}
			if got := whole.RGBAAt(x, y); got != w {
				t.Fatalf("(%d, %d) is %v, want %v", x, y, got, w)
			}
		}
	}
}

// TestNoSeams checks that triangles with common edges and corners cover each sample exactly once. A
// fan around a point and a crumpled net must hide the background completely, with and without depth.
func TestNoSeams(t *testing.T) {
	for _, slope := range []float32{0, 1} {
		for _, blend := range []Blend{Opaque, Add} {
			d := random(3)
			const n, size = 14, 120
			var net [n + 1][n + 1]Vertex
			for i := range net {
				for j := range net[i] {
					x, y := float32(j)*size/n, float32(i)*size/n
					if i > 0 && i < n && j > 0 && j < n {
						x, y = x+d.number(-3.5, 3.5), y+d.number(-3.5, 3.5)
					}
					net[i][j] = Vertex{X: x, Y: y, Z: slope * d.number(0, 5), W: 1}
				}
			}
			var l List
			p := &Paint{Color: color.RGBA{90, 90, 90, 255}, Blend: blend}
			for i := range n {
				for j := range n {
					l.Triangle(&[3]Vertex{net[i][j], net[i][j+1], net[i+1][j]}, p)
					l.Triangle(&[3]Vertex{net[i+1][j], net[i+1][j+1], net[i][j+1]}, p)
				}
			}
			img := image.NewRGBA(image.Rect(0, 0, size, size))
			var c Canvas
			if err := c.Draw(On(jobs.Default()), img, img.Rect, []*List{&l}); err != nil {
				t.Fatal(err)
			}
			for i, v := range img.Pix {
				if want := []uint8{90, 255}[i%4/3]; v != want {
					t.Fatalf("slope %v, blend %v: (%d, %d) is %v", slope, blend, i/4%size, i/4/size, img.Pix[i&^3:i&^3+4])
				}
			}
		}
	}
}

// TestExtremes draws primitives with NaN coordinates, outside the picture, flat, or behind the eye.
// Such primitives must draw nothing and cause no failure. Huge primitives must be clipped, but
// their visible part must be drawn.
//
// Conformance: 440
func TestExtremes(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	at := func(x, y float32) Vertex { return Vertex{X: x, Y: y, W: 1} }
	p := &Paint{Color: color.RGBA{200, 100, 50, 255}}
	white := &Paint{Color: color.RGBA{255, 255, 255, 255}}
	for _, c := range []struct {
		name string
		v    [3]Vertex
		want int // number of pixels of 64×64 that change
	}{
		{"outside left", [3]Vertex{at(-9, 5), at(-1, 5), at(-4, 60)}, 0},
		{"outside right", [3]Vertex{at(65, 5), at(99, 5), at(80, 60)}, 0},
		{"outside above", [3]Vertex{at(5, -5), at(60, -9), at(9, -1)}, 0},
		{"outside below", [3]Vertex{at(5, 65), at(60, 90), at(9, 71)}, 0},
		{"outside by its corner", [3]Vertex{at(-60, 20), at(20, -60), at(-60, -60)}, 0},
		{"no area", [3]Vertex{at(5, 5), at(30, 30), at(55, 55)}, 0},
		{"a point", [3]Vertex{at(5, 5), at(5, 5), at(5, 5)}, 0},
		{"NaN", [3]Vertex{at(nan, 5), at(30, 30), at(5, 55)}, 0},
		{"NaN depth", [3]Vertex{{5, 5, nan, 1, 0, 0}, at(60, 5), at(5, 60)}, 0},
		{"NaN W", [3]Vertex{{5, 5, 0, nan, 0, 0}, at(60, 5), at(5, 60)}, 0},
		{"infinite", [3]Vertex{at(5, 5), at(inf, 5), at(5, 60)}, 0},
		{"infinite depth", [3]Vertex{{5, 5, inf, 1, 0, 0}, at(60, 5), at(5, 60)}, 0},
		{"huge", [3]Vertex{at(-1e30, -1e30), at(1e30, -1e30), at(0, 1e30)}, 64 * 64},
		{"huge to the right of 32", [3]Vertex{at(32, -1e30), at(1e30, 0), at(32, 1e30)}, 32 * 64},
		{"beyond the guard, below 16", [3]Vertex{at(-2e6, 16), at(2e6, 16), at(0, 3e6)}, 48 * 64},
		{"behind the eye", [3]Vertex{{5, 5, 0, -1, 0, 0}, {60, 5, 0, -1, 0, 0}, {5, 60, 0, -1, 0, 0}}, 0},
		{"W of 0", [3]Vertex{{5, 5, 0, 0, 0, 0}, {60, 5, 0, 0, 0, 0}, {5, 60, 0, 0, 0, 0}}, 0},
		{"one corner behind, all the rest", [3]Vertex{{0, -3e5, 0, -1, 0, 0}, {-1e5, 1e5, 0, 1, 0, 0}, {1e5, 1e5, 0, 1, 0, 0}}, 64 * 64},
		{"nearer than can be", [3]Vertex{{1e-35, 0, 0, 1e-38, 0, 0}, at(60, 5), at(5, 60)}, 0},
	} {
		for _, tex := range []*Texture{nil, {Image: checkers(), Part: image.Rect(0, 0, 16, 16)}, {Image: checkers()}, {Image: &image.RGBA{}}} {
			img, over := image.NewRGBA(image.Rect(0, 0, 64, 64)), image.NewRGBA(image.Rect(0, 0, 64, 64))
			var l List
			paint := *p
			paint.Texture = tex
			l.Triangle(&c.v, &paint)
			l.Line((*[2]Vertex)(c.v[:2]), 3, &paint)
			l.Point(&c.v[0], 3, &paint)
			var only List
			only.Triangle(&c.v, p)
			var canvas Canvas
			if err := canvas.Draw(On(jobs.Default()), over, over.Rect, []*List{&l}); err != nil {
				t.Fatal(err)
			}
			if err := canvas.Draw(On(jobs.Default()), img, img.Rect, []*List{&only}); err != nil {
				t.Fatal(err)
			}
			drawn := 0
			for i := 3; i < len(img.Pix); i += 4 {
				if img.Pix[i] != 0 {
					drawn++
				}
			}
			if drawn != c.want && c.name != "nearer than can be" {
				t.Errorf("%s: %d pixels are drawn, want %d", c.name, drawn, c.want)
			}
		}
	}
	// Lines of invalid width and points of invalid size must be ignored.
	var l List
	for _, size := range []float32{nan, inf, 0, -1, 1e30} {
		l.Line(&[2]Vertex{at(1, 1), at(9, 9)}, size, white)
		l.Point(&Vertex{X: 1, Y: 1, W: 1}, size, white)
	}
	l.Point(&Vertex{X: 1, Y: 1, Z: 3e38, W: 1e-9}, 1, white)
	if l.Len() != 0 {
		t.Errorf("%d primitives of no size are kept", l.Len())
	}
	// A line of length zero must be a square whose side is the width of the line.
	l.Line(&[2]Vertex{at(8, 8), at(8, 8)}, 4, white)
	l.Reset()
	if l.Len() != 0 {
		t.Error("Reset leaves something")
	}
}

// TestEmptyImage draws on an image without pixels, on a nil image, and into a rectangle outside of the
// image. Nothing may change, and the next picture must be right.
//
// Conformance: 444
func TestEmptyImage(t *testing.T) {
	lists := scene(2, image.Pt(40, 40), 60, blended|sloped)
	on := On(jobs.Default())
	want := background(image.Pt(40, 40))
	var c, fresh Canvas
	if err := fresh.Draw(on, want, want.Rect, lists); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*image.RGBA{nil, {}, image.NewRGBA(image.Rect(0, 0, 0, 0)), image.NewRGBA(image.Rect(0, 0, 0, 40)), image.NewRGBA(image.Rect(0, 0, 40, 0))} {
		if err := c.Draw(on, m, image.Rect(0, 0, 40, 40), lists); err != nil {
			t.Fatal(err)
		}
		got := background(image.Pt(40, 40))
		for _, r := range []image.Rectangle{{}, image.Rect(50, 0, 90, 90), image.Rect(-9, -9, 0, 0)} {
			if err := c.Draw(on, got, r, lists); err != nil || differs(got, background(image.Pt(40, 40))) != nil {
				t.Errorf("%v of the image: error %v, or something is drawn", r, err)
			}
		}
		if err := c.Draw(on, got, got.Rect, nil); err != nil || differs(got, background(image.Pt(40, 40))) != nil {
			t.Errorf("no lists: error %v, or something is drawn", err)
		}
		if err := c.Draw(on, got, got.Rect, lists); err != nil || differs(got, want) != nil {
			t.Errorf("after an empty image: error %v, or another picture", err)
		}
	}
}

// TestManyLayers draws thousands of fragments on one pixel, so that they are compacted. The picture
// must be equal to the picture that the model draws.
func TestManyLayers(t *testing.T) {
	for _, flags := range []int{sloped, blended | sloped} {
		d := random(8)
		size := image.Pt(12, 9)
		l := &List{}
		for range 9000 {
			var v [3]Vertex
			for k := range v {
				v[k] = Vertex{X: d.number(-3, 15), Y: d.number(-3, 12), Z: d.number(0, 9), W: 1}
			}
			p := Paint{Color: d.color()}
			if flags&blended != 0 {
				p.Blend = Blend(d.below(3))
			}
			l.Triangle(&v, &p)
		}
		got, want := background(size), background(size)
		model(want, want.Rect, []*List{l})
		var c Canvas
		if err := c.Draw(On(jobs.Default()), got, got.Rect, []*List{l}); err != nil {
			t.Fatal(err)
		}
		if at := differs(got, want); at != nil {
			t.Fatalf("flags %d: pixel %v is %v, want %v", flags, *at, got.RGBAAt(at.X, at.Y), want.RGBAAt(at.X, at.Y))
		}
		if n := len(c.spare[0].fragments); n > 20*size.X*size.Y {
			t.Errorf("%d fragments are kept for %d pixels", n, size.X*size.Y)
		}
	}
}

// TestSprite checks that the corner pixels of a sprite have the colors of its texture, for any
// offset of the texture coordinates. The pixels must not contain colors of neighbouring textures in
// an atlas.
func TestSprite(t *testing.T) {
	atlas := image.NewRGBA(image.Rect(0, 0, 12, 4))
	for y := range 4 {
		for x := range 12 {
			atlas.SetRGBA(x, y, color.RGBA{uint8(80 * (x / 4)), uint8(60 * y), uint8(60 * (x % 4)), 255})
		}
	}
	for _, smooth := range []bool{false, true} {
		tex := &Texture{Image: atlas, Part: image.Rect(4, 0, 8, 4), Smooth: smooth}
		var l List
		q := [4]Vertex{{3, 3, 0, 1, 0, 0}, {7, 3, 0, 1, 4, 0}, {7, 7, 0, 1, 4, 4}, {3, 7, 0, 1, 0, 4}}
		p := &Paint{Color: color.RGBA{255, 255, 255, 255}, Texture: tex}
		l.Triangle(&[3]Vertex{q[0], q[1], q[2]}, p)
		l.Triangle(&[3]Vertex{q[0], q[2], q[3]}, p)
		img := image.NewRGBA(image.Rect(0, 0, 10, 10))
		var c Canvas
		if err := c.Draw(On(jobs.Default()), img, img.Rect, []*List{&l}); err != nil {
			t.Fatal(err)
		}
		for y := range 10 {
			for x := range 10 {
				var want color.RGBA
				if x >= 3 && x < 7 && y >= 3 && y < 7 {
					want = atlas.RGBAAt(x+1, y-3)
				}
				if got := img.RGBAAt(x, y); got != want {
					t.Errorf("smooth %v: (%d, %d) is %v, want %v", smooth, x, y, got, want)
				}
			}
		}
	}
}

// TestMixed compares blends with their formulas bit by bit.
func TestMixed(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			over := mixColors(uint32(a)<<8, uint32(b)<<24, Over) >> 8 & 255
			if want := uint32(math.Floor(float64(a*(255-b))/255 + 0.5)); over != want {
				t.Fatalf("%d under an alpha of %d is %d, want %d", a, b, over, want)
			}
			if got, want := mixColors(uint32(a)<<16, uint32(b)<<16, Add)>>16, uint32(min(a+b, 255)); got != want {
				t.Fatalf("%d and %d add up to %d", a, b, got)
			}
			if got, want := multiplyColors(uint32(a), uint32(b)), uint32(math.Floor(float64(a*b)/255+0.5)); got != want {
				t.Fatalf("%d times %d is %d, want %d", a, b, got, want)
			}
		}
	}
	if narrowMask(wideWhole) != whole {
		t.Error("the wide mask of all samples is not that of all")
	}
	for m := range wide {
		if int(narrowMask(wide[m])) != m {
			t.Errorf("mask %b becomes %b", m, narrowMask(wide[m]))
		}
	}
}

// failing is a Workers whose k-th job fails.
type failing struct {
	Workers
	k int
}

func (f *failing) Range(job jobs.RangeJob, n, grain int) error {
	if f.k--; f.k == 0 {
		return fmt.Errorf("stopped")
	}
	return f.Workers.Range(job, n, grain)
}

// TestFailure checks that a failing job is an error and that the next picture is complete.
func TestFailure(t *testing.T) {
	lists := scene(2, image.Pt(40, 80), 60, blended|sloped)
	want := background(image.Pt(40, 80))
	var c Canvas
	on := On(jobs.Default())
	if err := c.Draw(on, want, want.Rect, lists); err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= 3; k++ {
		if err := c.Draw(&failing{on, k}, background(image.Pt(40, 80)), want.Rect, lists); err == nil {
			t.Errorf("no error of job %d", k)
		}
	}
	short := background(image.Pt(40, 80))
	short.Pix = short.Pix[:len(short.Pix)/2]
	if err := c.Draw(on, short, want.Rect, lists); err == nil {
		t.Error("no error of an image without its pixels")
	}
	got := background(image.Pt(40, 80))
	if err := c.Draw(on, got, got.Rect, lists); err != nil || !bytes.Equal(got.Pix, want.Pix) {
		t.Errorf("after failures: error %v, or another picture", err)
	}
}

// TestSteadyStateAllocatesNothing checks that drawing the same size again allocates nothing.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	pool := jobs.New(jobs.Workers(1))
	defer pool.Close()
	on := On(pool)
	for name, flags := range kinds {
		lists := scene(2, image.Pt(90, 80), 200, flags)
		img := background(image.Pt(90, 80))
		var c Canvas
		draw := func() {
			if err := c.Draw(on, img, img.Rect, lists); err != nil {
				t.Fatal(err)
			}
		}
		draw()
		if n := testing.AllocsPerRun(20, draw); n != 0 {
			t.Errorf("%s: %v allocations a picture", name, n)
		}
	}
}

// TestSort checks that keys are sorted by depth, and keys with equal depth by the order of drawing.
func TestSort(t *testing.T) {
	d := random(1)
	for _, n := range []int{1, 2, 300} {
		var b band
		for i := range n {
			z := []float32{0, -1, 1, 3.5, -2e30, 4e-40, d.number(-9, 9)}[d.below(7)]
			b.keys = append(b.keys, uint64(orderedDepth(z))<<32|uint64(n-1-i))
		}
		want := slices.Clone(b.keys)
		slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(a>>32, b>>32) })
		b.sort()
		if !slices.Equal(b.keys, want) {
			t.Errorf("%d keys are not in order", n)
		}
	}
	for i, z := range []float32{-3, -0.5, 0, 1e-44, 2} {
		if i > 0 && orderedDepth(z) <= orderedDepth([]float32{-3, -0.5, 0, 1e-44, 2}[i-1]) {
			t.Errorf("%v is not above the number before it", z)
		}
	}
}
