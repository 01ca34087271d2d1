// Dam simulates a dam break: a column of water collapses, and its wave runs to the other side of
// the tank. The water consists of drops that push each other. At the end it prints a hash of the
// world, which is the same on every machine.
//
//	dam -drops 200000 -time 0.6 -png dam.png
package main

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"log"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/dam/model"
	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/kernels"
)

// run simulates the given number of drops for some seconds, and returns their world.
func run(drops int, seconds float32, options ...system.Option) (*ecs.World, error) {
	w, err := system.NewWorld("dam", append(options, system.Only(), system.WithPlugins(transform.Systems()))...)
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

// picture draws the tank from the front and slightly from above. Fast drops are bright, and distant
// drops are dark.
func picture(w *ecs.World, wide int) (*image.RGBA, error) {
	assets, target := render.NewAssets(), image.NewRGBA(image.Rect(0, 0, wide, wide*5/8))
	r := &render.Software{Image: target, Background: color.NRGBA{244, 240, 230, 255}}
	if err := render.Install(w, render.Options{Renderer: r, Assets: assets}); err != nil {
		return nil, err
	}
	q := w.Query(ecs.Read[model.Velocity](), ecs.Read[transform.Translation]())
	size := float32(1.5 * kernels.CbrtOf(2*model.Depth/float64(q.Count())))
	look := render.Look{
		Shape:    assets.Shape(render.Shape{Name: "drop", Kind: render.Sprite, Width: size, Height: size}),
		Material: assets.Material(render.Material{Name: "water"}),
	}
	if err := ecs.AddAll(w, ecs.Matching(q), look); err != nil {
		return nil, err
	}
	if err := ecs.AddAll(w, ecs.Matching(q), transform.LocalToWorld{}); err != nil {
		return nil, err
	}
	if err := ecs.AddAll(w, ecs.Matching(q), render.Tint{}); err != nil {
		return nil, err
	}
	for c := range w.Query(ecs.Read[model.Velocity](), ecs.Read[transform.Translation](), ecs.Write[render.Tint]()).Chunks() {
		vel, tint, n := ecs.ReadColumn[model.Velocity](c), ecs.Column[render.Tint](c).Color, c.Len()
		vx, vy, vz, depth := vel.X[:n], vel.Y[:n], vel.Z[:n], ecs.ReadColumn[transform.Translation](c).Z[:n]
		for i := range tint[:n] {
			x, y, z := vx[i], vy[i], vz[i]
			foam := min(float32(math.Sqrt(float64((float32(x*x)+float32(y*y))+float32(z*z))))/6, 1)
			near := 0.55 + float32(0.45*depth[i]/model.Depth)
			part := func(calm, fast float32) uint8 { return uint8((calm + float32((fast-calm)*foam)) * near) }
			tint[i] = color.NRGBA{part(30, 215), part(110, 235), part(200, 250), 255}
		}
	}
	line := assets.Material(render.Material{Name: "glass", Color: color.NRGBA{120, 120, 115, 255}, Size: 1.5})
	w.Spawn(render.Look{Shape: assets.Shape(tank()), Material: line}, transform.Translation{}, transform.LocalToWorld{})
	const tilt = -0.28
	down := transform.Rotation{X: kernels.SinOf[float32](tilt / 2), W: kernels.CosOf[float32](tilt / 2)}
	w.Spawn(render.Camera{FOV: 0.62}, transform.Translation{X: model.Width / 2, Y: 2.55, Z: 5.4}, down, transform.LocalToWorld{})
	return target, system.Update(w)
}

// tank returns the edges of the tank.
func tank() render.Shape {
	shape := render.Shape{Name: "tank", Kind: render.Lines}
	for k := range 8 {
		at := [3]float32{float32(float32(k&1) * model.Width), float32(float32(k>>1&1) * model.Height), float32(float32(k>>2) * model.Depth)}
		shape.Positions = append(shape.Positions, at)
		for _, bit := range []int{1, 2, 4} {
			if k&bit == 0 {
				shape.Indices = append(shape.Indices, uint32(k), uint32(k|bit))
			}
		}
	}
	return shape
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

// show prints the hash and draws the picture.
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
	return pngfile.Save(name, target)
}
