package exhibit

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/regatta"
	"github.com/lanewise/lanewise/jobs"
)

var race = &Exhibit{
	Name: "regatta", Title: "Regatta",
	Text:   "Boats race around four marks in a wind that shifts and has gusts, which darken the water. A boat is a tree of entities: systems steer it, lean its hull and trim its sails. The chart has a color for each leg.",
	Source: "examples/regatta/helm.go",
	Params: []Param{
		{Name: "boats", Label: "boats", Min: 50, Max: 1000, Step: 50, Default: 300},
		{Name: "wind", Label: "wind, m/s", Min: 2, Max: 14, Step: 0.5, Default: 8, Live: true},
		{Name: "follow", Label: "follow a boat (0: none)", Min: 0, Max: 50, Step: 1, Default: 0, Live: true},
	},
	Checked: 1000, Golden: 0x7e4c5ad3b14182ca, PerFrame: 1, Look: Faces, World: true,
	start: func(pool *jobs.Pool, values []float64) (Simulation, error) {
		r, err := regatta.New(regatta.Options{Boats: int(values[0])}, system.OnPool(pool))
		if err != nil {
			return nil, err
		}
		w := r.World
		look := []ecs.Term{ecs.With[render.Look](), ecs.Read[transform.LocalToWorld]()}
		s := &boats{
			world: world{w}, r: r,
			marks: w.Query(append(look, ecs.Without[render.Tint](), ecs.Without[render.Level]())...),
			wakes: w.Query(append(look, ecs.Read[render.Level](), ecs.With[regatta.Wake]())...),
			parts: w.Query(append(look, ecs.Read[render.Level](), ecs.Read[render.Tint](), ecs.Without[render.Hidden]())...),
			fleet: w.Query(ecs.Read[transform.Translation](), ecs.Read[regatta.Helm](), ecs.Read[render.Tint]()),
			gusts: w.Query(ecs.Read[transform.Translation](), ecs.Read[regatta.Air](), ecs.Read[render.Tint](), ecs.Without[regatta.Helm]()),
		}
		for i, v := range values {
			s.Set(i, v)
		}
		return s, nil
	},
}

// boats is the running regatta.
type boats struct {
	world
	r                                 *regatta.Race
	marks, wakes, parts, fleet, gusts *ecs.Query
	followed                          int // number of the boat that the camera follows, from 1, or 0
	view                              camera
	corners                           []seenCorner // of one shape
}

// Set changes a parameter.
func (s *boats) Set(param int, value float64) {
	switch param {
	case 1:
		s.r.SetWind(float32(value))
	case 2:
		s.followed = int(value)
	}
}

// Tick sails the boats.
func (s *boats) Tick(int) error {
	system.ClockOf(s.w).Advance(regatta.Step)
	return system.Update(s.w)
}

// Len returns the number of entities.
func (s *boats) Len() int { return s.w.Len() }

// Note returns the mean speed of the boats.
func (s *boats) Note() string {
	sum, n := 0.0, 0
	for k := range s.fleet.Chunks() {
		for _, v := range ecs.ReadColumn[regatta.Helm](k).Speed {
			sum, n = sum+float64(v), n+1
		}
	}
	return fmt.Sprintf("mean speed %.1f knots", sum/float64(max(n, 1))*3600/1852)
}

// These are the nearnesses of surfaces on the water, which no boat is behind, and of the chart.
const (
	farthest = 0
	onWater  = 1.5 / planes
	onGusts  = 2.5 / planes
	inFront  = 1
)

// nearnessOf returns the nearness at a distance in metres.
func nearnessOf(depth float32) float32 { return 60 / (60 + depth) }

// Draw draws the sea, the gusts, the boats and the chart.
func (s *boats) Draw(c *Canvas, _ int) {
	s.aim()
	s.drawSea(c)
	s.drawGusts(c)
	s.drawLooks(c, s.marks, false)
	s.drawLooks(c, s.wakes, true)
	s.drawLooks(c, s.parts, false)
	s.drawChart(c)
	c.SortFaces()
}

