package exhibit

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/examples/flock/model"
	"github.com/lanewise/lanewise/jobs"
)

var flock = &Exhibit{
	Name: "flock", Title: "Flock",
	Text:   "Each bird takes the mean heading of the birds within its view, plus noise (Vicsek and others, 1995). Little noise gives one flock; above a certain noise no flock forms. Colors are headings.",
	Source: "examples/flock/model/model.go",
	Params: []Param{
		{Name: "birds", Label: "birds", Min: 500, Max: 8000, Step: 500, Default: 3000},
		{Name: "noise", Label: "noise", Min: 0, Max: 2, Step: 0.05, Default: 0.4, Live: true},
		{Name: "pace", Label: "metres a tick", Min: 0, Max: 0.2, Step: 0.01, Default: 0.06, Live: true},
	},
	Checked: 300, Golden: 0x4f231b7b74b22abe, PerFrame: 1, Look: Glow, World: true,
	start: func(pool *jobs.Pool, values []float64) (Simulation, error) {
		m := &model.Flock{Birds: int(values[0]), Size: float32(math.Round(math.Sqrt(values[0] / 2))), View: 1}
		w, err := m.Make("flock", pool, 1)
		s := &birds{world: world{w}, m: m}
		for i, v := range values {
			s.Set(i, v)
		}
		return s, err
	},
}

// birds is the running flock.
type birds struct {
	world
	m     *model.Flock
	order float64
}

// Set changes a parameter.
func (s *birds) Set(param int, value float64) {
	switch param {
	case 1:
		s.m.Noise = float32(value)
	case 2:
		s.m.Pace = float32(value)
	}
}

// Tick moves the birds.
func (s *birds) Tick(tick int) error { return s.m.Tick(tick) }

// Len returns the number of birds.
func (s *birds) Len() int { return s.m.Birds }

// Note returns the order.
func (s *birds) Note() string { return fmt.Sprintf("order %.2f", s.order) }

// Draw draws the birds with short tails. The square is periodic, so the picture repeats it on the left and on the right.
func (s *birds) Draw(c *Canvas, _ int) {
	var sx, sy float64
	half, long := float32(s.m.Size/2), float32(0.6)
	for k := range s.m.Query().Chunks() {
		place, way, n := ecs.ReadColumn[model.Place](k), ecs.ReadColumn[model.Heading](k), k.Len()
		x, y, wx, wy := place.X[:n], place.Y[:n], way.X[:n], way.Y[:n]
		for i := range n {
			sx, sy = sx+float64(wx[i]), sy+float64(wy[i])
			tone := hue(wx[i], wy[i])
			for tail := range 4 {
				share := float32(float32(tail) / 4)
				back := long * share
				px, py := (x[i]-float32(back*wx[i])-half)/half, (y[i]-float32(back*wy[i])-half)/half
				for _, copied := range [3]float32{-2, 0, 2} {
					c.Point((px+copied)/c.Aspect, py, 0.012-float32(0.008*share), tone.dim(1-share))
				}
			}
		}
	}
	s.order = math.Sqrt(float64(sx*sx)+float64(sy*sy)) / float64(s.m.Birds)
}

// hue returns a color for a direction.
func hue(x, y float32) color {
	part := func(cos, sin float32) uint8 { return uint8(105 + float32(90*(float32(cos*x)+float32(sin*y)))) }
	return color{part(1, 0), part(-0.5, 0.87), part(-0.5, -0.87)}
}
