package screen

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// stage is a world that a Renderer draws to an image without a window.
type stage struct {
	testing.TB
	w      *ecs.World
	r      *Renderer
	assets *render.Assets
}

func newStage(t testing.TB, workers int) *stage {
	t.Helper()
	pool := jobs.New(jobs.Workers(workers))
	w, err := system.NewWorld(t.Name(), system.Only(), system.WithPlugins(transform.Systems()), system.OnPool(pool))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &stage{t, w, New(), render.NewAssets()}
	s.r.SetTarget(0, ebiten.NewImage(300, 200))
	s.ok(render.Install(w, render.Options{Renderer: s.r, Assets: s.assets}))
	return s
}

func (s *stage) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *stage) look(shape render.Shape, m render.Material) render.Look {
	shape.Name, m.Name = shape.Name+"shape", m.Name+"material"
	return render.Look{Shape: s.assets.Shape(shape), Material: s.assets.Material(m)}
}

// corners converts points in an entity's coordinates to pixels, by the matrix of the view.
func (s *stage) corners(v *render.View, id ecs.Entity, points ...[3]float32) (pixels [][2]float32) {
	l, err := ecs.Get[transform.LocalToWorld](s.w, id)
	s.ok(err)
	for _, p := range points {
		x, y, _, ok := v.ToScreen(l.Point(p[0], p[1], p[2]))
		if !ok {
			s.Fatalf("%v of %v is behind the camera", p, id)
		}
		pixels = append(pixels, [2]float32{x, y})
	}
	return pixels
}

// haveVertices reports whether the vertices are at the given pixels.
func haveVertices(got []ebiten.Vertex, want [][2]float32) bool {
	return slices.EqualFunc(got, want, func(v ebiten.Vertex, p [2]float32) bool {
		return math.Abs(float64(v.DstX-p[0])) < 2e-3 && math.Abs(float64(v.DstY-p[1])) < 2e-3
	})
}

var quad = [][3]float32{{-1, 0.5, 0}, {1, 0.5, 0}, {-1, -0.5, 0}, {1, -0.5, 0}}

// TestSprites checks that each sprite has the right corners and tint, in the order of the rows, for
// any number of workers. Hidden sprites are left out.
func TestSprites(t *testing.T) {
	var first []ebiten.Vertex
	for _, workers := range []int{1, 2, 3, 8} {
		s := newStage(t, workers)
		look := s.look(render.Shape{Kind: render.Sprite, Width: 2}, render.Material{Image: image.NewRGBA(image.Rect(0, 0, 8, 4)), Color: color.NRGBA{255, 128, 0, 255}, Blend: render.Over})
		s.w.Spawn(render.Camera{Height: 40}, transform.Translation{X: 2, Y: 1}, transform.LocalToWorld{}, transform.Rotation{Z: 0.6, W: 0.8})
		tints := map[ecs.Entity]color.NRGBA{}
		for i := range 700 {
			tint := color.NRGBA{uint8(i), 255, 51, 204}
			id := s.w.Spawn(look, render.Tint{Color: tint}, render.Hidden{}, transform.Translation{X: 0.9*float32(i%25) - 11, Y: 0.9*float32(i/25) - 12, Z: float32(i)},
				transform.Rotation{X: 0.1, Z: 0.1 * float32(i%7), W: 1}, transform.NonUniformScale{X: 1 + float32(i%3), Y: 0.5, Z: 1}, transform.LocalToWorld{})
			hidden := i%5 == 3 || i/64 == 2
			s.ok(ecs.SetEnabled[render.Hidden](s.w, id, hidden))
			if !hidden {
				tints[id] = tint
			}
		}
		s.ok(system.Update(s.w))
		v := render.ViewsOf(s.w)[0]
		var seen []ecs.Entity
		for p := range v.Batches[0].Parts() {
			for i, id := range p.Entities {
				if p.Mask[i/64]>>(i%64)&1 != 0 {
					seen = append(seen, id)
				}
			}
		}
		if len(seen) != len(tints) || v.Seen != len(seen) || s.r.Calls == 0 || len(s.r.sprites) != 1 {
			t.Fatalf("%d are seen in %d calls and %d buffers, want %d, and one", v.Seen, s.r.Calls, len(s.r.sprites), len(tints))
		}
		var got []ebiten.Vertex
		for _, b := range s.r.sprites {
			got = b.vertices[:4*len(seen)]
		}
		for i, id := range seen {
			at := got[4*i : 4*i+4]
			if want := s.corners(v, id, quad...); !haveVertices(at, want) {
				t.Fatalf("%d workers: sprite %d is at %v, want %v", workers, i, at, want)
			}
			c := at[3]
			if want := [4]float32{float32(tints[id].R) / 255, 128. / 255, 0, 204. / 255}; [4]float32{c.ColorR, c.ColorG, c.ColorB, c.ColorA} != want || c.SrcX != 8 || c.SrcY != 4 {
				t.Fatalf("sprite %d has the corner %+v, want the colour %v", i, c, want)
			}
		}
		if first == nil {
			first = slices.Clone(got)
		} else if !slices.Equal(first, got) {
			t.Errorf("%d workers: other vertices than one makes", workers)
		}
	}
}

