package main

import (
	"image/color"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Velocity is in units a second.
type Velocity struct{ X, Y, Z float32 }

func (Velocity) Column() (c kernels.Vec3s[float32]) { return } // a column of them is three lanes

// Fly moves what has a velocity, and sends it back at the walls.
type Fly struct {
	_      system.Before[transform.Group]
	sparks *ecs.Query
	dt     float32
}

// Create says once what the system reads and writes.
func (s *Fly) Create(u *system.Setup) error {
	s.sparks = u.Query(ecs.Write[transform.Translation](), ecs.Write[Velocity]())
	return nil
}

// Update schedules one job for all chunks of sparks.
func (s *Fly) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.sparks, s)
	return nil
}

// Chunk moves the sparks of one chunk.
func (s *Fly) Chunk(c *ecs.Chunk) {
	pos, vel, n := ecs.Column[transform.Translation](c), ecs.Column[Velocity](c), c.Len()
	pos.AddScaled(pos, vel, s.dt)
	x, y, vx, vy := pos.X[:n], pos.Y[:n], vel.X[:n], vel.Y[:n]
	for i := range n {
		if outside(x[i], vx[i], 40) {
			vx[i] = -vx[i]
		}
		if outside(y[i], vy[i], 30) {
			vy[i] = -vy[i]
		}
	}
}

// outside reports whether x is beyond a wall and goes on.
func outside(x, speed, wall float32) bool {
	return x > wall && speed > 0 || x < -wall && speed < 0
}

// newWorld makes the sparks and the camera that sees them.
func newWorld(r render.Renderer) (*ecs.World, error) {
	system.Register[Fly]()
	w, err := system.NewWorld("sparks")
	if err != nil {
		return nil, err
	}
	assets := render.NewAssets()
	spark := render.Look{
		Shape:    assets.Shape(render.Shape{Name: "spark", Kind: render.Sprite, Width: 0.5, Height: 0.5}),
		Material: assets.Material(render.Material{Name: "fire"}),
	}
	for i := range 10_000 {
		w.Spawn(spark, render.Tint{Color: color.NRGBA{255, uint8(80 + i%150), 40, 255}},
			Velocity{X: float32(i%101) - 50, Y: float32(i%97) - 48}, transform.Translation{}, transform.LocalToWorld{})
	}
	w.Spawn(render.Camera{Height: 60, Background: color.NRGBA{10, 12, 30, 255}}) // 60 units from below to above
	return w, render.Install(w, render.Options{Renderer: r, Assets: assets})
}
