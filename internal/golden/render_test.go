package golden

import (
	"image"
	"image/color"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// renderRow draws the views of two cameras of a moving world.
func renderRow(t *testing.T, pool *jobs.Pool) uint64 {
	w := newWorld(t, pool)
	defer func() { ok(t, w.Close()) }()
	d, s, assets := draw(9), newSum(), render.NewAssets()
	r := &render.Software{Image: image.NewRGBA(image.Rect(0, 0, 160, 100)), Background: color.NRGBA{20, 30, 60, 255}}
	ok(t, render.Install(w, render.Options{Renderer: r, Assets: assets}))
	tile := image.NewRGBA(image.Rect(0, 0, 5, 5))
	for i := range tile.Pix {
		tile.Pix[i] = uint8(d.intBelow(256)) | uint8(255*(i%4/3))
	}
	shapes := []render.ShapeID{
		assets.Shape(render.Shape{Name: "boat", Positions: [][3]float32{{2, 0, 0}, {-1, 0.7, 0}, {-1, -0.7, 1}}}),
		assets.Shape(render.Shape{Name: "card", Kind: render.Sprite}),
		assets.Shape(render.Shape{Name: "mast", Kind: render.Lines, Positions: [][3]float32{{0, 0, 0}, {0, 2, 0}}}),
	}
	materials := []render.MaterialID{
		assets.Material(render.Material{Name: "red", Color: color.NRGBA{250, 60, 30, 255}, Size: 2}),
		assets.Material(render.Material{Name: "tile", Image: tile}),
		assets.Material(render.Material{Name: "mist", Color: color.NRGBA{250, 250, 255, 80}, Blend: render.Over}),
	}
	w.Spawn(render.Camera{Height: 12})
	w.Spawn(render.Camera{FOV: 1, X: 0.5, Order: 1, Background: color.NRGBA{0, 0, 0, 255}},
		transform.Translation{Z: 9}, transform.LocalToWorld{})
	var ids []ecs.Entity
	for range 300 {
		look := render.Look{Shape: shapes[d.intBelow(len(shapes))], Material: materials[d.intBelow(len(materials))]}
		ids = append(ids, w.Spawn(look, render.Tint{Color: color.NRGBA{uint8(d.intBelow(256)), 200, 255, 255}}, transform.Rotation{Z: 0.6, W: 0.8},
			transform.Translation{X: 2 * number[float32](&d), Y: number[float32](&d), Z: number[float32](&d)}, transform.LocalToWorld{}))
	}
	for n := range 3 {
		r.Smooth = n == 1
		for range 50 {
			ok(t, ecs.Set(w, ids[d.intBelow(len(ids))], transform.Translation{X: number[float32](&d), Y: number[float32](&d)}))
		}
		step(t, w, 1)
		for _, b := range r.Image.Pix {
			s.add(uint64(b))
		}
	}
	return s.Sum64()
}