// aim turns the camera. The spectators look over the whole course; the other camera follows a boat on the
// left of its stern.
func (s *boats) aim() {
	if s.followed > 0 {
		left := s.followed - 1
		for k := range s.fleet.Chunks() {
			if n := k.Len(); left >= n {
				left -= n
				continue
			}
			pos, heading := ecs.ReadColumn[transform.Translation](k), ecs.ReadColumn[regatta.Helm](k).Heading
			s.view = camera{at: [3]float32{pos.X[left], 5, pos.Z[left]}, far: 46, zoom: 2.6, wide: 1.2}
			s.view.aim(-float64(heading[left])-0.5, 0.12)
			return
		}
	}
	s.view = camera{at: [3]float32{328, -27, 670}, far: 1400, zoom: 3.48, wide: 1.2}
	s.view.aim(0.08, 0.085)
}

// A shade is the color of the sea or the sky at a height in the picture, above the horizon.
type shade struct {
	y     float32
	color color
}

// drawSea draws the sky and the sea.
func (s *boats) drawSea(c *Canvas) {
	horizon := s.view.zoom * min(1, c.Aspect/s.view.wide) * s.view.up / s.view.on
	bands := []shade{
		{1, color{40, 96, 160}}, {0.5, color{104, 166, 204}}, {0.16, color{196, 214, 212}}, {0, color{250, 222, 188}},
		{-0.004, color{214, 206, 186}}, {-0.04, color{138, 184, 186}}, {-0.12, color{52, 128, 146}}, {-0.35, color{14, 88, 116}}, {-1.6, color{8, 70, 100}},
	}
	for i := range len(bands) - 1 {
		a, b := bands[i], bands[i+1]
		c.quad(farthest, -1, min(1, horizon+a.y), 1, max(-1, horizon+b.y), a.color, b.color, 255)
	}
}

// quad adds a rectangle with one color along its upper edge and another along its lower edge.
func (c *Canvas) quad(nearness, left, top, right, bottom float32, above, below color, alpha uint8) {
	a, b := corner{left, top, above, alpha}, corner{right, top, above, alpha}
	d, e := corner{left, bottom, below, alpha}, corner{right, bottom, below, alpha}
	c.Face(nearness, a, b, d)
	c.Face(nearness, b, e, d)
}

// hexagon holds the corners of a hexagon.
var hexagon = [...][2]float32{{1, 0}, {0.5, 0.87}, {-0.5, 0.87}, {-1, 0}, {-0.5, -0.87}, {0.5, -0.87}}

// drawGusts darkens the water where there is wind.
func (s *boats) drawGusts(c *Canvas) {
	dark := color{4, 40, 66}
	for k := range s.gusts.Chunks() {
		pos, tint, n := ecs.ReadColumn[transform.Translation](k), ecs.ReadColumn[render.Tint](k).Color, k.Len()
		x, z := pos.X[:n], pos.Z[:n]
		for i := range n {
			if tint[i].A < 6 {
				continue
			}
			px, py, size, _ := c.project(&s.view, x[i], 0, z[i])
			if size == 0 || !(px > -1.4 && px < 1.4) {
				continue
			}
			middle := corner{px, py, dark, tint[i].A}
			var edge [len(hexagon)]corner
			whole := true
			for j, h := range hexagon {
				qx, qy, size, _ := c.project(&s.view, x[i]+float32(200*h[0]), 0, z[i]+float32(110*h[1]))
				whole = whole && size > 0
				edge[j] = corner{qx, qy, dark, 0}
			}
			for j := range edge {
				if whole {
					c.Face(onWater, middle, edge[j], edge[(j+1)%len(edge)])
				}
			}
		}
	}
}

