// Package picture draws the solar system from above the ecliptic. The light of
// all minor planets is added up to a field; the orbits and planets are drawn
// over this field. Names never overlap. The package computes with pixels and
// AU, but not with orbits. Package raster draws the lines and discs; package
// golang.org/x/image draws the letters.
//
//lanewise:inexact a picture is looked at: its colours may differ in the last digit
package picture

import (
	"image"
	"math"

	"github.com/lanewise/lanewise/jobs"
)

// Scene is the contents of a picture. Positions are in AU, relative to its
// middle.
type Scene struct {
	Title string   // large text, at the upper left
	Notes []string // small, below the title
	Reach float64  // distance at the middle of each edge, in AU
	Root  bool     // show the square root of distances, which enlarges the inner part
	Rings []float64
	Chart bool   // add a histogram of semi-major axes, at the lower left
	Foot  string // small text, at the lower right
	Dots  Dots
	Discs []Disc
}

// Dots are the minor planets. There is one lane for each of the two
// coordinates, and one lane for the semi-major axis, which determines the
// color.
type Dots struct{ X, Y, Axis []float32 }

// Disc is a body with a name.
type Disc struct {
	Name   string
	X, Y   float64
	Color  Color
	Radius float64    // in pixels of a picture with a side of 1600
	Trail  []Position // its orbit, backwards from its position
	Glow   float64    // in pixels of a picture with a side of 1600; 0 for none
}

// Position is a point of a trail.
type Position struct{ X, Y float64 }

// Draw draws a scene as a square of size × size pixels. If a job of the pool fails,
// Draw returns its error.
func Draw(s *Scene, size int, pool *jobs.Pool) (*image.RGBA, error) {
	f := frame{middle: float64(size) / 2, reach: s.Reach, root: s.Root, unit: float64(size) / 1600, faces: faces{}}
	field, glow, lines := newLayer(size), newLayer(size), &ink{size: size}
	f.addDots(field, &s.Dots)
	field.expose()
	field.bloom(f.unit)

	labels := f.layout(s)
	f.drawRings(lines, s.Rings)
	for i := range s.Discs {
		f.trail(lines, &s.Discs[i])
	}
	f.drawLeaders(lines, labels)
	for i := range s.Discs {
		f.disc(lines, glow, &s.Discs[i])
	}
	if s.Chart {
		f.newChart(&s.Dots).draw(lines, &f)
	}
	light, err := lines.light(pool)
	if err != nil {
		return nil, err
	}
	c := newCanvas(size)
	c.light(field, glow, light)
	for _, l := range labels {
		c.text(f.faces, l.x, l.y, l.size, l.text, l.color)
	}
	return c.image(), nil
}

// Inside returns the number of dots of a scene inside its frame.
func Inside(s *Scene) (n int) {
	f := frame{middle: 1, reach: s.Reach, root: s.Root}
	for i := range s.Dots.X {
		if x, y := f.pixelAt(float64(s.Dots.X[i]), float64(s.Dots.Y[i])); x >= 0 && x < 2 && y >= 0 && y < 2 {
			n++
		}
	}
	return n
}

// frame maps positions to pixels.
type frame struct {
	middle float64 // pixels from the edge to the middle
	reach  float64 // AU along it
	root   bool
	unit   float64 // pixels for each pixel of a picture with a side of 1600
	faces  faces
}

// pixelAt returns the pixel coordinates of a position; pixel (0, 0) covers 0 to 1.
func (f *frame) pixelAt(x, y float64) (px, py float64) {
	scale := 1 / f.reach
	if f.root {
		if r := math.Hypot(x, y); r > 0 {
			scale = 1 / math.Sqrt(r*f.reach)
		}
	}
	return f.middle + x*scale*f.middle, f.middle - y*scale*f.middle // seen from the north of the ecliptic: y points up
}

// distance returns the number of pixels for a distance from the middle in AU.
func (f *frame) distance(r float64) float64 {
	if f.root {
		return math.Sqrt(r/f.reach) * f.middle
	}
	return r / f.reach * f.middle
}

// few is a number of dots. A scene with fewer dots draws each dot larger than a
// pixel.
const few = 50000

// addDots adds the light of every minor planet.
func (f *frame) addDots(l *layer, d *Dots) {
	radius := 0.0
	if len(d.X) < few {
		radius = 1.1 * f.unit
	}
	for i := range d.X {
		x, y := f.pixelAt(float64(d.X[i]), float64(d.Y[i]))
		if c := tint(float64(d.Axis[i])); radius > 0.7 {
			l.spot(x, y, radius, c)
		} else {
			l.splat(x, y, c)
		}
	}
}

// drawRings draws circles at round distances.
func (f *frame) drawRings(l *ink, rings []float64) {
	for _, r := range rings {
		const sides = 360
		radius := f.distance(r)
		px, py := f.middle+radius, f.middle
		for k := 1; k <= sides; k++ {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / sides)
			x, y := f.middle+radius*cos, f.middle-radius*sin
			if k%3 != 0 { // two degrees of line, one of gap
				l.line(px, py, x, y, 0.9*f.unit, ringColor, 0.35)
			}
			px, py = x, y
		}
	}
}

// trail draws an orbit. It is brightest at the positions where the body has
// just been.
func (f *frame) trail(l *ink, d *Disc) {
	for k := 1; k < len(d.Trail); k++ {
		past := float64(k) / float64(len(d.Trail))
		strength := 0.16 + 0.74*math.Pow(1-past, 4)
		x0, y0 := f.pixelAt(d.Trail[k-1].X, d.Trail[k-1].Y)
		x1, y1 := f.pixelAt(d.Trail[k].X, d.Trail[k].Y)
		l.line(x0, y0, x1, y1, (1.1+0.9*math.Pow(1-past, 6))*f.unit, d.Color, strength)
	}
}

// disc draws a body with a glow around it.
func (f *frame) disc(l *ink, glow *layer, d *Disc) {
	x, y := f.pixelAt(d.X, d.Y)
	if d.Glow > 0 {
		glow.glow(x, y, d.Glow*f.unit, d.Color)
	}
	l.disc(x, y, max(d.Radius*f.unit, 0.8), d.Color)
}
