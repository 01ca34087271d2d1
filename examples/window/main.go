// Window shows fifty thousand stars in a window that Ebitengine draws. The mouse drags the picture,
// its wheel zooms, and the space bar pauses and resumes the simulation.
//
//	go run .                          in this directory
//	go run . -frames 120 -shot a.png  120 steps, a picture of the last, and the end
//
// It is a separate module, so that users of the library do not get Ebitengine, which needs
// a C compiler and, on Linux, the development files of X11.
package main

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"log"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/examples/window/screen"
)

// night is the colour of the sky.
var night = color.NRGBA{6, 8, 20, 255}

// step is the time of one frame of the simulation, in seconds.
const step = 1.0 / 60

// game implements the game that Ebitengine runs.
type game struct {
	world   *ecs.World
	screen  *screen.Renderer
	picture *ebiten.Image // the image on which the world is drawn
	input   *system.Resource[app.Input]
	paused  bool

	frames int    // number of frames left, or 0 for no limit
	shot   string // file for the last frame
	done   bool
	spent  time.Duration // on the frames of the world
	count  int
}

func newGame(stars int) (*game, error) {
	system.Register[Orbit]()
	w, err := system.NewWorld("galaxy")
	if err != nil {
		return nil, err
	}
	g := &game{world: w, screen: screen.New(), input: system.ResourceOf[app.Input](w)}
	assets := render.NewAssets()
	light(w, assets, stars)
	if err := system.AddSystems(w, system.Of[Look]()); err != nil {
		return nil, err
	}
	return g, render.Install(w, render.Options{Renderer: g.screen, Assets: assets})
}

// Layout is called when the size of the window changes.
func (g *game) Layout(width, height int) (int, int) {
	if width > 0 && height > 0 && (g.picture == nil || g.picture.Bounds().Max != image.Pt(width, height)) {
		if g.picture != nil {
			g.picture.Deallocate()
		}
		g.picture = ebiten.NewImage(width, height)
		g.screen.SetTarget(0, g.picture)
	}
	return width, height
}

// Update reads the mouse and the keys, and runs one frame of the world, which draws its
// picture.
func (g *game) Update() error {
	if g.done {
		return ebiten.Termination
	}
	if g.frames != 0 && g.count >= g.frames {
		return nil // Draw is called later and must still show the last frame
	}
	*g.input.Write() = g.mouse()
	if inpututil.IsKeyJustPressed(ebiten.KeySpace) {
		g.pause(!g.paused)
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyEscape) {
		return ebiten.Termination
	}
	return g.step()
}

// step runs one frame.
func (g *game) step() error {
	began := time.Now()
	system.ClockOf(g.world).Advance(step)
	err := system.Update(g.world)
	g.spent += time.Since(began)
	g.count++
	return err
}

// pause stops the simulation but not the presentation, so that the user can still look around.
func (g *game) pause(on bool) {
	g.paused = on
	system.InstanceOf(g.world, system.GetOrCreate[system.Simulation](g.world)).SetEnabled(!on)
}

// mouse returns the state of the mouse, and the size of the picture.
func (g *game) mouse() app.Input {
	x, y := ebiten.CursorPosition()
	_, wheel := ebiten.Wheel()
	size := g.picture.Bounds().Max
	return app.Input{
		Width: float32(size.X), Height: float32(size.Y), X: float32(x), Y: float32(y), Wheel: float32(wheel),
		Pressed: ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft),
	}
}

// Draw shows the picture.
func (g *game) Draw(window *ebiten.Image) {
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
	stars := flag.Int("stars", 50_000, "how many")
	frames := flag.Int("frames", 0, "end after so many frames; 0 goes on")
	shot := flag.String("shot", "", "a PNG file for the last of -frames")
	flag.Parse()
	g, err := newGame(*stars)
	if err != nil {
		log.Fatal(err)
	}
	g.frames, g.shot = *frames, *shot
	ebiten.SetWindowTitle("lanewise: drag, zoom, space")
	ebiten.SetWindowSize(1280, 800)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	if err := ebiten.RunGame(g); err != nil {
		log.Fatal(err)
	}
	if *frames > 0 {
		fmt.Printf("%d stars, %d frames of %v, %d calls\n", *stars, g.count, (g.spent / time.Duration(max(g.count, 1))).Round(time.Microsecond), g.screen.Calls)
	}
}
