// The model has no study in pages: see model/study.go.

//go:build !js

// Command flock runs a flock many times. The birds fly in a periodic square, and turn to the mean
// heading of the birds around them, with some noise. If the noise is above a certain level, no
// flock forms.
//
//	flock run noise=0.5
//	flock sweep -out noise noise=0.0:2.0:0.2 -seeds 10
//	flock table -out noise >result.csv
//	flock draw flock.png birds=100000 size=100
package main

import (
	"fmt"
	"image"
	"image/color"
	"log"
	"math"
	"os"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/flock/model"
	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/study"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "draw" {
		if err := draw(os.Args[2], os.Args[3:]...); err != nil {
			log.Fatal(err)
		}
		return
	}
	study.Main[*model.Flock]()
}

// draw does one run, as the command run does, and writes a picture of its end to a file.
func draw(name string, settings ...string) error {
	var target *image.RGBA
	var failed error
	model.AtEnd = func(m *model.Flock) { target, failed = picture(m, 1000) }
	defer func() { model.AtEnd = nil }()
	o, err := study.Once[*model.Flock](jobs.Default(), settings...)
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	fmt.Printf("%016x\n", o.Hash)
	return pngfile.Save(name, target)
}

// picture draws the birds of a flock from above, coloured by their headings.
func picture(m *model.Flock, wide int) (*image.RGBA, error) {
	w, err := system.NewWorld("picture", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	assets, target := render.NewAssets(), image.NewRGBA(image.Rect(0, 0, wide, wide))
	r := &render.Software{Image: target, Background: color.NRGBA{242, 244, 246, 255}}
	if err := render.Install(w, render.Options{Renderer: r, Assets: assets}); err != nil {
		return nil, err
	}
	size := max(m.Size/500, 0.3*m.Size/float32(math.Sqrt(float64(m.Birds))))
	bird := assets.Shape(render.Shape{Name: "bird", Kind: render.Sprite, Width: size, Height: size})
	var looks [12]render.Look
	for k := range looks {
		name, turn := fmt.Sprint("heading ", k), 2*math.Pi*float64(k)/float64(len(looks))
		part := func(at float64) uint8 { return uint8(110 + float64(100*kernels.CosOf(turn-at))) }
		c := color.NRGBA{part(0), part(2 * math.Pi / 3), part(4 * math.Pi / 3), 200}
		looks[k] = render.Look{Shape: bird, Material: assets.Material(render.Material{Name: name, Color: c})}
	}
	for c := range m.Query().Chunks() {
		place, way, n := ecs.Column[model.Place](c), ecs.Column[model.Heading](c), c.Len()
		x, y, wx, wy := place.X[:n], place.Y[:n], way.X[:n], way.Y[:n]
		for i := range n {
			turn := float64(kernels.Atan2Of(float64(wy[i]), float64(wx[i]))/(2*math.Pi)) + 1
			k := int(turn*float64(len(looks))) % len(looks)
			w.Spawn(transform.Translation{X: x[i], Y: y[i]}, transform.LocalToWorld{}, looks[k])
		}
	}
	w.Spawn(render.Camera{Height: m.Size}, transform.Translation{X: m.Size / 2, Y: m.Size / 2}, transform.LocalToWorld{})
	return target, system.Update(w)
}
