package raster

// An edge is one side of a triangle as a function of the position, a·x + b·y
// + c. The function is at least 0 inside the triangle. A point on the line
// belongs to only one of the two triangles that share the edge, because c is
// smaller by one for the other triangle.
type edge struct{ a, b, c int64 }

// edges returns the edges of a triangle.
func (t *prim) edges() (e [3]edge) {
	e[0] = newEdge(t.x[0], t.y[0], t.x[1], t.y[1])
	e[1] = newEdge(t.x[1], t.y[1], t.x[2], t.y[2])
	e[2] = newEdge(t.x[2], t.y[2], t.x[0], t.y[0])
	return e
}

func newEdge(x0, y0, x1, y1 int32) edge {
	a, b := int64(y0)-int64(y1), int64(x1)-int64(x0)
	e := edge{a, b, -(a*int64(x0) + b*int64(y0))}
	if a < 0 || a == 0 && b < 0 {
		e.c--
	}
	return e
}

// low returns the smallest change of an edge function from the corner of a
// pixel to one of its samples, and high returns the largest change.
func (e *edge) low() int64  { return last * (min(e.a, 0) + min(e.b, 0)) }
func (e *edge) high() int64 { return last * (max(e.a, 0) + max(e.b, 0)) }

// words returns two words with the change of an edge function from the corner
// of a pixel to each sample, plus 2¹⁵.
func (e *edge) words() (w0, w1 uint64) {
	return uint64(e.a)*wordX[0] + uint64(e.b)*wordY[0] + signs, uint64(e.a)*wordX[1] + uint64(e.b)*wordY[1] + signs
}

// floorDiv returns ⌊a/b⌋ for b above 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
