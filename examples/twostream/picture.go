package main

import (
	"image"
	"image/color"

	"github.com/lanewise/lanewise/grid"
)

// picture draws how many electrons have each position (to the right) and velocity (upwards). One beam is blue, and the other
// beam is red.
func (p *plasma) picture(wide, high int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, wide, high))
	mesh := grid.Mesh[float64]{Order: grid.Linear, Periodic: [3]bool{true, true}}
	shape := grid.Shape{X: wide, Y: high, Margin: 1}
	var beams [2]*grid.Field[float64]
	for b := range beams {
		var x, v []float64
		for i := b; i < len(p.x); i += 2 {
			x, v = append(x, p.x[i]/side*float64(wide)), append(v, (0.5-p.v[i]/(6*speed))*float64(high))
		}
		sums := grid.NewSums(shape, 0x1p-10)
		if err := mesh.Deposit(sums, grid.Points[float64]{X: x, Y: v}, nil); err != nil {
			panic(err) // both axes are periodic, and no number is infinite
		}
		sums.FoldMargins(grid.Periodic, grid.Periodic, grid.Fixed)
		beams[b] = grid.New[float64](shape)
		grid.CopyTo(beams[b], sums)
	}
	full := 6 * float64(len(p.x)) / float64(wide*high) // electrons of a pixel in full colour
	for y := range high {
		for x := range wide {
			blue, red := min(1, beams[0].At(x, y, 0)/full), min(1, beams[1].At(x, y, 0)/full)
			m.SetRGBA(x, y, color.RGBA{shade(blue), shade(max(blue, red)), shade(red), 255})
		}
	}
	return m
}

// shade returns how bright a colour is. The parameter is how much of it particles of another colour cover.
func shade(covered float64) uint8 { return uint8(255 - float64(230*covered)) }
