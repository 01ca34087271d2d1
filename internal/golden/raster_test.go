package golden

import (
	"image"
	"image/color"
	"testing"

	"github.com/lanewise/lanewise/internal/raster"
	"github.com/lanewise/lanewise/jobs"
)

// rasterRow draws a picture of solid bands and a picture with every kind of primitive.
func rasterRow(t *testing.T, pool *jobs.Pool) uint64 {
	d, s := draw(5), newSum()
	tex := &raster.Texture{Image: image.NewRGBA(image.Rect(0, 0, 9, 9)), Part: image.Rect(1, 1, 8, 9), Smooth: true}
	for i := range tex.Image.Pix {
		tex.Image.Pix[i] = uint8(d.intBelow(256))
	}
	var c raster.Canvas
	for round := range 2 {
		lists := []*raster.List{{}, {Near: 0.01}}
		for range 400 {
			p := &raster.Paint{Color: color.RGBA{uint8(d.intBelow(256)), uint8(d.intBelow(256)), uint8(d.intBelow(256)), 255}}
			x, y := 60+25*number[float32](&d), 50+20*number[float32](&d)
			var v [3]raster.Vertex
			for k := range v {
				v[k] = raster.Vertex{X: x + 4*number[float32](&d), Y: y + 4*number[float32](&d), Z: number[float32](&d), W: 1}
			}
			if round == 0 {
				v[1].Z, v[2].Z = v[0].Z, v[0].Z
			} else {
				p.Blend = raster.Blend(d.intBelow(3))
				if d.intBelow(2) == 0 {
					v[1].W, v[1].U, v[2].V, p.Texture = 0.5, 7, 8, tex
				} else if d.intBelow(2) == 0 {
					p.Corners = &[3]color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, p.Color}
				}
			}
			l := lists[d.intBelow(2)]
			l.Triangle(&v, p)
			l.Line(&[2]raster.Vertex{v[0], v[1]}, 1.5, p)
			l.Point(&v[2], 3, p)
		}
		img := image.NewRGBA(image.Rect(0, 0, 120, 100))
		ok(t, c.Draw(raster.On(pool), img, image.Rect(3, 0, 120, 97), lists))
		for _, b := range img.Pix {
			s.add(uint64(b))
		}
	}
	return s.Sum64()
}
