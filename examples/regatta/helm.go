package regatta

import (
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Helm is the state of a boat's steering. Headings are in radians from -Z, the direction of the wind's
// origin, to the right.
type Helm struct {
	Heading float32
	Speed   float32 // metres per second
	Side    float32 // 1 if the wind comes from the left, -1 if from the right
	Leg     float32 // of the course, see the constants
	Lane    float32 // 0 on the inside of the course, 1 on the outside
	Across  float32 // the part of the speed to the right
	Away    float32 // and the part forward, against the wind
}

// Helms is the view of a column of Helm.
type Helms struct{ Heading, Speed, Side, Leg, Lane, Across, Away []float32 }

// Column returns the view of a column.
func (Helm) Column() (c Helms) { return }

// These are the legs of the course: upwind on the left, across to the right, downwind, and back.
const (
	beat float32 = iota
	reach
	run
	back
	legs
)

// The course is a ring. Each boat has a lane in it, from the inner rectangle to the outer one.
const (
	innerX, outerX = 240, 1500
	innerZ, outerZ = 520, 1900
)

// Steer sails the boats.
type Steer struct {
	_     system.Before[transform.Group]
	boats *ecs.Query
	dt    float32
}

// Create declares once which components the system reads and writes.
func (s *Steer) Create(u *system.Setup) error {
	s.boats = u.Query(ecs.Read[Air](), ecs.Write[Helm](), ecs.Write[transform.Translation](), ecs.Write[transform.Rotation]())
	return nil
}

// Update schedules one job.
func (s *Steer) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.boats, s)
	return nil
}

// Chunk sails the boats of one chunk by one step.
func (s *Steer) Chunk(c *ecs.Chunk) {
	air, h := ecs.Column[Air](c), ecs.Column[Helm](c)
	at, rot := ecs.Column[transform.Translation](c), ecs.Column[transform.Rotation](c)
	for i := range h.Leg {
		s.decide(h, i, at.X[i], at.Z[i])
		to := course(h, i, at.X[i], air.Swing[i])
		h.Heading[i] = wrap(h.Heading[i] + clamp(wrap(to-h.Heading[i]), float32(0.5*s.dt)))
		// The angle to the wind, of which the next loop computes sine and cosine.
		h.Away[i] = h.Heading[i] - air.Swing[i]
	}
	kernels.Sincos(h.Across, h.Away, h.Away)
	for i, cos := range h.Away {
		h.Speed[i] += float32(0.35 * s.dt * (float32(air.Force[i]*polar(cos)) - h.Speed[i]))
	}
	kernels.Sincos(h.Across, h.Away, h.Heading)
	kernels.Mul(h.Across, h.Across, h.Speed)
	kernels.Mul(h.Away, h.Away, h.Speed)
	kernels.AddScaled(at.X, at.X, h.Across, s.dt)
	kernels.AddScaled(at.Z, at.Z, h.Away, -s.dt)
	kernels.Scale(rot.W, h.Heading, -0.5)
	kernels.Sincos(rot.Y, rot.W, rot.W)
}

// decide starts the next leg at the end of a leg, and tacks or jibes at the edge of the lane.
func (s *Steer) decide(h *Helms, i int, x, z float32) {
	wide := innerX + float32(h.Lane[i]*(outerX-innerX))
	long := innerZ + float32(h.Lane[i]*(outerZ-innerZ))
	switch leg := h.Leg[i]; {
	case leg == beat && z < -long:
		h.Leg[i], h.Side[i] = reach, 1
	case leg == reach && x > wide:
		h.Leg[i], h.Side[i] = run, 1
	case leg == run && z > long:
		h.Leg[i], h.Side[i] = back, -1
	case leg == back && x < -wide:
		h.Leg[i], h.Side[i] = beat, 1
	case leg == beat && h.Side[i]*(x+wide) > corridor:
		h.Side[i] = -h.Side[i]
	case leg == run && h.Side[i]*(x-wide) > corridor:
		h.Side[i] = -h.Side[i]
	}
}

// corridor is the distance from its lane at which a boat changes sides.
const corridor = 110

// course returns the heading that a boat needs.
func course(h *Helms, i int, x, swing float32) float32 {
	side := h.Side[i]
	switch h.Leg[i] {
	case beat:
		return swing + float32(side*0.76)
	case reach:
		return float32(math.Pi/2) - 0.1
	case run:
		return float32(math.Pi) + swing - float32(side*0.38)
	}
	return -float32(math.Pi/2) - 0.1
}

// polar returns a boat's speed relative to the wind, by the cosine of the angle between the two. It is
// 0 straight against the wind.
func polar(cos float32) float32 { return float32((1 - cos) * (0.62 + float32(0.24*cos))) }

// wrap maps an angle to between -π and π.
func wrap(a float32) float32 {
	turns := float32(math.Floor(float64(a)/(2*math.Pi) + 0.5))
	return a - float32(turns*(2*math.Pi))
}

// clamp limits a number to between -most and most.
func clamp(a, most float32) float32 { return max(-most, min(a, most)) }
