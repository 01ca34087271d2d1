package render_test

import (
	"image"
	"image/color"
	"log"
	"os"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

func main() {
	w, err := system.NewWorld("film", system.Only(), system.WithPlugins(transform.Systems())) // transforms, and nothing else
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	file, err := os.Create("film.gif")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()

	// The renderer, and the file that it draws into.
	sink := render.GIF(file, 25)
	r := &render.Software{Image: image.NewRGBA(image.Rect(0, 0, 320, 200)), Background: color.NRGBA{20, 40, 80, 255}, Sink: sink}
	assets := render.NewAssets()
	if err := render.Install(w, render.Options{Renderer: r, Assets: assets}); err != nil {
		log.Fatal(err)
	}

	// A boat, and a camera that sees it.
	boat := render.Look{
		Shape:    assets.Shape(render.Shape{Name: "boat", Positions: [][3]float32{{0, 1, 0}, {-0.4, -1, 0}, {0.4, -1, 0}}}),
		Material: assets.Material(render.Material{Name: "paint", Color: color.NRGBA{240, 200, 60, 255}}),
	}
	e := w.Spawn(boat, transform.Translation{}, transform.LocalToWorld{})
	w.Spawn(render.Camera{Height: 10})

	// One second. In a larger program a system moves the boat.
	for frame := range 25 {
		if err := ecs.Set(w, e, transform.Translation{X: float32(frame) / 5}); err != nil {
			log.Fatal(err)
		}
		system.ClockOf(w).Advance(1.0 / 25)
		if err := system.Update(w); err != nil {
			log.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		log.Fatal(err)
	}
}
