package regatta

import (
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Air is the wind at the position of an entity. It blows towards the spectators, along Z.
type Air struct {
	Swing  float32 // angle to the right from which it comes, in radians
	Force  float32 // metres per second
	Ripple float32 // the first wave alone, from -1 to 1
	Phase  float32 // of the next wave during the computation
}

// Airs is the view of a column of Air.
type Airs struct{ Swing, Force, Ripple, Phase []float32 }

// Column returns the view of a column.
func (Air) Column() (c Airs) { return }

// Wind computes the field of the wind, which consists of waves that travel with the wind. The first
// wave bends the second, so that gusts have no visible pattern. The field depends only on place and
// time.
type Wind struct {
	_    system.Before[Steer]
	felt *ecs.Query
	time float32
	more float32 // force than breeze, in the mean
}

// breeze is the mean force of the wind, unless SetWind has changed it.
const breeze = 8

// SetWind changes the mean force of the wind, in metres per second. It is not a part of the world, so call
// it again after the world is restored.
func (r *Race) SetWind(mean float32) { system.Find[Wind](r.World).more = mean - breeze }

// Create declares once which components the system reads and writes.
func (s *Wind) Create(u *system.Setup) error {
	s.felt = u.Query(ecs.Read[transform.Translation](), ecs.Write[Air]())
	return nil
}

// Update schedules one job.
func (s *Wind) Update(f *system.Frame) error {
	s.time = float32(f.Elapsed())
	f.ParallelFor(s.felt, s)
	return nil
}

// Chunk computes the wind for the entities of one chunk.
func (s *Wind) Chunk(c *ecs.Chunk) {
	at, air := ecs.Column[transform.Translation](c), ecs.Column[Air](c)
	s.blow(at, air)
}

func (s *Wind) blow(at *kernels.Vec3s[float32], air *Airs) {
	wave := func(kx, kz, speed float32) {
		kernels.Fill(air.Phase, -speed*s.time)
		kernels.AddScaled(air.Phase, air.Phase, at.X, kx)
		kernels.AddScaled(air.Phase, air.Phase, at.Z, kz)
	}
	wave(0.0023, 0.0009, 0.05)
	kernels.Sincos(air.Swing, air.Ripple, air.Phase) // both waves are slow and wide
	wave(-0.0016, 0.0064, 0.22)
	kernels.AddScaled(air.Phase, air.Phase, air.Ripple, 2.1)
	kernels.Sincos(air.Force, air.Ripple, air.Phase)
	wave(0.0105, 0.0042, 0.35)
	kernels.AddScaled(air.Phase, air.Phase, air.Force, 1.9)
	kernels.AddScaled(air.Phase, air.Phase, air.Swing, 2.6)
	kernels.Sincos(air.Ripple, air.Phase, air.Phase)
	n, mean := len(air.Force), breeze+s.more
	force, swing, ripple, phase := air.Force, air.Swing[:n], air.Ripple[:n], air.Phase[:n]
	for i, f := range force {
		force[i] = mean * (1 + float32(0.22*f) + float32(0.2*ripple[i]))
		swing[i] = float32(0.16*swing[i]) + float32(0.08*phase[i])
	}
}
