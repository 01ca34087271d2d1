package render

import (
	"image"
	"image/color"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// Camera draws a picture of the world. The camera is at its entity's LocalToWorld, or at the origin
// if the entity has none. The camera looks along its -Z axis, with X to the right and Y up. The
// zero Camera is for two dimensions: it sees Y from -1 to 1 and every Z. The range of X follows
// from the aspect ratio of its part of the target. A Camera is an enableable component: while it is
// off, it draws nothing.
type Camera struct {
	ecs.Enableable

	Height float32 // for a camera without FOV, the height of the picture in units of the world; 0 means 2
	FOV    float32 // if above 0, the camera has a perspective view, and FOV is the angle from the lower edge to the upper edge, in radians

	// The camera sees distances from Near to Far along its axis, in units of the world. If FOV is
	// above 0, a Near of 0 means 0.1 and a Far of 0 means 1000. If FOV is 0 and both Near and Far
	// are 0, there are no limits.
	Near, Far float32

	X, Y, W, H float32     // part of the target in which the camera draws, from 0 to 1, with Y down; a W or H of 0 means 1
	Target     int32       // number of one of the Renderer's targets
	Order      int32       // cameras draw in increasing order of this number
	Layers     uint32      // bits of the layers that the camera draws; 0 means all
	Sort       Sort        // order of the shapes that are not opaque
	LevelBias  float32     // factor for the distances of levels of detail; 0 means 1
	Cut        uint32      // change it when the camera jumps, so that levels of detail have no hysteresis in that frame
	Background color.NRGBA // color that fills the camera's part of the target first; if its A is 0, the earlier picture stays
}

// Sort is the order in which a camera draws the shapes of a layer that are not opaque. If two rows
// are equal in this order, the order of chunks and rows decides.
type Sort uint8

// These are the orders.
const (
	SortDepth Sort = iota // from back to front, by the depth of the entity's origin
	SortY                 // from top to bottom, by the entity's origin: for 2-D pictures that show the world from an angle
	SortNone              // by material and shape, like opaque shapes
	sortCount
)

var sortNames = [sortCount]string{"SortDepth", "SortY", "SortNone"}

// String returns the name of the order.
func (s Sort) String() string { return nameOrNumber(sortNames[:], int(s)) }

// seesEveryZ reports whether the camera sees every Z.
func (c *Camera) seesEveryZ() bool { return !(c.FOV > 0) && c.Near == 0 && c.Far == 0 }

// heightOrDefault returns Height, or its default.
func (c *Camera) heightOrDefault() float32 {
	if c.Height == 0 {
		return 2
	}
	return c.Height
}

// viewport returns the part of a target in which the camera draws, in pixels.
func (c *Camera) viewport(width, height int) image.Rectangle {
	w, h := c.W, c.H
	if w == 0 {
		w = 1
	}
	if h == 0 {
		h = 1
	}
	x0, x1 := pixelBorder(c.X, width), pixelBorder(c.X+w, width)
	y0, y1 := pixelBorder(c.Y, height), pixelBorder(c.Y+h, height)
	return image.Rect(x0, y0, max(x0, x1), max(y0, y1))
}

// pixelBorder returns the border between two pixels that is nearest to share·n, as a number of pixels.
func pixelBorder(share float32, n int) int {
	if !(share > 0) { // true for NaN too
		return 0
	}
	return int(math.Floor(float64(float64(min(share, 1))*float64(n)) + 0.5))
}

// Matrix returns the matrix from the world to clip space. The parameter place is the camera's
// LocalToWorld, and aspect is the picture's width divided by its height. After the division by w, x
// goes from -1 to 1 to the right, y from -1 to 1 upwards, and z from 0 at Near to 1 at Far. For a
// camera without limits, z is the distance along the camera's axis. For a camera without FOV, w is
// 1.
//
// If place is a singular matrix, no such matrix exists, and the result is not finite.
func (c *Camera) Matrix(place *[16]float32, aspect float32) (m [16]float32) {
	p := c.project(place, aspect)
	for i := range m {
		m[i] = float32(p[i])
	}
	return m
}

// Planes returns the planes around the space that a camera at the given place sees. The order of
// the planes is left, right, lower, upper, near, far. The space is on the positive side of each
// plane. A camera without limits has only the first four planes. In each normal, the component
// with the largest absolute value is 1 or -1.
func (c *Camera) Planes(place *[16]float32, aspect float32) (planes [6]kernels.Plane[float32], n int) {
	m := c.project(place, aspect)
	return frustumPlanes(&m, c.seesEveryZ())
}

func frustumPlanes(m *[16]float64, flat bool) (planes [6]kernels.Plane[float32], n int) {
	side := func(axis int, sign float64) {
		var p [4]float64
		for k := range p {
			p[k] = m[4*k+3] + float64(sign*m[4*k+axis])
		}
		planes[n] = scaledPlane(p)
		n++
	}
	side(0, 1)
	side(0, -1)
	side(1, 1)
	side(1, -1)
	if flat {
		return planes, n
	}
	planes[n] = scaledPlane([4]float64{m[2], m[6], m[10], m[14]})
	n++
	side(2, -1)
	return planes, n
}

func scaledPlane(p [4]float64) kernels.Plane[float32] {
	s := max(math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2]))
	return kernels.Plane[float32]{X: float32(p[0] / s), Y: float32(p[1] / s), Z: float32(p[2] / s), D: float32(p[3] / s)}
}

