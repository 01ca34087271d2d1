package render

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Pick must return the entity that the renderer has drawn at a pixel. The test compares only
// pixels that have the same color as their neighbours. The test draws in two and three dimensions,
// in a part of a target, and across Near.
func TestPickPicture(t *testing.T) {
	for name, camera := range map[string]Camera{
		"flat":        {Height: 20},
		"deep":        {Height: 20, Near: -20, Far: 20, X: 0.25, Y: 0.1, W: 0.5},
		"perspective": {FOV: 1, Near: 3, Far: 100},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			film := &Software{Image: image.NewRGBA(image.Rect(0, 0, 160, 100))}
			s.ok(Install(s.w, Options{Renderer: film, Assets: s.assets}))
			s.assets.Shape(Shape{Name: "kite", Positions: [][3]float32{{0, 2, 0}, {1, 0, 1}, {-1, 0, -1}}})
			s.assets.Material(Material{Name: "plain"})
			r := rand.New(rand.NewPCG(3, 8))
			colors := map[color.RGBA]ecs.Entity{}
			for k := range 150 {
				c := color.NRGBA{uint8(k), uint8(255 - k), uint8(40 + k%7), 255}
				shape := []string{"square", "kite", "sprite"}[k%3]
				l := transform.At(r.Float32()*30-15, r.Float32()*20-10, float32(r.IntN(5))-2)
				l.QZ, l.QW = 0.6, 0.8
				l.Scale = 0.5 + 2*r.Float32()
				e := s.w.Spawn(Look{Shape: ShapeNamed(shape), Material: MaterialNamed("plain"), Layer: int32(r.IntN(2))}, l, transform.LocalToWorld{}, Tint{c})
				colors[color.RGBA(c)] = e
			}
			eye := s.w.Spawn(camera, transform.Translation{Z: 8}, transform.LocalToWorld{})
			s.frame()
			compared, found := 0, map[ecs.Entity]bool{}
			for y := 1; y < 99; y++ {
			pixel:
				for x := 1; x < 159; x++ {
					c := film.Image.RGBAAt(x, y)
					for k := range 9 {
						if film.Image.RGBAAt(x+k%3-1, y+k/3-1) != c {
							continue pixel
						}
					}
					want, ok := colors[c]
					if !ok && c != (color.RGBA{}) {
						t.Fatalf("the color %v at (%d, %d) is no entity's", c, x, y)
					}
					got, err := Pick(s.w, eye, float32(x)+0.5, float32(y)+0.5)
					s.ok(err)
					if got != want {
						t.Fatalf("at (%d, %d): picked %v, drawn is %v", x, y, got, want)
					}
					if ok {
						compared++
						found[got] = true
					}
				}
			}
			if compared < 500 || len(found) < 15 {
				t.Errorf("compared %d pixels of %d entities: too few", compared, len(found))
			}
		})
	}
}

