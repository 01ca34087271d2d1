package system

import (
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Snapshot is a copy of all that [Explain] goes by: what the owner of a world has to do for an
// explanation. The rest takes several times as long, and is for any goroutine.
type Snapshot struct {
	x       *explainer
	c       *copier
	world   *ecs.World
	changes uint64
	measure *measure
	steps   []placed    // of the systems themselves, in order
	left    []*Instance // those that were not copied yet
}

// TakeSnapshot copies what there is to know of the frames of w. It is for the owner, and panics if
// w is closed, as Explain does.
func TakeSnapshot(w *ecs.World) *Snapshot { return snapshot("TakeSnapshot", w) }

// BeginSnapshot is [TakeSnapshot] for an owner who has no time to copy everything at once:
// [Snapshot.Continue] does it, between two frames as this is.
func BeginSnapshot(w *ecs.World) *Snapshot {
	s := &Snapshot{world: w}
	s.begin("BeginSnapshot")
	return s
}

// Continue copies systems until over says that it is time to end, one at least, and reports
// whether all of them are copied. Frames may pass between two calls: the times of each
// system are means of the frames until its own copy. If systems come or go meanwhile,
// or measuring begins or ends, it begins anew. It is for the owner, and panics if the world is closed.
func (s *Snapshot) Continue(over func() bool) (done bool) {
	const call = "Snapshot.Continue"
	r := rosterFor(call, s.world)
	r.mustBeOpen("explain")
	if s.changes != r.changes || s.measure != r.measure {
		s.begin(call)
	}
	for len(s.left) > 0 {
		s.copy(s.left[0])
		if s.left = s.left[1:]; len(s.left) > 0 && over() {
			return false
		}
	}
	s.end()
	return true
}

// Explain is [Explain] of the moment of the copy. Any goroutine may call it, once.
func (s *Snapshot) Explain() *Explanation {
	x := s.x
	for _, p := range x.steps {
		x.times[p.in]++
	}
	for _, p := range x.steps {
		x.out.Order = append(x.out.Order, x.step(p))
	}
	for _, in := range x.instances {
		if x.times[in] == 0 {
			x.out.Apart = append(x.out.Apart, x.step(placed{in: in}))
		}
	}
	x.measured()
	x.graph()
	if x.measure != nil && x.measure.frames == 0 { // by what is declared everything could
		x.advice("Measure is on, and no frame has been measured yet: the waits are those of what systems declare; update the world and ask again")
	} else {
		x.parallel()
	}
	x.critical()
	x.advise()
	return x.out
}

// copier makes copies of instances, each once, and of the accesses that they share.
type copier struct {
	instances map[*Instance]*Instance
	accesses  map[*jobs.Access]*jobs.Access
}

func snapshot(call string, w *ecs.World) *Snapshot {
	s := &Snapshot{world: w}
	s.begin(call)
	for _, in := range s.left {
		s.copy(in)
	}
	s.end()
	return s
}

// begin lists the systems.
func (s *Snapshot) begin(call string) {
	r := rosterFor(call, s.world)
	r.mustBeOpen("explain")
	s.x = &explainer{
		roster: r, out: &Explanation{World: s.world.Name()}, times: make(map[*Instance]int),
		begun: r.scope != nil, never: make(map[*Instance][]string),
	}
	s.c = &copier{make(map[*Instance]*Instance), make(map[*jobs.Access]*jobs.Access)}
	s.changes, s.measure, s.steps, s.left = r.changes, r.measure, nil, nil
	for _, t := range roots() {
		if in := r.find(t); in != nil {
			if err := in.group.Sort(); err != nil { // a circle is something to advise on
				s.x.advice("%v", err)
			}
			s.walk(in, 0)
		}
	}
	s.left = slices.Clone(r.instances)
	for _, p := range s.steps { // of other worlds, too
		if p.in.roster != r {
			s.left = append(s.left, p.in)
		}
	}
}

// walk lists a system and all that stands below it.
func (s *Snapshot) walk(in *Instance, depth int) {
	s.steps = append(s.steps, placed{in, depth})
	if in.group == nil {
		return
	}
	for _, m := range in.group.order {
		s.walk(m, depth+1)
	}
}

// copy copies one system.
func (s *Snapshot) copy(in *Instance) {
	own := s.c.instance(in)
	if in.roster != s.x.roster {
		return
	}
	s.x.instances = append(s.x.instances, own)
	if s.world.Lent() || in.typ.library() {
		return
	}
	for _, q := range in.queries {
		if q.World() == s.world && ecs.NeverHad(q) {
			s.x.never[own] = append(s.x.never[own], q.String())
		}
	}
}

// end copies what is of no one system.
func (s *Snapshot) end() {
	for _, p := range s.steps {
		s.x.steps = append(s.x.steps, placed{s.c.instance(p.in), p.depth})
	}
	if m := s.x.roster.measure; m != nil {
		s.x.measure = &measure{frames: m.frames, total: m.total, end: m.end.clone(), outside: m.outside.clone()}
	}
	s.x.warnings = Warnings(s.world)
	s.c, s.steps, s.world, s.measure = nil, nil, nil, nil
}

// instance returns the copy of an instance: what an explanation asks of it.
func (c *copier) instance(in *Instance) *Instance {
	if own := c.instances[in]; own != nil {
		return own
	}
	own := &Instance{
		world: in.world, roster: in.roster, system: in.system, typ: in.typ, owner: in.owner, group: in.group,
		in: slices.Clone(in.in), lastVersion: in.lastVersion, timing: in.timing.clone(c, in.roster.framesMeasured()),
	}
	for _, a := range in.declared() {
		own.accesses = append(own.accesses, c.access(a))
	}
	if in.timing != nil {
		for _, name := range in.timing.names {
			own.spreads = append(own.spreads, in.world.Pool().Spreads(name)...)
		}
	}
	if in.roster.conservative {
		own.access = *own.accesses[0]
	}
	c.instances[in] = own
	return own
}

// access returns the copy of an access: those of queries grow as archetypes are made.
func (c *copier) access(a *jobs.Access) *jobs.Access {
	own := c.accesses[a]
	if own == nil {
		own = new(jobs.Access)
		own.Read.Union(&a.Read)
		own.Write.Union(&a.Write)
		own.Where.Union(&a.Where)
		c.accesses[a] = own
	}
	return own
}

// clone returns a copy of what was measured in so many frames; nil if nothing was.
func (t *timing) clone(c *copier, frames int) *timing {
	if t == nil {
		return nil
	}
	own := &timing{updates: t.updates, update: t.update, members: t.members, syncs: t.syncs.clone(), others: t.others.clone(), jobs: t.jobs, span: t.span}
	own.work.Store(t.work.Load())
	own.awaited = *c.access(&t.awaited)
	own.frames = frames
	for _, a := range t.touched {
		own.touched = append(own.touched, c.access(a))
	}
	return own
}

// clone returns a copy.
func (w *waits) clone() waits {
	return waits{count: w.count, waited: w.waited, whom: slices.Clone(w.whom)}
}

// framesMeasured is how many frames were measured so far.
func (r *roster) framesMeasured() int {
	if r.measure == nil {
		return 0
	}
	return r.measure.frames
}
