package picture

import "math"

// The letters' measures in the units of their grid.
const (
	baseLine   = 2
	capHeight  = 6
	space      = 3   // width of a blank
	gap        = 1.9 // between letters
	boxGlyph   = "0208484202"
	textHeight = 8.4 // from the descenders to the capitals
)

// glyph returns the strokes of a letter and their width.
func glyph(r rune) (strokes string, width float64) {
	if r == ' ' {
		return "", space
	}
	strokes, ok := glyphs[r]
	if !ok {
		strokes = boxGlyph
	}
	for i := 0; i+1 < len(strokes); i += 2 {
		if strokes[i] == ' ' {
			i++
		}
		width = max(width, float64(strokes[i]-'0'))
	}
	return strokes, width
}

// textWidth is the width of a line of text in units of the grid.
func textWidth(text string) (width float64) {
	for i, r := range text {
		_, w := glyph(r)
		width += w
		if i > 0 {
			width += gap
		}
	}
	return width
}

// text draws a line of text: the left end of its base line is at (x, y), a unit
// of the grid is unit pixels. A dark seam keeps it legible on bright ground.
func (c *canvas) text(x, y, unit float64, text string, color Color) {
	for _, pass := range [...]struct {
		width, strength float64
		color           Color
	}{{4.4, 0.5, nightColor}, {2.6, 0.6, nightColor}, {0.95, 1, color}} {
		at := x
		for _, r := range text {
			strokes, width := glyph(r)
			c.strokes(at, y, unit, strokes, max(pass.width*unit, 1.1), pass.color, pass.strength)
			at += (width + gap) * unit
		}
	}
}

// strokes draws one letter. A pixel is covered by the stroke that is nearest to
// it, so that corners and crossings are as bright as the rest.
func (c *canvas) strokes(x0, y0, unit float64, strokes string, width float64, color Color, strength float64) {
	if strokes == "" {
		return
	}
	type segment struct{ x0, y0, x1, y1 float64 }
	var segments []segment
	at := func(i int) (x, y float64) {
		return x0 + float64(strokes[i]-'0')*unit, y0 - (float64(strokes[i+1]-'0')-baseLine)*unit
	}
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := 0; i+1 < len(strokes); i += 2 {
		if strokes[i] == ' ' {
			i++
		}
		x, y := at(i)
		left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
		s := segment{x, y, x, y}
		if i+3 < len(strokes) && strokes[i+2] != ' ' {
			s.x1, s.y1 = at(i + 2)
		}
		segments = append(segments, s)
	}
	reach := width/2 + 1
	c.each(left-reach, top-reach, right+reach, bottom+reach, func(at int, x, y float64) {
		nearest := math.Inf(1)
		for _, s := range segments {
			nearest = min(nearest, toSegment(x, y, s.x0, s.y0, s.x1, s.y1))
		}
		if v := soft(width, nearest) * strength; v > 0 {
			c.blend(at, color, v)
		}
	})
}
