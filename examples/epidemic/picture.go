//go:build !js

package main

import (
	"fmt"
	"image"
	"image/color"

	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/epidemic/model"
	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/study"
)

// draw does one run, as the command run does, and writes a picture of its end
// to a file.
func draw(name string, settings ...string) error {
	var target *image.RGBA
	var failed error
	model.AtEnd = func(m *model.Epidemic) { target, failed = picture(m, 1000) }
	defer func() { model.AtEnd = nil }()
	o, err := study.Once[*model.Epidemic](jobs.Default(), settings...)
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	fmt.Printf("%016x\n", o.Hash)
	return pngfile.Save(name, target)
}

// picture draws the people of a town as squares, coloured by their states.
func picture(m *model.Epidemic, wide int) (*image.RGBA, error) {
	w, err := system.NewWorld("picture", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	assets, target := render.NewAssets(), image.NewRGBA(image.Rect(0, 0, wide, wide))
	r := &render.Software{Image: target, Background: color.NRGBA{250, 248, 242, 255}}
	if err := render.Install(w, render.Options{Renderer: r, Assets: assets}); err != nil {
		return nil, err
	}
	person := assets.Shape(render.Shape{Name: "person", Kind: render.Sprite, Width: 1, Height: 1})
	var looks [3]render.Look
	for health, c := range [...]color.NRGBA{model.Susceptible: {236, 226, 200, 255}, model.Infected: {200, 40, 40, 255}, model.Recovered: {70, 120, 150, 255}} {
		looks[health] = render.Look{Shape: person, Material: assets.Material(render.Material{Name: fmt.Sprint("health ", health), Color: c})}
	}
	for i := range m.Side * m.Side {
		x, y := float32(i%m.Side)+0.5, float32(i/m.Side)+0.5
		w.Spawn(transform.Translation{X: x, Y: y}, transform.LocalToWorld{}, looks[m.Health(i)])
	}
	side := float32(m.Side)
	w.Spawn(render.Camera{Height: side}, transform.Translation{X: side / 2, Y: side / 2}, transform.LocalToWorld{})
	return target, system.Update(w)
}
