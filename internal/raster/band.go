package raster

import "math"

// A cell is the state of a pixel during the drawing of a band that is not
// solid.
type cell struct {
	head uint32  // number of the newest fragment; 0 for none
	z    float32 // depth of the image
}

// A fragment is the contribution of a primitive to a pixel.
type fragment struct {
	color uint32
	z     float32
	next  uint32 // the one before it
	mask  uint8
	blend Blend
}

// A band draws some rows of the picture. Between two uses, all cells are empty:
// they have no fragments, and their depth is infinite. All sums are 0.
type band struct {
	x, y, w, h int    // its rectangle in the image
	pix        []byte // from its first pixel
	stride     int
	masks      []uint8 // of a row

	summing    bool     // the band is solid
	vectors    bool     // assembly is available
	keys, more []uint64 // sort keys of solid primitives: depth and number
	sums       []uint64

	cells     []cell
	fragments []fragment
	used      uint32            // number of fragments; number 0 means none
	other     []fragment        // for compact
	chain     []uint32          // fragments of a pixel, for replay
	parts     [samples + 1]part // of a pixel, for replay
}

var far = float32(math.Inf(1))

// begin prepares the band for part k of the canvas.
func (b *band) begin(c *Canvas, k int) {
	b.vectors = c.vectors
	b.x, b.y = c.rect.Min.X, c.rect.Min.Y+k*bandRows
	b.w, b.h = c.rect.Dx(), min(bandRows, c.rect.Max.Y-b.y)
	b.stride = c.dst.Stride
	b.pix = c.dst.Pix[b.y*b.stride+4*b.x:]
	if len(b.masks) < b.w {
		b.masks = make([]uint8, b.w)
	}
}

// draw draws the primitives of all lists that touch part k.
func (b *band) draw(c *Canvas, k int) {
	from := uint32(0)
	if k > 0 {
		from = c.endOf(len(c.lists)-1, k-1)
	}
	if b.drawSolid(c.entries[from:c.endOf(len(c.lists)-1, k)]) {
		return
	}
	for n := b.w * b.h; len(b.cells) < n; {
		b.cells = append(b.cells, cell{z: far})
	}
	b.used = 1
	for i, l := range c.lists {
		to := c.endOf(i, k)
		for at := from; at < to; at++ {
			b.drawRows(&c.entries[at], l)
		}
		from = to
	}
	b.resolve()
}

// box returns the columns and rows of the band that a rectangle touches. The sides of the
// rectangle are given in sixteenths of a pixel, and belong to the rectangle.
func (b *band) box(left, right, top, bottom int32) (x0, x1, y0, y1 int) {
	return max(int(left>>4)-b.x, 0), min(int(right>>4)-b.x+1, b.w), max(int(top>>4)-b.y, 0), min(int(bottom>>4)-b.y+1, b.h)
}
