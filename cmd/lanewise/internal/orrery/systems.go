package orrery

import (
	"github.com/lanewise/lanewise/cmd/lanewise/internal/orbit"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Calendar has the Julian date of the current step.
type Calendar struct {
	_ system.In[system.Initialization]

	dates func(step int) float64 // nil: the date stays
	step  int                    // the next
	date  float64
}

// Update sets the date of the current step.
func (c *Calendar) Update(*system.Frame) error {
	if c.dates != nil {
		c.date = c.dates(c.step)
		c.step++
	}
	return nil
}

// Precess turns the ellipses whose angles have secular rates.
type Precess struct {
	_ system.Before[Walk]

	turning  *ecs.Query
	calendar *Calendar
	date     float64
}

// Create makes the query.
func (s *Precess) Create(u *system.Setup) error {
	s.calendar = system.GetOrCreate[Calendar](u.World())
	s.turning = u.Query(ecs.Write[orbit.Heading](), ecs.Read[orbit.Angles](), ecs.Read[orbit.Anomaly]())
	return nil
}

// Update schedules the work.
func (s *Precess) Update(f *system.Frame) error {
	s.date = s.calendar.date
	f.ParallelFor(s.turning, s)
	return nil
}

// Chunk turns the ellipses of one chunk.
func (s *Precess) Chunk(c *ecs.Chunk) {
	orbit.Orient(ecs.Column[orbit.Heading](c), ecs.Column[orbit.Angles](c), ecs.Column[orbit.Anomaly](c).Epoch, s.date)
}

// Walk moves every body to its position on its ellipse.
type Walk struct {
	_ system.Before[transform.Group]

	walking  *ecs.Query
	calendar *Calendar
	date     float64
}

// Create makes the query.
func (s *Walk) Create(u *system.Setup) error {
	s.calendar = system.GetOrCreate[Calendar](u.World())
	s.walking = u.Query(ecs.Write[transform.Translation64](),
		ecs.Read[orbit.Anomaly](), ecs.Read[orbit.Ellipse](), ecs.Read[orbit.Heading]())
	return nil
}

// Update schedules the work.
func (s *Walk) Update(f *system.Frame) error {
	s.date = s.calendar.date
	f.ParallelFor(s.walking, s)
	return nil
}

// Chunk computes the positions of one chunk, first in the axes of their ellipses and then in the
// axes of the reference planes.
func (s *Walk) Chunk(c *ecs.Chunk) {
	pos := ecs.Column[transform.Translation64](c)
	orbit.Place(pos, ecs.Column[orbit.Anomaly](c), ecs.Column[orbit.Ellipse](c), s.date)
	pos.Rotate(ecs.Column[orbit.Heading](c), pos)
}

// Day is the sidereal period of a body in days, negative for retrograde
// rotation. The body turns about the pole of the ecliptic, because the tables
// have no axes.
type Day struct{ Period float64 }

// Column declares a column of periods as one lane.
func (Day) Column() (c []float64) { return }

// Spin turns the bodies.
type Spin struct {
	_ system.Before[transform.Group]

	spinning *ecs.Query
	calendar *Calendar
	date     float64
}

// Create makes the query.
func (s *Spin) Create(u *system.Setup) error {
	s.calendar = system.GetOrCreate[Calendar](u.World())
	s.spinning = u.Query(ecs.Write[transform.Rotation64](), ecs.Read[Day]())
	return nil
}

// Update schedules the work.
func (s *Spin) Update(f *system.Frame) error {
	s.date = s.calendar.date
	f.ParallelFor(s.spinning, s)
	return nil
}

// Chunk turns the bodies of one chunk.
func (s *Spin) Chunk(c *ecs.Chunk) {
	orbit.Spins(ecs.Column[transform.Rotation64](c), *ecs.Column[Day](c), s.date)
}
