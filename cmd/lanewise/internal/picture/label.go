//lanewise:inexact a picture is looked at: its colours may differ in the last digit

package picture

import (
	"math"
	"strconv"
)

// A rect is a box of pixels.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) overlaps(s rect) bool { return r.x0 < s.x1 && s.x0 < r.x1 && r.y0 < s.y1 && s.y0 < r.y1 }

func (r rect) within(s rect) bool {
	return r.x0 >= s.x0 && r.y0 >= s.y0 && r.x1 <= s.x1 && r.y1 <= s.y1
}

func (r rect) grown(by float64) rect { return rect{r.x0 - by, r.y0 - by, r.x1 + by, r.y1 + by} }

// A label is a placed line of text.
type label struct {
	text   string
	box    rect
	x, y   float64 // left end of the base line
	size   float64 // height of the letters, in pixels
	color  Color
	leader bool // the label is far from its disc: draw a line to it
	ax, ay float64
}

func (f *frame) newLabel(text string, x, y, size float64, color Color) label {
	l := label{text: text, x: x, y: y, size: size, color: color}
	l.box = rect{x, y - capHeight*size, x + f.faces.width(size, text), y + descent*size}
	return l
}

// These are the sizes of the letters, in pixels of a picture with a side of 1600.
const (
	titleSize = 42
	noteSize  = 24
	nameSize  = 26
	ringSize  = 20
)

// layout places the texts of a scene so that no two overlap. It places the
// title and its notes first, then the names of the discs, and then the
// distances of the rings if there is enough space. If there is no room for a
// name at its disc, it places the name further away and connects it to the
// disc by a line. Only discs outside of the frame have no name.
func (f *frame) layout(s *Scene) []label {
	var labels []label
	y := 100 * f.unit
	if s.Title != "" {
		labels = append(labels, f.newLabel(s.Title, 70*f.unit, y, titleSize*f.unit, titleColor))
	}
	y += 0.3 * noteSize * f.unit // the title hangs lower
	for _, note := range s.Notes {
		y += 1.4 * noteSize * f.unit
		labels = append(labels, f.newLabel(note, 70*f.unit, y, noteSize*f.unit, noteColor))
	}
	if s.Foot != "" {
		width := f.faces.width(ringSize*f.unit, s.Foot)
		labels = append(labels, f.newLabel(s.Foot, 2*f.middle-70*f.unit-width, 1564*f.unit, ringSize*f.unit, noteColor))
	}
	if s.Chart {
		labels = append(labels, f.newChart(&s.Dots).nameTicks(f)...)
	}
	sheet := rect{0, 0, 2 * f.middle, 2 * f.middle}.grown(-12 * f.unit)
	taken := make([]rect, 0, 64)
	for _, l := range labels {
		taken = append(taken, l.box.grown(4*f.unit))
	}
	if s.Chart {
		taken = append(taken, f.newChart(&Dots{}).box.grown(8*f.unit))
	}
	for i := range s.Discs {
		x, y := f.pixelAt(s.Discs[i].X, s.Discs[i].Y)
		r := (s.Discs[i].Radius + 3) * f.unit
		taken = append(taken, rect{x - r, y - r, x + r, y + r})
	}
	free := func(box rect) bool {
		if !box.within(sheet) {
			return false
		}
		for _, t := range taken {
			if box.overlaps(t) {
				return false
			}
		}
		return true
	}
	for i := range s.Discs {
		if l, ok := f.placeBeside(&s.Discs[i], free); ok {
			labels = append(labels, l)
			taken = append(taken, l.box.grown(3*f.unit))
		}
	}
	for _, r := range s.Rings {
		if l, ok := f.onRing(r, free); ok {
			labels = append(labels, l)
			taken = append(taken, l.box.grown(3*f.unit))
		}
	}
	return labels
}

// placeBeside finds a position for a name: around its disc, then on wider and wider
// circles.
func (f *frame) placeBeside(d *Disc, free func(rect) bool) (label, bool) {
	x, y := f.pixelAt(d.X, d.Y)
	if !(x >= 0 && y >= 0 && x < 2*f.middle && y < 2*f.middle) {
		return label{}, false
	}
	size := nameSize * f.unit
	l := f.newLabel(d.Name, 0, 0, size, mix(nameColor, d.Color, 0.35))
	width, height := l.box.x1-l.box.x0, l.box.y1-l.box.y0
	for ring := 0; ring < 200; ring++ {
		reach := (d.Radius+7)*f.unit + float64(ring)*8*f.unit
		for k := range 16 {
			// Try the right side first. The other positions go alternately below
			// and above, up to the left side.
			angle := float64((k+1)/2) * math.Pi / 8
			if k%2 == 0 {
				angle = -angle
			}
			sin, cos := math.Sincos(angle)
			cx, cy := x+cos*(reach+width/2), y+sin*(reach+height/2)
			box := rect{cx - width/2, cy - height/2, cx + width/2, cy + height/2}
			if free(box) {
				l = f.newLabel(d.Name, box.x0, box.y0+capHeight*size, size, l.color)
				l.leader, l.ax, l.ay = ring > 1, x, y
				return l, true
			}
		}
	}
	return label{}, false
}

// onRing finds a position on a circle for the label that shows the radius of the
// circle.
func (f *frame) onRing(r float64, free func(rect) bool) (label, bool) {
	text := distanceText(r)
	for k := range 48 {
		sin, cos := math.Sincos(-math.Pi/4 + float64(k)*math.Pi/24)
		radius := f.distance(r)
		l := f.newLabel(text, 0, 0, ringSize*f.unit, ringColor)
		x, y := f.middle+radius*cos, f.middle-radius*sin
		l = f.newLabel(text, x-(l.box.x1-l.box.x0)/2, y+capHeight*ringSize*f.unit/2, ringSize*f.unit, noteColor)
		if free(l.box) {
			return l, true
		}
	}
	return label{}, false
}

// drawLeaders draws the lines from distant names to their discs.
func (f *frame) drawLeaders(k *ink, labels []label) {
	for _, l := range labels {
		if l.leader {
			x, y := max(l.box.x0, min(l.ax, l.box.x1)), max(l.box.y0, min(l.ay, l.box.y1))
			k.line(x, y, l.ax, l.ay, f.unit, l.color, 0.55)
		}
	}
}

// distanceText formats a distance with as few decimals as possible.
func distanceText(au float64) string {
	return strconv.FormatFloat(au, 'f', -1, 64) + " AU"
}
