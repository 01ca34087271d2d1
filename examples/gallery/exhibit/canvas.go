package exhibit

import (
	"encoding/binary"
	"slices"

	"github.com/lanewise/lanewise/kernels"
)

// A Canvas holds a picture in the form that the page draws. Drawing does not change a simulation.
type Canvas struct {
	// Bytes holds the points, 8 bytes each. X and Y are little-endian int16, from -32767 for the left
	// and lower edges to 32767 for the right and upper edges. Red, green, blue and the diameter
	// follow, one byte each; the diameter is in 2550ths of the height. For the look Faces, Bytes holds
	// the three corners of each triangle in the same form, but the coordinates are a quarter as large,
	// and the last byte is the alpha. For the look Cells, Bytes holds the pixels instead, as red,
	// green, blue and alpha.
	Bytes []byte
	// Aspect is the width of the picture, divided by its height.
	Aspect float32
	// Width and Height are the numbers of pixels for the look Cells.
	Width, Height int

	points []point
	faces  []face
	starts [planes + 1]int
}

// The canvas keeps balls and faces until all of them are known, because it must draw the far ones first.
type point struct {
	x, y, size float32
	plane      uint16
	color      color
}

type face struct {
	corners [3]uint64
	plane   uint16
}

// A corner is a corner of a face in the picture.
type corner struct {
	x, y  float32
	color color
	alpha uint8
}

type color struct{ r, g, b uint8 }

const (
	planes = 4096       // number of depths that are distinguished
	pixels = 255 / 0.1  // the unit of diameters
	full   = 32767 / 1. // the unit of positions
	reach  = 4          // the largest coordinate of corners
)

// Reset empties the canvas.
func (c *Canvas) Reset() { c.Bytes, c.Width, c.Height = c.Bytes[:0], 0, 0 }

// Point adds a point. The coordinates x and y are from -1 to 1, and size is a fraction of the height.
func (c *Canvas) Point(x, y, size float32, k color) {
	if !(x > -1 && x < 1 && y > -1 && y < 1) {
		return
	}
	word := uint64(uint16(int16(x*full))) | uint64(uint16(int16(y*full)))<<16 | uint64(k.r)<<32 | uint64(k.g)<<40 | uint64(k.b)<<48
	word |= uint64(max(1, min(255, size*pixels))) << 56
	c.Bytes = binary.LittleEndian.AppendUint64(c.Bytes, word)
}

// Ball adds a point that hides points with a smaller nearness. The nearness is from 0 to 1. Sort must
// follow.
func (c *Canvas) Ball(x, y, size, nearness float32, k color) {
	c.points = append(c.points, point{x, y, size, planeOf(nearness), k})
}

// planeOf returns the number of the depth. Far depths have small numbers.
func planeOf(nearness float32) uint16 { return uint16(max(0, min(planes-1, nearness*planes))) }

// Face adds a triangle that hides triangles with a smaller nearness, as far as its alpha says. The
// nearness is from 0 to 1. SortFaces must follow. Face leaves out a triangle that is outside of the
// picture, and one that is much larger than the picture.
func (c *Canvas) Face(nearness float32, a, b, d corner) {
	lowX, highX, lowY, highY := min(a.x, b.x, d.x), max(a.x, b.x, d.x), min(a.y, b.y, d.y), max(a.y, b.y, d.y)
	if !(lowX < 1 && highX > -1 && lowY < 1 && highY > -1 && lowX > -reach && highX < reach && lowY > -reach && highY < reach) {
		return
	}
	f := face{plane: planeOf(nearness)}
	for i, p := range [...]corner{a, b, d} {
		f.corners[i] = uint64(uint16(int16(p.x*(full/reach)))) | uint64(uint16(int16(p.y*(full/reach))))<<16 |
			uint64(p.color.r)<<32 | uint64(p.color.g)<<40 | uint64(p.color.b)<<48 | uint64(p.alpha)<<56
	}
	c.faces = append(c.faces, f)
}

