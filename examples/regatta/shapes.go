package regatta

import (
	"image"
	"image/color"

	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/kernels"
)

// mesh collects triangles.
type mesh struct{ render.Shape }

func newMesh(name string) *mesh { return &mesh{render.Shape{Name: name}} }

// addCorner adds a corner and returns its index.
func (m *mesh) addCorner(x, y, z float32, c color.NRGBA) uint32 {
	m.Positions, m.Colors = append(m.Positions, [3]float32{x, y, z}), append(m.Colors, c)
	return uint32(len(m.Positions) - 1)
}

// face adds a flat polygon of one colour, as a fan.
func (m *mesh) face(c color.NRGBA, corners ...[3]float32) {
	first := uint32(len(m.Positions))
	for i, p := range corners {
		m.addCorner(p[0], p[1], p[2], c)
		if i >= 2 {
			m.Indices = append(m.Indices, first, first+uint32(i)-1, first+uint32(i))
		}
	}
}

// sheet adds a surface of rows and columns of quads. f returns the place and the colour of a corner. u
// goes upwards and v goes across, both from 0 to 1.
func (m *mesh) sheet(rows, columns int, f func(u, v float32) (x, y, z float32, c color.NRGBA)) {
	first := uint32(len(m.Positions))
	wide := uint32(columns + 1)
	for r := range rows + 1 {
		for c := range columns + 1 {
			m.addCorner(f(float32(r)/float32(rows), float32(c)/float32(columns)))
		}
	}
	for r := range uint32(rows) {
		for c := range uint32(columns) {
			a := first + r*wide + c
			m.Indices = append(m.Indices, a, a+1, a+wide, a+1, a+wide+1, a+wide)
		}
	}
}

// grey returns a shade of grey that tints multiply.
func grey(v float32) color.NRGBA {
	b := uint8(255 * min(v, 1))
	return color.NRGBA{b, b, b, 255}
}

// A boat is nine metres long. Its bow points to -Z, and its mast is a metre before the middle.
const (
	deck   = 0.9
	mastZ  = -1
	tack   = -4 // start of the jib
	boom   = 1.8
	height = 12.5
)

// outline is the edge of the deck on one side, from the bow to the stern.
var outline = [][2]float32{{0, -4.6}, {0.75, -2.9}, {1.25, -0.9}, {1.4, 1.2}, {1.15, 4.2}}

func hullShape() render.Shape {
	m := newMesh("hull")
	top := [][3]float32{}
	for _, p := range outline {
		top = append(top, [3]float32{p[0], deck, p[1]})
	}
	for i := range outline {
		p := outline[len(outline)-1-i]
		if p[0] > 0 {
			top = append(top, [3]float32{-p[0], deck, p[1]})
		}
	}
	for side := float32(-1); side <= 1; side += 2 {
		for i := range len(outline) - 1 {
			a, b := outline[i], outline[i+1]
			m.face(grey(0.62+float32(0.05*float32(i))), [3]float32{side * a[0], deck, a[1]}, [3]float32{side * b[0], deck, b[1]},
				[3]float32{side * b[0] * 0.55, -0.5, b[1] * 0.94}, [3]float32{side * a[0] * 0.55, -0.5, a[1] * 0.94})
		}
	}
	stern := outline[len(outline)-1]
	m.face(grey(0.5), [3]float32{-stern[0], deck, stern[1]}, [3]float32{stern[0], deck, stern[1]}, [3]float32{float32(stern[0] * 0.55), -0.5, float32(stern[1] * 0.94)}, [3]float32{float32(-stern[0] * 0.55), -0.5, float32(stern[1] * 0.94)})
	m.face(color.NRGBA{226, 196, 150, 255}, top...)
	m.face(color.NRGBA{120, 92, 64, 255}, [3]float32{-0.7, deck + 0.02, 0.9}, [3]float32{0.7, deck + 0.02, 0.9}, [3]float32{0.6, deck + 0.02, 3.4}, [3]float32{-0.6, deck + 0.02, 3.4})
	wood := color.NRGBA{92, 74, 60, 255}
	m.face(wood, [3]float32{-0.07, deck, mastZ}, [3]float32{0.07, deck, mastZ}, [3]float32{0.03, height + 0.4, mastZ}, [3]float32{-0.03, height + 0.4, mastZ})
	m.face(wood, [3]float32{0, deck, mastZ - 0.07}, [3]float32{0, deck, mastZ + 0.07}, [3]float32{0, height + 0.4, mastZ + 0.03}, [3]float32{0, height + 0.4, mastZ - 0.03})
	return m.Shape
}

