package exhibit

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/examples/grayscott/model"
	"github.com/lanewise/lanewise/jobs"
)

var grayscott = &Exhibit{
	Name: "grayscott", Title: "Gray–Scott",
	Text:   "Two chemicals react and diffuse on a periodic plane, a stencil of nine cells, until they form a pattern (Pearson, 1993). A little more or less decay gives spots, stripes, or nothing.",
	Source: "examples/grayscott/model/dish.go",
	Params: []Param{
		{Name: "cells", Label: "cells along a side", Min: 64, Max: 320, Step: 32, Default: 192},
		{Name: "feed", Label: "feed", Min: 0.01, Max: 0.08, Step: 0.0005, Default: 0.0545, Live: true},
		{Name: "kill", Label: "decay", Min: 0.045, Max: 0.07, Step: 0.0005, Default: 0.062, Live: true},
	},
	Checked: 1000, Golden: 0x21c79d85afa9bb66, PerFrame: 8, Look: Cells,
	start: func(pool *jobs.Pool, values []float64) (Simulation, error) {
		s := &dish{d: model.New(pool, int(values[0]))}
		for i, v := range values {
			s.Set(i, v)
		}
		for i := range s.tones {
			s.tones[i] = gradient(float32(i)/255, color{7, 10, 16}, color{12, 52, 74}, color{24, 128, 126}, color{132, 208, 158}, color{250, 244, 214})
		}
		return s, nil
	},
}

// dish is the running plane.
type dish struct {
	d          *model.Dish
	feed, kill float32
	tones      [256]color
}

// Set changes a parameter.
func (s *dish) Set(param int, value float64) {
	switch param {
	case 1:
		s.feed = float32(value)
	case 2:
		s.kill = float32(value)
	}
}

// Tick computes a step.
func (s *dish) Tick(int) error { return s.d.Step(s.feed, s.kill) }

// Hash returns the hash of the concentrations.
func (s *dish) Hash() uint64 { return s.d.Hash() }

// World returns nil: the cells are a grid without a world.
func (s *dish) World() *ecs.World { return nil }

// Len returns the number of cells.
func (s *dish) Len() int { return s.d.U.Shape().X * s.d.U.Shape().Y }

// Note returns the mean concentrations.
func (s *dish) Note() string {
	u, v := s.d.Mean()
	return fmt.Sprintf("mean U %.3f, mean V %.3f", u, v)
}

// Draw draws a pixel for each cell, from dark for no V to bright.
func (s *dish) Draw(c *Canvas, _ int) {
	shape := s.d.V.Shape()
	c.Width, c.Height = shape.X, shape.Y
	for y := range shape.Y {
		for _, v := range s.d.V.Row(y, 0) {
			k := s.tones[uint8(max(0, min(255, v*640)))]
			c.Bytes = append(c.Bytes, k.r, k.g, k.b, 255)
		}
	}
}
