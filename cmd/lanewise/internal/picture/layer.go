//lanewise:inexact a picture is looked at: its colours may differ in the last digit

package picture

import "math"

// layer is a square of light whose values may exceed the range of a screen.
type layer struct {
	size int
	r    []float32
	g    []float32
	b    []float32
}

func newLayer(size int) *layer {
	n := size * size
	all := make([]float32, 3*n)
	return &layer{size: size, r: all[:n:n], g: all[n : 2*n : 2*n], b: all[2*n:]}
}

// splat adds light at a position, divided among the four nearest pixels.
func (l *layer) splat(x, y float64, c Color) {
	x, y = x-0.5, y-0.5
	fx, fy := math.Floor(x), math.Floor(y)
	if !(fx >= -1 && fy >= -1 && fx < float64(l.size) && fy < float64(l.size)) {
		return
	}
	ix, iy, tx, ty := int(fx), int(fy), x-fx, y-fy
	for k, share := range [4]float64{(1 - tx) * (1 - ty), tx * (1 - ty), (1 - tx) * ty, tx * ty} {
		px, py := ix+k&1, iy+k>>1
		if px >= 0 && py >= 0 && px < l.size && py < l.size {
			at := py*l.size + px
			l.r[at] += float32(c.R * share)
			l.g[at] += float32(c.G * share)
			l.b[at] += float32(c.B * share)
		}
	}
}

// spot adds the light of a dot to the pixels that it covers.
func (l *layer) spot(x0, y0, radius float64, c Color) {
	l.visitPixels(x0-radius-1, y0-radius-1, x0+radius+1, y0+radius+1, func(at int, x, y float64) {
		if v := clamp(radius + 0.5 - math.Hypot(x-x0, y-y0)); v > 0 {
			l.r[at] += float32(c.R * v)
			l.g[at] += float32(c.G * v)
			l.b[at] += float32(c.B * v)
		}
	})
}

// expose maps the light of a field to the range of a screen. The brightness
// is the logarithm of the density, which works for a hundred dots as well as
// for a million, and a single dot is visible beside the brightest place. The
// brightest place keeps its hue: it becomes pale before it becomes white.
func (l *layer) expose() {
	const lone = 0.35 // the density, in dots for each pixel, from which the brightness is logarithmic
	top := l.top(0.999)
	for i := range l.r {
		d := (float64(l.r[i]) + float64(l.g[i]) + float64(l.b[i])) / 3
		if d == 0 {
			continue
		}
		tone := math.Pow(math.Log1p(d/lone)/math.Log1p(max(top, 4*lone)/lone), 0.7)
		scale, pale := float32(tone/d)*0.9, float32(0.22*tone*tone*tone)
		l.r[i] = l.r[i]*scale + pale
		l.g[i] = l.g[i]*scale + pale
		l.b[i] = l.b[i]*scale + pale
	}
}

// top returns the density that a given share of the lit pixels does not exceed.
// The result is accurate to a factor of 2^(1/16).
func (l *layer) top(share float64) float64 {
	var counts [1024]int // bins of 2^(1/16), with 1 in the middle
	lit := 0
	for i := range l.r {
		if d := (float64(l.r[i]) + float64(l.g[i]) + float64(l.b[i])) / 3; d > 0 {
			lit++
			counts[int(max(0, min(512+16*math.Log2(d), 1023)))]++
		}
	}
	below := 0
	for k, n := range counts {
		if below += n; float64(below) >= share*float64(lit) {
			return math.Exp2(float64(k-511) / 16)
		}
	}
	return 1
}

// bloom adds the light that a lens would scatter: a narrow halo and a wide halo.
func (l *layer) bloom(unit float64) {
	for _, lane := range [][]float32{l.r, l.g, l.b} {
		narrow, wide := blur(lane, l.size, int(2*unit+0.5)), blur(lane, l.size, int(14*unit+0.5))
		for i := range lane {
			lane[i] = 0.86*lane[i] + 0.36*narrow[i] + 0.3*wide[i]
		}
	}
}

// blur applies three box filters of the given radius, which approximate a
// Gaussian.
func blur(lane []float32, size, radius int) []float32 {
	out, work := append([]float32(nil), lane...), make([]float32, len(lane))
	if radius < 1 {
		return out
	}
	for range 3 {
		boxRows(work, out, size, radius)
		boxColumns(out, work, size, radius)
	}
	return out
}

// boxRows sets each element of dst to the mean of the 2·radius+1 neighbours in its row of src.
// Pixels outside of the picture are dark.
func boxRows(dst, src []float32, size, radius int) {
	share := 1 / float32(2*radius+1)
	for y := 0; y < size; y++ {
		row, out := src[y*size:(y+1)*size], dst[y*size:(y+1)*size]
		var sum float64 // in float64, so that subtracting a number removes what adding it has added
		for x := 0; x < min(radius, size); x++ {
			sum += float64(row[x])
		}
		for x := range row {
			if x+radius < size {
				sum += float64(row[x+radius])
			}
			if x-radius-1 >= 0 {
				sum -= float64(row[x-radius-1])
			}
			out[x] = float32(sum) * share
		}
	}
}

// boxColumns does the same as boxRows for columns. It iterates row by row, so that
// it uses the cache well.
func boxColumns(dst, src []float32, size, radius int) {
	share := 1 / float32(2*radius+1)
	sums := make([]float64, size)
	add := func(y int, sign float64) {
		for x, v := range src[y*size : (y+1)*size] {
			sums[x] += sign * float64(v)
		}
	}
	for y := 0; y < min(radius, size); y++ {
		add(y, 1)
	}
	for y := 0; y < size; y++ {
		if y+radius < size {
			add(y+radius, 1)
		}
		if y-radius-1 >= 0 {
			add(y-radius-1, -1)
		}
		for x, sum := range sums {
			dst[y*size+x] = float32(sum) * share
		}
	}
}

// glow adds light that fades with the distance from a position.
func (l *layer) glow(x0, y0, radius float64, c Color) {
	far := 5 * radius
	l.visitPixels(x0-far, y0-far, x0+far, y0+far, func(at int, x, y float64) {
		r := math.Hypot(x-x0, y-y0)
		if r >= far {
			return
		}
		edge := 1 - r/far
		v := edge * edge / (1 + r*r/(radius*radius)) * 0.9
		l.r[at] += float32(c.R * v)
		l.g[at] += float32(c.G * v)
		l.b[at] += float32(c.B * v)
	})
}

// visitPixels visits the pixels of a box that are in the picture; x and y are the
// middle of a pixel.
func (l *layer) visitPixels(x0, y0, x1, y1 float64, visit func(at int, x, y float64)) {
	edge := float64(l.size)
	if !(x0 < edge && y0 < edge && x1 > 0 && y1 > 0) {
		return
	}
	for y := int(max(y0, 0)); y < int(min(math.Ceil(y1), edge)); y++ {
		for x := int(max(x0, 0)); x < int(min(math.Ceil(x1), edge)); x++ {
			visit(y*l.size+x, float64(x)+0.5, float64(y)+0.5)
		}
	}
}

func clamp(v float64) float64 { return max(0, min(v, 1)) }
