package main

import (
	"errors"
	"image"
	"image/color"
	"math"

	"github.com/lanewise/lanewise/grid"
)

// ghia lists the speeds on the vertical center line by height, for the Reynolds number 100, in units of the speed of
// the lid.
var ghia = []struct{ height, speed float64 }{
	{0.9766, 0.84123}, {0.9531, 0.68717}, {0.8516, 0.23151}, {0.7344, 0.00332}, {0.6172, -0.13641}, {0.5000, -0.20581},
	{0.4531, -0.21090}, {0.2813, -0.15662}, {0.1719, -0.10150}, {0.1016, -0.06434}, {0.0547, -0.03717},
}

// middle returns the horizontal speed on the vertical center line, at a height from 0 to 1. It interpolates between cells.
func (b *box) middle(height float64) float64 {
	n := b.now[0].Shape().X
	at := float64(height*float64(n)) - 0.5
	y := max(0, min(n-2, int(at)))
	low, _ := b.velocity(n/2, y)
	high, _ := b.velocity(n/2, y+1)
	left, _ := b.velocity((n-1)/2, y)
	leftHigh, _ := b.velocity((n-1)/2, y+1)
	low, high = float64((low+left)/2), float64((high+leftHigh)/2)
	return low + float64((high-low)*(at-float64(y)))
}

// picture draws the speed of the fluid from white to blue, and stream lines. The stream function changes by the same amount
// from each line to the next.
func (b *box) picture() *image.RGBA {
	const size = 512
	n := b.now[0].Shape().X
	shape := grid.Shape{X: n, Y: n, Margin: 1}
	speed, stream := grid.New[float64](shape), grid.New[float64](shape)
	for x := range n {
		sum := 0.0 // of the flow between the floor and a cell
		for y := range n {
			u, v := b.velocity(x, y)
			speed.Set(x, y, 0, math.Sqrt(float64(u*u)+float64(v*v)))
			stream.Set(x, y, 0, sum+float64(0.5*u))
			sum += u
		}
	}
	walls := grid.Edge[float64]{Rule: grid.Mirrored}
	speed.FillMargins(grid.Edges[float64]{X: walls, Y: walls})
	stream.FillMargins(grid.Edges[float64]{X: walls, Y: walls})
	var pixels grid.Points[float64]
	for y := range size {
		for x := range size {
			pixels.X, pixels.Y = append(pixels.X, (float64(x)+0.5)/size), append(pixels.Y, 1-float64((float64(y)+0.5)/size))
		}
	}
	mesh, fast, flow := grid.Mesh[float64]{Width: 1 / float64(n), Order: grid.Linear, Pool: b.pool}, make([]float64, size*size), make([]float64, size*size)
	if err := errors.Join(mesh.Gather(fast, speed, pixels), mesh.Gather(flow, stream, pixels)); err != nil {
		panic(err) // all pixels are inside
	}
	m, lines := image.NewRGBA(image.Rect(0, 0, size, size)), 12/(0.1*float64(n))
	line := func(at int) int { return int(math.Floor(lines * flow[at])) }
	for i, v := range fast {
		pale := uint8(255 * (1 - min(1, math.Sqrt(v))))
		m.SetRGBA(i%size, i/size, color.RGBA{pale, uint8(128 + int(pale)/2), 255, 255})
		if i%size > 0 && line(i) != line(i-1) || i >= size && line(i) != line(i-size) {
			m.SetRGBA(i%size, i/size, color.RGBA{20, 30, 70, 255})
		}
	}
	return m
}
