// Hello is the program of docs/guide/window.md.
package main

import (
	"log"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

type game struct {
	world   *ecs.World
	painter *painter
}

// Update is called sixty times a second: one frame of the world, which draws.
func (g *game) Update() error {
	system.ClockOf(g.world).Advance(1.0 / 60)
	return system.Update(g.world)
}

// Draw shows what was drawn.
func (g *game) Draw(window *ebiten.Image) { window.DrawImage(g.painter.picture, nil) }

// Layout says how large the picture is; Ebitengine fits it to the window.
func (g *game) Layout(int, int) (int, int) { return 800, 600 }

func main() {
	p := newPainter(800, 600)
	w, err := newWorld(p)
	if err != nil {
		log.Fatal(err)
	}
	ebiten.SetWindowSize(800, 600)
	if err := ebiten.RunGame(&game{w, p}); err != nil {
		log.Fatal(err)
	}
}
