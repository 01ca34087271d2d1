package render

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// sheet returns an image with a grid. Cell k has the color shadeOf(k), except for its upper left
// pixel, which is clear.
func sheet(columns, rows, size int) *image.RGBA {
	m := image.NewRGBA(image.Rect(3, 2, 3+columns*size, 2+rows*size))
	for y := range rows * size {
		for x := range columns * size {
			if x%size+y%size > 0 {
				m.SetRGBA(3+x, 2+y, shadeOf(y/size*columns+x/size))
			}
		}
	}
	return m
}

func shadeOf(k int) color.RGBA {
	return color.RGBA{uint8(40 + 20*k), uint8(200 - 15*k), uint8(7 * k), 255}
}

// flip advances the world's time by dt, and runs a frame.
func (s *stage) flip(dt float64) {
	s.Helper()
	system.ClockOf(s.w).Advance(dt)
	s.frame()
}

// The number of a cell is the floor of (t - Start)·|Rate|, modulo Count, where the difference and the
// product are each rounded once. The test computes it with rational numbers, for times, rates and
// starts of all magnitudes.
func TestCell(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	floats := func() float64 {
		switch r.IntN(5) {
		case 0:
			return float64(r.IntN(2000)-1000) / 64
		case 1:
			return 0
		}
		return (r.Float64() - 0.5) * math.Pow(2, float64(r.IntN(150)-60))
	}
	rounded := func(x *big.Rat) float64 { f, _ := x.Float64(); return f }
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	for range 20_000 {
		cells := int32(1 + r.IntN(40))
		first := int32(r.IntN(int(cells)))
		count := int32(r.IntN(int(cells-first) + 1))
		f := Flipbook{First: first, Count: count, Rate: float32(floats()), Start: floats(), Once: r.IntN(3) == 0}
		now := math.Abs(floats())
		l := flipbookLanes{[]int32{f.First}, []int32{f.Count}, []float32{f.Rate}, []float64{f.Start}, []bool{f.Once}}
		got, ok := cellAt(&l, 0, now, cells)

		if count == 0 {
			count = cells - first
		}
		since := rounded(new(big.Rat).Sub(rat(now), rat(f.Start)))
		at := rat(rounded(new(big.Rat).Mul(rat(since), new(big.Rat).Abs(rat(float64(f.Rate))))))
		k, n := new(big.Int).Div(at.Num(), at.Denom()), big.NewInt(int64(count)) // Euclidean division, with a positive denominator: the floor
		if f.Once {
			if k.Sign() < 0 {
				k.SetInt64(0)
			} else if k.Cmp(n) >= 0 {
				k.Sub(n, big.NewInt(1))
			}
		} else {
			k.Mod(k, n)
		}
		want := int32(k.Int64())
		if f.Rate < 0 {
			want = count - 1 - want
		}
		if f.Rate == 0 {
			want = 0
		}
		if want += first; got != want || !ok {
			t.Fatalf("%+v of %d cells at %v: cell %d, %v; want %d", f, cells, now, got, ok, want)
		}
	}
}

