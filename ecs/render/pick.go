package render

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/lanewise/lanewise/ecs"
)

// Pick returns the entity that a camera showed at a point of a target in the last presentation of
// w. It returns the null entity if there is none. The coordinates x and y are in pixels, as in
// [Camera.ToScreen]. Pick finds the entity that the picture shows. The visible entity is the
// nearest opaque entity. If several are equally near, it is the entity that was drawn last. If an
// entity that is not opaque is in front of the opaque entity, Pick finds that entity instead. If
// there are several such entities, Pick finds the topmost one, as in two dimensions.
//
// A triangle or a sprite is hit at its visible pixels. Where its image is wholly transparent, it is
// not hit, unless its Blend is Opaque. A point or a line is hit within half its Size, or within two
// pixels if that is larger. Pick does not find an entity that is hidden, or an entity in a level or
// a layer that the camera does not draw.
//
// Pick examines every entity that the camera sees. So Pick is suitable for mouse clicks, but not
// for many calls a frame. If w is nil, the error is of category ecs.ErrArgument. If the camera did
// not draw in that presentation, or if entities were created or destroyed since then, the error is
// of category ecs.ErrState.
func Pick(w *ecs.World, camera ecs.Entity, x, y float32) (ecs.Entity, error) {
	if w == nil {
		return ecs.Entity{}, fmt.Errorf("render: Pick: the world is nil: %w", ecs.ErrArgument)
	}
	s := sceneOf(w)
	for _, e := range s.cameraViews {
		if e.view.Entity != camera {
			continue
		}
		if s.slots.rowsMoved() {
			return ecs.Entity{}, fmt.Errorf("render: Pick: entities of world %q came or went since its presentation: pick before they do, or update it first: %w", w.Name(), ecs.ErrState)
		}
		p, ok := newPicking(&e.view, x, y)
		if !ok {
			return ecs.Entity{}, nil
		}
		for i := range e.view.Batches {
			p.pickBatch(&e.view.Batches[i])
		}
		return p.topEntity, nil
	}
	return ecs.Entity{}, fmt.Errorf("render: Pick: camera %v has drawn nothing in the last presentation of world %q: %w", camera, w.Name(), ecs.ErrState)
}

// picking searches for the entity at a point (u, v) of a view. In clip space, that point satisfies
// x = u·w and y = v·w.
type picking struct {
	view                   *View
	u, v                   float64
	pixelsPerU, pixelsPerV float64 // pixels per unit of u and v
	near                   float64
	depthAxis              [4]float64 // coefficients of the distance along the camera's axis
	sidePlanes             [4][4]float64

	batch         *Batch
	tint          color.NRGBA
	cell          image.Rectangle // the cell of the material's image
	nearestOpaque float64         // distance of the nearest opaque hit
	topEntity     ecs.Entity
}

// hitRadius returns the distance in pixels within which a point or a line is hit.
func hitRadius(m *Material) float64 { return max(float64(float64(m.Size)/2), 2) }

func newPicking(v *View, x, y float32) (p *picking, ok bool) {
	r := v.Viewport
	in := func(k float32, lo, hi int) bool { return k >= float32(lo) && k < float32(hi) }
	if !in(x, r.Min.X, r.Max.X) || !in(y, r.Min.Y, r.Max.Y) {
		return nil, false
	}
	p = &picking{view: v, pixelsPerU: float64(r.Dx()) / 2, pixelsPerV: float64(r.Dy()) / 2, depthAxis: v.Camera.depthCoefficients(&v.Place), nearestOpaque: math.Inf(1), near: math.Inf(-1)}
	p.u = (float64(x)-float64(r.Min.X))/p.pixelsPerU - 1
	p.v = 1 - (float64(y)-float64(r.Min.Y))/p.pixelsPerV
	if v.Camera.FOV > 0 {
		p.near = float64(cmp.Or(v.Camera.Near, 0.1))
	}
	return p, true
}

// setSides computes the planes around the place at the given distance in pixels.
func (p *picking) setSides(pixels float64) {
	m := &p.view.Matrix
	du, dv := (pixels+1)/p.pixelsPerU, (pixels+1)/p.pixelsPerV
	for k := range 4 {
		x, y, w := float64(m[4*k]), float64(m[4*k+1]), float64(m[4*k+3])
		p.sidePlanes[0][k] = x - float64((p.u-du)*w)
		p.sidePlanes[1][k] = float64((p.u+du)*w) - x
		p.sidePlanes[2][k] = y - float64((p.v-dv)*w)
		p.sidePlanes[3][k] = float64((p.v+dv)*w) - y
	}
}