// TestTints checks that sprites have the colours of the current frame, even after rows have changed
// their positions or tints.
func TestTints(t *testing.T) {
	s := newStage(t, 2)
	look := s.look(render.Shape{Kind: render.Sprite}, render.Material{})
	s.w.Spawn(render.Camera{Height: 40})
	var ids []ecs.Entity
	for i := range 100 {
		ids = append(ids, s.w.Spawn(look, render.Tint{Color: color.NRGBA{R: uint8(i), A: 255}}, transform.Translation{X: float32(i) / 10}, transform.LocalToWorld{}))
	}
	reds := func() (list []uint8) {
		s.ok(system.Update(s.w))
		for _, b := range s.r.sprites {
			for i := range render.ViewsOf(s.w)[0].Seen {
				list = append(list, uint8(255*b.vertices[4*i+1].ColorR+0.5))
			}
		}
		return list
	}
	for i, red := range reds() {
		if red != uint8(i) {
			t.Fatalf("sprite %d has %d", i, red)
		}
	}
	s.ok(s.w.Destroy(ids[0])) // the last one takes its place
	s.ok(ecs.Set(s.w, ids[5], render.Tint{Color: color.NRGBA{R: 200, A: 255}}))
	list := reds()
	if len(list) != 99 || list[0] != 99 || list[5] != 200 || list[6] != 6 {
		t.Errorf("after a change: %v", list)
	}
}

// TestCells checks that flipbooks and labels show the right cells of the image as time advances, both
// flat and in perspective.
func TestCells(t *testing.T) {
	for _, camera := range []render.Camera{{Height: 40}, {FOV: 1}} {
		s := newStage(t, 2)
		look := s.look(render.Shape{Kind: render.Sprite}, render.Material{Image: image.NewRGBA(image.Rect(5, 7, 5+32, 7+16)), Columns: 4, Rows: 2})
		s.w.Spawn(camera, transform.Translation{Z: 50}, transform.LocalToWorld{})
		for k := range 200 {
			s.w.Spawn(look, render.Flipbook{First: int32(k % 5), Count: 3, Rate: 1}, transform.Translation{X: float32(k%20) - 9.5}, transform.LocalToWorld{})
		}
		label, err := render.LabelOf("abh", func(r rune) int { return int(r) - 'a' })
		s.ok(err)
		s.w.Spawn(look, label, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()})
		s.w.Spawn(look, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()})
		for second := range 4 {
			system.ClockOf(s.w).Advance(float64(min(second, 1)))
			s.ok(system.Update(s.w))
			var cells, got []int
			for _, b := range render.ViewsOf(s.w)[0].Batches {
				list := make([]int32, b.Count)
				s.ok(b.Gather(make([][16]float32, b.Count), nil, list))
				for _, k := range list {
					cells = append(cells, int(k))
				}
			}
			corner := func(v *ebiten.Vertex) { got = append(got, int(v.SrcX)/8+int(v.SrcY)/8*4) }
			for _, b := range s.r.sprites {
				for i := range cells {
					corner(&b.vertices[4*i])
				}
			}
			if camera.FOV > 0 {
				list := s.r.list[:6*len(cells)]
				for i := range cells {
					corner(&list[6*i])
				}
			}
			if len(cells) != 204 || !slices.Equal(cells, got) || !slices.Contains(cells, 7) {
				t.Fatalf("after %d s: %d cells %v, the vertices have %v", second, len(cells), cells, got)
			}
		}
	}
}

// TestCalls checks that sixteen thousand sprites fit into one call.
func TestCalls(t *testing.T) {
	s := newStage(t, 2)
	look := s.look(render.Shape{Kind: render.Sprite}, render.Material{})
	s.w.Spawn(render.Camera{Height: 40})
	n := 2*perCall + 1
	for range n {
		s.w.Spawn(look, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()})
	}
	s.ok(system.Update(s.w))
	if s.r.Calls != 3 {
		t.Errorf("%d sprites were drawn in %d calls, want 3", n, s.r.Calls)
	}
	for i, k := range quads(perCall) {
		if want := 4*(i/6) + []int{0, 1, 2, 1, 3, 2}[i%6]; int(k) != want {
			t.Fatalf("index %d is %d, want %d", i, k, want)
		}
	}
}

