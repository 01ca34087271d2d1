//lanewise:inexact a picture is looked at: its colours may differ in the last digit

package picture

import (
	"image"
	"math"
)

// canvas is the final picture.
type canvas struct{ layer }

func newCanvas(size int) *canvas {
	c := &canvas{*newLayer(size)}
	middle := float64(size) / 2
	for i := range c.r {
		x, y := float64(i%size)+0.5-middle, float64(i/size)+0.5-middle
		c.blend(i, mix(duskColor, nightColor, clamp(math.Hypot(x, y)/(1.1*middle))), 1)
	}
	return c
}

// light adds layers of light by a screen blend, so that no channel overflows.
func (c *canvas) light(layers ...*layer) {
	for _, l := range layers {
		screen(c.r, l.r)
		screen(c.g, l.g)
		screen(c.b, l.b)
	}
}

// screen adds light linearly up to 0.7; above that, the sum approaches 1.
func screen(dst, src []float32) {
	for i, v := range src {
		if v > 0.7 {
			v = 1 - 0.3*float32(math.Exp(float64(0.7-v)/0.3))
		}
		dst[i] = 1 - (1-dst[i])*(1-v)
	}
}

// blend moves a pixel towards a color.
func (c *canvas) blend(at int, to Color, share float64) {
	s := float32(share)
	c.r[at] += (float32(to.R) - c.r[at]) * s
	c.g[at] += (float32(to.G) - c.g[at]) * s
	c.b[at] += (float32(to.B) - c.b[at]) * s
}

// image rounds to eight bits for each channel.
func (c *canvas) image() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, c.size, c.size))
	for i := range c.r {
		p := img.Pix[4*i : 4*i+4]
		p[0], p[1], p[2], p[3] = level(c.r[i]), level(c.g[i]), level(c.b[i]), 255
	}
	return img
}

func level(v float32) uint8 { return uint8(max(0, min(v, 1))*255 + 0.5) }