// pickBatch looks for hits in the rows of a batch.
func (p *picking) pickBatch(b *Batch) {
	p.batch = b
	reach := 0.0
	if b.Shape.Kind == Points || b.Shape.Kind == Lines {
		reach = hitRadius(b.Material)
	}
	p.setSides(reach)
	for part := range b.Parts() {
		for i := range part.Matrices {
			if part.Mask[i/64]>>(i%64)&1 != 0 {
				p.pickRow(part, i, reach)
			}
		}
	}
}

// pickRow tests whether one row is hit. A hit replaces the earlier hits, unless an opaque entity that
// is nearer was hit.
func (p *picking) pickRow(part *Part, i int, reach float64) {
	shape, material, m := p.batch.Shape, p.batch.Material, &part.Matrices[i]
	p.tint = white
	if part.Tints != nil {
		p.tint = part.Tints[i]
	}
	k := 0
	if part.Cells != nil {
		k = int(part.Cells[i])
	}
	p.cell = material.Cell(k)
	if material.Blend == Over && (p.tint.A == 0 || material.Color.A == 0) || p.boxMissed(m, shape.Bounds) {
		return
	}
	if d, hit := p.hitShape(m, shape, reach); hit && d <= p.nearestOpaque+float64(1e-9*max(1, math.Abs(p.nearestOpaque))) {
		p.topEntity = part.Entities[i]
		if material.Blend == Opaque {
			p.nearestOpaque = d
		}
	}
}

// boxMissed reports whether the point is certainly outside of a box.
func (p *picking) boxMissed(m *[16]float32, b *Bounds) bool {
	for _, s := range p.sidePlanes {
		axis := func(k int) float64 {
			return (float64(s[0]*float64(m[k])) + float64(s[1]*float64(m[k+1]))) + float64(s[2]*float64(m[k+2]))
		}
		x, y, z := axis(0), axis(4), axis(8)
		d := ((float64(x*float64(b.X)) + float64(y*float64(b.Y))) + float64(z*float64(b.Z))) + (axis(12) + s[3])
		r := (float64(math.Abs(x)*float64(b.HX)) + float64(math.Abs(y)*float64(b.HY))) + float64(math.Abs(z)*float64(b.HZ))
		if d+r < -1e-6*(math.Abs(d)+r) {
			return true
		}
	}
	return false
}

// corner is a vertex of a shape. The fields x and y hold x - u·w and y - v·w, which are 0 at the
// point (u, v). The field w holds the fourth coordinate, and d the distance along the camera's axis.
type corner struct{ x, y, w, d float64 }

func (p *picking) corner(m *[16]float32, at [3]float32) (c corner) {
	var q [3]float64
	for k := range q {
		q[k] = ((float64(float64(m[k])*float64(at[0])) + float64(float64(m[4+k])*float64(at[1]))) + float64(float64(m[8+k])*float64(at[2]))) + float64(m[12+k])
	}
	v := &p.view.Matrix
	clip := func(k int) float64 {
		return ((float64(float64(v[k])*q[0]) + float64(float64(v[4+k])*q[1])) + float64(float64(v[8+k])*q[2])) + float64(v[12+k])
	}
	c.w = clip(3)
	c.x, c.y = clip(0)-float64(p.u*c.w), clip(1)-float64(p.v*c.w)
	c.d = ((float64(p.depthAxis[0]*q[0]) + float64(p.depthAxis[1]*q[1])) + float64(p.depthAxis[2]*q[2])) + p.depthAxis[3]
	return c
}

// hitShape reports whether a shape is hit, and the distance of the nearest hit.
func (p *picking) hitShape(m *[16]float32, s *Shape, reach float64) (nearest float64, hit bool) {
	take := func(d float64, ok bool) {
		if ok && d >= p.near && (!hit || d < nearest) {
			nearest, hit = d, true
		}
	}
	if s.Kind == Sprite {
		x, y := s.Width/2, s.Height/2
		a, b := p.corner(m, [3]float32{-x, y}), p.corner(m, [3]float32{x, y})
		c, d := p.corner(m, [3]float32{x, -y}), p.corner(m, [3]float32{-x, -y})
		take(p.hitTriangle(a, b, c, [3][2]float32{{0, 0}, {1, 0}, {1, 1}}))
		take(p.hitTriangle(a, c, d, [3][2]float32{{0, 0}, {1, 1}, {0, 1}}))
		return nearest, hit
	}
	n := len(s.Positions)
	if s.Indices != nil {
		n = len(s.Indices)
	}
	index := func(k int) int {
		if s.Indices != nil {
			return int(s.Indices[k])
		}
		return k
	}
	at := func(k int) corner { return p.corner(m, s.Positions[index(k)]) }
	for k := 0; k+indicesPerPrimitive[s.Kind] <= n; k += indicesPerPrimitive[s.Kind] {
		switch s.Kind {
		case Points:
			a := at(k)
			take(a.d, a.w > 0 && length(a.x/a.w*p.pixelsPerU, a.y/a.w*p.pixelsPerV) <= reach)
		case Lines:
			take(p.hitLine(at(k), at(k+1), reach))
		default:
			var uv [3][2]float32
			if s.Texcoords != nil {
				uv = [3][2]float32{s.Texcoords[index(k)], s.Texcoords[index(k+1)], s.Texcoords[index(k+2)]}
			}
			take(p.hitTriangle(at(k), at(k+1), at(k+2), uv))
		}
	}
	return nearest, hit
}

