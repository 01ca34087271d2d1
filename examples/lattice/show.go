package main

import (
	"image"
	"image/color"
)

// picture draws a pixel for each spin: light for 1, dark for -1.
func (l *lattice) picture() *image.Gray {
	m := image.NewGray(image.Rect(0, 0, l.side, l.side))
	for y := range l.side {
		for x := range l.side {
			shade := color.Gray{40}
			if l.row((x+y)%2, y)[1+x/2] > 0 {
				shade.Y = 230
			}
			m.SetGray(x, y, shade)
		}
	}
	return m
}