// SortFaces adds the faces to the picture, the far faces first. Faces of one plane keep their order.
func (c *Canvas) SortFaces() {
	clear(c.starts[:])
	for i := range c.faces {
		c.starts[c.faces[i].plane+1]++
	}
	for i := range planes {
		c.starts[i+1] += c.starts[i]
	}
	first := len(c.Bytes)
	c.Bytes = slices.Grow(c.Bytes, 24*len(c.faces))[:first+24*len(c.faces)]
	for i := range c.faces {
		f := &c.faces[i]
		at := c.Bytes[first+24*c.starts[f.plane]:]
		c.starts[f.plane]++
		for k, word := range f.corners {
			binary.LittleEndian.PutUint64(at[8*k:], word)
		}
	}
	c.faces = c.faces[:0]
}

// Sort adds the balls to the picture, the far balls first.
func (c *Canvas) Sort() {
	clear(c.starts[:])
	for i := range c.points {
		c.starts[c.points[i].plane+1]++
	}
	for i := range planes {
		c.starts[i+1] += c.starts[i]
	}
	first := len(c.Bytes)
	for range c.points {
		c.Bytes = append(c.Bytes, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	sorted, kept := c.Bytes[first:], len(c.Bytes)
	for i := range c.points {
		p := &c.points[i]
		at := c.starts[p.plane]
		c.starts[p.plane]++
		before := len(c.Bytes)
		c.Point(p.x, p.y, p.size, p.color)
		if len(c.Bytes) > before { // otherwise eight zeros remain, a point without a size
			copy(sorted[8*at:8*at+8], c.Bytes[before:])
			c.Bytes = c.Bytes[:kept]
		}
	}
	c.points = c.points[:0]
}

// A camera looks at a point from a distance.
type camera struct {
	at               [3]float32 // the point
	far, zoom        float32    // the distance; and the height of an object of size 1 at distance 1, in halves of the picture
	wide             float32    // the aspect that shows everything; a narrower picture is smaller
	sin, cos, up, on float32    // of the angles around the vertical axis and above the horizon
}

// aim turns the camera. The angles are in radians.
func (v *camera) aim(around, above float64) {
	v.sin, v.cos = float32(kernels.SinOf(around)), float32(kernels.CosOf(around))
	v.up, v.on = float32(kernels.SinOf(above)), float32(kernels.CosOf(above))
}

// project returns where a point appears in the picture. It also returns how large an object of size 1
// appears at this point, as a fraction of the picture's height. The size is 0 for points that the
// camera cannot see.
func (c *Canvas) project(v *camera, x, y, z float32) (px, py, size, depth float32) {
	x, y, z = x-v.at[0], y-v.at[1], z-v.at[2]
	x, z = float32(v.cos*x)-float32(v.sin*z), float32(v.sin*x)+float32(v.cos*z)
	y, z = float32(v.on*y)-float32(v.up*z), float32(v.up*y)+float32(v.on*z)
	depth = v.far - z
	if depth < v.far/20 {
		return 0, 0, 0, depth
	}
	s := v.zoom * min(1, c.Aspect/v.wide) / depth
	return float32(x*s) / c.Aspect, float32(y * s), float32(s / 2), depth
}

// mix returns the color between a and b at t, from 0 to 1.
func mix(a, b color, t float32) color {
	t = max(0, min(1, t))
	part := func(a, b uint8) uint8 { return uint8(float32(a) + float32(t*(float32(b)-float32(a)))) }
	return color{part(a.r, b.r), part(a.g, b.g), part(a.b, b.b)}
}

// gradient returns the color at t, which is from 0 for the first color to 1 for the last color.
func gradient(t float32, colors ...color) color {
	t = float32(max(0, min(1, t)) * float32(len(colors)-1))
	i := min(int(t), len(colors)-2)
	return mix(colors[i], colors[i+1], t-float32(i))
}

// dim returns a darker color.
func (k color) dim(t float32) color { return mix(color{}, k, t) }
