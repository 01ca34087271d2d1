package exhibit

import (
	"fmt"

	"github.com/lanewise/lanewise/cmd/lanewise/solarsystem"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var solar = &Exhibit{
	Name: "solar", Title: "Solar system",
	Text:   "Planets, their large moons, and minor planets of the real catalogue, on the ellipses of JPL and the Minor Planet Center. Jupiter controls the pink ones (Hildas) and the green ones (Trojans).",
	Source: "cmd/lanewise/internal/orbit/orbit.go",
	Params: []Param{
		{Name: "minors", Label: "minor planets", Min: 0, Max: solarsystem.Minors, Step: 100, Default: solarsystem.Minors},
		{Name: "days", Label: "days a tick", Min: 0, Max: 10, Step: 0.05, Default: 2, Live: true},
		{Name: "middle", Label: "in the middle (0: Sun, 5: Jupiter)", Min: 0, Max: 8, Step: 1, Default: 0, Live: true},
		{Name: "view", Label: "view, as a power of ten AU", Min: -2.5, Max: 1.625, Step: 0.125, Default: 0.75, Live: true},
	},
	Checked: 1000, Golden: 0x841623c8b7ff2b9d, PerFrame: 1, Look: Glow, World: true,
	start: func(pool *jobs.Pool, values []float64) (Simulation, error) {
		sys, err := solarsystem.New(pool, int(values[0]))
		if err != nil {
			return nil, err
		}
		s := &planets{world: world{sys.Orrery.World()}, sys: sys}
		for i, v := range values {
			s.Set(i, v)
		}
		for i := 1; i < len(sys.Set.Bodies); i++ {
			s.paths = append(s.paths, sys.Path(i, 300))
		}
		s.view = camera{far: 3.2, zoom: 3.3, wide: 1}
		s.view.aim(0.3, 0.9)
		return s, nil
	},
}

// planets is the running solar system.
type planets struct {
	world
	sys    *solarsystem.System
	days   float64 // of a tick
	middle int     // the body in the middle of the picture
	view   camera
	width  float64        // half the height of the picture, in AU
	paths  [][][3]float64 // of all bodies except the Sun
}

// Set changes a parameter.
func (s *planets) Set(param int, value float64) {
	switch param {
	case 1:
		s.days = value
	case 2:
		s.middle = int(value)
	case 3:
		s.width = kernels.PowOf(10, value)
	}
}

// Tick moves all bodies to the next date.
func (s *planets) Tick(int) error { return s.sys.Advance(s.days) }

// Loaded checks the number of minor planets.
func (s *planets) Loaded() error {
	at, err := s.sys.Orrery.Places()
	if err != nil {
		return err
	}
	return counted(len(at.Minors.X), len(s.sys.Set.Minors))
}

// Len returns the number of entities. A planet with moons has several.
func (s *planets) Len() int { return s.w.Len() }

// Note returns the date and the size of the picture.
func (s *planets) Note() string {
	return fmt.Sprintf("%.10s, %.3g AU to the upper edge", s.sys.Date(), s.width)
}

// planetTones has a color for the Sun and each planet.
var planetTones = [...]color{{255, 214, 130}, {168, 150, 132}, {236, 204, 140}, {96, 160, 255}, {236, 104, 64}, {226, 184, 140}, {236, 216, 156}, {150, 222, 228}, {96, 124, 244}}

// minorTone returns the color of a minor planet by the semi-major axis of its orbit, in AU.
func minorTone(axis float64) color {
	switch {
	case axis > 5:
		return color{70, 150, 84} // Trojans
	case axis > 3.8:
		return color{186, 92, 150} // Hildas
	}
	return gradient(float32(axis-2.1)/1.2, color{150, 112, 62}, color{110, 104, 100}, color{60, 96, 140})
}

// Draw draws the orbits and the bodies from above the ecliptic.
func (s *planets) Draw(c *Canvas, _ int) {
	at, err := s.sys.Orrery.Places()
	if err != nil {
		return // an entity is missing, so a file was edited
	}
	bodies, minors := &at.Bodies, &at.Minors
	scale := 1 / s.width
	x0, y0, z0 := bodies.X[s.middle], bodies.Y[s.middle], bodies.Z[s.middle]
	see := func(x, y, z float64) (px, py, size float32) {
		px, py, size, _ = c.project(&s.view, float32((x-x0)*scale), float32((z-z0)*scale), float32((y0-y)*scale))
		return px, py, size
	}
	for i, path := range s.paths {
		tone, x, y, z := color{26, 28, 34}, 0.0, 0.0, 0.0
		if planet := s.sys.Parent(i + 1); planet < 0 {
			tone = planetTones[i+1].dim(0.22)
		} else {
			x, y, z = bodies.X[planet], bodies.Y[planet], bodies.Z[planet]
		}
		for _, p := range path {
			px, py, size := see(x+p[0], y+p[1], z+p[2])
			if size > 0 {
				c.Point(px, py, 0.004, tone)
			}
		}
	}
	for i := range minors.X {
		px, py, size := see(minors.X[i], minors.Y[i], minors.Z[i])
		if size > 0 {
			c.Point(px, py, 0.006, minorTone(s.sys.Set.Minors[i].Axis))
		}
	}
	for i := range bodies.X {
		px, py, size := see(bodies.X[i], bodies.Y[i], bodies.Z[i])
		if size == 0 {
			continue
		}
		if i >= len(planetTones) { // a moon
			c.Point(px, py, 0.01, color{170, 170, 176})
			continue
		}
		tone, large := planetTones[i], float32(0.018)
		if i == 0 || i >= 5 {
			large = 0.026
		}
		c.Point(px, py, 3*large, tone.dim(0.3))
		c.Point(px, py, large, tone)
		c.Point(px, py, large/2, tone)
	}
}