// drawLooks draws the shapes of entities. Of the shapes of a boat, it draws those for the boat's distance.
func (s *boats) drawLooks(c *Canvas, q *ecs.Query, flat bool) {
	buoy := render.ShapeNamed("buoy")
	for k := range q.Chunks() {
		id := ecs.SharedValue[render.Look](k).Shape
		shape := s.r.Assets.FindShape(id)
		if shape == nil || shape.Kind != render.Triangles || q == s.marks && id != buoy {
			continue
		}
		matrices := ecs.ReadColumn[transform.LocalToWorld](k).M
		for i := range matrices {
			m := &matrices[i]
			_, _, size, depth := c.project(&s.view, m[12], m[13], m[14])
			if size == 0 {
				continue
			}
			tint := [3]float32{1, 1, 1}
			if q != s.marks && !atLevel(ecs.ReadColumn[render.Level](k).Min[i], ecs.ReadColumn[render.Level](k).Max[i], depth) {
				continue
			}
			if q == s.parts {
				t := ecs.ReadColumn[render.Tint](k).Color[i]
				tint = [3]float32{float32(t.R) / 255, float32(t.G) / 255, float32(t.B) / 255}
			}
			s.drawShape(c, shape, m, tint, flat)
		}
	}
}

// atLevel reports whether something with a level is drawn at a distance: all parts of a boat are drawn up to
// 600 metres.
func atLevel(low, high uint8, depth float32) bool {
	level := uint8(0)
	for _, end := range [...]float32{600, 1900} {
		if depth > end {
			level++
		}
	}
	return level >= low && level < max(high, low+1)
}

// drawShape draws the triangles of a shape.
func (s *boats) drawShape(c *Canvas, shape *render.Shape, m *[16]float32, tint [3]float32, flat bool) {
	s.corners = s.corners[:0]
	for i, p := range shape.Positions {
		x := (float32(m[0]*p[0]) + float32(m[4]*p[1])) + float32(m[8]*p[2]) + m[12]
		y := (float32(m[1]*p[0]) + float32(m[5]*p[1])) + float32(m[9]*p[2]) + m[13]
		z := (float32(m[2]*p[0]) + float32(m[6]*p[1])) + float32(m[10]*p[2]) + m[14]
		t := shape.Colors[i]
		k := color{uint8(tint[0] * float32(t.R)), uint8(tint[1] * float32(t.G)), uint8(tint[2] * float32(t.B))}
		px, py, size, depth := c.project(&s.view, x, max(y, 0), z)
		if size == 0 {
			return
		}
		s.corners = append(s.corners, seenCorner{corner{px, py, k, t.A}, depth})
	}
	for i := 0; i+2 < len(shape.Indices); i += 3 {
		a, b, d := &s.corners[shape.Indices[i]], &s.corners[shape.Indices[i+1]], &s.corners[shape.Indices[i+2]]
		near := float32(onGusts)
		if !flat {
			near = nearnessOf((a.depth + b.depth + d.depth) / 3)
		}
		c.Face(near, a.corner, b.corner, d.corner)
	}
}

// drawChart draws the boats from above, in the upper left corner of the picture.
func (s *boats) drawChart(c *Canvas) {
	const high, wide, metres = 0.34, 0.28, 2100 // half of the sizes
	x0, y0 := -1+(wide+0.05)/c.Aspect, float32(1-0.05-high)
	c.quad(inFront, x0-wide/c.Aspect, y0+high, x0+wide/c.Aspect, y0-high, color{8, 40, 62}, color{8, 40, 62}, 190)
	for k := range s.fleet.Chunks() {
		pos, tint, n := ecs.ReadColumn[transform.Translation](k), ecs.ReadColumn[render.Tint](k).Color, k.Len()
		x, z := pos.X[:n], pos.Z[:n]
		for i := range n {
			px, py := x0+float32(x[i]*(high/metres))/c.Aspect, y0-float32(z[i]*(high/metres))
			t := tint[i]
			k := color{t.R, t.G, t.B}
			c.quad(inFront, px-0.005/c.Aspect, py+0.005, px+0.005/c.Aspect, py-0.005, k, k, 210)
		}
	}
}