// halfFOVTangent returns the tangent of half of FOV. The kernel that computes the tangent works on the
// array room, which the caller provides because a local array would escape to the heap.
func (c *Camera) halfFOVTangent(room *[3]float64) float64 {
	room[2] = float64(c.FOV) / 2
	kernels.Sincos(room[0:1], room[1:2], room[2:3])
	return room[0] / room[1]
}

// project returns Matrix in float64.
func (c *Camera) project(place *[16]float32, aspect float32) [16]float64 {
	return c.projectIn(new([3]float64), place, aspect)
}

func (c *Camera) projectIn(room *[3]float64, place *[16]float32, aspect float32) [16]float64 {
	var w [16]float64
	for i, v := range place {
		w[i] = float64(v)
	}
	v := inverseAffine(&w)
	a := float64(aspect)
	var sx, sy, sz, tz, sw, tw float64 // scales of the axes, and the coefficients of z and w along the axis
	near, far := float64(c.Near), float64(c.Far)
	if c.FOV > 0 {
		if near == 0 {
			near = float64(float32(0.1))
		}
		if far == 0 {
			far = 1000
		}
		sy = 1 / c.halfFOVTangent(room)
		sx = sy / a
		sz, tz = far/(near-far), float64(near*far)/(near-far)
		sw = -1
	} else {
		h := float64(c.Height)
		if h == 0 {
			h = 2
		}
		sy = 2 / h
		sx = sy / a
		sz, tw = -1, 1
		if !c.seesEveryZ() {
			sz, tz = 1/(near-far), near/(near-far)
		}
	}
	var m [16]float64
	for k := range 4 { // rows of the projection × columns of the view
		x, y, z := v[4*k], v[4*k+1], v[4*k+2]
		one := 0.0
		if k == 3 {
			one = 1
		}
		m[4*k] = float64(sx * x)
		m[4*k+1] = float64(sy * y)
		m[4*k+2] = float64(sz*z) + float64(tz*one)
		m[4*k+3] = float64(sw*z) + float64(tw*one)
	}
	return m
}

// inverseAffine returns the inverse of an affine matrix. If the matrix has no inverse, the result
// is not finite.
func inverseAffine(m *[16]float64) (v [16]float64) {
	var r [3][3]float64 // cofactors
	for i := range 3 {
		for j := range 3 {
			a, b := (j+1)%3, (j+2)%3
			p, q := (i+1)%3, (i+2)%3
			r[j][i] = float64(m[4*p+a]*m[4*q+b]) - float64(m[4*q+a]*m[4*p+b])
		}
	}
	det := float64(m[0]*r[0][0]) + float64(m[1]*r[1][0]) + float64(m[2]*r[2][0])
	for i := range 3 { // row i of the inverse
		var t float64
		for j := range 3 {
			v[4*j+i] = r[j][i] / det
			t += float64(v[4*j+i] * m[12+j])
		}
		v[12+i] = -t
	}
	v[15] = 1
	return v
}

