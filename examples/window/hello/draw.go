package main

import (
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/lanewise/lanewise/ecs/render"
)

// painter draws sprites of one colour each on a picture.
type painter struct {
	picture  *ebiten.Image
	white    *ebiten.Image
	vertices []ebiten.Vertex
	indices  []uint16
}

func newPainter(width, height int) *painter {
	p := &painter{picture: ebiten.NewImage(width, height), white: ebiten.NewImage(1, 1)}
	p.white.Fill(color.White)
	return p
}

func (p *painter) Size(target int32) (width, height int) {
	return p.picture.Bounds().Dx(), p.picture.Bounds().Dy()
}

func (p *painter) Begin(*render.Frame) error { return nil }

func (p *painter) End() error { return nil }

// Draw draws what one camera sees.
func (p *painter) Draw(v *render.View) error {
	p.picture.Fill(v.Camera.Background)
	for i := range v.Batches {
		b := &v.Batches[i]
		for part := range b.Parts() { // the rows of one chunk, and which of them are seen
			for row := range part.Matrices {
				if part.Mask[row/64]>>(row%64)&1 != 0 {
					m := &part.Matrices[row]
					x, y, _, _ := v.ToScreen(m[12], m[13], m[14])
					p.square(x, y, b.Shape.Width/2*float32(v.Height)/v.Camera.Height, part.Tints[row])
				}
			}
			p.flush() // before there are more corners than 16 bits can count
		}
	}
	return nil
}

// square adds a square around a place.
func (p *painter) square(x, y, half float32, c color.NRGBA) {
	k := uint16(len(p.vertices))
	for i := range 4 {
		v := ebiten.Vertex{DstX: x - half, DstY: y - half, ColorR: float32(c.R) / 255, ColorG: float32(c.G) / 255, ColorB: float32(c.B) / 255, ColorA: 1}
		v.DstX += 2 * half * float32(i%2)
		v.DstY += 2 * half * float32(i/2)
		p.vertices = append(p.vertices, v)
	}
	p.indices = append(p.indices, k, k+1, k+2, k+1, k+3, k+2)
}

// flush draws the squares.
func (p *painter) flush() {
	p.picture.DrawTriangles(p.vertices, p.indices, p.white, nil)
	p.vertices, p.indices = p.vertices[:0], p.indices[:0]
}
