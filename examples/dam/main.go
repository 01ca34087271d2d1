// Dam lets a column of water go: its drops push each other, and the wave runs to the other
// side of the tank. It ends by printing a hash of the world, which is the same on every
// machine.
//
//	dam -drops 200000 -time 0.6 -png dam.png
package main

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"math"
	"os"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/dam/model"
)

// run lets so many drops flow for some seconds, and returns their world.
func run(drops int, seconds float32, options ...system.Option) (*ecs.World, error) {
	w, err := system.NewWorld("dam", append(options, system.Only(), system.With(transform.Systems()))...)
	if err != nil {
		return nil, err
	}
	d := &model.Dam{Drops: drops}
	d.Pour(w)
	for tick := range int(seconds / d.Seconds()) {
		if err := d.Tick(tick); err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

// picture draws the tank from its side.
func picture(w *ecs.World, wide int) (*image.RGBA, error) {
	assets, target := render.NewAssets(), image.NewRGBA(image.Rect(0, 0, wide, wide*5/8))
	r := &render.Software{Image: target, Background: color.NRGBA{244, 240, 230, 255}}
	if err := render.Install(w, render.Options{Renderer: r, Assets: assets}); err != nil {
		return nil, err
	}
	q := w.Query(ecs.With[model.Velocity]())
	size := float32(2.4 / math.Sqrt(float64(q.Count())))
	look := render.Look{
		Shape:    assets.Shape(render.Shape{Name: "drop", Kind: render.Sprite, Width: size, Height: size}),
		Material: assets.Material(render.Material{Name: "water", Color: color.NRGBA{30, 95, 170, 200}}),
	}
	if err := ecs.AddAll(w, ecs.Matching(q), look); err != nil {
		return nil, err
	}
	if err := ecs.AddAll(w, ecs.Matching(q), transform.LocalToWorld{}); err != nil {
		return nil, err
	}
	w.Spawn(render.Camera{Height: model.Height}, transform.Translation{X: model.Width / 2, Y: model.Height / 2}, transform.LocalToWorld{})
	return target, system.Update(w)
}

func main() {
	drops := flag.Int("drops", 3_000, "how `many`")
	seconds := flag.Float64("time", 0.2, "how `long`, in seconds of the water")
	name := flag.String("png", "", "draw the end to a `file`")
	flag.Parse()
	if err := show(*drops, float32(*seconds), *name); err != nil {
		log.Fatal(err)
	}
}

// show prints the hash, and draws the picture.
func show(drops int, seconds float32, name string) error {
	if drops < 1 {
		return fmt.Errorf("-drops is %d: take 1 at least", drops)
	}
	w, err := run(drops, seconds)
	if err != nil {
		return err
	}
	defer w.Close()
	fmt.Printf("%016x\n", w.Hash())
	if name == "" {
		return nil
	}
	target, err := picture(w, 1200)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := png.Encode(f, target); err != nil {
		return err
	}
	return f.Close()
}
