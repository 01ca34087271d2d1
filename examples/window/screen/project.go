package screen

import (
	"image"

	"github.com/lanewise/lanewise/ecs/render"
)

// projection maps points of the world to pixels. It is a matrix, stored by columns, whose rows give x
// and y in pixels of the target, and w. A camera with perspective divides x and y by w.
type projection struct {
	x, y, w [4]float32
	flat    bool // w is 1
}

// project returns the projection of a view to a part of a target. min is the upper left corner of the
// part.
func project(v *render.View, min image.Point) (p projection) {
	hw, hh := float32(v.Viewport.Dx())/2, float32(v.Viewport.Dy())/2
	cx, cy := float32(min.X)+hw, float32(min.Y)+hh
	for k := range 4 {
		x, y, w := v.Matrix[4*k], v.Matrix[4*k+1], v.Matrix[4*k+3]
		p.x[k], p.y[k], p.w[k] = float32(hw*x)+float32(cx*w), float32(cy*w)-float32(hh*y), w
	}
	p.flat = p.w == [4]float32{3: 1}
	return p
}

// times returns the projection for points whose coordinates are relative to an entity.
func (p *projection) times(m *[16]float32) (q projection) {
	for k := range 4 {
		q.x[k] = dot(&p.x, m, k)
		q.y[k] = dot(&p.y, m, k)
		q.w[k] = dot(&p.w, m, k)
	}
	return q
}

func dot(row *[4]float32, m *[16]float32, k int) float32 {
	return float32(row[0]*m[4*k]) + float32(row[1]*m[4*k+1]) + float32(row[2]*m[4*k+2]) + float32(row[3]*m[4*k+3])
}

// point returns the pixel of a point. It returns false if the point is behind the camera.
func (p *projection) point(at [3]float32) (x, y float32, ok bool) {
	w := float32(p.w[0]*at[0]) + float32(p.w[1]*at[1]) + float32(p.w[2]*at[2]) + p.w[3]
	if !(w > 0) {
		return 0, 0, false
	}
	x = float32(p.x[0]*at[0]) + float32(p.x[1]*at[1]) + float32(p.x[2]*at[2]) + p.x[3]
	y = float32(p.y[0]*at[0]) + float32(p.y[1]*at[1]) + float32(p.y[2]*at[2]) + p.y[3]
	return x / w, y / w, true
}
