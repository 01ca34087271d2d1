package raster

import (
	"image/color"
	"math"
)

// Blend is the way in which a color is combined with the color below it.
type Blend uint8

// The blends. Over and Add do not write depth: draw them after opaque
// primitives, from back to front.
const (
	Opaque Blend = iota // takes its place
	Over                // mixes with the color below, by its alpha
	Add                 // is added to it
)

// Vertex is a corner of a primitive in homogeneous pixel coordinates. The
// pixel of a vertex is (X/W, Y/W), measured from the left and the upper edge
// of the image. Its depth is Z/W; nearer points have less depth. U and V are
// texture coordinates in texels. In a flat picture, W is 1.
type Vertex struct{ X, Y, Z, W, U, V float32 }

// Paint is the appearance of a primitive. Color is premultiplied by its alpha,
// as in package image/color. The colors of a texture are multiplied by Color.
type Paint struct {
	Color   color.RGBA
	Blend   Blend
	Texture *Texture       // nil for none
	Corners *[3]color.RGBA // colors of a triangle's corners, interpolated, instead of Color; nil for none
}

const (
	subs  = 16      // subpixel positions along the side of a pixel
	guard = 1 << 20 // in pixels; primitives are clipped beyond it
)

// Kinds of primitives.
const (
	flatKind   = iota // a triangle of one color
	mappedKind        // a triangle with a texture, or with a color at each corner
	discKind
)

// A prim is a primitive in the form that bands need. For a triangle, x and y
// hold the corners, clockwise on the screen. For a disc, their first elements
// hold the centre, and x[1] is the radius.
type prim struct {
	x, y      [3]int32 // sixteenths of a pixel
	z, zx, zy float32  // depth at the first corner, and its change for each sixteenth of a pixel
	color     uint32   // as four bytes of an image.RGBA, little-endian
	extra     int32    // of a textured primitive: its index in the list
	kind      uint8
	blend     Blend
	slope     bool // depth differs
}

// List is a list of primitives in the order in which they are drawn. The zero List
// is empty. Only one goroutine at a time may fill a List.
type List struct {
	// Near is the smallest W that is drawn. Parts of a primitive that are
	// nearer to the eye, or behind the eye, are clipped. 0 means the smallest
	// possible number.
	Near float32

	prims []prim
	maps  []mapping
	cut   [2][]corner // work of clip
}

// Reset empties the list and keeps its memory.
func (l *List) Reset() {
	l.prims = l.prims[:0]
	clear(l.maps) // textures may go
	l.maps = l.maps[:0]
}

// Len returns how many primitives the list holds.
func (l *List) Len() int { return len(l.prims) }

// snap returns a coordinate rounded to sixteenths.
func snap(v float64) int32 { return int32(math.Floor(float64(v*subs) + 0.5)) }

func pack(c color.RGBA) uint32 {
	return uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16 | uint32(c.A)<<24
}

// isInside reports whether a vertex needs no clipping; a vertex with a NaN needs
// clipping.
func (v *Vertex) isInside(near float32) bool {
	if v.W == 1 && near <= 1 {
		return v.X >= -guard && v.X <= guard && v.Y >= -guard && v.Y <= guard
	}
	reach := float32(guard * v.W)
	return v.W >= near && v.W > 0 && v.X >= -reach && v.X <= reach && v.Y >= -reach && v.Y <= reach
}

// Triangle adds a triangle. Both sides are visible.
func (l *List) Triangle(v *[3]Vertex, p *Paint) {
	if v[0].isInside(l.Near) && v[1].isInside(l.Near) && v[2].isInside(l.Near) {
		if v[0].W == 1 && v[1].W == 1 && v[2].W == 1 && p.Texture == nil && p.Corners == nil {
			l.addFlat(v, p)
			return
		}
		c := [3]corner{v[0].corner(), v[1].corner(), v[2].corner()}
		c[0].tint(p, 0)
		c[1].tint(p, 1)
		c[2].tint(p, 2)
		l.triangle(&c[0], &c[1], &c[2], p)
		return
	}
	l.clip(v, p)
}

// addFlat adds a triangle without a texture that is parallel to the screen.
func (l *List) addFlat(v *[3]Vertex, p *Paint) {
	l.push(
		[3]int32{snap(float64(v[0].X)), snap(float64(v[1].X)), snap(float64(v[2].X))},
		[3]int32{snap(float64(v[0].Y)), snap(float64(v[1].Y)), snap(float64(v[2].Y))},
		[3]float64{float64(v[0].Z), float64(v[1].Z), float64(v[2].Z)}, p)
}

