package render

import "github.com/lanewise/lanewise/internal/raster"

// collecting notes what Software has to draw in a view: rows of chunks, batch by batch.
type collecting struct {
	pieces []piece
	paints []batchPaint
	all    bool             // the batch has every row of its parts
	take   func(*Part) bool // add, bound once
}

// A piece is some rows of a part.
type piece struct {
	part  Part // a copy: a batch has one for all
	all   bool // every row, whatever the mask
	paint int32
	first int
	rows  int
}

// A batchPaint is what a batch looks like.
type batchPaint struct {
	shape    *Shape
	material *Material
	textured bool
	texture  raster.Texture
}

// blockRows is about how many entities a block of the job has.
const blockRows = 256

// collect notes the batches of a view.
func (c *collecting) collect(v *View, smooth bool) {
	if c.take == nil {
		c.take = c.add
	}
	c.pieces, c.paints = c.pieces[:0], c.paints[:0]
	for i := range v.Batches {
		b := &v.Batches[i]
		p := batchPaint{shape: b.Shape, material: b.Material}
		if m := b.Material.Image; m != nil && (b.Shape.Kind == Sprite || b.Shape.Texcoords != nil) {
			p.textured, p.texture = true, raster.Texture{Image: m, Part: b.Material.Cell(0), Smooth: smooth}
		}
		c.paints, c.all = append(c.paints, p), b.sorted
		b.visit(c.take)
	}
}

// add cuts a part into pieces.
func (c *collecting) add(p *Part) bool {
	for first := 0; first < len(p.Matrices); first += blockRows {
		rows := min(len(p.Matrices)-first, blockRows)
		c.pieces = append(c.pieces, piece{part: *p, all: c.all, paint: int32(len(c.paints) - 1), first: first, rows: rows})
	}
	return true
}

// forget lets go of the world's memory.
func (c *collecting) forget() {
	clear(c.pieces)
	clear(c.paints)
}
