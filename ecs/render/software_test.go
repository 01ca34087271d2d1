package render

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// newPicture creates a stage whose renderer draws into an image.
func newPicture(t testing.TB, w, h int, opts ...system.Option) (*stage, *Software) {
	s := newStage(t, opts...)
	r := &Software{Image: image.NewRGBA(image.Rect(0, 0, w, h)), Background: color.NRGBA{10, 20, 30, 255}}
	s.ok(Install(s.w, Options{Renderer: r, Assets: s.assets}))
	return s, r
}

// show spawns an entity with a look at a place.
func (s *stage) show(l Look, x, y float32, more ...any) ecs.Entity {
	return s.w.Spawn(append([]any{l, transform.Translation{X: x, Y: y}, transform.LocalToWorld{}}, more...)...)
}

func (s *stage) look(shape, material string) Look {
	return Look{Shape: ShapeNamed(shape), Material: MaterialNamed(material)}
}

var (
	ground = color.RGBA{10, 20, 30, 255}
	red    = color.RGBA{255, 0, 0, 255}
)

// want checks single pixels.
func want(t *testing.T, r *Software, pixels map[image.Point]color.RGBA) {
	t.Helper()
	for at, c := range pixels {
		if got := r.Image.RGBAAt(at.X, at.Y); got != c {
			t.Errorf("pixel %v is %v, want %v", at, got, c)
		}
	}
}

// Each kind of shape is drawn at its place, in its color, under its tint.
func TestSoftwareShapes(t *testing.T) {
	s, r := newPicture(t, 80, 40) // 4 pixels a unit: (0, 0) is at (40, 20)
	s.w.Spawn(Camera{Height: 10})
	img := image.NewRGBA(image.Rect(0, 0, 2, 2))
	for i, c := range []color.RGBA{{200, 0, 0, 255}, {0, 200, 0, 255}, {0, 0, 200, 255}, {200, 200, 200, 255}} {
		img.SetRGBA(i%2, i/2, c)
	}
	s.assets.Material(Material{Name: "picture", Image: img})
	s.assets.Material(Material{Name: "thick", Color: color.NRGBA{0, 255, 0, 255}, Size: 4})
	s.assets.Material(Material{Name: "half", Color: color.NRGBA{255, 0, 0, 128}, Blend: Over})
	s.assets.Material(Material{Name: "light", Color: color.NRGBA{100, 250, 0, 255}, Blend: Add})
	s.assets.Shape(Shape{Name: "line", Kind: Lines, Positions: [][3]float32{{-2, 0, 0}, {2, 0, 0}}})
	s.assets.Shape(Shape{Name: "point", Kind: Points, Positions: [][3]float32{{0, 0, 0}}, Indices: []uint32{0}})
	s.assets.Shape(Shape{Name: "card", Positions: [][3]float32{{-1, 1, 0}, {1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}},
		Texcoords: [][2]float32{{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}}})
	white := color.NRGBA{255, 255, 255, 255}
	s.assets.Shape(Shape{Name: "same", Positions: [][3]float32{{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}}, Colors: []color.NRGBA{{0, 0, 128, 255}, {0, 0, 128, 255}, {0, 0, 128, 255}}})
	s.assets.Shape(Shape{Name: "grades", Positions: [][3]float32{{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}}, Colors: []color.NRGBA{{0, 0, 0, 255}, white, {0, 0, 0, 255}}})
	s.show(square, -8, 0)
	s.show(square, -8, 3, Tint{color.NRGBA{128, 255, 255, 255}})
	s.show(s.look("sprite", "picture"), -5, 0, transform.Scale{Value: 2})
	s.show(s.look("card", "picture"), -5, 3)
	s.show(s.look("line", "thick"), -1, 0)
	s.show(s.look("point", "thick"), -1, 3)
	s.show(s.look("square", "half"), 3, 0)
	s.show(s.look("square", "light"), 3, 3)
	s.show(s.look("same", "glass"), 6, 0)
	s.show(s.look("grades", "glass"), 6, 3)
	s.show(square, 8.875, 0) // its left edge is in the middle of a pixel
	s.frame()
	want(t, r, map[image.Point]color.RGBA{
		{0, 0}: ground, {79, 39}: ground,
		{4, 16}: red, {11, 23}: red, {12, 20}: ground, {3, 20}: ground,
		{8, 8}:   {128, 0, 0, 255},
		{16, 16}: {200, 0, 0, 255}, {23, 16}: {0, 200, 0, 255}, {16, 23}: {0, 0, 200, 255}, {23, 23}: {200, 200, 200, 255},
		{16, 4}: {200, 0, 0, 255}, {23, 4}: {0, 200, 0, 255}, {16, 11}: {0, 0, 200, 255}, {23, 11}: {200, 200, 200, 255},
		{28, 18}: {0, 255, 0, 255}, {43, 21}: {0, 255, 0, 255}, {36, 17}: ground, {44, 20}: ground,
		{35, 7}: {0, 255, 0, 255}, {36, 8}: {0, 255, 0, 255}, {33, 8}: ground,
		{52, 20}: {133, 10, 15, 255}, {52, 8}: {110, 255, 30, 255},
		{61, 22}: {0, 0, 128, 255}, {67, 17}: ground,
	})
	if a, b := r.Image.RGBAAt(61, 11).R, r.Image.RGBAAt(66, 11).R; !(a > 20 && a < 70 && b > 180 && b < 240) {
		t.Errorf("colours between corners are %d and %d", a, b)
	}
	if c := r.Image.RGBAAt(71, 20); c.R < 120 || c.R > 150 {
		t.Errorf("the edge is %v", c)
	}
	r.Smooth = true
	s.frame()
	if c := r.Image.RGBAAt(19, 16); c.R == 0 || c.G == 0 {
		t.Errorf("a smooth image is %v between its texels", c)
	}
}