// The test checks which cell a Flipbook shows at several times.
func TestFlipbook(t *testing.T) {
	for _, c := range []struct {
		what string
		book Flipbook
		want [9]int // at 0, 0.25, …, 2
	}{
		{"the zero value", Flipbook{}, [9]int{}},
		{"no rate", Flipbook{First: 5, Count: 3}, [9]int{5, 5, 5, 5, 5, 5, 5, 5, 5}},
		{"all cells that follow", Flipbook{First: 4, Rate: 4}, [9]int{4, 5, 6, 7, 4, 5, 6, 7, 4}},
		{"three cells", Flipbook{First: 1, Count: 3, Rate: 2}, [9]int{1, 1, 2, 2, 3, 3, 1, 1, 2}},
		{"one cell", Flipbook{First: 6, Count: 1, Rate: 100}, [9]int{6, 6, 6, 6, 6, 6, 6, 6, 6}},
		{"backwards", Flipbook{First: 1, Count: 3, Rate: -4}, [9]int{3, 2, 1, 3, 2, 1, 3, 2, 1}},
		{"begun before", Flipbook{Count: 8, Rate: 4, Start: -0.5}, [9]int{2, 3, 4, 5, 6, 7, 0, 1, 2}},
		{"to begin", Flipbook{Count: 3, Rate: 4, Start: 1}, [9]int{2, 0, 1, 2, 0, 1, 2, 0, 1}},
		{"once", Flipbook{First: 2, Count: 3, Rate: 4, Start: 0.5, Once: true}, [9]int{2, 2, 2, 3, 4, 4, 4, 4, 4}},
		{"once, backwards", Flipbook{First: 2, Count: 3, Rate: -4, Start: 0.5, Once: true}, [9]int{4, 4, 4, 3, 2, 2, 2, 2, 2}},
	} {
		for _, material := range []string{"cells", "ghosts"} {
			s, r := newPicture(t, 40, 40)
			s.assets.Material(Material{Name: "cells", Image: sheet(4, 2, 4), Columns: 4, Rows: 2})
			s.assets.Material(Material{Name: "ghosts", Image: sheet(4, 2, 4), Columns: 4, Rows: 2, Blend: Over})
			s.w.Spawn(Camera{Height: 2})
			s.show(s.look("sprite", material), 0, 0, c.book)
			for i, k := range c.want {
				s.flip(0.25 * float64(min(i, 1)))
				if got := r.Image.RGBAAt(25, 25); got != shadeOf(k) {
					t.Errorf("%s, %s, at %v s: shows %v, want cell %d", c.what, material, 0.25*float64(i), got, k)
				}
			}
		}
	}
}

// atlas is a scene of flipbooks and labels in several chunks and layers, mixed with other entities,
// before three cameras that sort in different ways.
func (s *stage) atlas(n int) {
	s.assets.Material(Material{Name: "cells", Image: sheet(4, 2, 4), Columns: 4, Rows: 2})
	s.assets.Material(Material{Name: "ghosts", Image: sheet(4, 2, 4), Columns: 4, Rows: 2, Blend: Over, Color: color.NRGBA{255, 255, 255, 160}})
	s.assets.Shape(Shape{Name: "card", Positions: [][3]float32{{-1, 1, 0}, {1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}},
		Texcoords: [][2]float32{{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}}})
	looks := []Look{s.look("sprite", "cells"), s.look("sprite", "ghosts"), s.look("card", "ghosts"), s.look("card", "cells"), square}
	for i := range n {
		x, y := float32(i*7919%1200)/20-30, float32(i*104729%620)/20-15.5
		more := []any{transform.Rotation{Z: 0.28, W: 0.96}, transform.Scale{Value: 0.5 + float32(i%3)}}
		if i%3 == 0 {
			more = append(more, Tint{color.NRGBA{uint8(i), uint8(3 * i), 200, 255}})
		}
		switch k := i % 4; {
		case i%len(looks) == 4: // neither: red has one cell
		case k < 2:
			more = append(more, Flipbook{First: int32(i % 5), Count: int32(i % 4), Rate: float32(i%7) - 2, Start: float64(i%11) / 8, Once: i%13 == 0})
		case k == 2:
			l, err := LabelOf("caffee bad"[:i%11], func(r rune) int { return int(r) - 'a' })
			s.ok(err)
			l.Anchor = float32(i%3) - 1
			more = append(more, l)
		}
		look := looks[i%len(looks)]
		look.Layer = int32(i % 2)
		s.show(look, x, y, more...)
	}
	s.w.Spawn(Camera{Height: 30})
	s.w.Spawn(Camera{Height: 12, X: 0.6, Y: 0.6, Order: 1, Sort: SortY, Background: color.NRGBA{40, 0, 40, 255}})
	s.w.Spawn(Camera{Height: 12, Y: 0.6, W: 0.3, Order: 2, Sort: SortNone, Background: color.NRGBA{0, 40, 40, 255}})
}

// atlasHashes are the hashes of the pictures of atlas. The hashes are the same on every machine, for
// any number of workers, and with and without a presentation world.
var atlasHashes = []string{"7fa3411cb81c4d33", "c5d58030d75bbfaf", "b68171ddcfa22945"}

