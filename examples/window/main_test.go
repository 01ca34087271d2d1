package main

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// TestMain runs the program in the test binary. A window belongs to the first goroutine of a process,
// on which tests do not run.
func TestMain(m *testing.M) {
	if os.Getenv("WINDOW_RUN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

const testStars, testFrames = 4_000, 40

// runShown runs the program in a window. It returns the picture after some frames and the output.
func runShown(t *testing.T) (picture *image.RGBA, said string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "shot.png")
	cmd := exec.Command(os.Args[0], "-stars", "4000", "-frames", "40", "-shot", name)
	cmd.Env = append(os.Environ(), "WINDOW_RUN=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	picture = image.NewRGBA(p.Bounds())
	for y := range p.Bounds().Dy() {
		for x := range p.Bounds().Dx() {
			picture.Set(x, y, p.At(x, y))
		}
	}
	return picture, string(out)
}

// TestPicture checks the window: the sky has its colour, and the stars have their places and colours.
// At most a few pixels may differ from the picture that the embedded renderer draws of the same
// world.
func TestPicture(t *testing.T) {
	got, said := runShown(t)
	if !strings.HasPrefix(said, "4000 stars, 40 frames of ") || !strings.HasSuffix(said, ", 1 calls\n") {
		t.Errorf("it says %q", said)
	}
	if got.Bounds() != image.Rect(0, 0, 1280, 800) {
		t.Fatalf("the window is %v", got.Bounds())
	}
	want := &render.Software{Image: image.NewRGBA(got.Bounds())}
	w := worldFor(t, want, testFrames)
	for _, p := range []image.Point{{0, 0}, {1279, 0}, {0, 799}, {1279, 799}, {1100, 400}} {
		if c := got.RGBAAt(p.X, p.Y); c != (color.RGBA{night.R, night.G, night.B, 255}) {
			t.Errorf("the sky at %v is %v", p, c)
		}
	}
	stars := 0
	v := render.ViewsOf(w)[0]
	for p := range v.Batches[0].Parts() {
		for i := range p.Matrices {
			m := &p.Matrices[i]
			x, y, _, _ := v.ToScreen(m[12], m[13], m[14])
			if math.Hypot(float64(x)-640, float64(y)-400) < 150 {
				continue // other stars are near
			}
			stars++
			c, tint := brightest(got, int(x), int(y)), p.Tints[i]
			if !isNear(c.R, night.R, tint.R) || !isNear(c.G, night.G, tint.G) || !isNear(c.B, night.B, tint.B) {
				t.Fatalf("star %v at %.1f, %.1f has the colour %v, its tint is %v", p.Entities[i], x, y, c, tint)
			}
		}
	}
	differing, worst := compare(got, want.Image)
	t.Logf("%d pixels differ from those of the embedded renderer, one by %d", differing, worst)
	if limit := len(got.Pix) / 4 / 200; differing > limit {
		t.Errorf("%d pixels differ from those of the embedded renderer by more than 24, of at most %d, and one by %d", differing, limit, worst)
	}
	if stars < testStars/2 {
		t.Errorf("%d stars were looked at", stars)
	}
}

// worldFor returns the program's world after some frames. The given renderer has drawn these
// frames.
func worldFor(t *testing.T, r render.Renderer, frames int) *ecs.World {
	t.Helper()
	system.Register[Orbit]()
	w, err := system.NewWorld(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	assets := render.NewAssets()
	light(w, assets, testStars)
	s := sight{height: 2.2 * radius}
	s.spawn(w)
	if err := render.Install(w, render.Options{Renderer: r, Assets: assets, Width: 1280, Height: 800}); err != nil {
		t.Fatal(err)
	}
	for range frames {
		system.ClockOf(w).Advance(step)
		if err := system.Update(w); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// brightest returns the brightest pixel among the pixel at a place and its neighbours.
func brightest(p *image.RGBA, x, y int) (c color.RGBA) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if d := p.RGBAAt(x+dx, y+dy); int(d.R)+int(d.G)+int(d.B) > int(c.R)+int(c.G)+int(c.B) {
				c = d
			}
		}
	}
	return c
}

// isNear reports whether a colour is close to the colour of a light on the night sky.
func isNear(got, night, light uint8) bool {
	all := min(int(night)+int(light), 255)
	return int(got) >= int(night)+(all-int(night))/5 && int(got) <= all+12
}

// compare counts the pixels that differ visibly, and returns the largest difference.
func compare(a, b *image.RGBA) (n, worst int) {
	for i := 0; i < len(a.Pix); i += 4 {
		most := 0
		for k := i; k < i+3; k++ {
			d := int(a.Pix[k]) - int(b.Pix[k])
			most = max(most, d, -d)
		}
		worst = max(worst, most)
		if most > 24 {
			n++
		}
	}
	return n, worst
}

// newTestGame returns a game without a window. Its picture is an image of the size that the window
// would have.
func newTestGame(t *testing.T) *game {
	t.Helper()
	g, err := newGame(500)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.world.Close() })
	g.Layout(640, 400)
	advance(t, g)
	return g
}

