package screen

import (
	"image"
	"image/color"
	"math/bits"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/jobs"
)

// perCall is the number of sprites per call. A sprite has four corners, and indices have 16 bits.
const perCall = 16_000

// perJob is the number of parts, each from one chunk, that a worker takes at once.
const perJob = 8

// sprites holds the corners of the sprites of one look. It keeps the corners for later
// batches, because constant values, such as the corners of the image, then need to be
// written only once.
type sprites struct {
	vertices []ebiten.Vertex // four per sprite: upper left, upper right, lower left, lower right
	tints    []color.NRGBA   // the tints of the vertices
	shown    []int32         // the cells of the image that they show
	parts    []part
	filling  projection
	half     [2]float32   // half the size, in the entity's coordinates
	scale    [4]float32   // from the material's colour
	cells    [][4]float32 // of the material's image: left, top, right, bottom
}

// part is the visible part of one chunk.
type part struct {
	matrices [][16]float32
	tints    []color.NRGBA
	cells    []int32
	mask     []uint64
	first    int // index of its first sprite
}

var white = color.NRGBA{255, 255, 255, 255}

// drawSprites draws a batch of sprites in the plane of a camera without FOV.
func (r *Renderer) drawSprites(dst *ebiten.Image, v *render.View, b *render.Batch, p *projection) error {
	k := key{b.Shape, b.Material}
	s := r.sprites[k]
	source := r.image(b.Material)
	if s == nil {
		s = newSprites(b.Shape, b.Material, source)
		r.sprites[k] = s
	}
	s.gather(b)
	s.filling = *p
	err := v.Frame.Range(s, len(s.parts), perJob)
	if err != nil {
		return err
	}
	for lo := 0; lo < b.Count; lo += perCall {
		hi := min(lo+perCall, b.Count)
		r.flush(dst, s.vertices[4*lo:4*hi], quads(hi-lo), source)
	}
	return nil
}

func newSprites(shape *render.Shape, m *render.Material, source *ebiten.Image) *sprites {
	s := &sprites{half: halfSize(shape), scale: scale(m)}
	for k := range m.Cells() {
		r := cellOf(m, k, source)
		s.cells = append(s.cells, [4]float32{float32(r.Min.X), float32(r.Min.Y), float32(r.Max.X), float32(r.Max.Y)})
	}
	return s
}

// cellOf returns the place of a cell of a material's image on the graphics card.
func cellOf(m *render.Material, k int, source *ebiten.Image) image.Rectangle {
	if m.Image == nil {
		return source.Bounds()
	}
	return m.Cell(k).Sub(m.Image.Rect.Min).Add(source.Bounds().Min)
}

// halfSize returns half the size of a sprite.
func halfSize(s *render.Shape) [2]float32 {
	w, h := s.Width, s.Height
	if w == 0 {
		w = 1
	}
	if h == 0 {
		h = 1
	}
	return [2]float32{w / 2, h / 2}
}

// scale returns the factors for the tints of a material.
func scale(m *render.Material) [4]float32 {
	c := m.Color
	if c == (color.NRGBA{}) {
		c = white
	}
	if m.Blend == render.Opaque {
		c.A = 255
	}
	return [4]float32{level[c.R], level[c.G], level[c.B], level[c.A]}
}

// level maps each value of a colour channel to a number from 0 to 1.
var level = func() (l [256]float32) {
	for i := range l {
		l[i] = float32(i) / 255
	}
	return l
}()

// gather collects the parts of a batch and allocates memory for its sprites.
func (s *sprites) gather(b *render.Batch) {
	s.parts = s.parts[:0]
	n := 0
	for p := range b.Parts() {
		s.parts = append(s.parts, part{p.Matrices, p.Tints, p.Cells, p.Mask, n})
		n += p.Count
	}
	s.grow(n)
}

// grow allocates memory for n sprites. New sprites are white and have no position yet.
func (s *sprites) grow(n int) {
	if n <= len(s.tints) {
		return
	}
	n += n / 2
	s.tints = append(s.tints, make([]color.NRGBA, n-len(s.tints))...)
	s.vertices, s.shown = make([]ebiten.Vertex, 4*len(s.tints)), make([]int32, len(s.tints))
	for i := range s.tints {
		v := (*[4]ebiten.Vertex)(s.vertices[4*i:])
		s.cut(v, 0)
		s.tints[i] = white
		s.paint(v, white)
	}
}

// RunRange fills the vertices of some parts.
func (s *sprites) RunRange(_ *jobs.Task, lo, hi int) {
	for k := lo; k < hi; k++ {
		s.fill(&s.parts[k])
	}
}

// fill fills the vertices of one part.
func (s *sprites) fill(p *part) {
	at := p.first
	for k, word := range p.mask {
		rows := p.matrices[64*k:]
		if len(s.cells) > 1 {
			s.turn(at, p, 64*k, word)
		}
		if word == ^uint64(0) {
			if p.tints == nil || [64]color.NRGBA(p.tints[64*k:]) != [64]color.NRGBA(s.tints[at:]) {
				s.dye(at, p, 64*k, word)
			}
			s.run(at, rows[:64])
			at += 64
			continue
		}
		s.dye(at, p, 64*k, word)
		for ; word != 0; word &= word - 1 {
			i := bits.TrailingZeros64(word)
			s.run(at, rows[i:i+1])
			at++
		}
	}
}

