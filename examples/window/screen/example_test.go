package screen_test

import (
	"log"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/examples/window/screen"
)

// game updates a world and shows the picture that its camera has drawn.
type game struct {
	world   *ecs.World
	picture *ebiten.Image
}

func (g *game) Update() error {
	system.ClockOf(g.world).Advance(1.0 / 60)
	return system.Update(g.world)
}

func (g *game) Draw(window *ebiten.Image)  { window.DrawImage(g.picture, nil) }
func (g *game) Layout(int, int) (int, int) { return 800, 600 }

// A world draws on an image of Ebitengine, and Ebitengine shows the image in a window.
func Example() {
	w, err := system.NewWorld("sparks")
	if err != nil {
		log.Fatal(err)
	}
	picture, r := ebiten.NewImage(800, 600), screen.New()
	if err := render.Install(w, render.Options{Renderer: r, Assets: render.NewAssets()}); err != nil {
		log.Fatal(err)
	}
	r.SetTarget(0, picture)
	if err := ebiten.RunGame(&game{w, picture}); err != nil {
		log.Fatal(err)
	}
}
