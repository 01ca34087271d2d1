package exhibit

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/examples/lj/model"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var gas = &Exhibit{
	Name: "gas", Title: "Lennard-Jones gas",
	Text:   "Molecular dynamics in a periodic box: pairs of atoms attract and repel each other, in float64. The simulation begins with a crystal. Warm atoms melt it, and cold ones freeze again. Colors are speeds.",
	Source: "examples/lj/model/gas.go",
	Params: []Param{
		{Name: "cells", Label: "cells along a side, 4 atoms each", Min: 3, Max: 8, Step: 1, Default: 5},
		{Name: "temperature", Label: "temperature", Min: 0, Max: 3, Step: 0.05, Default: 1.1, Live: true},
	},
	Checked: 300, Golden: 0x6def7d5d5d936941, PerFrame: 2, Look: Balls,
	start: func(pool *jobs.Pool, values []float64) (Simulation, error) {
		g, err := model.New(pool, int(values[0]), values[1])
		s := &atoms{g: g, wanted: values[1]}
		s.view = camera{far: 3.2, zoom: 3.9, wide: 1.1}
		return s, err
	},
}

// atoms is the running gas.
type atoms struct {
	g      *model.Gas
	wanted float64 // the temperature
	view   camera
}

// Set changes a parameter.
func (s *atoms) Set(param int, value float64) {
	if param == 1 {
		s.wanted = value
	}
}

// temperature returns two thirds of the mean kinetic energy of an atom.
func (s *atoms) temperature() float64 {
	v := &s.g.Vel
	return (kernels.Dot(v.X, v.X) + kernels.Dot(v.Y, v.Y) + kernels.Dot(v.Z, v.Z)) / float64(3*len(v.X))
}

// Tick advances the atoms. Then it scales all velocities, which brings the temperature a little nearer to the wanted
// temperature (Berendsen and others, 1984).
func (s *atoms) Tick(int) error {
	if err := s.g.Step(); err != nil {
		return err
	}
	if now := s.temperature(); now > 0 {
		const share = 0.02 // of the way
		s.g.Vel.Scale(&s.g.Vel, math.Sqrt(1+float64(share*(s.wanted/now-1))))
	}
	return nil
}

// Hash returns the hash of the positions.
func (s *atoms) Hash() uint64 { return s.g.Hash() }

// World returns nil: the atoms are lanes without a world.
func (s *atoms) World() *ecs.World { return nil }

// Len returns the number of atoms.
func (s *atoms) Len() int { return s.g.List.Len() }

// Note returns the measured temperature.
func (s *atoms) Note() string { return fmt.Sprintf("temperature %.2f", s.temperature()) }

// Draw draws the atoms from a camera that slowly turns around them. Slow atoms are blue, and fast atoms are
// red.
func (s *atoms) Draw(c *Canvas, tick int) {
	s.view.aim(0.5+float64(0.0015*float64(tick)), 0.35)
	at, side := s.g.List.At(), s.g.Side
	scale := 1 / side
	for i := range at.X {
		x, y, z := around(at.X[i], side), around(at.Y[i], side), around(at.Z[i], side)
		px, py, size, depth := c.project(&s.view, float32(x*scale), float32(y*scale), float32(z*scale))
		vx, vy, vz := s.g.Vel.X[i], s.g.Vel.Y[i], s.g.Vel.Z[i]
		speed := float32(math.Sqrt((float64(vx*vx) + float64(vy*vy)) + float64(vz*vz)))
		nearness := (4.1 - depth) / 1.8
		tone := gradient(speed/4, color{44, 92, 190}, color{96, 168, 226}, color{242, 226, 186}, color{236, 122, 62}, color{206, 44, 44})
		c.Ball(px, py, float32(float32(0.98*scale)*size), nearness, tone.dim(0.45+float32(0.55*nearness)))
	}
	c.Sort()
}

// around maps a coordinate to the periodic box whose center is 0.
func around(x, side float64) float64 {
	x /= side
	return (x - math.Floor(x) - 0.5) * side
}
