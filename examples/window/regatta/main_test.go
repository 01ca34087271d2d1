package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/regatta"
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

func newTestGame(t *testing.T) *game {
	t.Helper()
	g, err := newGame(200, 10, image.Pt(480, 270))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.race.World.Close() })
	return g
}

func (g *game) advance(t *testing.T, frames int) {
	t.Helper()
	for range frames {
		if err := g.step(0, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPicture checks that the window shows the picture of the embedded renderer. The picture must
// contain the race, the views of three cameras, and the sign with the speed of a boat.
func TestPicture(t *testing.T) {
	name := filepath.Join(t.TempDir(), "shot.png")
	cmd := exec.Command(os.Args[0], "-boats", "200", "-frames", "15", "-size", "480x270", "-shot", name)
	cmd.Env = append(os.Environ(), "WINDOW_RUN=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "200 boats, 15 frames\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	g := newTestGame(t)
	g.advance(t, 15)
	if shown.Bounds() != g.film.Image.Rect {
		t.Fatalf("the window is %v", shown.Bounds())
	}
	differing, colors := 0, map[uint32]bool{}
	for y := range 270 {
		for x := range 480 {
			r, gr, b, _ := shown.At(x, y).RGBA()
			c := g.film.Image.RGBAAt(x, y)
			colors[r>>8<<16|gr>>8<<8|b>>8] = true
			for _, d := range [3]int{int(r>>8) - int(c.R), int(gr>>8) - int(c.G), int(b>>8) - int(c.B)} {
				if d < -3 || d > 3 {
					differing++
					break
				}
			}
		}
	}
	if differing > 0 || len(colors) < 200 {
		t.Errorf("%d pixels differ from what was drawn; %d colours", differing, len(colors))
	}
}

// TestSign checks that the sign is readable in its corner, and that it shows another speed later.
func TestSign(t *testing.T) {
	g := newTestGame(t)
	corner := image.Rect(331, 9, 420, 20)
	read := func() (white int, pixels []byte) {
		for y := corner.Min.Y; y < corner.Max.Y; y++ {
			for x := corner.Min.X; x < corner.Max.X; x++ {
				c := g.film.Image.RGBAAt(x, y)
				if c.R > 215 && c.G > 225 && c.B > 225 {
					white++
					pixels = append(pixels, byte(x), byte(y))
				}
			}
		}
		return white, pixels
	}
	g.advance(t, 2)
	white, first := read()
	g.advance(t, 40)
	later, second := read()
	if white < 20 || later < 20 || bytes.Equal(first, second) {
		t.Errorf("the sign has %d white pixels, some frames later %d; the same: %v", white, later, bytes.Equal(first, second))
	}
}

// TestKeys checks that the arrow keys turn and move the spectators' camera. The camera must move
// even during a pause, in which the boats do not move.
func TestKeys(t *testing.T) {
	g := newTestGame(t)
	g.advance(t, 10)
	place := func(e ecs.Entity) (m [16]float32) {
		t.Helper()
		at, err := ecs.Get[transform.LocalToWorld](g.race.World, e)
		if err != nil {
			t.Fatal(err)
		}
		return at.M
	}
	g.pause(true)
	boat, eye := place(g.race.Boat), place(g.race.Stand)
	for range 20 {
		if err := g.step(1, 1); err != nil {
			t.Fatal(err)
		}
	}
	if place(g.race.Boat) != boat {
		t.Error("in a pause the boat goes on")
	}
	if now := place(g.race.Stand); now == eye || render.ViewsOf(g.race.World)[0].Place != now {
		t.Errorf("the camera is at %v, was at %v, and sees from %v", now, eye, render.ViewsOf(g.race.World)[0].Place)
	}
	g.pause(false)
	g.advance(t, 12)
	if place(g.race.Boat) == boat {
		t.Error("after a pause the boat stays")
	}
	was := g.race.Boat
	if err := g.race.Follow(7); err != nil || g.race.Boat == was {
		t.Errorf("it follows %v after %v: %v", g.race.Boat, was, err)
	}
	g.advance(t, 1)
	if _, err := ecs.Get[regatta.Helm](g.race.World, g.race.Boat); err != nil {
		t.Error(err)
	}
}
