package system

import (
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// Snapshot is a copy of all that [Explain] goes by: what the owner of a world has to do for an
// explanation. The rest takes several times as long, and is for any goroutine.
type Snapshot struct{ x *explainer }

// TakeSnapshot copies what there is to know of the frames of w. It is for the owner, and panics if
// w is closed, as Explain does.
func TakeSnapshot(w *ecs.World) *Snapshot { return snapshot("TakeSnapshot", w) }

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
	r := rosterFor(call, w)
	r.mustBeOpen("explain")
	x := &explainer{
		roster: r, out: &Explanation{World: w.Name()}, times: make(map[*Instance]int),
		begun: r.scope != nil, never: make(map[*Instance][]string),
	}
	c := &copier{make(map[*Instance]*Instance), make(map[*jobs.Access]*jobs.Access)}
	for _, t := range roots() {
		if in := r.find(t); in != nil {
			if err := in.group.Sort(); err != nil { // a circle is something to advise on
				x.advice("%v", err)
			}
			x.walk(c, in, 0)
		}
	}
	lent := w.Lent()
	for _, in := range r.instances {
		own := c.instance(in)
		x.instances = append(x.instances, own)
		for _, q := range in.queries {
			if !lent && !in.typ.library() && q.World() == w && q.OrderCount() == 0 {
				x.never[own] = append(x.never[own], q.String())
			}
		}
	}
	if m := r.measure; m != nil {
		x.measure = &measure{frames: m.frames, total: m.total, end: m.end.clone(), outside: m.outside.clone()}
	}
	x.warnings = Warnings(w)
	return &Snapshot{x}
}

// walk lists a system and all that stands below it.
func (x *explainer) walk(c *copier, in *Instance, depth int) {
	x.steps = append(x.steps, placed{c.instance(in), depth})
	if in.group == nil {
		return
	}
	for _, m := range in.group.order {
		x.walk(c, m, depth+1)
	}
}

// instance returns the copy of an instance: what an explanation asks of it.
func (c *copier) instance(in *Instance) *Instance {
	if own := c.instances[in]; own != nil {
		return own
	}
	own := &Instance{
		world: in.world, roster: in.roster, system: in.system, typ: in.typ, owner: in.owner, group: in.group,
		in: slices.Clone(in.in), lastVersion: in.lastVersion, timing: in.timing.clone(c),
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

// clone returns a copy of what was measured; nil if nothing was.
func (t *timing) clone(c *copier) *timing {
	if t == nil {
		return nil
	}
	own := &timing{updates: t.updates, update: t.update, members: t.members, syncs: t.syncs.clone(), others: t.others.clone(), jobs: t.jobs, span: t.span}
	own.work.Store(t.work.Load())
	own.awaited = *c.access(&t.awaited)
	for _, a := range t.touched {
		own.touched = append(own.touched, c.access(a))
	}
	return own
}

// clone returns a copy.
func (w *waits) clone() waits {
	return waits{count: w.count, waited: w.waited, whom: slices.Clone(w.whom)}
}