// mainShape returns a mainsail. The mast is the Y axis, and the sail bulges towards X.
func mainShape() render.Shape {
	m := newMesh("main")
	m.sheet(4, 3, func(u, v float32) (x, y, z float32, c color.NRGBA) {
		chord := 4.7 * (1 - u) * (1 + float32(0.55*u))
		belly := float32(0.5 * chord * v * (1 - v) * (0.7 + float32(0.6*u)))
		return belly, boom + float32((height-boom)*u), float32(chord * v), grey(0.8 + float32(0.2*u) - float32(0.14*v*v) + float32(0.06*v))
	})
	return m.Shape
}

// jibShape returns a foresail. The bow is at the origin.
func jibShape() render.Shape {
	m := newMesh("jib")
	m.sheet(3, 2, func(u, v float32) (x, y, z float32, c color.NRGBA) {
		chord := 3.9 * (1 - u)
		return float32(0.55 * chord * v * (1 - v)), 1.1 + float32(9.2*u), float32(2.8*u) + float32(chord*v), grey(0.84 + float32(0.16*u) - float32(0.14*v))
	})
	return m.Shape
}

// kiteShape returns a spinnaker with seams, which is in front of the mast.
func kiteShape(name string, rows, columns int) render.Shape {
	m := newMesh(name)
	m.sheet(rows, columns, func(u, v float32) (x, y, z float32, c color.NRGBA) {
		s := float32(2*v) - 1
		wide := 3.9 * (1 - float32(u*u*0.98)) * (0.82 + float32(0.6*u))
		bulge := (1 - float32(s*s)) * (1 - float32((u-0.45)*(u-0.45)*1.5))
		light := 0.74 + float32(0.26*bulge)
		if s*s > 0.7 || u > 0.9 {
			light -= 0.16
		}
		return float32(wide * s), 2.2 + float32(11*u) + float32(0.4*bulge), -1.6 - float32(2.9*bulge) + float32(1.2*u), grey(light)
	})
	return m.Shape
}

// farShape returns the shape of a distant boat: sails and a line of hull.
func farShape() render.Shape {
	m := newMesh("far")
	m.face(grey(1), [3]float32{0, 1.2, mastZ}, [3]float32{0, height, mastZ}, [3]float32{0.4, 1.2, 3.6})
	m.face(grey(0.93), [3]float32{0, 1.2, tack}, [3]float32{0, height * 0.8, mastZ - 0.4}, [3]float32{0.2, 1.2, mastZ - 0.2})
	m.face(grey(0.4), [3]float32{-0.6, 1, -4.4}, [3]float32{0.6, 1, 4.2}, [3]float32{0.6, -0.2, 4}, [3]float32{-0.6, -0.2, -4})
	return m.Shape
}

// wakeShape returns the wake of a boat: two waves that part, and foam.
func wakeShape() render.Shape {
	m := newMesh("wake")
	const y = 0.12 // above the water, so that the water does not hide it
	for side := float32(-1); side <= 1; side += 2 {
		a := m.addCorner(side*0.2, y, -4.4, color.NRGBA{255, 255, 255, 150})
		b := m.addCorner(side*1.9, y, 3.5, color.NRGBA{255, 255, 255, 70})
		c := m.addCorner(side*0.9, y, 5, color.NRGBA{255, 255, 255, 110})
		d := m.addCorner(side*7.6, y, 30, color.NRGBA{255, 255, 255, 0})
		e := m.addCorner(side*5.4, y, 32, color.NRGBA{255, 255, 255, 0})
		m.Indices = append(m.Indices, a, b, c, b, d, c, c, d, e)
	}
	a, b := m.addCorner(-0.8, y, 3.5, color.NRGBA{235, 250, 255, 120}), m.addCorner(0.8, y, 3.5, color.NRGBA{235, 250, 255, 120})
	c := m.addCorner(0, y, 38, color.NRGBA{235, 250, 255, 0})
	m.Indices = append(m.Indices, a, b, c)
	return m.Shape
}

// buoyShape returns a mark of the course.
func buoyShape() render.Shape {
	m := newMesh("buoy")
	const r, h = 7, 26
	red, dark := color.NRGBA{240, 96, 40, 255}, color.NRGBA{176, 58, 30, 255}
	m.face(red, [3]float32{-r, -1, r}, [3]float32{r, -1, r}, [3]float32{0, h, 0})
	m.face(dark, [3]float32{r, -1, r}, [3]float32{r, -1, -r}, [3]float32{0, h, 0})
	m.face(dark, [3]float32{r, -1, -r}, [3]float32{-r, -1, -r}, [3]float32{0, h, 0})
	m.face(dark, [3]float32{-r, -1, -r}, [3]float32{-r, -1, r}, [3]float32{0, h, 0})
	return m.Shape
}

