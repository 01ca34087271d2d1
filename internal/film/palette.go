package film

import (
	"image/color"
	"math"
	"slices"
)

// colors is the number of colors of a GIF's palette. It is also the palette
// index of pixels that have not changed.
const colors = 255

// A census counts the colors of all pictures. Colors are rounded to five bits per channel.
type census [1 << 15]tally

// A tally holds the number of pixels of similar colors, and the sums of their
// channels.
type tally struct{ n, r, g, b uint64 }

func (c *census) add(pix []byte) {
	for i := 0; i+3 < len(pix); i += 4 {
		r, g, b := pix[i], pix[i+1], pix[i+2]
		t := &c[int(r>>3)<<10|int(g>>3)<<5|int(b>>3)]
		t.n, t.r, t.g, t.b = t.n+1, t.r+uint64(r), t.g+uint64(g), t.b+uint64(b)
	}
}

// A box is a set of colors.
type box struct {
	bins   []int
	weight float64 // of its widest channel
	shift  int     // of that channel
}

// palette chooses the colors by median cut (Paul Heckbert, "Color image
// quantization for frame buffer display", 1982). It repeatedly takes the box
// with the largest error and divides it at the color that halves this error,
// until there are enough boxes.
func (c *census) palette() (p color.Palette) {
	var all []int
	for i := range c {
		if c[i].n > 0 {
			all = append(all, i)
		}
	}
	boxes := []box{c.box(all)}
	for len(boxes) < colors {
		widest := 0
		for i := range boxes {
			if boxes[i].weight > boxes[widest].weight {
				widest = i
			}
		}
		b := boxes[widest]
		if len(b.bins) < 2 {
			break
		}
		k := c.cut(&b)
		boxes[widest] = c.box(b.bins[:k])
		boxes = append(boxes, c.box(b.bins[k:]))
	}
	for _, b := range boxes {
		var t tally
		for _, i := range b.bins {
			t.n, t.r, t.g, t.b = t.n+c[i].n, t.r+c[i].r, t.g+c[i].g, t.b+c[i].b
		}
		p = append(p, color.RGBA{uint8((t.r + t.n/2) / t.n), uint8((t.g + t.n/2) / t.n), uint8((t.b + t.n/2) / t.n), 255})
	}
	return p
}

// box returns the box of some colors. The weight of the box is the spread of
// its widest channel. The weight of each color is the square root of the
// number of its pixels, so that a large background does not take all palette
// entries.
func (c *census) box(bins []int) box {
	b := box{bins: bins, weight: -1}
	if len(bins) < 2 {
		return b
	}
	for _, shift := range []int{10, 5, 0} {
		var n, sum, squares float64
		for _, i := range bins {
			v, w := float64(i>>shift&31), root(c[i].n)
			n, sum, squares = n+w, sum+float64(v*w), squares+float64(float64(v*v)*w)
		}
		if spread := squares - float64(float64(sum*sum)/n); spread > b.weight {
			b.weight, b.shift = spread, shift
		}
	}
	return b
}

// cut sorts the colors of a box by its widest channel, and returns the index at
// which half of the weight is reached.
func (c *census) cut(b *box) int {
	slices.SortStableFunc(b.bins, func(i, j int) int { return i>>b.shift&31 - j>>b.shift&31 })
	var all, sum float64
	for _, i := range b.bins {
		all += root(c[i].n)
	}
	for k, i := range b.bins[:len(b.bins)-1] {
		if sum += root(c[i].n); sum >= all/2 {
			return k + 1
		}
	}
	return len(b.bins) - 1
}

func root(n uint64) float64 { return math.Sqrt(float64(n)) }

// A matcher maps colors to palette indices. A color between two palette
// colors becomes one of these two. The position in the picture decides which
// of them, so that parts that do not move do not flicker.
type matcher struct {
	palette color.Palette
	known   []match // by color, rounded to six bits a channel
}

type match struct {
	near, other uint8
	share       uint8 // of other, in 64ths
	known       bool
}

func newMatcher(p color.Palette) *matcher { return &matcher{p, make([]match, 1<<18)} }

func (m *matcher) at(r, g, b uint8, x, y int) uint8 {
	k := &m.known[int(r>>2)<<12|int(g>>2)<<6|int(b>>2)]
	if !k.known {
		*k = m.match(int(r&^3)+2, int(g&^3)+2, int(b&^3)+2)
	}
	if k.share > bayer[y&7][x&7] {
		return k.other
	}
	return k.near
}

// match finds two palette colors: the color nearest to the given color, and the nearest color on
// the other side of the given color.
func (m *matcher) match(r, g, b int) match {
	near := m.nearestColor(r, g, b)
	c := m.palette[near].(color.RGBA)
	dr, dg, db := r-int(c.R), g-int(c.G), b-int(c.B)
	k := match{near: near, known: true}
	if max(dr, -dr, dg, -dg, db, -db) <= 3 {
		return k // as near as the rounding allows
	}
	other := m.nearestColor(r+dr, g+dg, b+db)
	o := m.palette[other].(color.RGBA)
	er, eg, eb := int(o.R)-int(c.R), int(o.G)-int(c.G), int(o.B)-int(c.B)
	if length := er*er + eg*eg + eb*eb; length > 0 {
		k.other = other
		k.share = uint8(max(0, min((dr*er+dg*eg+db*eb)*64/length, 32)))
	}
	return k
}

// nearestColor returns the palette color with the least difference. As in human
// vision, green has a larger weight than red, and blue has a smaller weight.
func (m *matcher) nearestColor(r, g, b int) uint8 {
	best, at := 1<<30, 0
	for i := range m.palette {
		c := m.palette[i].(color.RGBA)
		dr, dg, db := r-int(c.R), g-int(c.G), b-int(c.B)
		if d := 2*dr*dr + 4*dg*dg + db*db; d < best {
			best, at = d, i
		}
	}
	return uint8(at)
}

// bayer is the dither matrix: the order in which the pixels of a square are
// filled.
var bayer = func() (b [8][8]uint8) {
	for y := range 8 {
		for x := range 8 {
			for bit := range 3 {
				b[y][x] |= uint8((x^y)>>bit&1<<1|y>>bit&1) << (4 - 2*bit)
			}
		}
	}
	return b
}()