func TestAtlasWorkers(t *testing.T) {
	before := kernels.Path()
	defer func() {
		if err := kernels.Use(before); err != nil {
			t.Error(err)
		}
	}()
	paths := kernels.Paths()
	for i, workers := range []int{1, 2, 3, 8, 64, 3} {
		if err := kernels.Use(paths[i%len(paths)]); err != nil {
			t.Fatal(err)
		}
		s, r := newPicture(t, 150, 90, onWorkers(t, workers))
		s.atlas(700)
		show, copied := newPicture(t, 150, 90, onWorkers(t, workers))
		s.ok(Install(show.w, Options{Renderer: copied, Assets: s.assets}))
		for n, want := range atlasHashes {
			s.flip(0.3)
			s.ok(Extract(s.w, show.w))
			show.frame()
			if got, again := fmt.Sprintf("%016x", hashOf(r.Image)), fmt.Sprintf("%016x", hashOf(copied.Image)); got != want || again != want {
				t.Errorf("path %s, %d workers, picture %d: %s, in a presentation world %s; want %s", kernels.Path(), workers, n, got, again, want)
			}
		}
	}
}

// For every camera and time, Gather returns the same cells, tints and matrices as the batch's Parts.
func TestCellsGather(t *testing.T) {
	s := newStage(t, onWorkers(t, 3))
	s.atlas(700)
	for range 3 {
		s.flip(0.3)
		for i, v := range ViewsOf(s.w) {
			var parts, alone []string
			matrices, tints, cells := make([][16]float32, v.Seen), make([]color.NRGBA, v.Seen), make([]int32, v.Seen)
			line := func(m [16]float32, c color.NRGBA, k int32) string { return fmt.Sprint(m[12], m[13], c, k) }
			shown := map[int32]int{}
			for k := range v.Batches {
				b := &v.Batches[k]
				if b.First != len(parts) {
					t.Fatalf("camera %d: batch %d begins at %d, want %d", i, k, b.First, len(parts))
				}
				for p := range b.Parts() {
					for row := range p.Matrices {
						if p.Mask[row/64]>>(row%64)&1 == 0 {
							continue
						}
						c, k := white, int32(0)
						if p.Tints != nil {
							c = p.Tints[row]
						}
						if p.Cells != nil {
							k = p.Cells[row]
						}
						shown[k]++
						parts = append(parts, line(p.Matrices[row], c, k))
					}
				}
				s.ok(b.Gather(matrices, tints, cells))
				for row := range b.Count {
					alone = append(alone, line(matrices[row], tints[row], cells[row]))
				}
				s.ok(b.Gather(matrices, nil, nil))
			}
			for k := range cells {
				cells[k] = -1
			}
			s.ok(v.Gather(matrices, tints, cells))
			var all []string
			for row := range matrices {
				all = append(all, line(matrices[row], tints[row], cells[row]))
			}
			if !equal(parts, all) || !equal(parts, alone) || len(shown) < 6 {
				t.Fatalf("camera %d: %d rows by Parts, %d by View.Gather, %d by Batch.Gather, are others; cells %v", i, len(parts), len(all), len(alone), shown)
			}
		}
	}
}

// TestFlipbookFresh changes nothing but the time. Then a view is fresh if an entity in it shows another
// cell than before, and otherwise it is not.
func TestFlipbookFresh(t *testing.T) {
	for _, material := range []string{"cells", "ghosts"} {
		s := newStage(t)
		s.atlas(0)
		still := s.show(s.look("sprite", material), 0, 0, Flipbook{First: 3})
		s.show(s.look("sprite", material), 1, 0, Flipbook{Rate: 1})
		s.show(s.look("sprite", material), 500, 0, Flipbook{Rate: 100}, Tint{}) // no camera sees its chunk
		s.flip(0)                                                               // the time begins
		s.flip(0)                                                               // the changes for it are done
		fresh := func(dt float64) (list []bool) {
			s.flip(dt)
			for _, v := range ViewsOf(s.w) {
				list = append(list, v.Fresh)
			}
			return list
		}
		want := func(dt float64, fresh bool, got []bool) {
			t.Helper()
			for i, f := range got {
				if f != fresh {
					t.Errorf("%s, after %v s: view %d has Fresh %v", material, dt, i, f)
				}
			}
		}
		want(0.5, false, fresh(0.5))
		want(0.625, true, fresh(0.625)) // past 1
		want(0, false, fresh(0))
		want(0.5, false, fresh(0.5))
		want(0.5, true, fresh(0.5)) // past 2
		s.ok(ecs.Set(s.w, still, Flipbook{First: 4}))
		want(0, true, fresh(0))
		s.ok(s.w.Destroy(still))
		want(0, true, fresh(0))
		want(0, false, fresh(0))
	}
}