// A corner is a vertex on the screen. It holds pixel coordinates, the depth,
// 1/W, texture coordinates divided by W, and a color from 0 to 255.
type corner struct{ x, y, z, q, u, v, r, g, b, a float64 }

// tint sets the color of the corner to the color of corner k of the paint, if
// there is one.
func (c *corner) tint(p *Paint, k int) {
	if p.Corners != nil {
		at := p.Corners[k]
		c.r, c.g, c.b, c.a = float64(at.R), float64(at.G), float64(at.B), float64(at.A)
	}
}

func (v *Vertex) corner() corner {
	q := 1 / float64(v.W)
	return corner{x: float64(float64(v.X) * q), y: float64(float64(v.Y) * q), z: float64(float64(v.Z) * q), q: q, u: float64(float64(v.U) * q), v: float64(float64(v.V) * q)}
}

// triangle adds a triangle whose corners are within the guard.
func (l *List) triangle(a, b, c *corner, p *Paint) {
	at := l.push(
		[3]int32{snap(a.x), snap(b.x), snap(c.x)}, [3]int32{snap(a.y), snap(b.y), snap(c.y)}, [3]float64{a.z, b.z, c.z}, p)
	if at != nil && (p.Texture != nil || p.Corners != nil) {
		at.kind, at.extra = mappedKind, int32(len(l.maps))
		l.maps = append(l.maps, newMapping(a, b, c, p))
	}
}

// push adds a triangle unless it has no area or no depth.
func (l *List) push(x, y [3]int32, z [3]float64, p *Paint) *prim {
	dx1, dy1 := int64(x[1])-int64(x[0]), int64(y[1])-int64(y[0])
	dx2, dy2 := int64(x[2])-int64(x[0]), int64(y[2])-int64(y[0])
	area := dx1*dy2 - dx2*dy1
	if area == 0 || !(z[0]+z[1]+z[2] <= math.MaxFloat32 && z[0]+z[1]+z[2] >= -math.MaxFloat32) {
		return nil
	}
	t := prim{x: x, y: y, z: float32(z[0]) + 0, color: pack(p.Color), blend: p.Blend}
	if z[0] != z[1] || z[0] != z[2] {
		t.slope = true
		z1, z2 := z[1]-z[0], z[2]-z[0]
		t.zx = float32((float64(z1*float64(dy2)) - float64(z2*float64(dy1))) / float64(area))
		t.zy = float32((float64(z2*float64(dx1)) - float64(z1*float64(dx2))) / float64(area))
	}
	if area < 0 {
		t.x[1], t.x[2], t.y[1], t.y[2] = x[2], x[1], y[2], y[1]
	}
	l.prims = append(l.prims, t)
	return &l.prims[len(l.prims)-1]
}

// Line adds a line with a width in pixels. A line thinner than a pixel has a
// width of one pixel and is correspondingly fainter.
func (l *List) Line(v *[2]Vertex, width float32, p *Paint) {
	a, b, ok := l.segment(v)
	if !ok || !(width > 0 && width < guard) {
		return
	}
	dx, dy := b.x-a.x, b.y-a.y
	length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	if length == 0 {
		dx, length = 1, 1
	}
	half := float64(width) / 2 / length
	nx, ny := -float64(dy*half), float64(dx*half)
	c := [4]corner{a, a, b, b}
	c[0].x, c[0].y, c[1].x, c[1].y = a.x+nx, a.y+ny, a.x-nx, a.y-ny
	c[2].x, c[2].y, c[3].x, c[3].y = b.x-nx, b.y-ny, b.x+nx, b.y+ny
	l.triangle(&c[0], &c[1], &c[2], p)
	l.triangle(&c[0], &c[2], &c[3], p)
}

// Point adds a disc of a diameter in pixels. It ignores the texture, and U and
// V.
func (l *List) Point(v *Vertex, diameter float32, p *Paint) {
	if !v.isInside(l.Near) || !(diameter > 0 && diameter < guard) {
		return
	}
	c := v.corner()
	if !(c.z <= math.MaxFloat32 && c.z >= -math.MaxFloat32) {
		return
	}
	t := prim{z: float32(c.z) + 0, color: pack(p.Color), blend: p.Blend, kind: discKind}
	t.x[0], t.y[0], t.x[1] = snap(c.x), snap(c.y), int32(math.Ceil(float64(diameter)*subs/2))
	l.prims = append(l.prims, t)
}
