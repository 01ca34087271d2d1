package main

import (
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/regatta"
)

// view is the place of the spectators and the direction in which they look.
type view struct{ x, y, z, heading, up float32 }

// stand is the first view of the spectators.
var stand = view{x: 440, y: 92, z: 2_060, heading: -0.08, up: -0.085}

// move turns the view and moves it forward. The arguments are fractions of the largest
// turn and move in a frame.
func (v *view) move(turn, ahead float32) {
	v.heading += turn * 0.015
	sin, cos := math.Sincos(float64(v.heading))
	v.x += ahead * 6 * float32(sin)
	v.z -= ahead * 6 * float32(cos)
}

// apply copies the view to the camera.
func (v *view) apply(r *regatta.Race) error {
	if err := ecs.Set(r.World, r.Stand, transform.Translation{X: v.x, Y: v.y, Z: v.z}); err != nil {
		return err
	}
	return ecs.Set(r.World, r.Stand, regatta.Aim(v.heading, v.up))
}