// run computes the positions of sprites whose matrices are consecutive. It computes one
// coordinate after the other, so that the values fit into registers.
func (s *sprites) run(at int, rows [][16]float32) {
	p, q, hx, hy := s.filling.x, s.filling.y, s.half[0], s.half[1]
	out := s.vertices[4*at : 4*at+4*len(rows)]
	if p[2] == 0 && q[2] == 0 {
		s.placeUpright(out, rows)
		return
	}
	for i := range rows {
		m := &rows[i]
		v := (*[4]ebiten.Vertex)(out[4*i:])
		// Compute the middle, half the width to the right, and half the height upwards, in pixels.
		m0, m1, m2, m4, m5, m6 := hx*m[0], hx*m[1], hx*m[2], hy*m[4], hy*m[5], hy*m[6]
		x, r, u := p[0]*m[12]+p[1]*m[13]+p[2]*m[14]+p[3], p[0]*m0+p[1]*m1+p[2]*m2, p[0]*m4+p[1]*m5+p[2]*m6
		v[0].DstX, v[1].DstX, v[2].DstX, v[3].DstX = x+(u-r), x+(u+r), x-(u+r), x-(u-r)
		y, r, u := q[0]*m[12]+q[1]*m[13]+q[2]*m[14]+q[3], q[0]*m0+q[1]*m1+q[2]*m2, q[0]*m4+q[1]*m5+q[2]*m6
		v[0].DstY, v[1].DstY, v[2].DstY, v[3].DstY = y+(u-r), y+(u+r), y-(u+r), y-(u-r)
	}
}

// placeUpright does the same for a camera that looks along Z, as cameras of flat worlds do. The camera may
// have any rotation about Z.
func (s *sprites) placeUpright(out []ebiten.Vertex, rows [][16]float32) {
	hx, hy := s.half[0], s.half[1]
	p0, p1, p3 := s.filling.x[0], s.filling.x[1], s.filling.x[3]
	q0, q1, q3 := s.filling.y[0], s.filling.y[1], s.filling.y[3]
	for i := range rows {
		m := &rows[i]
		v := (*[4]ebiten.Vertex)(out[4*i:])
		m0, m1, m4, m5, m12, m13 := hx*m[0], hx*m[1], hy*m[4], hy*m[5], m[12], m[13]
		at, r, u := p0*m12+p1*m13+p3, p0*m0+p1*m1, p0*m4+p1*m5
		v[0].DstX, v[1].DstX, v[2].DstX, v[3].DstX = at+(u-r), at+(u+r), at-(u+r), at-(u-r)
		at, r, u = q0*m12+q1*m13+q3, q0*m0+q1*m1, q0*m4+q1*m5
		v[0].DstY, v[1].DstY, v[2].DstY, v[3].DstY = at+(u-r), at+(u+r), at-(u+r), at-(u-r)
	}
}

// dye sets the colours of sprites, beginning at sprite at. It handles the rows whose bit is set,
// and writes only colours that have changed.
func (s *sprites) dye(at int, p *part, row int, word uint64) {
	for ; word != 0; word &= word - 1 {
		c := white
		if p.tints != nil {
			c = p.tints[row+bits.TrailingZeros64(word)]
		}
		if s.tints[at] != c {
			s.tints[at] = c
			s.paint((*[4]ebiten.Vertex)(s.vertices[4*at:]), c)
		}
		at++
	}
}

// turn sets the cells of sprites, beginning at sprite at. It handles the rows whose bit is set,
// and writes only cells that have changed.
func (s *sprites) turn(at int, p *part, row int, word uint64) {
	for ; word != 0; word &= word - 1 {
		k := int32(0)
		if p.cells != nil {
			k = p.cells[row+bits.TrailingZeros64(word)]
		}
		if s.shown[at] != k {
			s.shown[at] = k
			s.cut((*[4]ebiten.Vertex)(s.vertices[4*at:]), k)
		}
		at++
	}
}

// cut gives four corners the coordinates of a cell.
func (s *sprites) cut(v *[4]ebiten.Vertex, k int32) {
	c := &s.cells[k]
	for i := range v {
		v[i].SrcX, v[i].SrcY = c[2*(i&1)], c[1+2*(i>>1)]
	}
}

// paint gives four corners the colour of the material with a tint.
func (s *sprites) paint(v *[4]ebiten.Vertex, c color.NRGBA) {
	r, g, b, a := s.scale[0]*level[c.R], s.scale[1]*level[c.G], s.scale[2]*level[c.B], s.scale[3]*level[c.A]
	for k := range v {
		v[k].ColorR, v[k].ColorG, v[k].ColorB, v[k].ColorA = r, g, b, a
	}
}

var corners []uint16

// quads returns the indices of n sprites.
func quads(n int) []uint16 {
	for i := len(corners) / 6; i < n; i++ {
		k := uint16(4 * i)
		corners = append(corners, k, k+1, k+2, k+1, k+3, k+2)
	}
	return corners[:6*n]
}