// Cameras draw in their order into their parts of the image, over each other. Some cameras
// have a background. Another target has no pixels.
func TestSoftwareCameras(t *testing.T) {
	s, r := newPicture(t, 40, 20)
	blue := color.NRGBA{0, 0, 200, 255}
	s.show(square, 0, 0)
	s.w.Spawn(Camera{Height: 40, X: 0.5, W: 0.5, H: 1, Order: 2, Background: blue}) // the right half
	s.w.Spawn(Camera{Height: 10, Order: 1})                                         // everything
	s.w.Spawn(Camera{Height: 4, X: 0.75, Y: 0.5, W: 0.25, H: 0.5, Order: 3})        // on top, without clearing the ground
	s.w.Spawn(Camera{Target: 1})
	s.frame()
	want(t, r, map[image.Point]color.RGBA{
		{0, 0}: ground, {18, 10}: red, {19, 9}: red, {17, 10}: ground, // the right half of its square is covered
		{20, 0}: {0, 0, 200, 255}, {30, 9}: {64, 0, 150, 255}, {25, 15}: {0, 0, 200, 255},
		{35, 15}: red, {39, 10}: {0, 0, 200, 255},
	})
	if w, h := r.Size(1); w != 0 || h != 0 {
		t.Errorf("target 1 is of %d×%d", w, h)
	}
}

// A nearer entity hides one that is drawn later. A perspective camera clips at its near plane.
func TestSoftwareDepth(t *testing.T) {
	s, r := newPicture(t, 40, 40)
	s.assets.Material(Material{Name: "green", Color: color.NRGBA{0, 255, 0, 255}})
	green := s.look("square", "green")
	s.w.Spawn(Camera{FOV: 1.5707964, Near: 1, Far: 100})
	s.w.Spawn(square, transform.Translation{Z: -4}, transform.LocalToWorld{})
	s.w.Spawn(green, transform.Translation{Z: -2}, transform.LocalToWorld{})
	// The floor begins behind the camera and reaches far into the distance.
	s.assets.Shape(Shape{Name: "floor", Positions: [][3]float32{{-50, -3, 20}, {50, -3, 20}, {0, -3, -90}}})
	s.w.Spawn(s.look("floor", "red"), transform.LocalToWorld{M: transform.IdentityMatrix[float32]()})
	s.frame()
	want(t, r, map[image.Point]color.RGBA{
		{20, 20}: {0, 255, 0, 255}, {11, 11}: {0, 255, 0, 255}, {9, 20}: ground,
		{20, 39}: red, {2, 36}: red, {20, 8}: ground,
	})
}

// bustle is a scene with everything, in several chunks.
func (s *stage) bustle(n int) {
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 37 % 200)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	s.assets.Material(Material{Name: "picture", Image: img})
	s.assets.Material(Material{Name: "mist", Color: color.NRGBA{200, 220, 255, 90}, Blend: Over})
	s.assets.Material(Material{Name: "spark", Color: color.NRGBA{60, 40, 10, 255}, Blend: Add, Size: 5})
	s.assets.Shape(Shape{Name: "boat", Positions: [][3]float32{{1.7, 0, 0}, {-1, 0.55, 0}, {-1, -0.55, 0}}})
	s.assets.Shape(Shape{Name: "point", Kind: Points, Positions: [][3]float32{{0, 0, 0}, {1, 1, 0}}})
	s.w.Spawn(Camera{Height: 60})
	s.w.Spawn(Camera{Height: 20, X: 0.6, Y: 0.6, Order: 1, Background: color.NRGBA{40, 0, 40, 255}})
	looks := []Look{square, s.look("boat", "red"), s.look("boat", "mist"), s.look("sprite", "picture"), s.look("point", "spark")}
	for i := range n {
		x, y := float32(i*7919%1200)/10-60, float32(i*104729%620)/10-31
		more := []any{transform.Rotation{Z: 0.6, W: 0.8}, transform.Scale{Value: 0.5 + float32(i%5)}}
		if i%3 == 0 {
			more = append(more, Tint{color.NRGBA{uint8(i), uint8(3 * i), 200, 255}})
		}
		s.show(looks[i%len(looks)], x, y, more...)
	}
}

