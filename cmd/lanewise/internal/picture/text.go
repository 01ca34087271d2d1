//lanewise:inexact a picture is looked at: its colours may differ in the last digit

package picture

import (
	"image"
	"image/draw"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// typeface is the Go font, which is part of golang.org/x/image.
var typeface = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the module's data is a valid font
	}
	return f
})

// faces holds the typeface in each size that a picture uses. Only one goroutine
// may use them at a time.
type faces map[float64]font.Face

// face returns the face with a line height of size pixels.
func (f faces) face(size float64) font.Face {
	face := f[size]
	if face == nil {
		var err error
		face, err = opentype.NewFace(typeface(), &opentype.FaceOptions{Size: max(size, 0.1), DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			panic(err) // these options are valid
		}
		f[size] = face
	}
	return face
}

// width returns the width of a line of text, in pixels.
func (f faces) width(size float64, text string) float64 {
	return float64(font.MeasureString(f.face(size), text)) / 64
}

// These are the height of capital letters and the depth of descenders, as fractions of the
// size of the letters.
const (
	capHeight = 0.74
	descent   = 0.22
)

// text draws a line of text: the left end of its base line is at (x, y). A dark
// outline keeps it legible on a bright background.
func (c *canvas) text(f faces, x, y, size float64, text string, color Color) {
	seam := max(0.09*size, 1)
	left, top := int(math.Floor(x-2*seam-1)), int(math.Floor(y-1.1*size-2*seam))
	box := image.Rect(left, top, left+int(f.width(size, text)+4*seam)+4, top+int(1.5*size+4*seam)+3)
	if !box.Overlaps(image.Rect(0, 0, c.size, c.size)) {
		return
	}
	letters := image.NewAlpha(box)
	d := font.Drawer{Dst: letters, Src: image.Opaque, Face: f.face(size), Dot: fixed.Point26_6{X: fixed.Int26_6(math.Round(x * 64)), Y: fixed.Int26_6(math.Round(y * 64))}}
	d.DrawString(text)
	for _, pass := range [...]struct{ reach, strength float64 }{{2 * seam, 0.5}, {seam, 0.6}} {
		c.stain(growMask(letters, pass.reach), nightColor, pass.strength)
	}
	c.stain(letters, color, 1)
}

// stain blends the pixels under a mask with a color.
func (c *canvas) stain(mask *image.Alpha, color Color, strength float64) {
	r := mask.Rect.Intersect(image.Rect(0, 0, c.size, c.size))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if a := mask.AlphaAt(x, y).A; a > 0 {
				c.blend(y*c.size+x, color, strength*float64(a)/255)
			}
		}
	}
}

// growMask returns a mask extended by reach in all directions, approximated by
// sixteen shifts.
func growMask(mask *image.Alpha, reach float64) *image.Alpha {
	out := image.NewAlpha(mask.Rect)
	for k := range 16 {
		sin, cos := math.Sincos(float64(k) * math.Pi / 8)
		by := image.Pt(int(math.Round(reach*cos)), int(math.Round(reach*sin)))
		from := mask.Rect.Add(by).Intersect(mask.Rect)
		for y := from.Min.Y; y < from.Max.Y; y++ {
			dst, src := out.Pix[out.PixOffset(from.Min.X, y):], mask.Pix[mask.PixOffset(from.Min.X-by.X, y-by.Y):]
			for x := range from.Dx() {
				dst[x] = max(dst[x], src[x])
			}
		}
	}
	draw.Draw(out, out.Rect, mask, mask.Rect.Min, draw.Over)
	return out
}
