// Package letters makes images of letters for the labels of package render, from the bitmap
// font that comes with golang.org/x/image.
//
//	m := letters.Material("letters")
//	look := render.Look{Shape: assets.Shape(letters.Shape("letter", 0.5)), Material: assets.Material(m)}
//	label, err := render.LabelOf("12 knots", render.ASCII)
package letters

import (
	"image"
	"image/color"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/lanewise/lanewise/ecs/render"
)

// columns and rows are the grid of the cells of render.ASCII.
const columns, rows = 16, 6

var face = basicfont.Face7x13

// Image returns the characters from the space to the tilde, white on transparent, in 16 columns and 6
// rows.
func Image() *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, columns*face.Advance, rows*face.Height))
	pen := font.Drawer{Dst: m, Src: image.NewUniform(color.White), Face: face}
	for k := range columns * rows {
		if r := rune(' ' + k); r <= '~' {
			pen.Dot = fixed.P(k%columns*face.Advance, k/columns*face.Height+face.Ascent)
			pen.DrawString(string(r))
		}
	}
	return m
}

// Material returns a material for labels.
func Material(name string) render.Material {
	return render.Material{Name: name, Image: Image(), Columns: columns, Rows: rows, Blend: render.Over}
}

// Shape returns the shape of one letter of the given height.
func Shape(name string, height float32) render.Shape {
	return render.Shape{Name: name, Kind: render.Sprite, Width: height * float32(face.Advance) / float32(face.Height), Height: height}
}