// band is a circle around the Y axis.
type band struct {
	r, y float32
	c    color.NRGBA
}

// ring adds a ring of quads around the Y axis between each band and the next
// band.
func (m *mesh) ring(n int, bands []band) {
	first := uint32(len(m.Positions))
	wide := uint32(len(bands))
	for i := range n + 1 {
		sin, cos := round(i, n)
		for _, b := range bands {
			m.addCorner(b.r*sin, b.y, -b.r*cos, b.c)
		}
	}
	for i := range uint32(n) {
		for k := range wide - 1 {
			a := first + i*wide + k
			m.Indices = append(m.Indices, a, a+1, a+wide, a+1, a+wide+1, a+wide)
		}
	}
}

// round returns the sine and cosine of i/n of a full turn.
func round(i, n int) (sin, cos float32) {
	a := [1]float32{float32(i) * (2 * 3.1415927) / float32(n)}
	var s, c [1]float32
	kernels.Sincos(s[:], c[:], a[:])
	return s[0], c[0]
}

// horizon is the distance from the middle of the course to the end of the world.
const horizon = 12_000

// seaShape returns the water, which is lighter towards the horizon.
func seaShape() render.Shape {
	m := newMesh("sea")
	m.ring(48, []band{{0, 0, color.NRGBA{9, 78, 108, 255}}, {1_400, 0, color.NRGBA{8, 74, 104, 255}}, {2_600, 0, color.NRGBA{14, 88, 116, 255}},
		{4_200, 0, color.NRGBA{52, 128, 146, 255}}, {7_500, 0, color.NRGBA{138, 184, 186, 255}}, {horizon, 0, color.NRGBA{232, 216, 188, 255}}})
	return m.Shape
}

// skyShape returns the sky and the coast.
func skyShape() render.Shape {
	m := newMesh("sky")
	m.ring(48, []band{{horizon, -60, color.NRGBA{255, 222, 178, 255}}, {horizon, 450, color.NRGBA{250, 220, 186, 255}}, {horizon, 1_300, color.NRGBA{196, 214, 212, 255}},
		{horizon, 3_200, color.NRGBA{104, 166, 204, 255}}, {horizon, 9_000, color.NRGBA{40, 96, 160, 255}}})
	for _, coast := range []struct {
		r, high float32
		c       color.NRGBA
		seed    uint32
	}{{11_800, 480, color.NRGBA{186, 186, 194, 255}, 7}, {11_200, 260, color.NRGBA{130, 150, 164, 255}, 40}} {
		const n = 180
		var before [3]float32
		for i := range n + 1 {
			sin, cos := round(i, n)
			k := uint32(i % n)
			ridge := coast.high * (0.2 + float32(0.5*dice(coast.seed+k/9)) + float32(0.3*dice(coast.seed+k)))
			at := [3]float32{coast.r * sin, ridge, -coast.r * cos}
			if i > 0 {
				m.face(coast.c, [3]float32{before[0], -20, before[2]}, [3]float32{at[0], -20, at[2]}, at, before)
			}
			before = at
		}
	}
	return m.Shape
}

// dotShape returns a boat on the chart.
func dotShape() render.Shape {
	return render.Shape{Name: "dot", Kind: render.Points, Positions: [][3]float32{{0, 0, 0}}}
}

// cloud returns the picture of a patch of wind on the water, with soft edges.
func cloud(size int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, size, size))
	half := float32(size / 2)
	for y := range size {
		for x := range size {
			dx, dy := (float32(x)+0.5-half)/half, (float32(y)+0.5-half)/half
			a := max(0, 1-float32(dx*dx)-float32(dy*dy))
			v := uint8(255 * float32(a*a))
			p.SetRGBA(x, y, color.RGBA{v, v, v, v})
		}
	}
	return p
}

// dice returns a number from 0 to 1 for each n. The numbers of consecutive n have
// no visible pattern.
func dice(n uint32) float32 {
	n = (n ^ n>>16) * 0x45d9f3b
	n = (n ^ n>>16) * 0x45d9f3b
	return float32(float32((n^n>>16)&0xffff) / 65536)
}
