package swarm

import (
	"github.com/lanewise/lanewise/cmd/lanewise/internal/dice"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// MoveOf moves entities with a velocity.
type MoveOf[T kernels.Float] struct {
	_ system.Before[transform.Group]

	moving *ecs.Query
	dt     T
}

// Create makes the query.
func (s *MoveOf[T]) Create(u *system.Setup) error {
	s.moving = u.Query(ecs.Write[transform.TranslationOf[T]](), ecs.Read[VelocityOf[T]]())
	return nil
}

// Update schedules the work.
func (s *MoveOf[T]) Update(f *system.Frame) error {
	s.dt = T(f.Delta())
	f.ParallelFor(s.moving, s)
	return nil
}

// Chunk moves the entities of one chunk.
func (s *MoveOf[T]) Chunk(c *ecs.Chunk) {
	pos, vel := ecs.Column[transform.TranslationOf[T]](c), ecs.Column[VelocityOf[T]](c)
	pos.AddScaled(pos, vel, s.dt)
}

// TurnOf rotates entities that tumble.
type TurnOf[T kernels.Float] struct {
	_ system.Before[transform.Group]

	tumbling *ecs.Query
	dt       T
}

// Create makes the query.
func (s *TurnOf[T]) Create(u *system.Setup) error {
	s.tumbling = u.Query(ecs.Write[transform.RotationOf[T]](), ecs.Read[TumbleOf[T]]())
	return nil
}

// Update schedules the work.
func (s *TurnOf[T]) Update(f *system.Frame) error {
	s.dt = T(f.Delta())
	f.ParallelFor(s.tumbling, s)
	return nil
}

// Chunk rotates the entities of one chunk.
func (s *TurnOf[T]) Chunk(c *ecs.Chunk) {
	rot, tumble := ecs.Column[transform.RotationOf[T]](c), ecs.Column[TumbleOf[T]](c)
	rot.Integrate(rot, tumble, s.dt)
}

// RollOf rotates entities about one axis, each at its speed.
type RollOf[T kernels.Float] struct {
	_ system.Before[transform.Group]

	rolling *ecs.Query
	dt      T
}

// Create makes the query.
func (s *RollOf[T]) Create(u *system.Setup) error {
	s.rolling = u.Query(ecs.Write[transform.RotationOf[T]](), ecs.Read[SpeedOf[T]]())
	return nil
}

// Update schedules the work.
func (s *RollOf[T]) Update(f *system.Frame) error {
	s.dt = T(f.Delta())
	f.ParallelFor(s.rolling, s)
	return nil
}

// Chunk rotates the entities of one chunk.
func (s *RollOf[T]) Chunk(c *ecs.Chunk) {
	rot, speed := ecs.Column[transform.RotationOf[T]](c), ecs.Column[SpeedOf[T]](c)
	rot.Spin(rot, 0, 0, 1, *speed, s.dt)
}

// Land moves sparks and destroys those that have reached the ground.
type Land struct {
	_ system.After[MoveOf[float32]]
	_ system.Before[transform.Group]

	falling *ecs.Query
	gone    ecs.ParallelCommands
	dt      float32
}

// Create makes the query.
func (s *Land) Create(u *system.Setup) error {
	s.falling = u.Query(ecs.With[Spark](), ecs.Read[transform.Translation](), ecs.Write[VelocityOf[float32]]())
	return nil
}

// Update schedules the work.
func (s *Land) Update(f *system.Frame) error {
	s.dt, s.gone = float32(f.Delta()), system.Commands[system.EndSimulation](f).Parallel()
	f.ParallelFor(s.falling, s)
	return nil
}

// Chunk moves the sparks of one chunk.
func (s *Land) Chunk(c *ecs.Chunk) {
	gone, n, fall := s.gone.For(c), c.Len(), float32(9.81*s.dt)
	y, vy := ecs.Column[transform.Translation](c).Y[:n], ecs.Column[VelocityOf[float32]](c).Y[:n]
	for i, spark := range c.Entities()[:n] {
		vy[i] -= fall
		if y[i] < 0 { // destroyed at the end of the simulation, in the order of the chunks
			if err := gone.Destroy(spark); err != nil {
				panic(err) // the frame returns it as an error
			}
		}
	}
}

// Throw spawns a new spark for each spark that was destroyed.
type Throw struct {
	_ system.Before[MoveOf[float32]]

	sparks *ecs.Query
	kind   ecs.Archetype
	made   uint64
}

// Create makes the query and the archetype.
func (s *Throw) Create(u *system.Setup) error {
	s.sparks = u.Query(ecs.With[Spark]())
	s.kind = u.World().Archetype(ecs.With[Spark](), ecs.With[transform.Translation](), ecs.With[transform.Rotation](),
		ecs.With[transform.LocalToWorld](), ecs.With[VelocityOf[float32]](), ecs.With[TumbleOf[float32]]())
	return nil
}

// Update spawns the missing sparks. Each spark has separate dice for its random
// numbers.
func (s *Throw) Update(f *system.Frame) error {
	for c := range f.World().Create(s.kind, sparks-s.sparks.Count()).Chunks() {
		vel, tumble, n := ecs.Column[VelocityOf[float32]](c), ecs.Column[TumbleOf[float32]](c), c.Len()
		kernels.Fill(ecs.Column[transform.Translation](c).Y, 0.25)
		kernels.Fill(ecs.Column[transform.Rotation](c).W, 1)
		vx, vy, vz, tx, tz := vel.X[:n], vel.Y[:n], vel.Z[:n], tumble.X[:n], tumble.Z[:n]
		for i := range n {
			s.made++
			d := dice.New(seed, s.made)
			vx[i], vy[i], vz[i] = draw[float32](&d, 1), 2+draw[float32](&d, 2), draw[float32](&d, 1)
			tx[i], tz[i] = draw[float32](&d, 6), draw[float32](&d, 6)
		}
	}
	return nil
}
