package screen

import (
	"image"
	"image/color"
	"math"
	"math/bits"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/lanewise/lanewise/ecs/render"
)

// mesh is a shape that is drawn entity by entity.
type mesh struct {
	positions [][3]float32
	texcoords [][2]float32
	colors    []color.NRGBA
	indices   []uint32
	corners   int // per primitive: 1, 2 or 3
}

func newMesh(s *render.Shape) *mesh {
	m := &mesh{positions: s.Positions, texcoords: s.Texcoords, colors: s.Colors, indices: s.Indices, corners: 3}
	switch s.Kind {
	case render.Lines:
		m.corners = 2
	case render.Points:
		m.corners = 1
	case render.Sprite:
		h := halfSize(s)
		m.positions = [][3]float32{{-h[0], h[1], 0}, {h[0], h[1], 0}, {-h[0], -h[1], 0}, {h[0], -h[1], 0}}
		m.texcoords = [][2]float32{{0, 0}, {1, 0}, {0, 1}, {1, 1}}
		m.indices = []uint32{0, 1, 2, 1, 3, 2}
	}
	if m.indices == nil {
		for i := range m.positions {
			m.indices = append(m.indices, uint32(i))
		}
	}
	return m
}

// drawMesh draws a batch that is not made of flat sprites.
func (r *Renderer) drawMesh(dst *ebiten.Image, v *render.View, b *render.Batch, p *projection) {
	m := r.meshes[b.Shape]
	if m == nil {
		m = newMesh(b.Shape)
		r.meshes[b.Shape] = m
	}
	source := r.image(b.Material)
	pen := pen{r: r, dst: dst, source: source, cell: cellOf(b.Material, 0, source), mesh: m, scale: scale(b.Material), size: b.Material.Size}
	if pen.size == 0 {
		pen.size = 1
	}
	for part := range b.Parts() {
		for k, word := range part.Mask {
			for ; word != 0; word &= word - 1 {
				i := 64*k + bits.TrailingZeros64(word)
				pen.tint = white
				if part.Tints != nil {
					pen.tint = part.Tints[i]
				}
				if part.Cells != nil {
					pen.cell = cellOf(b.Material, int(part.Cells[i]), source)
				}
				pen.to = p.times(&part.Matrices[i])
				pen.entity()
			}
		}
	}
	pen.flush()
}

// pen draws the entities of a batch one after the other.
type pen struct {
	r      *Renderer
	dst    *ebiten.Image
	source *ebiten.Image
	cell   image.Rectangle // the cell of the image that the entity shows
	mesh   *mesh
	scale  [4]float32
	size   float32
	tint   color.NRGBA
	to     projection
}

// entity draws the points, lines or triangles of one entity. It omits each point, line or
// triangle that extends behind the camera.
func (p *pen) entity() {
	m := p.mesh
	var v [3]ebiten.Vertex
next:
	for at := 0; at+m.corners <= len(m.indices); at += m.corners {
		for k, i := range m.indices[at : at+m.corners] {
			x, y, ok := p.to.point(m.positions[i])
			if !ok {
				continue next
			}
			v[k] = p.corner(i)
			v[k].DstX, v[k].DstY = x, y
		}
		switch m.corners {
		case 3:
			p.triangle(v[0], v[1], v[2])
		case 2:
			p.line(v[0], v[1])
		case 1:
			a, b := v[0], v[0]
			a.DstX -= p.size / 2
			b.DstX += p.size / 2
			p.line(a, b)
		}
	}
}

// corner returns a corner with its colour and its place in the image.
func (p *pen) corner(i uint32) (v ebiten.Vertex) {
	c := white
	if p.mesh.colors != nil {
		c = p.mesh.colors[i]
	}
	v.ColorR = p.scale[0] * level[c.R] * level[p.tint.R]
	v.ColorG = p.scale[1] * level[c.G] * level[p.tint.G]
	v.ColorB = p.scale[2] * level[c.B] * level[p.tint.B]
	v.ColorA = p.scale[3] * level[c.A] * level[p.tint.A]
	r := p.cell
	v.SrcX, v.SrcY = float32(r.Min.X), float32(r.Min.Y)
	if p.mesh.texcoords != nil {
		t := p.mesh.texcoords[i]
		v.SrcX += t[0] * float32(r.Dx())
		v.SrcY += t[1] * float32(r.Dy())
	}
	return v
}

// triangle draws a triangle.
func (p *pen) triangle(a, b, c ebiten.Vertex) {
	p.room(3)
	k := uint16(len(p.r.list))
	p.r.list = append(p.r.list, a, b, c)
	p.r.corner = append(p.r.corner, k, k+1, k+2)
}

// line draws a line with the width of the material.
func (p *pen) line(a, b ebiten.Vertex) {
	dx, dy := b.DstX-a.DstX, b.DstY-a.DstY
	length := float32(math.Sqrt(float64(dx*dx + dy*dy)))
	if !(length > 0) {
		return
	}
	nx, ny := -dy/length*p.size/2, dx/length*p.size/2
	p.room(4)
	k := uint16(len(p.r.list))
	for _, v := range [2]ebiten.Vertex{a, b} {
		v.DstX, v.DstY = v.DstX+nx, v.DstY+ny
		p.r.list = append(p.r.list, v)
		v.DstX, v.DstY = v.DstX-2*nx, v.DstY-2*ny
		p.r.list = append(p.r.list, v)
	}
	p.r.corner = append(p.r.corner, k, k+1, k+2, k+1, k+3, k+2)
}

// room makes room for n more corners. If they do not fit into the current call, it draws
// the triangles collected so far.
func (p *pen) room(n int) {
	if len(p.r.list)+n > 4*perCall {
		p.flush()
	}
}

func (p *pen) flush() {
	p.r.flush(p.dst, p.r.list, p.r.corner, p.source)
	p.r.list, p.r.corner = p.r.list[:0], p.r.corner[:0]
}