// Pick finds points and lines near the position, and images at pixels that are not transparent. Pick
// does not find entities that are not drawn.
func TestPick(t *testing.T) {
	s := newStage(t)
	s.assets.Shape(Shape{Name: "point", Kind: Points, Positions: [][3]float32{{0, 0, 0}}})
	s.assets.Shape(Shape{Name: "line", Kind: Lines, Positions: [][3]float32{{0, 0, 0}, {10, 10, 0}}})
	m := image.NewRGBA(image.Rect(3, 3, 5, 4)) // a half-transparent texel and a clear one
	m.SetRGBA(3, 3, color.RGBA{9, 9, 9, 9})
	s.assets.Material(Material{Name: "pane", Image: m, Blend: Over})
	s.assets.Material(Material{Name: "poster", Image: m})
	s.assets.Material(Material{Name: "thick", Size: 20})
	eye := s.w.Spawn(Camera{Height: 100}) // a unit is a pixel, and (0, 0) is at (100, 50)
	spawn := func(shape, material string, x, y, z float32, more ...any) ecs.Entity {
		look := Look{Shape: ShapeNamed(shape), Material: MaterialNamed(material)}
		place := matrixAt(x, y, z)
		if shape == "sprite" {
			place.M[0], place.M[5] = 10, 10
		}
		return s.w.Spawn(append([]any{look, place}, more...)...)
	}
	null := ecs.Entity{}
	want := func(x, y float32, e ecs.Entity) {
		t.Helper()
		if got, err := Pick(s.w, eye, x, y); got != e || err != nil {
			t.Errorf("at (%v, %v): picked %v, want %v; error %v", x, y, got, e, err)
		}
	}
	point, blob := spawn("point", "red", 0, 0, 0), spawn("point", "thick", 40, 0, 0)
	line := spawn("line", "red", -50, 0, 0)
	pane, poster := spawn("sprite", "pane", 0, 30, 0), spawn("sprite", "poster", 30, 30, 0)
	back := spawn("sprite", "red", 60, 30, 0)
	front := spawn("sprite", "red", 62, 30, -1) // farther away: the camera looks along -Z
	glass := spawn("sprite", "glass", 60, 34, -1)
	hidden := spawn("sprite", "red", -80, 30, 0, Hidden{})
	clear := spawn("sprite", "glass", -60, 30, 0, Tint{})
	s.frame()
	want(100, 50, point)
	want(101.9, 50, point)
	want(102.1, 50, null)
	want(149.9, 50, blob)
	want(150.1, 50, null)
	want(55, 45, line)
	want(55, 47.7, line)
	want(55, 48, null)
	want(48.5, 50, line)
	want(98, 20, pane)
	want(102, 20, null)
	want(128, 20, poster)
	want(132, 20, poster)
	want(160, 20, back)
	want(166.5, 20, front)
	want(160, 13, glass)
	want(160, 20, back) // the half-transparent entity is behind
	want(20, 20, null)
	want(40, 20, null)
	want(-1, 20, null)
	want(200, 20, null)
	s.ok(ecs.SetEnabled[Hidden](s.w, hidden, false))
	s.ok(ecs.Set(s.w, clear, Tint{white}))
	s.frame()
	want(20, 20, hidden)
	want(40, 20, clear)

	_, err := Pick(nil, eye, 0, 0)
	wantError(t, err, ecs.ErrArgument, "the world is nil")
	_, err = Pick(s.w, point, 0, 0)
	wantError(t, err, ecs.ErrState, "has drawn nothing")
	s.ok(s.w.Destroy(line))
	_, err = Pick(s.w, eye, 0, 0)
	wantError(t, err, ecs.ErrState, "came or went")

	show := newStage(t)
	s.frame()
	s.ok(Extract(s.w, show.w))
	s.ok(Install(show.w, Options{Assets: s.assets, Renderer: show.pen}))
	show.frame()
	if got, err := Pick(show.w, eye, 100, 50); got != point || err != nil {
		t.Errorf("in the presentation world: picked %v, error %v", got, err)
	}
}

// A line that begins behind the eye is hit where it is visible.
func TestPickBehind(t *testing.T) {
	s := newStage(t)
	s.assets.Shape(Shape{Name: "rail", Kind: Lines, Positions: [][3]float32{{1, 0, 10}, {1, 0, -100}}})
	eye := s.w.Spawn(Camera{FOV: 1.5, Near: 1})
	rail := s.w.Spawn(Look{Shape: ShapeNamed("rail"), Material: square.Material}, matrixAt(0, 0, 0))
	s.frame()
	x, y, _, ok := ViewsOf(s.w)[0].ToScreen(1, 0, -2)
	if !ok {
		t.Fatal("not on the screen")
	}
	for _, at := range []struct {
		x    float32
		want ecs.Entity
	}{{x, rail}, {200 - x, ecs.Entity{}}, {101, rail}} {
		if got, err := Pick(s.w, eye, at.x, y); got != at.want || err != nil {
			t.Errorf("at %v: picked %v, want %v; error %v", at.x, got, at.want, err)
		}
	}
}