// Cells that a material does not have are reported once, and the nearest cell is shown.
func TestFlipbookFaults(t *testing.T) {
	for _, c := range []struct {
		book  Flipbook
		shown int
		text  string
	}{
		{Flipbook{First: 8}, 7, "Flipbook has First 8, Count 0, Rate 0 and Start 0"},
		{Flipbook{First: -1}, 0, "First -1"},
		{Flipbook{First: 5, Count: 4, Rate: 1}, 5, "First 5, Count 4"},
		{Flipbook{First: 2, Count: -1}, 2, "Count -1"},
		{Flipbook{First: 2, Count: math.MaxInt32}, 2, "Count 2147483647"},
		{Flipbook{First: math.MaxInt32, Count: math.MaxInt32}, 7, "First 2147483647"},
		{Flipbook{First: math.MinInt32}, 0, "First -2147483648"},
		{Flipbook{Rate: float32(math.NaN())}, 0, "Rate NaN"},
		{Flipbook{First: 1, Rate: float32(math.Inf(1))}, 1, "Rate +Inf"},
		{Flipbook{First: 1, Start: math.NaN()}, 1, "Start NaN"},
		{Flipbook{First: 1, Rate: 1, Start: math.Inf(-1)}, 1, "Start -Inf"},
	} {
		s, r := newPicture(t, 40, 40)
		s.atlas(0)
		s.show(s.look("sprite", "cells"), 9, 9, Flipbook{First: 3})
		e := s.show(s.look("sprite", "cells"), 0, 0, c.book, transform.Scale{Value: 40})
		wantError(t, system.Update(s.w), ecs.ErrState, fmt.Sprintf("render: entity %v: the ", e))
		s.ok(ecs.Set(s.w, e, c.book)) // its chunk has changed, but one report is enough
		s.flip(1)
		if got := r.Image.RGBAAt(22, 22); got != shadeOf(c.shown) {
			t.Errorf("%+v shows %v, want cell %d", c.book, got, c.shown)
		}
		s.ok(Install(s.w, Options{Renderer: r, Assets: s.assets}))
		wantError(t, system.Update(s.w), ecs.ErrState, c.text)
	}
}

// The material, which also defines the grid of cells, may be registered later.
func TestFlipbookLateMaterial(t *testing.T) {
	s, r := newPicture(t, 40, 40)
	s.w.Spawn(Camera{Height: 2})
	s.show(s.look("sprite", "late"), 0, 0, Flipbook{First: 5})
	wantError(t, system.Update(s.w), ecs.ErrState, "the material is not registered")
	s.assets.Material(Material{Name: "late", Image: sheet(4, 2, 4), Columns: 4, Rows: 2})
	s.frame()
	want(t, r, map[image.Point]color.RGBA{{25, 25}: shadeOf(5), {12, 12}: ground})
}

// Clear pixels of the current cell are not hit.
func TestFlipbookPick(t *testing.T) {
	s := newStage(t)
	s.atlas(0)
	m := sheet(4, 2, 4)
	for k := range 4 * 8 {
		m.SetRGBA(m.Rect.Min.X+4+k%4, m.Rect.Min.Y+k/4, color.RGBA{}) // cells 1 and 5
	}
	s.assets.Material(Material{Name: "holes", Image: m, Columns: 4, Rows: 2, Blend: Over})
	eye := s.w.Spawn(Camera{Height: 100, Order: 9})
	e := s.show(s.look("sprite", "holes"), 0, 0, Flipbook{Rate: 1, Start: 0.5}, transform.Scale{Value: 10})
	for _, c := range []struct {
		dt  float64
		hit bool
	}{{0, true}, {1, true}, {1, false}, {1, true}, {1, true}, {1, true}, {1, false}} {
		s.flip(c.dt)
		got, err := Pick(s.w, eye, 103, 53)
		if want := (map[bool]ecs.Entity{true: e})[c.hit]; got != want || err != nil {
			t.Errorf("at %v: picked %v, want %v; error %v", ViewsOf(s.w)[0].Frame.Elapsed, got, want, err)
		}
		if got, err := Pick(s.w, eye, 95.5, 45.5); got != (ecs.Entity{}) || err != nil {
			t.Errorf("at %v: the clear corner is %v; error %v", ViewsOf(s.w)[0].Frame.Elapsed, got, err)
		}
	}
}

