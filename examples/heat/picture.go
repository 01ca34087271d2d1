package main

import (
	"image"
	"image/color"
	"math"

	"github.com/lanewise/lanewise/kernels"
)

// picture draws a pixel for each cell, from blue for cold over white to red for hot.
func (p *plate) picture() *image.RGBA {
	cells := p.now.Shape().X
	m := image.NewRGBA(image.Rect(0, 0, cells, cells))
	most := kernels.Max(p.now.Cells())
	for y := range cells {
		for x, t := range p.now.Row(y, 0) {
			pale := uint8(255 - float64(220*math.Abs(t/most)))
			if t < 0 {
				m.SetRGBA(x, y, color.RGBA{pale, pale, 255, 255})
			} else {
				m.SetRGBA(x, y, color.RGBA{255, pale, pale, 255})
			}
		}
	}
	return m
}
