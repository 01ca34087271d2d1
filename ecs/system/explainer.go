package system

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Explainer makes the [Report] of [Explain] in two parts. The first part copies everything that an
// explanation needs, and only the owner of the world can do it. The second part takes several times
// as long, and any goroutine can do it.
type Explainer struct {
	x       *reportBuilder
	c       *copier
	world   *ecs.World
	changes uint64
	measure *measure
	steps   []placed    // the systems of the world in the order of their updates
	left    []*Instance // the instances that are not copied yet
	plugins []*Plugin   // the plugins that were not asked for advice yet
	told    bool        // Report was called, which changes x
}

// NewExplainer begins an explanation of the frames of w. Call [Explainer.Continue] until it reports
// that everything is copied, and then [Explainer.Report]. Only the owner of w may call it, between
// two frames. It panics if w is nil or closed.
func NewExplainer(w *ecs.World) *Explainer {
	s := &Explainer{world: w}
	s.begin("NewExplainer")
	return s
}

// Continue copies systems, and then asks the plugins for advice, until over returns true. It does
// at least one step, and goes on to the end if over is nil. It reports whether everything is
// copied. Frames may run between two calls; the times of a system are then means of the frames
// before that system was copied. Continue begins anew if systems were created or destroyed since
// the last call, or if measuring was switched on or off. Only the owner of the world may call it,
// between two frames. It panics if the world is closed.
func (s *Explainer) Continue(over func() bool) (done bool) {
	const call = "Explainer.Continue"
	s.made("Continue")
	r := attachmentFor(call, s.world)
	r.mustBeOpen("explain")
	if s.changes != r.changes || s.measure != r.measure {
		if s.begin(call); over != nil && over() {
			return false
		}
	}
	for len(s.left) > 0 {
		s.copy(s.left[0])
		if s.left = s.left[1:]; len(s.left) == 0 {
			s.rest()
		}
		if over != nil && len(s.left)+len(s.plugins) > 0 && over() {
			return false
		}
	}
	for len(s.plugins) > 0 { // one at a time, because each may go through all entities
		s.ask(s.plugins[0])
		if s.plugins = s.plugins[1:]; over != nil && len(s.plugins) > 0 && over() {
			return false
		}
	}
	s.end()
	return true
}

// made panics if s was not made by NewExplainer.
func (s *Explainer) made(method string) {
	if s == nil || s.x == nil {
		panic(fmt.Errorf("system: Explainer.%s: the explainer is the zero Explainer: make it with NewExplainer: %w", method, ecs.ErrState))
	}
}

// Report returns the report about the moment of the copy. Any goroutine may call it, but only once
// and only after Continue has returned true; otherwise it panics.
func (s *Explainer) Report() *Report {
	s.made("Report")
	switch {
	case s.told:
		panic(fmt.Errorf("system: Explainer.Report: it was called already: keep its report, or make another explainer: %w", ecs.ErrState))
	case len(s.left)+len(s.plugins) > 0:
		panic(fmt.Errorf("system: Explainer.Report: not all is copied yet: call Continue until it says so: %w", ecs.ErrState))
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
	if x.measure != nil && x.measure.frames == 0 { // without a measured frame the declarations would say that everything can run at once
		x.advice("Measure is on, and no frame has been measured yet: the waits are those of what systems declare; update the world and ask again")
	} else {
		x.parallel()
	}
	x.critical()
	x.advise()
	return x.out
}

// copier copies instances and the accesses that they share. It copies each of them once, so that
// copies share as the originals do.
type copier struct {
	instances map[*Instance]*Instance
	accesses  map[*access.Access]*access.Access
}

// explainNow copies everything in one call.
func explainNow(call string, w *ecs.World) *Explainer {
	s := &Explainer{world: w}
	s.begin(call)
	s.Continue(nil)
	return s
}

// begin lists the systems that are to be copied.
func (s *Explainer) begin(call string) {
	r := attachmentFor(call, s.world)
	r.mustBeOpen("explain")
	s.x = &reportBuilder{
		of: r, out: &Report{World: s.world.Name()}, times: make(map[*Instance]int),
		begun: r.scope != nil, never: make(map[*Instance][]string),
	}
	s.c = &copier{make(map[*Instance]*Instance), make(map[*access.Access]*access.Access)}
	s.changes, s.measure, s.steps, s.left, s.plugins = r.changes, r.measure, nil, nil, nil
	for _, t := range roots() {
		if in := r.find(t); in != nil {
			if err := in.group.Sort(); err != nil { // the report gives advice about the cycle
				s.x.advice("%v", err)
			}
			s.walk(in, 0)
		}
	}
	s.left = slices.Clone(r.instances)
	for _, p := range s.steps { // includes systems of other worlds
		if s.x.foreign(p.in) {
			s.left = append(s.left, p.in)
		}
	}
	if len(s.left) == 0 {
		s.rest()
	}
}

// walk lists a system and all systems below it.
func (s *Explainer) walk(in *Instance, depth int) {
	s.steps = append(s.steps, placed{in, depth})
	if in.group == nil {
		return
	}
	for _, m := range in.group.order {
		s.walk(m, depth+1)
	}
}

// copy copies one system.
func (s *Explainer) copy(in *Instance) {
	own := s.c.instance(in)
	if s.x.foreign(in) {
		return
	}
	s.x.instances = append(s.x.instances, own)
	if s.world.InTransaction() || in.typ.library() {
		return
	}
	for _, q := range in.queries {
		if q.World() == s.world && q.NeverMatched() {
			s.x.never[own] = append(s.x.never[own], q.String())
		}
	}
}

// rest copies the parts that belong to the whole world.
func (s *Explainer) rest() {
	for _, p := range s.steps {
		s.x.steps = append(s.x.steps, placed{s.c.instance(p.in), p.depth})
	}
	if m := s.x.of.measure; m != nil {
		s.x.measure = &measure{frames: m.frames, total: m.total, end: m.end.clone(), outside: m.outside.clone()}
	}
	s.x.warnings, s.x.out.NotCreated = placementWarnings(s.x.of), s.x.of.notCreated()
	s.plugins = advisingPlugins(s.x.of)
}

// ask asks a plugin for advice about the entities, unless the world cannot be read now.
func (s *Explainer) ask(p *Plugin) {
	if r := s.x.of; !r.closed && !r.closing && !s.world.InTransaction() {
		s.x.warnings = append(s.x.warnings, p.advise(s.world)...)
	}
}

// end drops the references that only the copying needs.
func (s *Explainer) end() { s.c, s.steps, s.world, s.measure = nil, nil, nil, nil }

// instance returns the copy of an instance, with the fields that an explanation reads.
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

// access returns the copy of an access, because the access of a query grows when archetypes are
// created.
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

// clone returns a copy of the measurements of a system.
func (t *timing) clone(c *copier) *timing {
	own := &timing{in: t.in, updates: t.updates, update: t.update, members: t.members, syncs: t.syncs.clone(), others: t.others.clone(), jobs: t.jobs, work: t.work, span: t.span}
	if len(t.in.outputs) > 0 { // these jobs are not folded yet
		own.work = t.workUntil(now())
	}
	own.awaited = *c.access(&t.awaited)
	own.frames = t.measure.frames
	for _, a := range t.touched {
		own.touched = append(own.touched, c.access(a))
	}
	return own
}

// clone returns a copy of the waits.
func (w *waits) clone() waits {
	return waits{count: w.count, waited: w.waited, waitedFor: slices.Clone(w.waitedFor)}
}
