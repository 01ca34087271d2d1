package exhibit

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/cloth/model"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var cloth = &Exhibit{
	Name: "cloth", Title: "Cloth",
	Text:   "A sheet of knots and springs falls over a ball. Springs to neighbours keep its size, diagonal ones keep it square, and weak ones to the knots two places away prevent creases.",
	Source: "examples/cloth/model/sheet.go",
	Params: []Param{
		{Name: "knots", Label: "knots along a side", Min: 16, Max: 64, Step: 4, Default: 40},
		{Name: "gravity", Label: "gravity, m/s²", Min: 0, Max: 20, Step: 0.2, Default: 9.8, Live: true},
		{Name: "wind", Label: "wind, m/s²", Min: -10, Max: 10, Step: 0.5, Default: 0, Live: true},
	},
	Checked: 1000, Golden: 0xaa2b25113849e73c, PerFrame: 6, Look: Faces, World: true,
	start: startCloth,
}

// sheet is the running cloth.
type sheet struct {
	world
	s      *model.Sheet
	at     [][3]float32 // of all knots, for the picture
	seen   []seenCorner // the same in the picture
	ball   [][3]float32 // corners of the ball
	tones  []color      // their colors
	onBall []seenCorner
	view   camera
}

// A seenCorner is a point of a surface in the picture, and its distance from the camera.
type seenCorner struct {
	corner
	depth float32
}

const rings = 24 // of the ball

func startCloth(pool *jobs.Pool, values []float64) (Simulation, error) {
	w := ecs.NewWorld("cloth", ecs.OnPool(pool))
	s := &sheet{world: world{w}, s: model.Hang(w, int(values[0]))}
	for i, v := range values {
		s.Set(i, v)
	}
	for up := range rings + 1 {
		for around := range 2*rings + 1 {
			sin, cos := kernels.SinOf(math.Pi*float32(up)/rings), kernels.CosOf(math.Pi*float32(up)/rings)
			n := [3]float32{sin * kernels.CosOf(math.Pi*float32(around)/rings), cos, sin * kernels.SinOf(math.Pi*float32(around)/rings)}
			const size = 0.96 * model.Radius // so that the ball does not hide the sheet that lies on it
			s.ball = append(s.ball, [3]float32{size * n[0], size * n[1], size * n[2]})
			s.tones = append(s.tones, lit(color{116, 140, 178}, n, false))
		}
	}
	s.view = camera{at: [3]float32{0, -0.1, 0}, far: 4, zoom: 4, wide: 1.6}
	return s, nil
}

// Set changes a parameter.
func (s *sheet) Set(param int, value float64) {
	switch param {
	case 1:
		s.s.Gravity = float32(value)
	case 2:
		s.s.Wind = float32(value)
	}
}

// Tick moves the knots.
func (s *sheet) Tick(int) error { return s.s.Tick() }

// Loaded checks the number of knots.
func (s *sheet) Loaded() error { return counted(s.s.Knots.Count(), s.s.Side*s.s.Side) }

// Len returns the number of knots.
func (s *sheet) Len() int { return s.w.Len() }

// Note returns the length of a tick.
func (s *sheet) Note() string { return fmt.Sprintf("%.2f ms of falling a tick", 1000*s.s.Seconds) }

// Draw draws the sheet and the ball as triangles, from a camera that slowly turns around them.
func (s *sheet) Draw(c *Canvas, tick int) {
	s.view.aim(0.5+float64(0.0004*float64(tick)), 0.42)
	s.onBall = s.onBall[:0]
	for i, p := range s.ball {
		s.onBall = append(s.onBall, c.see(&s.view, p, s.tones[i]))
	}
	c.surface(s.onBall, 2*rings+1, 0)
	s.at, s.seen = s.at[:0], s.seen[:0]
	for k := range s.s.Knots.Chunks() {
		pos, n := ecs.ReadColumn[transform.Translation](k), k.Len()
		x, y, z := pos.X[:n], pos.Y[:n], pos.Z[:n]
		for i := range n {
			s.at = append(s.at, [3]float32{x[i], y[i], z[i]})
		}
	}
	side := s.s.Side
	for i, p := range s.at {
		x, y := i%side, i/side
		across := between(s.at[y*side+max(x-1, 0)], s.at[y*side+min(x+1, side-1)])
		along := between(s.at[max(y-1, 0)*side+x], s.at[min(y+1, side-1)*side+x])
		k := color{206, 58, 62}
		if (x*10/side+y*10/side)%2 == 0 {
			k = color{246, 228, 198}
		}
		s.seen = append(s.seen, c.see(&s.view, p, lit(k, cross(along, across), true)))
	}
	c.surface(s.seen, side, 0.02)
	c.SortFaces()
}

// see returns where a point of a surface is in the picture.
func (c *Canvas) see(v *camera, p [3]float32, k color) seenCorner {
	x, y, _, depth := c.project(v, p[0], p[1], p[2])
	return seenCorner{corner{x, y, k, 255}, depth}
}

// surface adds a surface of rows of corners. It appears nearer to the camera by a small distance, which
// decides between two surfaces that touch. The view must be about four wide.
func (c *Canvas) surface(at []seenCorner, columns int, nearer float32) {
	for i := range len(at) - columns {
		if i%columns == columns-1 {
			continue
		}
		a, b, d, e := &at[i], &at[i+1], &at[i+columns], &at[i+columns+1]
		c.Face((6+nearer-(a.depth+b.depth+d.depth)/3)/4, a.corner, b.corner, d.corner)
		c.Face((6+nearer-(e.depth+b.depth+d.depth)/3)/4, b.corner, e.corner, d.corner)
	}
}

// between returns the way from one point to another.
func between(a, b [3]float32) [3]float32 { return [3]float32{b[0] - a[0], b[1] - a[1], b[2] - a[2]} }

// cross returns the cross product of two vectors.
func cross(a, b [3]float32) [3]float32 {
	return [3]float32{
		float32(a[1]*b[2]) - float32(a[2]*b[1]),
		float32(a[2]*b[0]) - float32(a[0]*b[2]),
		float32(a[0]*b[1]) - float32(a[1]*b[0]),
	}
}

// lit returns how a color looks on a surface with the normal n. The light comes from above. If both is
// true, the light falls on both sides of the surface.
func lit(k color, n [3]float32, both bool) color {
	long := float32(math.Sqrt(float64((float32(n[0]*n[0]) + float32(n[1]*n[1])) + float32(n[2]*n[2]))))
	if long == 0 {
		return k
	}
	light := ((float32(-0.5*n[0]) + float32(0.75*n[1])) + float32(0.43*n[2])) / long
	if both {
		light = max(light, -light)
	}
	return k.dim(0.5 + float32(0.5*max(light, 0)))
}
