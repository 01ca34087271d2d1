package render

import (
	"cmp"
	"image/color"

	"github.com/lanewise/lanewise/internal/raster"
	"github.com/lanewise/lanewise/jobs"
)

// filling is the job that brings what was collected onto the screen: each block of
// pieces becomes a list of primitives. Blocks do not depend on the workers, and
// neither does the order of the lists.
type filling struct {
	put    *collecting
	matrix [16]float32 // from the world to homogeneous pixels
	near   float32
	blocks []int // the first piece of each
	lists  []*raster.List
	pens   []drawState // one for each block
}

// begin cuts the pieces into blocks.
func (f *filling) begin(v *View, put *collecting) {
	f.put, f.matrix, f.near = put, toPixels(v), 0
	if v.Camera.FOV > 0 {
		f.near = cmp.Or(v.Camera.Near, 0.1)
	}
	f.blocks = f.blocks[:0]
	rows := 0
	for i := range put.pieces {
		if i == 0 || rows+put.pieces[i].rows > blockRows {
			f.blocks, rows = append(f.blocks, i), 0
		}
		rows += put.pieces[i].rows
	}
	for len(f.pens) < len(f.blocks) {
		f.pens = append(f.pens, drawState{list: &raster.List{}})
	}
	f.lists = f.lists[:0]
	for i := range f.blocks {
		f.lists = append(f.lists, f.pens[i].list)
	}
}

// toPixels is the matrix from the world to pixels of the target: x to the right, y
// downwards, both times w, as z is.
func toPixels(v *View) (m [16]float32) {
	r := v.Viewport
	sx, sy := float32(float32(r.Dx())/2), float32(float32(r.Dy())/2)
	ox, oy := float32(r.Min.X)+sx, float32(r.Min.Y)+sy
	for k := 0; k < 16; k += 4 {
		x, y, z, w := v.Matrix[k], v.Matrix[k+1], v.Matrix[k+2], v.Matrix[k+3]
		m[k] = float32(x*sx) + float32(w*ox)
		m[k+1] = float32(w*oy) - float32(y*sy)
		m[k+2], m[k+3] = z, w
	}
	return m
}

// RunRange fills the lists of some blocks.
func (f *filling) RunRange(_ *jobs.Task, lo, hi int) {
	for k := lo; k < hi; k++ {
		p, last := &f.pens[k], len(f.put.pieces)
		if k+1 < len(f.blocks) {
			last = f.blocks[k+1]
		}
		p.list.Reset()
		p.list.Near = f.near
		for i := f.blocks[k]; i < last; i++ {
			piece := &f.put.pieces[i]
			p.look = &f.put.paints[piece.paint]
			p.piece(&f.matrix, piece)
		}
	}
}

// A drawState draws the pieces of a block into its list.
type drawState struct {
	list    *raster.List
	look    *batchPaint
	paint   raster.Paint
	texture raster.Texture // of the row
	corners [3]color.RGBA  // of the triangle, if they differ
	color   color.NRGBA    // of the row
	points  []raster.Vertex
}

// piece draws the rows of a piece that are seen.
func (p *drawState) piece(toPixels *[16]float32, r *piece) {
	p.paint = raster.Paint{Blend: raster.Blend(p.look.material.Blend)}
	if p.look.textured {
		p.texture = p.look.texture
		p.paint.Texture = &p.texture
	}
	for i := r.first; i < r.first+r.rows; i++ {
		if !r.all && r.part.Mask[i/64]>>(i%64)&1 == 0 {
			continue
		}
		p.color = p.look.material.Color
		if r.part.Tints != nil {
			p.color = tinted(p.color, r.part.Tints[i])
		}
		if p.look.textured && r.part.Cells != nil {
			p.texture.Part = p.look.material.Cell(int(r.part.Cells[i]))
		}
		p.paint.Color = blended(p.color, p.look.material.Blend)
		m := product(toPixels, &r.part.Matrices[i])
		p.row(&m)
	}
}