// hitTriangle reports whether a triangle is hit. Some of its corners may be behind the eye. The
// three areas are the weights of the corners in space: see M. Olano and T. Greer, "Triangle Scan
// Conversion using 2D Homogeneous Coordinates" (1997), section 4.
func (p *picking) hitTriangle(a, b, c corner, uv [3][2]float32) (d float64, hit bool) {
	e0 := float64(b.x*c.y) - float64(b.y*c.x)
	e1 := float64(c.x*a.y) - float64(c.y*a.x)
	e2 := float64(a.x*b.y) - float64(a.y*b.x)
	if !(e0 >= 0 && e1 >= 0 && e2 >= 0 || e0 <= 0 && e1 <= 0 && e2 <= 0) {
		return 0, false
	}
	sum := e0 + e1 + e2
	if sum == 0 || !(float64(a.w*e0)/sum+float64(b.w*e1)/sum+float64(c.w*e2)/sum > 0) {
		return 0, false
	}
	l1, l2 := e1/sum, e2/sum
	if p.transparentAt(func(k int) float64 {
		return float64(uv[0][k]) + float64(l1*float64(uv[1][k]-uv[0][k])) + float64(l2*float64(uv[2][k]-uv[0][k]))
	}) {
		return 0, false
	}
	return a.d + float64(l1*(b.d-a.d)) + float64(l2*(c.d-a.d)), true
}

// transparentAt reports whether the material's image is wholly transparent at a point.
func (p *picking) transparentAt(at func(k int) float64) bool {
	m, s := p.batch.Material, p.batch.Shape
	if m.Image == nil || m.Blend == Opaque || s.Kind != Sprite && s.Texcoords == nil || m.Image.Rect.Empty() {
		return false
	}
	r := p.cell
	texel := func(t float64, n int) int { return int(min(max(math.Floor(t*float64(n)), 0), float64(n-1))) }
	return m.Image.RGBAAt(r.Min.X+texel(at(0), r.Dx()), r.Min.Y+texel(at(1), r.Dy())).A == 0
}

// hitLine reports whether a line passes the point within the given number of pixels.
func (p *picking) hitLine(a, b corner, reach float64) (d float64, hit bool) {
	if !p.clipNear(&a, &b) || !p.clipNear(&b, &a) {
		return 0, false
	}
	ax, ay := float64(a.x/a.w*p.pixelsPerU), float64(a.y/a.w*p.pixelsPerV)
	bx, by := float64(b.x/b.w*p.pixelsPerU)-ax, float64(b.y/b.w*p.pixelsPerV)-ay
	t := 0.0
	if square := float64(bx*bx) + float64(by*by); square > 0 {
		t = min(max(-(float64(ax*bx)+float64(ay*by))/square, 0), 1)
	}
	if !(length(ax+float64(t*bx), ay+float64(t*by)) <= reach) {
		return 0, false
	}
	wa, wb := (1-t)/a.w, t/b.w
	return (float64(a.d*wa) + float64(b.d*wb)) / (wa + wb), true
}

func length(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }

// clipNear moves a along the line towards b, so that a is not nearer than Near. It returns false if
// the whole line is nearer than Near.
func (p *picking) clipNear(a, b *corner) bool {
	if a.d >= p.near {
		return true
	}
	if b.d < p.near {
		return false
	}
	t := (p.near - a.d) / (b.d - a.d)
	a.x, a.y, a.w, a.d = a.x+float64(t*(b.x-a.x)), a.y+float64(t*(b.y-a.y)), a.w+float64(t*(b.w-a.w)), p.near
	return a.w > 0
}
