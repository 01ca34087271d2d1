package system

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system/explain"
	"github.com/lanewise/lanewise/ecs/tool"
	"github.com/lanewise/lanewise/ecs/transaction"
	"github.com/lanewise/lanewise/jobs/access"
)

// snapshot is monitor.Snapshot: a copy of all that [Explain] goes by, which is what the owner of a world has to do for an
// explanation.
type snapshot struct {
	x       *explainer
	c       *copier
	world   *ecs.World
	changes uint64
	measure *measure
	steps   []placed    // of the systems themselves, in order
	left    []*Instance // those that were not copied yet
	sets    []*Set      // that were not asked for advice yet
	told    bool        // by Explain, which is the last to have the explainer
}

// beginSnapshot is monitor.BeginSnapshot.
func beginSnapshot(w *ecs.World) *snapshot {
	s := &snapshot{world: w}
	s.begin("monitor.BeginSnapshot")
	return s
}

// Continue is monitor.Snapshot.Continue: each turn of its loops copies one system, or asks one set.
func (s *snapshot) Continue(over func() bool) (done bool) {
	const call = "monitor.Snapshot.Continue"
	r := attachmentFor(call, s.world)
	r.mustBeOpen("explain")
	if s.changes != r.changes || s.measure != r.measure {
		if s.begin(call); over() {
			return false
		}
	}
	for len(s.left) > 0 {
		s.copy(s.left[0])
		if s.left = s.left[1:]; len(s.left) == 0 {
			s.rest()
		}
		if len(s.left)+len(s.sets) > 0 && over() {
			return false
		}
	}
	for len(s.sets) > 0 { // each may look at entities
		s.ask(s.sets[0])
		if s.sets = s.sets[1:]; len(s.sets) > 0 && over() {
			return false
		}
	}
	s.end()
	return true
}

// Explain is monitor.Snapshot.Explain: [Explain] of the moment of the copy. Any goroutine may call it, once.
func (s *snapshot) Explain() *explain.Report {
	switch {
	case s.told:
		panic(fmt.Errorf("system: monitor.Snapshot.Explain: it was called already: keep its report, or begin another snapshot: %w", ecs.ErrState))
	case len(s.left)+len(s.sets) > 0:
		panic(fmt.Errorf("system: monitor.Snapshot.Explain: not all is copied yet: call Continue until it says so: %w", ecs.ErrState))
	}
	s.told = true
	x := s.x
	for _, p := range x.steps {
		x.times[p.in]++
	}
	for _, p := range x.steps {
		x.out.Order = append(x.out.Order, x.step(p))
	}
	for _, in := range x.instances {
		if x.times[in] == 0 {
			x.out.Ungrouped = append(x.out.Ungrouped, x.step(placed{in: in}))
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
	accesses  map[*access.Access]*access.Access
}

// takeSnapshot copies everything at once.
func takeSnapshot(call string, w *ecs.World) *snapshot {
	s := &snapshot{world: w}
	s.begin(call)
	s.Continue(func() bool { return false })
	return s
}

// begin lists the systems.
func (s *snapshot) begin(call string) {
	r := attachmentFor(call, s.world)
	r.mustBeOpen("explain")
	s.x = &explainer{
		of: r, out: &explain.Report{World: s.world.Name()}, times: make(map[*Instance]int),
		begun: r.scope != nil, never: make(map[*Instance][]string),
	}
	s.c = &copier{make(map[*Instance]*Instance), make(map[*access.Access]*access.Access)}
	s.changes, s.measure, s.steps, s.left, s.sets = r.changes, r.measure, nil, nil, nil
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
		if s.x.foreign(p.in) {
			s.left = append(s.left, p.in)
		}
	}
	if len(s.left) == 0 {
		s.rest()
	}
}

// walk lists a system and all that stands below it.
func (s *snapshot) walk(in *Instance, depth int) {
	s.steps = append(s.steps, placed{in, depth})
	if in.group == nil {
		return
	}
	for _, m := range in.group.order {
		s.walk(m, depth+1)
	}
}

// copy copies one system.
func (s *snapshot) copy(in *Instance) {
	own := s.c.instance(in)
	if s.x.foreign(in) {
		return
	}
	s.x.instances = append(s.x.instances, own)
	if transaction.Lent(s.world) || in.typ.library() {
		return
	}
	for _, q := range in.queries {
		if q.World() == s.world && tool.NeverHad(q) {
			s.x.never[own] = append(s.x.never[own], q.String())
		}
	}
}

// rest copies what is of no one system.
func (s *snapshot) rest() {
	for _, p := range s.steps {
		s.x.steps = append(s.x.steps, placed{s.c.instance(p.in), p.depth})
	}
	if m := s.x.of.measure; m != nil {
		s.x.measure = &measure{frames: m.frames, total: m.total, end: m.end.clone(), outside: m.outside.clone()}
	}
	s.x.warnings, s.x.out.NotCreated = placementWarnings(s.x.of), s.x.of.notCreated()
	s.sets = advisingSets(s.x.of)
}

// ask asks a set what the entities lack, unless they may not be looked at now.
func (s *snapshot) ask(set *Set) {
	if r := s.x.of; !r.closed && !r.closing && !transaction.Lent(s.world) {
		s.x.warnings = append(s.x.warnings, set.advise(s.world)...)
	}
}

// end forgets what only the copying needs.
func (s *snapshot) end() { s.c, s.steps, s.world, s.measure = nil, nil, nil, nil }

// instance returns the copy of an instance: what an explanation asks of it.
func (c *copier) instance(in *Instance) *Instance {
	if own := c.instances[in]; own != nil {
		return own
	}
	own := &Instance{
		world: in.world, roster: in.roster, system: in.system, typ: in.typ, owner: in.owner, group: in.group,
		in: slices.Clone(in.in), lastVersion: in.lastVersion,
	}
	for _, a := range in.declared() {
		own.accesses = append(own.accesses, c.access(a))
	}
	if t := in.timing(); t != nil {
		copied := t.clone(c)
		for _, name := range t.names {
			copied.spreads = append(copied.spreads, in.world.Pool().Spreads(name)...)
		}
		own.timer = copied
	}
	if in.roster.conservative {
		own.access = *own.accesses[0]
	}
	c.instances[in] = own
	return own
}

// access returns the copy of an access: those of queries grow as archetypes are made.
func (c *copier) access(a *access.Access) *access.Access {
	own := c.accesses[a]
	if own == nil {
		own = new(access.Access)
		own.Read.Union(&a.Read)
		own.Write.Union(&a.Write)
		own.Where.Union(&a.Where)
		c.accesses[a] = own
	}
	return own
}

// clone returns a copy of what was measured of a system.
func (t *timing) clone(c *copier) *timing {
	own := &timing{in: t.in, updates: t.updates, update: t.update, members: t.members, syncs: t.syncs.clone(), others: t.others.clone(), jobs: t.jobs, work: t.work, span: t.span}
	if len(t.in.outputs) > 0 { // not folded yet
		own.work = t.workUntil(now())
	}
	own.awaited = *c.access(&t.awaited)
	own.frames = t.measure.frames
	for _, a := range t.touched {
		own.touched = append(own.touched, c.access(a))
	}
	return own
}

// clone returns a copy.
func (w *waits) clone() waits {
	return waits{count: w.count, waited: w.waited, waitedFor: slices.Clone(w.waitedFor)}
}
