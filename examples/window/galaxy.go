package main

import (
	"image"
	"image/color"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Velocity is in units per second.
type Velocity struct{ X, Y, Z float32 }

// Column returns the view of a column: three lanes.
func (Velocity) Column() (c kernels.Vec3s[float32]) { return }

// Orbit moves the stars around the middle of a galaxy. The attraction is like that of a halo of
// dark matter. So stars have the same speed at every distance, and inner stars need less time for
// a turn.
type Orbit struct {
	_     system.Before[transform.Group]
	stars *ecs.Query
	dt    float32
}

// Create declares once which components the system reads and writes.
func (o *Orbit) Create(s *system.Setup) error {
	o.stars = s.Query(ecs.Write[transform.Translation](), ecs.Write[Velocity]())
	return nil
}

// Update schedules one job for all stars.
func (o *Orbit) Update(f *system.Frame) error {
	o.dt = float32(f.Delta())
	f.ParallelFor(o.stars, o)
	return nil
}

// speed is the speed of stars. core is the radius inside which the attraction is weaker.
const speed, core = 4, 1.5

// Chunk moves the stars of one chunk.
func (o *Orbit) Chunk(c *ecs.Chunk) {
	pos, vel := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c)
	for i, x := range pos.X {
		y := pos.Y[i]
		pull := -o.dt * (speed * speed) / (float32(x*x) + float32(y*y) + core*core)
		vel.X[i] += float32(pull * x)
		vel.Y[i] += float32(pull * y)
	}
	pos.AddScaled(pos, vel, o.dt)
}

// radius is the radius of the galaxy.
const radius = 30

// arms are the colours of the sectors into which the stars are divided. The sectors wind up into arms.
var arms = []color.NRGBA{{255, 214, 150, 255}, {120, 170, 255, 255}, {255, 140, 120, 255}, {150, 110, 255, 255}, {255, 236, 214, 255}, {90, 210, 230, 255}}

// light makes the stars.
func light(w *ecs.World, assets *render.Assets, n int) {
	look := render.Look{
		Shape:    assets.Shape(render.Shape{Name: "star", Kind: render.Sprite, Width: 0.3, Height: 0.3}),
		Material: assets.Material(render.Material{Name: "light", Image: glow(16), Blend: render.Add}),
	}
	// From star to star, the angle advances by the golden angle and the area inside grows evenly,
	// so that no two stars are close.
	turn, sin, cos := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range turn {
		turn[i] = float32(math.Remainder(float64(i)*2.399963229728653, 2*math.Pi))
	}
	kernels.Sincos(sin, cos, turn)
	for i := range n {
		r := radius * float32(math.Sqrt(float64(i+1)/float64(n)))
		v := speed * r / float32(math.Sqrt(float64(float32(r*r)+core*core)))
		arm := int((turn[i] + math.Pi) * float32(len(arms)) / (2 * math.Pi))
		w.Spawn(look, render.Tint{Color: arms[arm%len(arms)]},
			transform.Translation{X: r * cos[i], Y: r * sin[i]}, Velocity{X: -v * sin[i], Y: v * cos[i]}, transform.LocalToWorld{})
	}
}

// glow returns the picture of a light that is brightest in the middle.
func glow(size int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, size, size))
	half := float64(size / 2)
	for y := range size {
		for x := range size {
			dx, dy := (float64(x)+0.5-half)/half, (float64(y)+0.5-half)/half
			a := max(0, 1-math.Sqrt(float64(dx*dx)+float64(dy*dy)))
			v := uint8(255 * a * a)
			p.SetRGBA(x, y, color.RGBA{v, v, v, v})
		}
	}
	return p
}
