package orrery

import (
	"context"
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/orbit"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/soa"
)

// Orrery is a solar system in motion.
type Orrery struct {
	world *ecs.World
	nodes []ecs.Entity // the planet of each row of the tables, or the moon itself
	small *ecs.Query   // minor planets, in the order of the catalogue

	sum []byte // of the set

	calendar *Calendar
	loop     *app.Loop      // of the default world; nil for another world
	done     func(step int) // called after each step; nil for none
}

// Rocks marks the entities of minor planets.
type Rocks struct{}

// New creates the world of a set of bodies, on a pool. It is the default world
// of the process, so only one orrery exists at a time. Positions are valid
// after the first step.
func New(set *catalogue.Set, pool *jobs.Pool) (*Orrery, error) {
	w, err := app.Play("orrery", system.OnPool(pool), system.Only(append(system.RegisteredTypes(), systems()...)...))
	if err != nil {
		return nil, errors.Join(err, app.Stop())
	}
	o, err := populate(w, set)
	if err != nil {
		return nil, errors.Join(err, app.Stop())
	}
	o.loop = app.CurrentLoop() // the default world is in it
	o.loop.Phase(app.PhasePostLateUpdate).Call(o.report)
	return o, nil
}

// NewBeside creates the world of a set of bodies, on a pool, beside the default world of the process.
// Any number of such orreries can exist. They have Step, but not Run.
func NewBeside(set *catalogue.Set, pool *jobs.Pool) (*Orrery, error) {
	w, err := system.NewWorld("orrery", system.OnPool(pool), system.Only(systems()...), system.WithPlugins(transform.Systems()))
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	o, err := populate(w, set)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return o, nil
}

// systems returns the systems of this package.
func systems() []*system.Type {
	return []*system.Type{system.Of[Calendar](), system.Of[Precess](), system.Of[Walk](), system.Of[Spin]()}
}

// populate creates the entities of a set of bodies.
func populate(w *ecs.World, set *catalogue.Set) (*Orrery, error) {
	o := &Orrery{
		world:    w,
		sum:      sumOf(set),
		small:    w.Query(ecs.With[Rocks](), ecs.Read[transform.Translation64]()),
		calendar: system.GetOrCreate[Calendar](w),
	}
	if err := o.addBodies(set.Bodies); err != nil {
		return nil, err
	}
	o.addMinors(set.Minors)
	return o, nil
}

// World returns the world.
func (o *Orrery) World() *ecs.World { return o.world }

// Close closes the world, unless a run that ended early has already closed it.
func (o *Orrery) Close() error {
	if o.loop == nil {
		return o.world.Close()
	}
	return app.Stop()
}

// Run makes n steps: step k moves all bodies to the Julian date date(k), and
// then calls done(k). Positions depend only on the date, not on earlier steps.
// The world's time does not advance. If ctx ends the run, the world is closed.
func (o *Orrery) Run(ctx context.Context, n int, date func(step int) float64, done func(step int), opts ...app.RunOption) error {
	o.calendar.dates, o.calendar.step, o.done = date, 0, done
	return o.loop.Run(ctx, append([]app.RunOption{app.Frames(n), app.Step(0)}, opts...)...)
}

// Step makes a single step.
func (o *Orrery) Step(date float64) error {
	o.calendar.dates, o.calendar.date, o.done = nil, date, nil
	if o.loop == nil {
		return system.Update(o.world)
	}
	return o.loop.Tick(0)
}

// Date returns the Julian date of the last step.
func (o *Orrery) Date() float64 { return o.calendar.date }

// report calls done after a step.
func (o *Orrery) report() error {
	if o.done != nil {
		o.done(o.calendar.step - 1)
	}
	return nil
}