// ToScreen returns where a world point is in a target of the given size. The result is in pixels
// from the target's upper left corner: x to the right and y down. The middle of a pixel has
// coordinates that end in .5. The result depth is the distance along the camera's axis. The result
// ok is false if the point is behind a camera with FOV, or if a result is not finite.
func (c *Camera) ToScreen(place *[16]float32, width, height int, wx, wy, wz float32) (x, y, depth float32, ok bool) {
	r := c.viewport(width, height)
	if r.Empty() {
		return 0, 0, 0, false
	}
	m := c.project(place, float32(r.Dx())/float32(r.Dy()))
	return toScreen(&m, c.depthCoefficients(place), r, wx, wy, wz)
}

// ToWorld returns the world point that is seen at x, y of the target, at the given depth. ToWorld is
// the inverse of [Camera.ToScreen]. The result ok is false if a result is not finite.
func (c *Camera) ToWorld(place *[16]float32, width, height int, x, y, depth float32) (wx, wy, wz float32, ok bool) {
	r := c.viewport(width, height)
	if r.Empty() {
		return 0, 0, 0, false
	}
	aspect := float64(r.Dx()) / float64(r.Dy())
	u := 2*(float64(x)-float64(r.Min.X))/float64(r.Dx()) - 1
	v := 1 - 2*(float64(y)-float64(r.Min.Y))/float64(r.Dy())
	sy, d := float64(c.Height)/2, float64(depth)
	if c.Height == 0 {
		sy = 1
	}
	if c.FOV > 0 {
		sy = c.halfFOVTangent(new([3]float64)) * d
	}
	px, py, pz := float64(u*float64(sy*aspect)), float64(v*sy), -d
	var out [3]float32
	for k := range out {
		out[k] = float32((float64(float64(place[k])*px) + float64(float64(place[4+k])*py)) + float64(float64(place[8+k])*pz) + float64(place[12+k]))
	}
	return out[0], out[1], out[2], finite(out[0]) && finite(out[1]) && finite(out[2])
}

// depthCoefficients returns the coefficients from which the distance of a point along the camera's
// axis is computed.
func (c *Camera) depthCoefficients(place *[16]float32) (d [4]float64) {
	var w [16]float64
	for i, v := range place {
		w[i] = float64(v)
	}
	v := inverseAffine(&w)
	return [4]float64{-v[2], -v[6], -v[10], -v[14]}
}

// heightCoefficients returns the coefficients from which the height of a point in the picture is computed. The
// height is used for sorting. Rows are sorted by decreasing height, as they are sorted by decreasing depth, so
// that the uppermost point comes first.
func (c *Camera) heightCoefficients(place *[16]float32) (d [4]float64) {
	var w [16]float64
	for i, v := range place {
		w[i] = float64(v)
	}
	v := inverseAffine(&w)
	return [4]float64{v[1], v[5], v[9], v[13]}
}

func toScreen(m *[16]float64, along [4]float64, r image.Rectangle, wx, wy, wz float32) (x, y, depth float32, ok bool) {
	p := [4]float64{float64(wx), float64(wy), float64(wz), 1}
	at := func(row int) float64 {
		return ((float64(m[row]*p[0]) + float64(m[4+row]*p[1])) + float64(m[8+row]*p[2])) + m[12+row]
	}
	w := at(3)
	if !(w > 0) {
		return 0, 0, 0, false
	}
	u, v := at(0)/w, at(1)/w
	d := ((float64(along[0]*p[0]) + float64(along[1]*p[1])) + float64(along[2]*p[2])) + along[3]
	x = float32(float64(r.Min.X) + float64(float64((u+1)/2)*float64(r.Dx())))
	y = float32(float64(r.Min.Y) + float64(float64((1-v)/2)*float64(r.Dy())))
	return x, y, float32(d), finite(x) && finite(y) && finite(float32(d))
}