// TestMeshes checks the corners of triangles, lines, points and sprites in perspective. Shapes that
// extend behind the camera must be left out.
func TestMeshes(t *testing.T) {
	places := [][3]float32{{0, 1, 0}, {-1, -1, 0}, {1, -1, 0.5}}
	for _, c := range []struct {
		name  string
		shape render.Shape
		want  func(p [][2]float32) [][2]float32
	}{
		{"triangle", render.Shape{Positions: places}, func(p [][2]float32) [][2]float32 { return p }},
		{"line", render.Shape{Kind: render.Lines, Positions: places, Indices: []uint32{0, 1}}, func(p [][2]float32) [][2]float32 { return widen(p[0], p[1], 2) }},
		{"point", render.Shape{Kind: render.Points, Positions: places[:1]}, func(p [][2]float32) [][2]float32 {
			return widen([2]float32{p[0][0] - 2, p[0][1]}, [2]float32{p[0][0] + 2, p[0][1]}, 2)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, 1)
			look := s.look(c.shape, render.Material{Size: 4})
			s.w.Spawn(render.Camera{FOV: 1, Near: 0.5}, transform.Translation{Z: 10}, transform.LocalToWorld{})
			id := s.w.Spawn(look, transform.Translation{X: 1}, transform.Rotation{X: 0.5, W: 0.5}, transform.LocalToWorld{})
			s.w.Spawn(look, transform.Translation{Z: 10}, transform.NonUniformScale{X: 1, Y: 1, Z: 5}, transform.LocalToWorld{}) // crosses the plane of the camera
			s.ok(system.Update(s.w))
			want := c.want(s.corners(render.ViewsOf(s.w)[0], id, places...))
			if got := s.r.list[:len(want)]; !haveVertices(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// widen returns the corners of a line that extends by half on both sides.
func widen(a, b [2]float32, half float64) [][2]float32 {
	dx, dy := float64(b[0]-a[0]), float64(b[1]-a[1])
	l := math.Hypot(dx, dy)
	nx, ny := float32(-dy/l*half), float32(dx/l*half)
	return [][2]float32{{a[0] + nx, a[1] + ny}, {a[0] - nx, a[1] - ny}, {b[0] + nx, b[1] + ny}, {b[0] - nx, b[1] - ny}}
}

// TestDeepSprite checks that a sprite in perspective, with colours at its corners, becomes two
// triangles.
func TestDeepSprite(t *testing.T) {
	s := newStage(t, 1)
	look := s.look(render.Shape{Kind: render.Sprite, Width: 2}, render.Material{Color: color.NRGBA{0, 255, 0, 0}})
	s.w.Spawn(render.Camera{FOV: 1}, transform.Translation{Z: 10}, transform.LocalToWorld{})
	id := s.w.Spawn(look, transform.Rotation{Y: 0.5, W: 1}, transform.LocalToWorld{})
	s.ok(system.Update(s.w))
	p := s.corners(render.ViewsOf(s.w)[0], id, quad...)
	if got, want := s.r.list[:6], [][2]float32{p[0], p[1], p[2], p[1], p[3], p[2]}; !haveVertices(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if c := s.r.list[:1][0]; c.ColorR != 0 || c.ColorG != 1 || c.ColorA != 1 { // opaque, whatever A is
		t.Errorf("the corner has the colour %+v", c)
	}
}

// TestMeshCalls checks that many triangles are split into several calls.
func TestMeshCalls(t *testing.T) {
	s := newStage(t, 1)
	look := s.look(render.Shape{Positions: [][3]float32{{0, 1, 0}, {-1, -1, 0}, {1, -1, 0}}}, render.Material{})
	s.w.Spawn(render.Camera{Height: 40})
	for range 4*perCall/3*2 + 1 {
		s.w.Spawn(look, transform.LocalToWorld{M: transform.IdentityMatrix[float32]()})
	}
	s.ok(system.Update(s.w))
	if s.r.Calls != 3 {
		t.Errorf("%d calls, want 3", s.r.Calls)
	}
}

// TestTargets checks that a camera draws only on its part of its target, and draws nothing if it has
// no target.
func TestTargets(t *testing.T) {
	s := newStage(t, 1)
	s.w.Spawn(render.Camera{X: 0.5, W: 0.5, Background: color.NRGBA{A: 255}})
	s.w.Spawn(render.Camera{Target: 3})
	s.ok(system.Update(s.w))
	views := render.ViewsOf(s.w)
	if got, want := s.r.part(views[0]).Bounds(), image.Rect(150, 0, 300, 200); got != want {
		t.Errorf("the part is %v, want %v", got, want)
	}
	if views[1].Width != 0 {
		t.Errorf("target 3 is %d wide", views[1].Width)
	}
	part := s.r.part(views[0])
	s.r.SetTarget(0, ebiten.NewImage(600, 400))
	s.ok(system.Update(s.w))
	if got := s.r.part(render.ViewsOf(s.w)[0]); got == part || got.Bounds() != image.Rect(300, 0, 600, 400) {
		t.Errorf("with another target the part is %v", got.Bounds())
	}
	s.r.SetTarget(0, nil)
	s.ok(system.Update(s.w))
	if w, h := s.r.Size(0); w != 0 || h != 0 {
		t.Errorf("without a target the size is %d, %d", w, h)
	}
}

// benchSprites returns a batch of n sprites in chunks of 128 rows.
func benchSprites(n int) *sprites {
	s := &sprites{half: [2]float32{0.5, 0.5}, scale: [4]float32{1, 1, 1, 1}, cells: [][4]float32{{0, 0, 16, 16}}}
	s.filling = projection{x: [4]float32{10, 1, 0, 640}, y: [4]float32{1, -10, 0, 400}, w: [4]float32{3: 1}, flat: true}
	for first := 0; first < n; first += 128 {
		p := part{matrices: make([][16]float32, 128), tints: make([]color.NRGBA, 128), mask: []uint64{^uint64(0), ^uint64(0)}, first: first}
		for i := range p.matrices {
			p.matrices[i] = transform.IdentityMatrix[float32]()
			p.matrices[i][12] = float32(i)
			p.tints[i] = color.NRGBA{uint8(i), 200, 100, 255}
		}
		s.parts = append(s.parts, p)
	}
	s.grow(n)
	return s
}

// TestCorners checks that the corners of a sprite follow from its matrix and the camera, for cameras
// that look along Z and for other cameras.
func TestCorners(t *testing.T) {
	m := [16]float32{2, 1, 0.5, 0, -1, 3, 0.25, 0, 0, 0, 1, 0, 7, -5, 3, 1}
	for _, z := range []float32{0, 4} {
		s := benchSprites(128)
		s.half = [2]float32{0.5, 1.5}
		s.filling.x[2], s.filling.y[2] = z, 2*z
		for k := range s.parts[0].matrices {
			s.parts[0].matrices[k] = m
		}
		s.RunRange(nil, 0, len(s.parts))
		own := s.filling.times(&m)
		for i, v := range s.vertices[:4*128] {
			x, y, _ := own.point([3]float32{0.5 * float32(2*(i%2)-1), 1.5 * float32(1-2*(i/2%2)), 0})
			if math.Abs(float64(v.DstX-x)) > 1e-3 || math.Abs(float64(v.DstY-y)) > 1e-3 {
				t.Fatalf("factor of Z %v: corner %d of sprite %d is at (%v, %v), want (%v, %v)", z, i%4, i/4, v.DstX, v.DstY, x, y)
			}
		}
	}
}

// TestFillAllocatesNothing checks that filling vertices does not allocate.
func TestFillAllocatesNothing(t *testing.T) {
	s := benchSprites(1024)
	if n := testing.AllocsPerRun(10, func() { s.RunRange(nil, 0, len(s.parts)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkFill alternately fills the vertices of sprites on one worker and copies the same number of
// bytes. It reports the least time of each.
func BenchmarkFill(b *testing.B) {
	for _, n := range []int{1_024, 16_000, 51_200} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { fillOrCopy(b, benchSprites(n), n) })
	}
}

func fillOrCopy(b *testing.B, s *sprites, n int) {
	to := make([]ebiten.Vertex, 4*n)
	fill, memcpy := time.Hour, time.Hour
	for b.Loop() {
		fill = min(fill, minTime(func() { s.RunRange(nil, 0, len(s.parts)) }))
		memcpy = min(memcpy, minTime(func() { copy(to, s.vertices[:4*n]) }))
	}
	b.ReportMetric(float64(fill.Nanoseconds())/float64(n), "fill-ns/sprite")
	b.ReportMetric(float64(memcpy.Nanoseconds())/float64(n), "memcpy-ns/sprite")
	b.ReportMetric(float64(fill)/float64(memcpy), "fill/memcpy")
}

// minTime returns the shorter time of two calls. The first of the two calls loads data into the caches
// that the other side has evicted.
func minTime(f func()) time.Duration {
	f()
	start := time.Now()
	f()
	return time.Since(start)
}
