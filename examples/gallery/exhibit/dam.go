package exhibit

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/dam/model"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var dam = &Exhibit{
	Name: "dam", Title: "Dam break",
	Text:   "A column of water collapses, and its wave runs to the other side of the tank. The water consists of smoothed particles, which find their neighbours in a sorted grid.",
	Source: "examples/dam/model/water.go",
	Params: []Param{
		{Name: "drops", Label: "drops", Min: 500, Max: 8000, Step: 500, Default: 1500},
	},
	Checked: 200, Golden: 0xea2c9fdc079788ff, PerFrame: 3, Look: Balls, World: true,
	start: func(pool *jobs.Pool, values []float64) (Simulation, error) {
		w := ecs.NewWorld("dam", ecs.OnPool(pool))
		s := &water{world: world{w}, m: &model.Dam{Drops: int(values[0])}}
		s.m.Pour(w)
		s.drops = w.Query(ecs.Read[transform.Translation](), ecs.Read[model.Velocity]())
		s.view = camera{at: [3]float32{model.Width / 2, 1.13, model.Depth / 2}, far: 5.4, zoom: 2.85, wide: 1.6}
		s.view.aim(0.32, 0.3)
		return s, nil
	},
}

// water is the running dam break.
type water struct {
	world
	m     *model.Dam
	drops *ecs.Query
	view  camera
}

// Set does nothing, because the water has no live parameter.
func (s *water) Set(int, float64) {}

// Tick moves the drops.
func (s *water) Tick(tick int) error { return s.m.Tick(tick) }

// Len returns the number of drops.
func (s *water) Len() int { return s.m.Drops }

// Note returns the length of a tick.
func (s *water) Note() string { return fmt.Sprintf("%.2f ms of water a tick", 1000*s.m.Seconds()) }

// Draw draws the drops and the edges of the tank. Fast drops are bright, and distant drops are
// dark.
func (s *water) Draw(c *Canvas, _ int) {
	size := float32(1.5 * kernels.CbrtOf(2*model.Depth/float64(s.m.Drops)))
	for k := range s.drops.Chunks() {
		pos, vel, n := ecs.ReadColumn[transform.Translation](k), ecs.ReadColumn[model.Velocity](k), k.Len()
		x, y, z, vx, vy, vz := pos.X[:n], pos.Y[:n], pos.Z[:n], vel.X[:n], vel.Y[:n], vel.Z[:n]
		for i := range n {
			px, py, scale, depth := c.project(&s.view, x[i], y[i], z[i])
			speed := float32(math.Sqrt(float64((float32(vx[i]*vx[i]) + float32(vy[i]*vy[i])) + float32(vz[i]*vz[i]))))
			nearness := (7.4 - depth) / 3.6
			tone := gradient(speed/5.5, color{34, 112, 214}, color{70, 168, 240}, color{232, 247, 255})
			c.Ball(px, py, size*scale, nearness, tone.dim(0.7+float32(0.3*nearness)))
		}
	}
	const steps = 90 // points of an edge
	for corner := range 8 {
		for _, bit := range []int{1, 2, 4} {
			for i := range steps {
				if corner&bit == 0 {
					t := float32(i) / steps
					along := func(b int) float32 {
						if b == bit {
							return t
						}
						return float32(corner & b / b)
					}
					px, py, _, depth := c.project(&s.view, float32(along(1)*model.Width), float32(along(2)*model.Height), float32(along(4)*model.Depth))
					c.Ball(px, py, 0.003, (7.4-depth)/3.6, color{84, 98, 118})
				}
			}
		}
	}
	c.Sort()
}
