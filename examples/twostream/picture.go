package main

import (
	"image"
	"image/color"

	"github.com/lanewise/lanewise/grid"
)

// picture draws how many electrons have each position (to the right) and velocity (upwards). One beam is blue, and the other
// one is red.
func (p *plasma) picture(wide, high int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, wide, high))
	mesh := grid.Mesh[float64]{Order: grid.Linear, Periodic: [3]bool{true, true}}
	shape := grid.Shape{X: wide, Y: high, Margin: 1}
	var beams [2]*grid.Sums
	for b := range beams {
		var x, v []float64
		for i := b; i < len(p.x); i += 2 {
			x, v = append(x, p.x[i]/side*float64(wide)), append(v, (0.5-p.v[i]/(6*speed))*float64(high))
		}
		beams[b] = grid.NewSums(shape, 0x1p-10)
		if err := mesh.Deposit(beams[b], grid.Points[float64]{X: x, Y: v}, nil); err != nil {
			panic(err) // both axes are periodic, and no number is infinite
		}
		beams[b].FoldMargins(grid.Periodic, grid.Periodic, grid.Fixed)
	}
	full := 0.3 * 1024 * float64(len(p.x)) / float64(wide*high) * 20 // quanta of a pixel in full colour
	cells := shape.X + 2
	for y := range high {
		for x := range wide {
			at := x + 1 + (y+1)*cells
			blue, red := min(1, float64(beams[0].Cells()[at])/full), min(1, float64(beams[1].Cells()[at])/full)
			m.SetRGBA(x, y, color.RGBA{shade(blue), shade(max(blue, red)), shade(red), 255})
		}
	}
	return m
}

// shade returns how bright a colour is that particles of another colour cover.
func shade(covered float64) uint8 { return uint8(255 - float64(230*covered)) }
