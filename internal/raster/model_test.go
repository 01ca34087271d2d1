package raster

import (
	"encoding/binary"
	"image"
	"math"
)

// model draws lists in the simplest way. Each sample of each pixel has a color and a depth, and each
// primitive is tested at each sample.
func model(dst *image.RGBA, rect image.Rectangle, lists []*List) {
	rect = rect.Intersect(image.Rect(0, 0, dst.Rect.Dx(), dst.Rect.Dy()))
	for y := rect.Min.Y; y < rect.Max.Y; y++ {
		for x := rect.Min.X; x < rect.Max.X; x++ {
			at := dst.Pix[y*dst.Stride+4*x:][:4]
			var sum [4]int
			for i := range samples {
				c, z := binary.LittleEndian.Uint32(at), float32(math.Inf(1))
				for _, l := range lists {
					for k := range l.prims {
						c, z = l.sample(&l.prims[k], x, y, i, c, z)
					}
				}
				for k := range sum {
					sum[k] += int(c >> (8 * k) & 255)
				}
			}
			for k := range sum {
				at[k] = uint8((sum[k] + samples/2) / samples)
			}
		}
	}
}

// sample draws a primitive at one sample of a pixel.
func (l *List) sample(t *prim, x, y, i int, c uint32, z float32) (uint32, float32) {
	sx, sy := int64(subs*x)+sampleX[i], int64(subs*y)+sampleY[i]
	if !t.covers(sx, sy) {
		return c, z
	}
	var s shade
	s.begin(l, t)
	depth := t.z
	if t.slope {
		dx, dy := float32(subs*x-int(t.x[0]))+8, float32(subs*y-int(t.y[0]))+8
		depth = t.z + float32(t.zy*dy) + float32(t.zx*dx)
		depth = max(s.lo, min(depth, s.hi))
	}
	if depth > z {
		return c, z
	}
	color := t.color
	if s.m != nil {
		var seen bool
		if color, seen = s.m.colorAt(x, y, t.blend, t.color); !seen {
			return c, z
		}
	}
	if t.blend == Opaque {
		return color, depth
	}
	var out uint32
	for k := range 4 {
		under, over, keep := c>>(8*k)&255, color>>(8*k)&255, uint32(255)
		if t.blend == Over {
			keep -= color >> 24
		}
		out |= min(over+uint32(math.Floor(float64(under*keep)/255+0.5)), 255) << (8 * k)
	}
	return out, z
}

// covers reports whether a primitive covers a sample. A sample on an edge belongs to the triangle on
// its right; if the edge is horizontal, it belongs to the triangle below.
func (t *prim) covers(sx, sy int64) bool {
	if t.kind == discKind {
		dx, dy, r := sx-int64(t.x[0]), sy-int64(t.y[0]), int64(t.x[1])
		return dx*dx+dy*dy <= r*r
	}
	for i := range 3 {
		ax, ay := int64(t.x[i]), int64(t.y[i])
		dx, dy := int64(t.x[(i+1)%3])-ax, int64(t.y[(i+1)%3])-ay
		switch v := dx*(sy-ay) - dy*(sx-ax); {
		case v < 0, v == 0 && (dy > 0 || dy == 0 && dx < 0):
			return false
		}
	}
	return true
}
