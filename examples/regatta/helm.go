package regatta

import (
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Helm is the state of a boat's steering. Headings are in radians, clockwise from -Z, the direction
// from which the wind comes.
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

// The course is a ring. Each boat sails in its own lane of the ring. The lanes are between an inner
// and an outer rectangle.
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
	s.sail(ecs.Column[Helm](c), ecs.Column[Air](c), ecs.Column[transform.Translation](c), ecs.Column[transform.Rotation](c))
}

func (s *Steer) sail(h *Helms, air *Airs, at *kernels.Vec3s[float32], rot *kernels.Quats[float32]) {
	n := len(h.Leg)
	lane, leg, side, heading, away, speed := h.Lane[:n], h.Leg[:n], h.Side[:n], h.Heading[:n], h.Away[:n], h.Speed[:n]
	x, z, swing, force := at.X[:n], at.Z[:n], air.Swing[:n], air.Force[:n]
	most := float32(0.5 * s.dt)
	for i := range n {
		leg[i], side[i] = decide(lane[i], leg[i], side[i], x[i], z[i])
		to := course(leg[i], side[i], swing[i])
		heading[i] = wrap(heading[i] + clamp(wrap(to-heading[i]), most))
		// Compute the angle to the wind. The next loop computes the sine and cosine of this angle.
		away[i] = heading[i] - swing[i]
	}
	kernels.Sincos(h.Across, away, away)
	for i, cos := range away {
		speed[i] += float32(0.35 * s.dt * (float32(force[i]*polar(cos)) - speed[i]))
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
func decide(lane, leg, side, x, z float32) (float32, float32) {
	wide := innerX + float32(lane*(outerX-innerX))
	long := innerZ + float32(lane*(outerZ-innerZ))
	switch {
	case leg == beat && z < -long:
		return reach, 1
	case leg == reach && x > wide:
		return run, 1
	case leg == run && z > long:
		return back, -1
	case leg == back && x < -wide:
		return beat, 1
	case leg == beat && side*(x+wide) > corridor:
		return leg, -side
	case leg == run && side*(x-wide) > corridor:
		return leg, -side
	}
	return leg, side
}

// corridor is half the width of a lane: at this distance from the middle of its lane, a boat tacks
// or jibes.
const corridor = 110

// course returns the heading that a boat must sail to reach the next mark.
func course(leg, side, swing float32) float32 {
	switch leg {
	case beat:
		return swing + float32(side*0.76)
	case reach:
		return float32(math.Pi/2) - 0.1
	case run:
		return float32(math.Pi) + swing - float32(side*0.38)
	}
	return -float32(math.Pi/2) - 0.1
}

// polar returns a boat's speed as a fraction of the wind's speed. Its argument is the cosine of the
// angle between the boat's heading and the direction from which the wind comes. The speed is 0
// straight against the wind.
func polar(cos float32) float32 { return float32((1 - cos) * (0.62 + float32(0.24*cos))) }

// wrap maps an angle to between -π and π.
func wrap(a float32) float32 {
	turns := float32(math.Floor(float64(a)/(2*math.Pi) + 0.5))
	return a - float32(turns*(2*math.Pi))
}

// clamp limits a number to between -most and most.
func clamp(a, most float32) float32 { return max(-most, min(a, most)) }