// Cells that change allocate nothing.
func TestFlipbookAllocatesNothing(t *testing.T) {
	s := newStage(t, onWorkers(t, 2))
	n := 600 // in several chunks of each kind
	if checked {
		n = 80
	}
	s.atlas(n)
	r := &sum{pen: pen{width: 300, height: 200}, dst: make([][16]float32, 20*n)}
	s.ok(Install(s.w, Options{Renderer: r, Assets: s.assets}))
	checkNoAllocs(t, "a frame of flipbooks", func() { s.flip(0.3) })
	s.ok(Install(s.w, Options{Renderer: &Software{Image: image.NewRGBA(image.Rect(0, 0, 150, 90))}, Assets: s.assets}))
	checkNoAllocs(t, "a picture of flipbooks", func() { s.flip(0.3) })
}

// Each cell of a grid has its part of the image, and no other cell exists.
func TestMaterialCells(t *testing.T) {
	a := NewAssets()
	id := a.Material(Material{Name: "grid", Image: sheet(4, 2, 3), Columns: 4, Rows: 2})
	m := a.FindMaterial(id)
	seen := image.Rectangle{}
	for k := range m.Cells() {
		c := m.Cell(k)
		if c.Dx() != 3 || c.Dy() != 3 || m.Image.RGBAAt(c.Max.X-1, c.Max.Y-1) != shadeOf(k) || m.Image.RGBAAt(c.Min.X, c.Min.Y) != (color.RGBA{}) {
			t.Errorf("cell %d is %v", k, c)
		}
		seen = seen.Union(c)
	}
	if m.Cells() != 8 || seen != m.Image.Rect {
		t.Errorf("%d cells are %v of %v", m.Cells(), seen, m.Image.Rect)
	}
	wantPanic(t, func() { m.Cell(8) }, `render: Material.Cell: material "grid": there is no cell 8: it has 8, from 0`)
	wantPanic(t, func() { m.Cell(-1) }, "there is no cell -1")
	for _, plain := range []*Material{{}, a.FindMaterial(a.Material(Material{Name: "plain"})), a.FindMaterial(a.Material(Material{Name: "own", Columns: 3, Rows: 3}))} {
		if c := plain.Cell(plain.Cells() - 1); !c.Empty() {
			t.Errorf("a cell of no image is %v", c)
		}
	}
	whole := Material{Image: m.Image}
	if whole.Cell(0) != m.Image.Rect {
		t.Errorf("the whole image is %v", whole.Cell(0))
	}
	for _, c := range []struct {
		m    Material
		text string
	}{
		{Material{Columns: -1}, "Columns is -1 and Rows 0: a grid has up to 32768 cells"},
		{Material{Rows: -1}, "Rows -1"},
		{Material{Columns: 1 << 15, Rows: 2}, "up to 32768 cells"},
		{Material{Columns: math.MaxInt, Rows: math.MaxInt}, "up to 32768 cells"},
		{Material{Columns: 5, Image: m.Image}, "an Image of 12 × 6 pixels cannot be divided into 5 columns and 1 rows"},
		{Material{Rows: 4, Image: m.Image}, "cannot be divided into 1 columns and 4 rows"},
	} {
		c.m.Name = "wrong"
		_, err := a.AddMaterial(c.m)
		wantError(t, err, ecs.ErrArgument, c.text)
	}
}

// BenchmarkFlipbook draws frames of visible sprites in which only the time changes. With a Rate of 0,
// it measures only the checks. With another Rate, it also measures the computation of the cells of all
// rows.
func BenchmarkFlipbook(b *testing.B) {
	const n = 100_000
	for _, rate := range []float32{0, 12} {
		b.Run(fmt.Sprintf("rate=%v/n=%d", rate, n), func(b *testing.B) {
			s := newStage(b, onWorkers(b, 1))
			s.atlas(0)
			model := s.show(s.look("sprite", "cells"), 0, 0, Flipbook{Rate: rate})
			_, err := s.w.Instantiate(model, n-1)
			s.ok(err)
			s.ok(Install(s.w, Options{Assets: s.assets, Width: 300, Height: 200}))
			flip := func() { s.flip(0.01) }
			flip()
			flip()
			b.ReportAllocs()
			for b.Loop() {
				flip()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