// The pixels are the same for every number of workers, in each frame.
func TestSoftwareWorkers(t *testing.T) {
	var first []string
	for _, workers := range []int{1, 2, 3, 8, 64} {
		s, r := newPicture(t, 150, 90, onWorkers(t, workers))
		s.bustle(900)
		for n := range 3 {
			r.Smooth = n == 2
			s.frame()
			sum := fnv.New64a()
			sum.Write(r.Image.Pix)
			hash := fmt.Sprintf("%016x", sum.Sum64())
			if workers == 1 {
				first = append(first, hash)
			} else if hash != first[n] {
				t.Errorf("%d workers, frame %d: %s, want %s", workers, n, hash, first[n])
			}
		}
	}
}

// Between two frames, the program replaces the image by an image of another size, by an image without
// pixels, or by nil. The renderer draws as much as possible, and nothing fails.
func TestSoftwareResize(t *testing.T) {
	s, r := newPicture(t, 80, 40)
	var sink counting
	r.Sink = &sink
	s.show(square, 0, 0)
	s.w.Spawn(Camera{Height: 10})
	s.frame()
	first := bytes.Clone(r.Image.Pix)
	for i, m := range []*image.RGBA{image.NewRGBA(image.Rect(0, 0, 0, 0)), nil, image.NewRGBA(image.Rect(0, 0, 9, 0)), image.NewRGBA(image.Rect(0, 0, 1, 1)), image.NewRGBA(image.Rect(5, 5, 85, 45))} {
		r.Image = m
		s.frame()
		if i == 3 {
			want(t, r, map[image.Point]color.RGBA{{0, 0}: ground})
		}
	}
	if !bytes.Equal(r.Image.Pix, first) {
		t.Error("the first size gives another picture than at first")
	}
	if sink != 3 {
		t.Errorf("the sink had %d pictures, want the 3 that have pixels", sink)
	}
}

// counting is a sink that counts.
type counting int

func (c *counting) Picture(*image.RGBA) error { *c++; return nil }
func (c *counting) Close() error              { return nil }

// Each sink of the package gets all pictures.
func TestSinks(t *testing.T) {
	dir := t.TempDir()
	var film, animation, raw bytes.Buffer
	for _, c := range []struct {
		name  string
		sink  Sink
		check func() error
	}{
		{"PNGs", PNGs(filepath.Join(dir, "%d.png")), func() error {
			text, err := os.ReadFile(filepath.Join(dir, "3.png"))
			if err == nil {
				_, err = png.Decode(bytes.NewReader(text))
			}
			return err
		}},
		{"GIF", GIF(&film, 25), func() error {
			all, err := gif.DecodeAll(&film)
			if err == nil && len(all.Image) != 3 {
				err = fmt.Errorf("%d pictures", len(all.Image))
			}
			return err
		}},
		{"APNG", APNG(&animation, 25), func() error { _, err := png.Decode(&animation); return err }},
		{"Y4M", Y4M(&raw, 25), func() error {
			if n := strings.Count(raw.String(), "FRAME\n"); n != 3 {
				return fmt.Errorf("%d pictures", n)
			}
			return nil
		}},
	} {
		s, r := newPicture(t, 80, 40)
		r.Sink = c.sink
		s.w.Spawn(Camera{Height: 10})
		at := s.show(square, 0, 0)
		for n := range 3 {
			s.ok(ecs.Set(s.w, at, transform.Translation{X: float32(n)}))
			s.frame()
		}
		s.ok(c.sink.Close())
		if err := c.check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// broken is a sink that cannot write.
type broken struct{ counting }

var errBroken = errors.New("no space left")

func (b *broken) Picture(*image.RGBA) error { return errBroken }

// A fault of the renderer is an error of the frame, and the world continues.
func TestSoftwareErrors(t *testing.T) {
	s, r := newPicture(t, 80, 40)
	camera := s.w.Spawn(Camera{Height: 10})
	s.show(square, 0, 0)
	r.Sink = &broken{}
	if err := system.Update(s.w); !errors.Is(err, errBroken) {
		t.Errorf("a broken sink: %v", err)
	}
	r.Sink = nil
	whole := r.Image
	r.Image = &image.RGBA{Rect: whole.Rect, Stride: whole.Stride, Pix: whole.Pix[:100:100]}
	if err := system.Update(s.w); err == nil || !strings.Contains(err.Error(), "render: frame 2: Begin") {
		t.Errorf("an image without its pixels: %v", err)
	}
	s.ok(ecs.Set(s.w, camera, Camera{Height: 10, Background: color.NRGBA{1, 2, 3, 255}}))
	r.Image = whole
	s.frame()
	want(t, r, map[image.Point]color.RGBA{{40, 20}: red, {0, 0}: {1, 2, 3, 255}})
}

// After the first few frames, a frame allocates nothing.
func TestSoftwareAllocatesNothing(t *testing.T) {
	n := 2000
	if checked {
		n = 80 // in builds that allocate in any case
	}
	s, d, _ := crew(t, n, 2, 0.25)
	s.ok(Install(s.w, Options{Renderer: &Software{Image: image.NewRGBA(image.Rect(0, 0, 150, 90))}, Assets: s.assets}))
	checkNoAllocs(t, "a frame in which everything moves", s.frame)
	d.by = 0
	checkNoAllocs(t, "a frame in which nothing does", s.frame)
}
