// Regatta shows the race of examples/regatta in a window: the arrow keys turn the
// spectators' camera and move it, space pauses and resumes the race, and N follows
// another boat.
//
//	go run ./regatta                          in examples/window
//	go run ./regatta -boats 20000 -rate 5     more of them, sailed in five steps a second
//	go run ./regatta -frames 90 -shot a.png   90 frames, a picture of the last, and the end
//
// The simulation runs only a few steps a second. The picture shows the boats
// between the last two steps, with render.Previous. The renderer render.Software
// draws the picture, with depth and smooth edges, and the window only shows it.
// Labels of package render show the speeds.
package main

import (
	"flag"
	"fmt"
	"image"
	"log"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/examples/regatta"
)

// game implements the game that Ebitengine runs.
type game struct {
	race    *regatta.Race
	film    *render.Software
	picture *ebiten.Image
	sign    sign
	view    view
	paused  bool

	frames, count int // number of frames to run, or 0 for no limit, and the number so far
	shot          string
	done          bool
}

func newGame(boats int, rate float64, size image.Point) (*game, error) {
	g := &game{film: &render.Software{Image: image.NewRGBA(image.Rectangle{Max: size}), Smooth: true}, view: stand}
	race, err := regatta.New(regatta.Options{Boats: boats, Renderer: g.film, Rate: rate})
	if err != nil {
		return nil, err
	}
	g.race = race
	g.sign = putUp(race)
	return g, nil
}

// Layout returns the size of the picture. Ebitengine scales it to the window.
func (g *game) Layout(int, int) (int, int) {
	return g.film.Image.Rect.Dx(), g.film.Image.Rect.Dy()
}

// Update reads the keys, and runs one frame of the race, which draws its picture.
func (g *game) Update() error {
	switch {
	case g.done || inpututil.IsKeyJustPressed(ebiten.KeyEscape):
		return ebiten.Termination
	case g.frames != 0 && g.count >= g.frames:
		return nil // Draw is called later and must still show the last frame
	case inpututil.IsKeyJustPressed(ebiten.KeySpace):
		g.pause(!g.paused)
	case inpututil.IsKeyJustPressed(ebiten.KeyN):
		if err := g.race.Follow(g.count); err != nil {
			return err
		}
	}
	pressed := func(less, more ebiten.Key) (by float32) {
		if ebiten.IsKeyPressed(less) {
			by--
		}
		if ebiten.IsKeyPressed(more) {
			by++
		}
		return by
	}
	return g.step(pressed(ebiten.KeyArrowLeft, ebiten.KeyArrowRight), pressed(ebiten.KeyArrowDown, ebiten.KeyArrowUp))
}

// step runs one frame, in which the spectators' camera turns and moves.
func (g *game) step(turn, ahead float32) error {
	g.view.move(turn, ahead)
	if err := g.view.apply(g.race); err != nil {
		return err
	}
	if err := g.sign.write(g.race); err != nil {
		return err
	}
	system.ClockOf(g.race.World).Advance(regatta.Step)
	g.count++
	return system.Update(g.race.World)
}

// pause stops the race but not the presentation, so that the user can still look around.
func (g *game) pause(on bool) {
	g.paused = on
	system.InstanceOf(g.race.World, system.GetOrCreate[system.FixedStep](g.race.World)).SetEnabled(!on)
}

// Draw shows the picture.
func (g *game) Draw(window *ebiten.Image) {
	if g.picture == nil {
		g.picture = ebiten.NewImage(g.Layout(0, 0))
	}
	g.picture.WritePixels(g.film.Image.Pix)
	window.DrawImage(g.picture, nil)
	if g.frames == 0 || g.count < g.frames || g.done {
		return
	}
	g.done = true
	if g.shot != "" {
		if err := save(g.shot, window); err != nil {
			log.Print(err)
		}
	}
}

// save writes the contents of a window to a file.
func save(name string, window *ebiten.Image) error {
	p := image.NewRGBA(window.Bounds())
	window.ReadPixels(p.Pix)
	return pngfile.Save(name, p)
}

func main() {
	boats := flag.Int("boats", 5_000, "how many")
	rate := flag.Float64("rate", 10, "steps a second in which they sail")
	size := flag.String("size", "960x540", "of the picture, in pixels")
	frames := flag.Int("frames", 0, "end after so many frames; 0 goes on")
	shot := flag.String("shot", "", "a PNG file for the last of -frames")
	flag.Parse()
	if *boats < 1 || !(*rate > 0 && *rate <= 1000) || flag.NArg() > 0 {
		log.Fatalf("-boats %d -rate %v %v: there is at least one boat and one flag after the other, and up to 1000 steps a second", *boats, *rate, flag.Args())
	}
	var picture image.Point
	if _, err := fmt.Sscanf(*size, "%dx%d", &picture.X, &picture.Y); err != nil || picture.X < 1 || picture.Y < 1 {
		log.Fatalf("-size %s: it is like 960x540", *size)
	}
	g, err := newGame(*boats, *rate, picture)
	if err != nil {
		log.Fatal(err)
	}
	g.frames, g.shot = *frames, *shot
	ebiten.SetWindowTitle("lanewise: arrows, space, N")
	ebiten.SetWindowSize(picture.X, picture.Y)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	if err := ebiten.RunGame(g); err != nil {
		log.Fatal(err)
	}
	if *frames > 0 {
		fmt.Printf("%d boats, %d frames\n", *boats, g.count)
	}
}
