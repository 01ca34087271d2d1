package raster

import (
	"encoding/binary"
	"image"
	"math"
)

// Texture is a part of an image that covers triangles. Colors never come from
// outside of the part, so that parts of an atlas may be adjacent.
type Texture struct {
	Image  *image.RGBA
	Part   image.Rectangle // in the image's coordinates; U and V are relative to its upper left corner
	Smooth bool            // interpolate between texels instead of taking the nearest
}

// A mapping maps pixels to colors. The texture coordinates of a pixel are (u/q,
// v/q). The functions u, v and q are linear over the screen, and so are the
// channels of interpolated colors.
type mapping struct {
	u, v, q  plane
	straight bool // q is 1 everywhere
	textured bool
	smooth   bool
	graded   bool // the corners have different colors
	w, h     int  // of the texture
	stride   int
	pix      []byte
	tints    [4]plane
}

// A plane is a linear function over the screen. It consists of the value at the
// image's corner, and the change for each pixel in x and in y.
type plane struct{ at, x, y float64 }

func newMapping(a, b, c *corner, p *Paint) (m mapping) {
	dx1, dy1, dx2, dy2 := b.x-a.x, b.y-a.y, c.x-a.x, c.y-a.y
	area := float64(dx1*dy2) - float64(dx2*dy1)
	over := func(a0, b0, c0 float64) (p plane) {
		b0, c0 = b0-a0, c0-a0
		p.x = (float64(b0*dy2) - float64(c0*dy1)) / area
		p.y = (float64(c0*dx1) - float64(b0*dx2)) / area
		p.at = a0 - float64(p.x*a.x) - float64(p.y*a.y)
		return p
	}
	if p.Texture != nil {
		m.textured, m.smooth = true, p.Texture.Smooth
		img := p.Texture.Image
		if part := p.Texture.Part.Intersect(img.Rect); !part.Empty() {
			m.w, m.h, m.stride, m.pix = part.Dx(), part.Dy(), img.Stride, img.Pix[img.PixOffset(part.Min.X, part.Min.Y):]
		}
		m.u, m.v, m.q = over(a.u, b.u, c.u), over(a.v, b.v, c.v), over(a.q, b.q, c.q)
		m.straight = a.q == 1 && b.q == 1 && c.q == 1
	}
	if p.Corners != nil {
		m.graded = true
		m.tints = [4]plane{over(a.r, b.r, c.r), over(a.g, b.g, c.g), over(a.b, b.b, c.b), over(a.a, b.a, c.a)}
	}
	return m
}

func (p *plane) of(x, y float64) float64 { return p.at + float64(p.x*x) + float64(p.y*y) }

// colorAt returns the color of a pixel, and reports whether the pixel is visible.
// With the blend mode Opaque, a pixel is invisible if its alpha is less than a half.
func (m *mapping) colorAt(x, y int, blend Blend, tint uint32) (color uint32, seen bool) {
	px, py := float64(x)+0.5, float64(y)+0.5
	if m.graded {
		tint = m.grade(px, py)
	}
	if !m.textured {
		return tint, true
	}
	if m.w == 0 {
		return 0, false
	}
	u, v := m.u.of(px, py), m.v.of(px, py)
	if !m.straight {
		q := m.q.of(px, py)
		u, v = u/q, v/q
	}
	if m.smooth {
		color = m.interpolate(limitCoord(u, m.w), limitCoord(v, m.h))
	} else {
		color = m.texel(limitCoord(u, m.w)>>8, limitCoord(v, m.h)>>8)
	}
	if tint != 0xffffffff {
		color = multiplyColors(color, tint)
	}
	switch alpha := color >> 24; {
	case blend != Opaque:
		return color, color != 0
	case alpha < 128:
		return 0, false
	case alpha < 255:
		return opaqueColor(color), true
	}
	return color, true
}

// grade returns the interpolated color.
func (m *mapping) grade(px, py float64) (c uint32) {
	for i := range m.tints {
		v := m.tints[i].of(px, py)
		if !(v > 0) {
			v = 0
		}
		c |= uint32(min(v, 255)+0.5) << (8 * i)
	}
	return c
}

// limitCoord limits a texture coordinate to the range from 0 to n, and returns
// it in units of 1/256.
func limitCoord(u float64, n int) int {
	if !(u > 0) {
		return 0
	}
	return int(math.Floor(min(u, float64(n)) * 256))
}

// texel returns one texel. Outside of the texture's part of the image, it
// returns the nearest texel of this part.
func (m *mapping) texel(x, y int) uint32 {
	x, y = max(0, min(x, m.w-1)), max(0, min(y, m.h-1))
	return binary.LittleEndian.Uint32(m.pix[y*m.stride+4*x:])
}

// interpolate interpolates the four texels whose middles surround a position, in
// 1/256.
func (m *mapping) interpolate(u, v int) uint32 {
	u, v = u-128, v-128
	x, y, a, b := u>>8, v>>8, uint32(u&255), uint32(v&255)
	above := mix(m.texel(x, y), m.texel(x+1, y), a)
	below := mix(m.texel(x, y+1), m.texel(x+1, y+1), a)
	return mix(above, below, b)
}

// mix returns (256-k)/256 of one color plus k/256 of another color.
func mix(p, q, k uint32) uint32 {
	even := p&0xff00ff*(256-k) + q&0xff00ff*k + 0x800080
	odd := p>>8&0xff00ff*(256-k) + q>>8&0xff00ff*k + 0x800080
	return even>>8&0xff00ff | odd&0xff00ff00
}

// opaqueColor returns a color with full alpha.
func opaqueColor(c uint32) uint32 {
	a := c >> 24
	at := func(shift int) uint32 { return min((c>>shift&255*255+a/2)/a, 255) << shift }
	return at(0) | at(8) | at(16) | 255<<24
}