func advance(t *testing.T, g *game) {
	t.Helper()
	if err := g.step(); err != nil {
		t.Fatal(err)
	}
}

func (g *game) under(t *testing.T, x, y float32) (wx, wy float32) {
	t.Helper()
	wx, wy, _, ok := render.ViewsOf(g.world)[0].ToWorld(x, y, 0)
	if !ok {
		t.Fatal("the camera sees nothing")
	}
	return wx, wy
}

// TestSight checks that a dragged point stays under the mouse, and that a point stays under the
// mouse while the user zooms.
func TestSight(t *testing.T) {
	g := newTestGame(t)
	ax, ay := g.under(t, 100, 300)
	*g.input.Write() = app.Input{Width: 640, Height: 400, X: 100, Y: 300}
	advance(t, g)
	*g.input.Write() = app.Input{Width: 640, Height: 400, X: 137, Y: 180, Pressed: true}
	advance(t, g)
	if bx, by := g.under(t, 137, 180); !close(ax, bx) || !close(ay, by) {
		t.Errorf("%v, %v was dragged, and %v, %v is under the mouse", ax, ay, bx, by)
	}
	sight := &system.Find[Look](g.world).sight
	for _, wheel := range []float32{4, -7, 90, -130} {
		ax, ay := g.under(t, 530, 90)
		before := sight.height
		*g.input.Write() = app.Input{Width: 640, Height: 400, X: 530, Y: 90, Wheel: wheel}
		advance(t, g)
		if bx, by := g.under(t, 530, 90); !close(ax, bx) || !close(ay, by) {
			t.Errorf("zoomed by %v at %v, %v, and %v, %v is there", wheel, ax, ay, bx, by)
		}
		if sight.height < closest || sight.height > farthest || (sight.height < before) != (wheel > 0) {
			t.Errorf("zoomed by %v the height is %v, and was %v", wheel, sight.height, before)
		}
	}
}

func close(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-2 }

// TestPause checks that the user can look around while the simulation is paused.
func TestPause(t *testing.T) {
	g := newTestGame(t)
	q := g.world.Query(ecs.Read[transform.Translation](), ecs.With[Velocity]())
	places := func() []transform.Translation {
		list, err := ecs.AppendValues[transform.Translation](q, nil)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	a := places()
	g.pause(true)
	*g.input.Write() = app.Input{Width: 640, Height: 400, X: 10, Pressed: true}
	advance(t, g)
	sight := &system.Find[Look](g.world).sight
	if b := places(); b[7] != a[7] || sight.x >= 0 || render.ViewsOf(g.world)[0].Place[12] != sight.x {
		t.Errorf("in a pause a star goes from %v to %v, and the camera is at %v, not %v", a[7], b[7], render.ViewsOf(g.world)[0].Place[12], sight.x)
	}
	g.pause(false)
	advance(t, g)
	if b := places(); b[7] == a[7] {
		t.Error("after a pause nothing moves")
	}
}

// TestResize checks that the picture has the size of the window.
func TestResize(t *testing.T) {
	g := newTestGame(t)
	was := g.picture
	g.Layout(640, 400)
	if g.picture != was {
		t.Error("the same size is another picture")
	}
	if w, h := g.Layout(333, 222); w != 333 || h != 222 {
		t.Errorf("the layout is %d, %d", w, h)
	}
	advance(t, g)
	if v := render.ViewsOf(g.world)[0]; v.Width != 333 || v.Height != 222 || g.picture.Bounds().Dx() != 333 {
		t.Errorf("the view is %d × %d, the picture %v", v.Width, v.Height, g.picture.Bounds())
	}
	g.Layout(0, 0) // a minimised window
	advance(t, g)
}
