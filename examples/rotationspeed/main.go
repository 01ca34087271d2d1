// Rotationspeed implements the RotationSpeedSystem of the DOTS manual: each
// entity with a rotation and a speed turns about the up axis.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// RotationSpeed is radians a second about the up axis.
type RotationSpeed float32

func (RotationSpeed) Column() (c []float32) { return }

// RotationSpeedSystem turns all entities with a rotation and a speed.
type RotationSpeedSystem struct {
	_       system.In[system.Simulation]
	turning *ecs.Query
	dt      float32
}

func (s *RotationSpeedSystem) Create(u *system.Setup) error {
	s.turning = u.Query(ecs.Write[transform.Rotation](), ecs.Read[RotationSpeed]())
	return nil
}

func (s *RotationSpeedSystem) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.turning, s) // after jobs that write Rotation or RotationSpeed; before those that use Rotation
	return nil
}

func (s *RotationSpeedSystem) Chunk(c *ecs.Chunk) {
	rot, speed := ecs.Column[transform.Rotation](c), *ecs.Column[RotationSpeed](c)
	rot.Spin(rot, 0, 1, 0, speed, s.dt) // rot = normalize(rot) * turn(up, speed*dt)
}

// run turns the given number of cubes and returns the hash of their world.
func run(cubes, frames int, options ...system.Option) (uint64, error) {
	system.Register[RotationSpeedSystem]()
	w, err := app.Play("rotationspeed", options...)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	for i := range cubes {
		w.Spawn(transform.Identity, RotationSpeed(i), transform.LocalToWorld{})
	}
	if err := app.Run(context.Background(), w, app.Frames(frames), app.Step(1.0/60)); err != nil {
		return 0, err
	}
	return w.Hash(), nil
}

// inspected reports whether the command line asks for the inspector. If so, it first plays with the inspector
// until Ctrl-C. File show.go sets it. A program without that file has no inspector and is 6 MB smaller.
var inspected = func() (bool, error) { return false, nil }

func main() {
	flag.Parse()
	if done, err := inspected(); err != nil {
		log.Fatal(err)
	} else if done {
		return
	}
	hash, err := run(1000, 600)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%016x\n", hash)
}
