// Galaxy lets two galaxies meet: all stars attract each other. At the end it prints a hash of the
// world, which is the same on every machine.
//
//	galaxy -stars 20000 -steps 600 -png galaxy.png
package main

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"log"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/internal/pngfile"
)

// run simulates the given number of stars for some steps, and returns their world.
func run(stars, steps int, options ...system.Option) (*ecs.World, error) {
	w, err := system.NewWorld("galaxy", append(options, system.Only(), system.WithPlugins(transform.Systems()))...)
	if err != nil {
		return nil, err
	}
	s := light(w, stars)
	for range steps {
		if err := s.step(); err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

// picture draws the world from above.
func picture(w *ecs.World, width, height int) (*image.RGBA, error) {
	assets, target := render.NewAssets(), image.NewRGBA(image.Rect(0, 0, width, height))
	r := &render.Software{Image: target, Background: color.NRGBA{6, 8, 20, 255}}
	if err := render.Install(w, render.Options{Renderer: r, Assets: assets}); err != nil {
		return nil, err
	}
	star := assets.Shape(render.Shape{Name: "star", Kind: render.Sprite, Width: 0.025, Height: 0.025})
	for _, side := range []struct {
		name string
		of   *ecs.Query
		c    color.NRGBA
	}{
		{"warm", w.Query(ecs.With[Velocity](), ecs.Without[Blue]()), color.NRGBA{255, 205, 130, 110}},
		{"blue", w.Query(ecs.With[Velocity](), ecs.With[Blue]()), color.NRGBA{120, 170, 255, 110}},
	} {
		look := render.Look{Shape: star, Material: assets.Material(render.Material{Name: side.name, Color: side.c, Blend: render.Add})}
		if err := ecs.AddAll(w, ecs.Matching(side.of), look); err != nil {
			return nil, err
		}
		if err := ecs.AddAll(w, ecs.Matching(side.of), transform.LocalToWorld{}); err != nil {
			return nil, err
		}
	}
	w.Spawn(render.Camera{Height: 5})
	return target, system.Update(w)
}

func main() {
	stars := flag.Int("stars", 2_000, "how `many`, in two galaxies")
	steps := flag.Int("steps", 100, "how `many`, of 0.01 each")
	name := flag.String("png", "", "draw the end to a `file`")
	flag.Parse()
	if err := show(*stars, *steps, *name); err != nil {
		log.Fatal(err)
	}
}

// show prints the hash and draws the picture.
func show(stars, steps int, name string) error {
	w, err := run(stars, steps)
	if err != nil {
		return err
	}
	defer w.Close()
	fmt.Printf("%016x\n", w.Hash())
	if name == "" {
		return nil
	}
	target, err := picture(w, 1200, 800)
	if err != nil {
		return err
	}
	return pngfile.Save(name, target)
}