// addBodies creates the trees of entities for the bodies of the tables.
func (o *Orrery) addBodies(bodies []catalogue.Body) error {
	n := len(bodies)
	ra, dec, frames := make([]float64, n), make([]float64, n), soa.Make[kernels.Quats[float64]](n)
	for i := range bodies {
		ra[i], dec[i] = bodies[i].PoleRA, bodies[i].PoleDec
	}
	orbit.Planes(&frames, ra, dec)

	w := o.world
	o.nodes = make([]ecs.Entity, n)
	child := func(parent ecs.Entity, values ...any) ecs.Entity {
		return w.Spawn(append(values, transform.Parent{Entity: parent}, transform.LocalToParent64{}, transform.LocalToWorld64{})...)
	}
	for i := range bodies {
		if b := &bodies[i]; b.Kind == catalogue.Star {
			o.nodes[i] = w.Spawn(transform.Translation64{}, transform.LocalToWorld64{})
		} else if b.Kind != catalogue.Moon {
			o.nodes[i] = w.Spawn(append(elements(b), transform.LocalToWorld64{})...)
		}
	}
	for i := range bodies {
		b := &bodies[i]
		if b.Kind != catalogue.Moon {
			child(o.nodes[i], Day{b.Rotation}, transform.Identity64)
			continue
		}
		planet := catalogue.ParentOf(b, bodies)
		if planet < 0 {
			return fmt.Errorf("orrery: moon %q: its planet, NAIF ID %d, is not among the bodies", b.Name, b.Parent)
		}
		q := frames.Slice(i, i+1)
		plane := child(o.nodes[planet], transform.Rotation64{X: q.X[0], Y: q.Y[0], Z: q.Z[0], W: q.W[0]})
		o.nodes[i] = child(plane, elements(b)...)
	}
	for c := range w.Query(ecs.Write[orbit.Angles]()).Chunks() {
		orbit.Tilt(ecs.Column[orbit.Angles](c))
	}
	return nil
}

// elements returns the components of a body that moves.
func elements(b *catalogue.Body) []any {
	anomaly, ellipse, angles := orbit.Of(&b.Elements)
	angles.PeriRate, angles.NodeRate = b.PeriRate, b.NodeRate
	return []any{anomaly, ellipse, angles, orbit.Heading{W: 1}, transform.Translation64{}}
}

// addMinors makes the minor planets. The ellipses of minor planets do not turn, so addMinors
// computes their headings once, and does not store the angles.
func (o *Orrery) addMinors(minors []catalogue.Minor) {
	a := o.world.Archetype(ecs.With[Rocks](), ecs.With[orbit.Anomaly](), ecs.With[orbit.Ellipse](), ecs.With[orbit.Heading](),
		ecs.With[transform.Translation64]())
	var angles orbit.AngleColumns
	for c := range o.world.Create(a, len(minors)).Chunks() {
		if n := c.Len(); len(angles.Peri) != n {
			angles = soa.Make[orbit.AngleColumns](n)
		}
		anomaly, ellipse := ecs.Column[orbit.Anomaly](c), ecs.Column[orbit.Ellipse](c)
		for i := range c.Len() {
			p, s, h := orbit.Of(&minors[i].Elements)
			anomaly.Mean[i], anomaly.Motion[i], anomaly.Epoch[i] = p.Mean, p.Motion, p.Epoch
			ellipse.Ecc[i], ellipse.Major[i], ellipse.Minor[i] = s.Ecc, s.Major, s.Minor
			angles.Peri[i], angles.Node[i], angles.Incl[i] = h.Peri, h.Node, h.Incl
		}
		orbit.Tilt(&angles)
		orbit.Orient(ecs.Column[orbit.Heading](c), &angles, anomaly.Epoch, anomaly.Epoch[0]) // any date, because there are no rates
		minors = minors[c.Len():]
	}
}

// Places holds the positions of all bodies: heliocentric, in AU along the axes
// of the ecliptic of J2000. Bodies has a row for each body of the tables, and
// Minors has a row for each minor planet.
type Places struct{ Bodies, Minors kernels.Vec3s[float64] }

// Places returns the positions after the last step.
func (o *Orrery) Places() (*Places, error) {
	p := &Places{Bodies: soa.Make[kernels.Vec3s[float64]](len(o.nodes)), Minors: soa.Make[kernels.Vec3s[float64]](o.small.Count())}
	for i, e := range o.nodes {
		matrix, err := ecs.Get[transform.LocalToWorld64](o.world, e) // one by one, because there are only a few hundred
		if err != nil {
			return nil, err
		}
		p.Bodies.X[i], p.Bodies.Y[i], p.Bodies.Z[i] = matrix.Position()
	}
	at := 0
	for c := range o.small.Chunks() {
		pos := ecs.Column[transform.Translation64](c)
		copy(p.Minors.X[at:], pos.X)
		copy(p.Minors.Y[at:], pos.Y)
		copy(p.Minors.Z[at:], pos.Z)
		at += c.Len()
	}
	return p, nil
}
