package main

import (
	"context"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/kernels"
)

// Swing is the state of a pendulum, and Rope is the length of its rope.
type (
	Swing  struct{ Angle, Speed float32 }
	Swings struct{ Angle, Speed []float32 }
	Rope   float32
)

func (Swing) Column() (c Swings)   { return }
func (Rope) Column() (c []float32) { return }

// Swinging moves all pendulums of a world.
type Swinging struct {
	_    system.In[system.Simulation]
	all  *ecs.Query
	step float64
}

// Create makes the query.
func (s *Swinging) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Write[Swing](), ecs.Read[Rope]())
	return nil
}

// Update runs a job on the chunks.
func (s *Swinging) Update(f *system.Frame) error {
	s.step = f.Delta()
	f.ParallelFor(s.all, s)
	return nil
}

// Chunk moves the pendulums of one chunk, in four short steps.
func (s *Swinging) Chunk(c *ecs.Chunk) {
	swing, rope := ecs.Column[Swing](c), *ecs.ReadColumn[Rope](c)
	ode := integrate.ODE[float32]{Rate: func(dst, x [][]float32, b integrate.Block[float32]) error {
		rope, fall := rope[b.Lo:b.Hi], dst[0]
		kernels.Sin(fall, x[0])
		for i, length := range rope {
			fall[i] *= -9.81 / length
		}
		return nil
	}}
	if err := ode.Verlet([][]float32{swing.Angle}, [][]float32{swing.Speed}, nil, 0, s.step/4, 4); err != nil {
		panic(err) // the job fails with this error
	}
}

func Example_world() {
	w, err := system.NewWorld("pendulums", system.Only(system.Of[Swinging]()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = w.Close() }()
	for i := range 3 {
		w.Spawn(Swing{Angle: 0.5}, Rope(1+i))
	}
	if err := app.Run(context.Background(), w, app.Frames(60), app.Step(1.0/60)); err != nil {
		fmt.Println(err)
	}
	for c := range w.Query(ecs.Read[Swing]()).Chunks() {
		fmt.Printf("%.4f\n", ecs.ReadColumn[Swing](c).Angle)
	}
	// Output:
	// [-0.4992 -0.2872 -0.1044]
}
