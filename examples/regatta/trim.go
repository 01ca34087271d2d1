package regatta

import (
	"image/color"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Aboard stores the boat to which an entity belongs.
type Aboard struct{ Boat ecs.Entity }

// Column returns the view of a column.
func (Aboard) Column() (c struct{ Boat []ecs.Entity }) { return }

// some is the number of boats whose data a call of Gather fetches into arrays on the stack. Gather
// takes half as long as a call of Get for each boat.
const some = 64

// Sail is the state of a sail. Its colour is the colour in full sunlight.
type Sail struct {
	Free       float32 // largest angle of the sail before the wind, in radians
	Close      float32 // smallest angle
	R, G, B    float32 // from 0 to 1
	Angle, Lit float32 // to the boat, and the cosine of its angle to the sun
}

// Sails is the view of a column of Sail.
type Sails struct{ Free, Close, R, G, B, Angle, Lit []float32 }

// Column returns the view of a column.
func (Sail) Column() (c Sails) { return }

// Heel leans the hulls over. Masts and sails are their children.
type Heel struct {
	_     system.After[Steer]
	_     system.Before[transform.Group]
	hulls *ecs.Query
	helms *ecs.Lookup[Helm]
	airs  *ecs.Lookup[Air]
}

// Hull is the part of a boat that leans.
type Hull struct{ Lean float32 }

// Column returns the view of a column.
func (Hull) Column() (c struct{ Lean []float32 }) { return }

// Create declares once which components the system reads and writes.
func (s *Heel) Create(u *system.Setup) error {
	s.hulls = u.Query(ecs.Read[Aboard](), ecs.Write[Hull](), ecs.Write[transform.Rotation](), ecs.Anywhere(ecs.Read[Helm](), ecs.Read[Air]()))
	s.helms, s.airs = ecs.NewLookup[Helm](s.hulls), ecs.NewLookup[Air](s.hulls)
	return nil
}

// Update schedules one job.
func (s *Heel) Update(f *system.Frame) error {
	f.ParallelFor(s.hulls, s)
	return nil
}

// Chunk leans the hulls of one chunk.
func (s *Heel) Chunk(c *ecs.Chunk) {
	rot, n := ecs.Column[transform.Rotation](c), c.Len()
	lean, boats := ecs.Column[Hull](c).Lean[:n], ecs.Column[Aboard](c).Boat[:n]
	var helms [some]Helm
	var airs [some]Air
	for i := range n {
		if i%some == 0 {
			s.helms.Gather(helms[:min(n-i, some)], boats[i:min(i+some, n)])
			s.airs.Gather(airs[:min(n-i, some)], boats[i:min(i+some, n)])
		}
		h, a := &helms[i%some], &airs[i%some]
		lee, cos := lee(h.Heading - a.Swing)
		// Set half of the angle. The angle is larger if the wind comes from ahead.
		lean[i] = -float32(lee * a.Force * (0.013 + float32(0.011*cos)))
	}
	kernels.Sincos(rot.Z, rot.W, lean)
}

// lee returns to which side the wind blows across a boat, from -1 for the left to 1 for the
// right. It also returns an approximation of the cosine of the angle, which is the angle
// between the boat's heading and the direction from which the wind comes.
func lee(angle float32) (side, cos float32) {
	a := wrap(angle)
	side = clamp(a*4, 1)
	if a > 2.9 || a < -2.9 { // before the wind the sail changes sides too, at a jibe
		side = clamp(float32((a-float32(sign(a)*3.1415927))*-4), 1)
	}
	x := float32(a*a) * (1.0 / 9.8696044)
	return side, 1 - float32(x*(4.9-float32(3.8*x)+float32(0.9*x*x)))
}

func sign(a float32) float32 {
	if a < 0 {
		return -1
	}
	return 1
}

// Trim sets the sails and computes their light.
type Trim struct {
	_     system.After[Steer]
	_     system.Before[transform.Group]
	sails *ecs.Query
	helms *ecs.Lookup[Helm]
	airs  *ecs.Lookup[Air]
}

// Create declares once which components the system reads and writes.
func (s *Trim) Create(u *system.Setup) error {
	s.sails = u.Query(ecs.Read[Aboard](), ecs.Write[Sail](), ecs.Write[transform.Rotation](), ecs.Write[transform.NonUniformScale](), ecs.Write[render.Tint](),
		ecs.Anywhere(ecs.Read[Helm](), ecs.Read[Air]()))
	s.helms, s.airs = ecs.NewLookup[Helm](s.sails), ecs.NewLookup[Air](s.sails)
	return nil
}

// Update schedules one job.
func (s *Trim) Update(f *system.Frame) error {
	f.ParallelFor(s.sails, s)
	return nil
}

// Chunk sets the sails of one chunk.
func (s *Trim) Chunk(c *ecs.Chunk) {
	sail, rot, n := ecs.Column[Sail](c), ecs.Column[transform.Rotation](c), c.Len()
	tight, loose, angle, lit := sail.Close[:n], sail.Free[:n], sail.Angle[:n], sail.Lit[:n]
	size, tint := ecs.Column[transform.NonUniformScale](c).X[:n], ecs.Column[render.Tint](c).Color[:n]
	boats := ecs.Column[Aboard](c).Boat[:n]
	var helms [some]Helm
	var airs [some]Air
	for i := range boats {
		if i%some == 0 {
			s.helms.Gather(helms[:min(n-i, some)], boats[i:min(i+some, n)])
			s.airs.Gather(airs[:min(n-i, some)], boats[i:min(i+some, n)])
		}
		h, a := &helms[i%some], &airs[i%some]
		side, cos := lee(h.Heading - a.Swing)
		out := tight[i] + float32((loose[i]-tight[i])*(0.5-float32(0.5*cos)))
		angle[i] = float32(side * out)
		lit[i] = angle[i] - h.Heading - sun
		// The wind fills a sail, unless the wind comes from ahead.
		full := clamp(float32(a.Force/breeze)*clamp(float32((0.95-cos)*6), 1), 1.3)
		size[i] = float32(side * max(full, 0.08))
	}
	kernels.Scale(rot.W, angle, 0.5)
	kernels.Sincos(rot.Y, rot.W, rot.W)
	kernels.Sincos(angle, lit, lit)
	red, green, blue := sail.R[:n], sail.G[:n], sail.B[:n]
	for i, cos := range lit {
		light := 0.66 + float32(0.34*max(cos, -cos))
		tint[i] = color.NRGBA{shade(red[i], light), shade(green[i], light*0.98), shade(blue[i], light*0.94), 255}
	}
}

// sun is the angle between the sunlight and the X axis.
const sun = 0.6

func shade(c, light float32) uint8 { return uint8(min(float32(c*light)*255, 255)) }
