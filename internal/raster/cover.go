package raster

// drawRows draws a primitive row by row. For each row, it first computes the masks
// and then draws the visible samples.
func (b *band) drawRows(t *prim, l *List) {
	var s shade
	s.begin(l, t)
	if t.kind == discKind {
		r := t.x[1]
		x0, x1, y0, y1 := b.box(t.x[0]-r, t.x[0]+r, t.y[0]-r, t.y[0]+r)
		for y := y0; y < y1 && x0 < x1; y++ {
			for x := x0; x < x1; x++ {
				b.masks[x] = discMask(int64(subs*(b.x+x))-int64(t.x[0]), int64(subs*(b.y+y))-int64(t.y[0]), int64(r))
			}
			b.put(&s, x0, x1, y)
		}
		return
	}
	x0, x1, y0, y1 := b.box(min(t.x[0], t.x[1], t.x[2]), max(t.x[0], t.x[1], t.x[2]), min(t.y[0], t.y[1], t.y[2]), max(t.y[0], t.y[1], t.y[2]))
	e := t.edges()
	for y := y0; y < y1; y++ {
		if left, right := b.coverage(&e, x0, x1, y); left < right {
			b.put(&s, left, right, y)
		}
	}
}

func (b *band) put(s *shade, left, right, y int) {
	if b.summing {
		b.addRow(s, left, right, y)
	} else {
		b.shadeRow(s, left, right, y)
	}
}

// coverage computes the masks for a row of a triangle. It returns the range of
// columns whose masks may be nonzero.
func (b *band) coverage(e *[3]edge, x0, x1, y int) (left, right int) {
	var at [3]int64 // the edges at column 0
	in0, in1 := x0, x1
	for i := range e {
		at[i] = e[i].a*int64(subs*b.x) + e[i].b*int64(subs*(b.y+y)) + e[i].c
		x0, x1 = limit(x0, x1, at[i]+e[i].high(), subs*e[i].a)
		in0, in1 = limit(in0, in1, at[i]+e[i].low(), subs*e[i].a)
	}
	if x0 >= x1 {
		return x0, x0
	}
	in0, in1 = min(max(in0, x0), x1), min(max(in1, x0), x1)
	if in0 >= in1 {
		in0, in1 = x1, x1
	}
	for x := x0; x < in0; x++ {
		b.masks[x] = maskAt(e, &at, x)
	}
	for x := in0; x < in1; x++ {
		b.masks[x] = whole
	}
	for x := in1; x < x1; x++ {
		b.masks[x] = maskAt(e, &at, x)
	}
	return x0, x1
}

// limit narrows a range of columns to the columns x for which v + x·step is at
// least 0.
func limit(x0, x1 int, v, step int64) (int, int) {
	switch {
	case step > 0:
		if first := -floorDiv(v, step); first > int64(x0) {
			x0 = int(min(first, int64(x1)))
		}
	case step < 0:
		if end := floorDiv(v, -step) + 1; end < int64(x1) {
			x1 = int(max(end, int64(x0)))
		}
	case v < 0:
		x1 = x0
	}
	return x0, x1
}

// maskAt returns the mask of a pixel. at holds the values of the edges at
// column 0 of the pixel's row.
func maskAt(e *[3]edge, at *[3]int64, x int) (mask uint8) {
	k := int64(subs * x)
	v0, v1, v2 := at[0]+k*e[0].a, at[1]+k*e[1].a, at[2]+k*e[2].a
	for i := range samples {
		sx, sy := sampleX[i], sampleY[i]
		out := (v0 + e[0].a*sx + e[0].b*sy) | (v1 + e[1].a*sx + e[1].b*sy) | (v2 + e[2].a*sx + e[2].b*sy)
		mask |= uint8(^uint64(out)>>63) << i
	}
	return mask
}

// discMask returns the mask of a pixel for a disc. The corner of the pixel is
// at (x, y) relative to the middle of the disc.
func discMask(x, y, r int64) (mask uint8) {
	// nx and ny are the smallest distances of a sample from the middle, and fx
	// and fy are the largest.
	nx, ny := max(x, -x-last, 0), max(y, -y-last, 0)
	fx, fy := max(x+last, -x), max(y+last, -y)
	switch {
	case nx*nx+ny*ny > r*r:
		return 0
	case fx*fx+fy*fy <= r*r:
		return whole
	}
	for i := range samples {
		dx, dy := x+sampleX[i], y+sampleY[i]
		if dx*dx+dy*dy <= r*r {
			mask |= 1 << i
		}
	}
	return mask
}
