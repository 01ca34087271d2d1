// This program moves entities: bees that fly around their flowers. Replace the components and systems by your own.
//
// It prints a hash of the world, which is the same on every machine and for any number of workers.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

func main() {
	bees := flag.Int("bees", 5000, "how many `bees`")
	frames := flag.Int("frames", 600, "how many `frames` of a sixtieth of a second")
	name := flag.String("png", "", "draw the bees to a `file`")
	flag.Parse()
	if *bees < 0 {
		log.Fatal("-bees must not be negative")
	}
	w, err := garden(*bees)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	if err := app.Run(context.Background(), w, app.Frames(*frames), app.Step(1.0/60)); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("hash %016x\n", w.Hash())
	if *name != "" {
		if err := draw(w, *name); err != nil {
			log.Fatal(err)
		}
	}
}

// Position is the place of a bee. The garden is from 0 to 1 in both directions.
type Position struct{ X, Y float32 }

// Column says that the component is stored as two lanes of numbers, so that kernels compute many bees at once.
func (Position) Column() (c kernels.Vec2s[float32]) { return }

// Velocity is how far a bee flies in a second.
type Velocity struct{ X, Y float32 }

func (Velocity) Column() (c kernels.Vec2s[float32]) { return }

// Home is the flower around which a bee flies.
type Home struct{ X, Y float32 }

func (Home) Column() (c kernels.Vec2s[float32]) { return }

// Steer turns each bee towards its flower.
type Steer struct {
	_    system.In[system.Simulation]
	bees *ecs.Query
	dt   float32
}

// Create makes the query. Its terms also say which systems may run at the same time.
func (s *Steer) Create(u *system.Setup) error {
	s.bees = u.Query(ecs.Write[Velocity](), ecs.Read[Position](), ecs.Read[Home]())
	return nil
}

// Update runs Chunk for all chunks of bees, on all cores.
func (s *Steer) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.bees, s)
	return nil
}

// Chunk computes the new velocities of some bees, by a loop in plain Go. The conversions such as float32(s.dt*(hx[i]-x[i])) round each product,
// so that no CPU fuses it with a sum: the bits stay the same.
func (s *Steer) Chunk(c *ecs.Chunk) {
	vel, pos, home := ecs.Column[Velocity](c), ecs.Column[Position](c), ecs.Column[Home](c)
	vx, vy := vel.X, vel.Y
	x, y, hx, hy := pos.X[:len(vx)], pos.Y[:len(vx)], home.X[:len(vx)], home.Y[:len(vx)]
	vy = vy[:len(vx)]
	for i := range vx {
		vx[i] += float32(s.dt * (hx[i] - x[i]))
		vy[i] += float32(s.dt * (hy[i] - y[i]))
	}
}

// Fly moves each bee.
type Fly struct {
	_    system.In[system.Simulation]
	_    system.After[Steer]
	bees *ecs.Query
	dt   float32
}

// Create makes the query.
func (s *Fly) Create(u *system.Setup) error {
	s.bees = u.Query(ecs.Write[Position](), ecs.Read[Velocity]())
	return nil
}

// Update runs Chunk for all chunks of bees, after the jobs of Steer.
func (s *Fly) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.bees, s)
	return nil
}

// Chunk computes the new positions of some bees, by a kernel of the library.
func (s *Fly) Chunk(c *ecs.Chunk) {
	pos := ecs.Column[Position](c)
	pos.AddScaled(pos, ecs.Column[Velocity](c), s.dt)
}

// garden returns a world with bees near ten flowers.
func garden(bees int, options ...system.Option) (*ecs.World, error) {
	system.Register[Steer]()
	system.Register[Fly]()
	w, err := app.Play("garden", options...)
	if err != nil {
		return nil, err
	}
	const flower, place, speed = 1, 2, 3 // the streams of random numbers: one for each purpose
	key := func(stream uint32) random.Key { return random.Key{Seed: 1, Stream: stream} }
	for i := range uint64(bees) {
		at := func(stream uint32, row uint64, deviation float32) (x, y float32) {
			return random.NormalOf[float32](key(stream).Row(2*row), 0, deviation), random.NormalOf[float32](key(stream).Row(2*row+1), 0, deviation)
		}
		hx, hy := at(flower, i%10, 0.2)
		dx, dy := at(place, i, 0.04)
		vx, vy := at(speed, i, 0.04)
		w.Spawn(Home{hx + 0.5, hy + 0.5}, Position{hx + 0.5 + dx, hy + 0.5 + dy}, Velocity{vx, vy})
	}
	return w, nil
}

// draw writes a picture with a dot for each bee.
func draw(w *ecs.World, name string) error {
	const size = 500
	m := image.NewRGBA(image.Rect(0, 0, size, size))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for c := range w.Query(ecs.Read[Position]()).Chunks() {
		pos := ecs.Column[Position](c)
		for i, x := range pos.X {
			m.SetRGBA(int(x*size), int(pos.Y[i]*size), color.RGBA{200, 120, 0, 255})
		}
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		return err
	}
	return f.Close()
}