// row draws one entity.
func (p *drawState) row(m *[16]float32) {
	s, size := p.look.shape, p.look.material.Size
	p.place(m)
	n := len(s.Indices)
	if s.Indices == nil {
		n = len(p.points)
	}
	at := func(i int) int {
		if s.Indices != nil {
			return int(s.Indices[i])
		}
		return i
	}
	switch s.Kind {
	case Sprite:
		p.list.Triangle(&[3]raster.Vertex{p.points[0], p.points[1], p.points[2]}, &p.paint)
		p.list.Triangle(&[3]raster.Vertex{p.points[0], p.points[2], p.points[3]}, &p.paint)
	case Triangles:
		for i := 0; i+2 < n; i += 3 {
			a, b, c := at(i), at(i+1), at(i+2)
			p.tint(s, a, b, c)
			p.list.Triangle(&[3]raster.Vertex{p.points[a], p.points[b], p.points[c]}, &p.paint)
		}
	case Lines:
		for i := 0; i+1 < n; i += 2 {
			a, b := at(i), at(i+1)
			p.tint(s, a, a, a)
			p.list.Line(&[2]raster.Vertex{p.points[a], p.points[b]}, size, &p.paint)
		}
	case Points:
		for i := range n {
			a := at(i)
			p.tint(s, a, a, a)
			p.list.Point(&p.points[a], size, &p.paint)
		}
	}
}

// tint takes the colors of positions; a line has that of its first.
func (p *drawState) tint(s *Shape, a, b, c int) {
	if s.Colors == nil {
		return
	}
	blend := p.look.material.Blend
	p.paint.Color, p.paint.Corners = blended(tinted(p.color, s.Colors[a]), blend), nil
	if s.Colors[a] != s.Colors[b] || s.Colors[a] != s.Colors[c] {
		p.corners = [3]color.RGBA{p.paint.Color, blended(tinted(p.color, s.Colors[b]), blend), blended(tinted(p.color, s.Colors[c]), blend)}
		p.paint.Corners = &p.corners
	}
}

// place computes where the positions of the shape are in pixels.
func (p *drawState) place(m *[16]float32) {
	s := p.look.shape
	p.points = p.points[:0]
	w, h := float32(0), float32(0)
	if p.look.textured {
		w, h = float32(p.look.texture.Part.Dx()), float32(p.look.texture.Part.Dy())
	}
	if s.Kind == Sprite {
		x, y := float32(s.Width/2), float32(s.Height/2)
		p.points = append(p.points, vertex(m, -x, y, 0, 0, 0), vertex(m, x, y, 0, w, 0), vertex(m, x, -y, 0, w, h), vertex(m, -x, -y, 0, 0, h))
		return
	}
	for i, at := range s.Positions {
		var u, v float32
		if p.look.textured {
			u, v = s.Texcoords[i][0]*w, s.Texcoords[i][1]*h
		}
		p.points = append(p.points, vertex(m, at[0], at[1], at[2], u, v))
	}
}

func vertex(m *[16]float32, x, y, z, u, v float32) raster.Vertex {
	return raster.Vertex{
		X: float32(m[0]*x) + float32(m[4]*y) + float32(m[8]*z) + m[12],
		Y: float32(m[1]*x) + float32(m[5]*y) + float32(m[9]*z) + m[13],
		Z: float32(m[2]*x) + float32(m[6]*y) + float32(m[10]*z) + m[14],
		W: float32(m[3]*x) + float32(m[7]*y) + float32(m[11]*z) + m[15],
		U: u, V: v,
	}
}

// product is a times b, both in columns.
func product(a, b *[16]float32) (m [16]float32) {
	for k := 0; k < 16; k += 4 {
		x, y, z, w := b[k], b[k+1], b[k+2], b[k+3]
		m[k] = float32(a[0]*x) + float32(a[4]*y) + float32(a[8]*z) + float32(a[12]*w)
		m[k+1] = float32(a[1]*x) + float32(a[5]*y) + float32(a[9]*z) + float32(a[13]*w)
		m[k+2] = float32(a[2]*x) + float32(a[6]*y) + float32(a[10]*z) + float32(a[14]*w)
		m[k+3] = float32(a[3]*x) + float32(a[7]*y) + float32(a[11]*z) + float32(a[15]*w)
	}
	return m
}
