package raster

import (
	"math"
	"math/bits"
)

// fitsTiny reports whether the values of an edge function fit into sixteen
// bits. It checks all pixels of a box. It also checks the next pixel on the
// left and on the right of the box, if this pixel is at most two pixels away
// from the inside of the edge.
func (e *edge) fitsTiny(x0, x1, y0, y1 int) bool {
	a, b := max(e.a, -e.a), max(e.b, -e.b)
	near := 3*subs*a + 2*subs*b
	far := e.c + e.a*int64(subs/2*(x0+x1)) + e.b*int64(subs/2*(y0+y1)) + a*int64(subs/2*(x1-x0+4)) + b*int64(subs/2*(y1-y0+4))
	return near < 1<<15 && far < 1<<15
}

// A side describes where an edge of a tiny triangle intersects a row. It holds the
// column in units of 1/65536, and the change of the column to the next row.
type side struct{ at, step int64 }

// splitSides divides the edges into two groups, and returns their sides at
// row y. Edges that increase to the right bound a triangle on its left; edges
// that decrease bound it on its right. Each group has two entries.
func splitSides(e *[3]edge, y int) (left, right [2]side) {
	const one, most = 1 << 16, 1 << 40
	left, right = [2]side{{at: -most}, {at: -most}}, [2]side{{at: most}, {at: most}}
	l, r := 0, 0
	for i := range e {
		if e[i].a == 0 {
			continue
		}
		// The columns need not be exact, but the range between them must be wide
		// enough.
		k := -one / subs / float64(e[i].a)
		v := float64(e[i].c + e[i].b*int64(subs*y) + e[i].high())
		s := side{int64(v * k), int64(float64(subs*e[i].b) * k)}
		if e[i].a > 0 {
			s.at -= one / 64
			left[l&1] = s
			l++
		} else {
			s.at += one / 64
			right[r&1] = s
			r++
		}
	}
	return left, right
}

// drawTiny draws a small triangle in a solid band, which is the most frequent
// case. Six words hold the values of its edge functions at all samples of a
// pixel. They change by a constant from one pixel to the next, so there are
// no branches except at the ends of rows. It returns false if the triangle is
// too large.
func (b *band) drawTiny(t *prim) bool {
	x0, x1, y0, y1 := b.box(min(t.x[0], t.x[1], t.x[2]), max(t.x[0], t.x[1], t.x[2]), min(t.y[0], t.y[1], t.y[2]), max(t.y[0], t.y[1], t.y[2]))
	e := t.edges()
	for i := range e {
		e[i].c += e[i].a*int64(subs*b.x) + e[i].b*int64(subs*b.y)
		if !e[i].fitsTiny(x0, x1, y0, y1) {
			return false
		}
	}
	left, right := splitSides(&e, y0)
	a0, a1 := e[0].words()
	b0, b1 := e[1].words()
	c0, c1 := e[2].words()
	da, db, dc := uint64(subs*e[0].a)*ones, uint64(subs*e[1].a)*ones, uint64(subs*e[2].a)*ones
	ra, rb, rc := e[0].c+e[0].b*int64(subs*y0), e[1].c+e[1].b*int64(subs*y0), e[2].c+e[2].b*int64(subs*y0)
	color, sums := spread(t.color), b.sums[y0*b.w:y1*b.w]
	for len(sums) >= b.w {
		from := max(x0, int(max(left[0].at, left[1].at)>>16))
		to := min(x1, int(min(right[0].at, right[1].at)>>16)+1)
		row := sums[:b.w]
		sums = sums[b.w:]
		k := int64(subs * from)
		pa, pb, pc := uint64(ra+e[0].a*k)*ones, uint64(rb+e[1].a*k)*ones, uint64(rc+e[2].a*k)*ones
		pa0, pa1, pb0, pb1, pc0, pc1 := pa+a0, pa+a1, pb+b0, pb+b1, pc+c0, pc+c1
		for x := from; x < to; x++ {
			s := row[x]
			m := (pa0&pb0&pc0&signs | pa1&pb1&pc1&signs>>1) &^ s
			row[x] = (s | m) + color*uint64(bits.OnesCount64(m))
			pa0, pa1 = pa0+da, pa1+da
			pb0, pb1 = pb0+db, pb1+db
			pc0, pc1 = pc0+dc, pc1+dc
		}
		left[0].at, left[1].at = left[0].at+left[0].step, left[1].at+left[1].step
		right[0].at, right[1].at = right[0].at+right[0].step, right[1].at+right[1].step
		ra, rb, rc = ra+subs*e[0].b, rb+subs*e[1].b, rc+subs*e[2].b
	}
	return true
}

// steep is the largest side of a triangle that vector draws, in sixteenths. With this limit, the
// edge functions change by less than 2¹⁵ within four pixels.
const steep = 400

// vector draws a small triangle as drawTiny does, but uses assembly to draw four pixels at a time, column by column.
//
// The values of an edge function at samples have sixteen bits and saturate. If
// they increase from row to row, they must not begin below the range; if they
// decrease, they must not begin above it. Otherwise the signs would be wrong.
func (b *band) vector(t *prim) bool {
	left, right := min(t.x[0], t.x[1], t.x[2]), max(t.x[0], t.x[1], t.x[2])
	top, bottom := min(t.y[0], t.y[1], t.y[2]), max(t.y[0], t.y[1], t.y[2])
	if right-left > steep || bottom-top > steep {
		return false
	}
	x0, x1, y0, y1 := b.box(left, right, top, bottom)
	groups := (x1 - x0 + 3) / 4
	if x0 = min(x0, b.w-4*groups); x0 < 0 {
		return false
	}
	e := t.edges()
	for i := range e {
		e := &e[i]
		e.c += e.a*int64(subs*(b.x+x0)) + e.b*int64(subs*(b.y+y0))
		span := e.a * int64(4*subs*groups)
		if e.b > 0 && e.c+min(span, 0) < math.MinInt16 || e.b < 0 && e.c+max(span, 0) > math.MaxInt16 {
			return false
		}
	}
	tinyAVX2(&b.sums[y0*b.w+x0], 8*b.w, groups, y1-y0, &e, spread(t.color))
	return true
}
