// Package swarm defines a fixed world that uses all kinds of computations of
// the library. More than 121,000 entities move and rotate in float32 and
// float64. A fifth of them are in trees, and some are destroyed and spawned in
// every frame. The world's hash after some frames is the same on every machine,
// on every path of the kernels and for any number of workers.
package swarm

import (
	"errors"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/dice"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

const (
	seed = 2027

	singles = 60_000 // roots in float32
	doubles = 20_000 // roots in float64
	wheels  = 1_000  // roots of trees, half of them in float64
	arms    = 6      // on a wheel
	lamps   = 3      // on an arm
	sparks  = 16_000 // sparks end at the ground and are spawned again

	step = 1.0 / 60 // seconds
)

// VelocityOf is a velocity in metres a second along the axes of the world.
type VelocityOf[T kernels.Float] struct{ X, Y, Z T }

// Column declares a column of velocities as three lanes.
func (VelocityOf[T]) Column() (c kernels.Vec3s[T]) { return }

// TumbleOf is an angular velocity in radians a second about each axis of the
// world.
type TumbleOf[T kernels.Float] struct{ X, Y, Z T }

// Column declares a column of angular velocities as three lanes.
func (TumbleOf[T]) Column() (c kernels.Vec3s[T]) { return }

// SpeedOf is an angular speed in radians a second about the entity's local Z
// axis.
type SpeedOf[T kernels.Float] struct{ Value T }

// Column declares a column of speeds as one lane.
func (SpeedOf[T]) Column() (c []T) { return }

// Spark marks entities that are destroyed when they reach the ground.
type Spark struct{}

// New creates the world on a pool. It is the default world, which [app.Stop]
// closes.
func New(pool *jobs.Pool) (*ecs.World, error) {
	types := append(system.RegisteredTypes(),
		system.Of[MoveOf[float32]](), system.Of[MoveOf[float64]](),
		system.Of[TurnOf[float32]](), system.Of[TurnOf[float64]](),
		system.Of[RollOf[float32]](), system.Of[RollOf[float64]](),
		system.Of[Land](), system.Of[Throw]())
	w, err := app.Play("swarm", system.OnPool(pool), system.Only(types...))
	if err != nil {
		return nil, errors.Join(err, app.Stop())
	}
	d := dice.New(seed, 0)
	addRoots[float32](w, &d, singles)
	addRoots[float64](w, &d, doubles)
	for range wheels / 2 {
		addWheel[float32](w, &d)
		addWheel[float64](w, &d)
	}
	return w, nil
}

// addRoots makes entities without a parent.
func addRoots[T kernels.Float](w *ecs.World, d *dice.Dice, n int) {
	a := w.Archetype(ecs.With[transform.TranslationOf[T]](), ecs.With[transform.RotationOf[T]](), ecs.With[transform.LocalToWorldOf[T]](),
		ecs.With[VelocityOf[T]](), ecs.With[TumbleOf[T]]())
	for c := range w.Create(a, n).Chunks() {
		pos, vel := ecs.Column[transform.TranslationOf[T]](c), ecs.Column[VelocityOf[T]](c)
		rot, tumble := ecs.Column[transform.RotationOf[T]](c), ecs.Column[TumbleOf[T]](c)
		kernels.Fill(rot.W, 1)
		n := c.Len()
		x, y, z := pos.X[:n], pos.Y[:n], pos.Z[:n]
		vx, vy, vz := vel.X[:n], vel.Y[:n], vel.Z[:n]
		tx, ty, tz := tumble.X[:n], tumble.Y[:n], tumble.Z[:n]
		for i := range n {
			x[i], y[i], z[i] = draw[T](d, 100), draw[T](d, 100), draw[T](d, 100)
			vx[i], vy[i], vz[i] = draw[T](d, 5), draw[T](d, 5), draw[T](d, 5)
			tx[i], ty[i], tz[i] = draw[T](d, 3), draw[T](d, 3), draw[T](d, 3)
		}
	}
}

// addWheel makes a rolling wheel, with arms that turn on it and lamps that turn
// on the arms.
func addWheel[T kernels.Float](w *ecs.World, d *dice.Dice) {
	identity := transform.RotationOf[T]{W: 1}
	wheel := w.Spawn(transform.TranslationOf[T]{X: draw[T](d, 100), Y: draw[T](d, 100)}, identity, transform.LocalToWorldOf[T]{},
		VelocityOf[T]{X: draw[T](d, 2)}, SpeedOf[T]{draw[T](d, 1)})
	child := func(parent ecs.Entity, x T) ecs.Entity {
		return w.Spawn(transform.TranslationOf[T]{X: x}, identity, transform.ScaleOf[T]{Value: 1 + draw[T](d, 0.25)}, SpeedOf[T]{draw[T](d, 4)},
			transform.Parent{Entity: parent}, transform.LocalToParentOf[T]{}, transform.LocalToWorldOf[T]{})
	}
	for range arms {
		arm := child(wheel, 3)
		for lamp := range lamps {
			child(arm, T(lamp)+1)
		}
	}
}

// draw returns a number in [-bound, bound).
func draw[T kernels.Float](d *dice.Dice, bound float64) T { return T(d.Between(-bound, bound)) }
