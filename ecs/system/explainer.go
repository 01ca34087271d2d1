package system

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs/access"
)

// Explainer creates the [Report] of [Explain] in two parts. The first part copies all data that the
// report needs. Only the owner of the world can do this. The second part takes several times as
// long. Any goroutine can do it.
type Explainer struct {
	builder  *reportBuilder
	copier   *copier
	world    *ecs.World
	changes  uint64
	measure  *measure
	steps    []placedSystem // the systems of the world in the order of their updates
	uncopied []*Instance    // the instances that have not been copied yet
	plugins  []*Plugin      // the plugins that have not been asked for advice yet
	graphs   []*frameGraph  // the recorded frames that have not been copied yet
	reported bool           // Report was called, and has changed x
}

// NewExplainer begins a report about the frames of w. Call [Explainer.Continue] until it returns
// true, and then call [Explainer.Report]. Only the owner of w may call NewExplainer, and only
// between two frames. NewExplainer panics if w is nil or closed.
func NewExplainer(w *ecs.World) *Explainer {
	s := &Explainer{world: w}
	s.listSystems("NewExplainer")
	return s
}

// Continue copies systems and then asks the plugins for advice. Continue stops when over returns
// true. Continue does at least one step. If over is nil, it continues to the end. Continue reports
// whether everything is copied. Frames may run between two calls. In that case, the times of a
// system are means over the frames before that system was copied. If systems were created or
// destroyed since the last call, or measuring was switched on or off, Continue starts again. Only
// the owner of the world may call Continue, and only between two frames. Continue panics if the
// world is closed.
func (s *Explainer) Continue(over func() bool) (done bool) {
	const call = "Explainer.Continue"
	s.mustBeMade("Continue")
	r := attachmentFor(call, s.world)
	r.mustBeOpen("explain")
	if s.changes != r.changes || s.measure != r.measure {
		if s.listSystems(call); over != nil && over() {
			return false
		}
	}
	for len(s.uncopied) > 0 {
		s.copy(s.uncopied[0])
		if s.uncopied = s.uncopied[1:]; len(s.uncopied) == 0 {
			s.copyWorldParts()
		}
		if over != nil && s.remaining() > 0 && over() {
			return false
		}
	}
	for len(s.graphs) > 0 {
		if g := s.graphs[0]; g.length > 0 { // otherwise a frame without an end has reused its memory since the list was made
			s.builder.measure.graphCopies = append(s.builder.measure.graphCopies, g.clone(s.copier))
		}
		if s.graphs = s.graphs[1:]; over != nil && s.remaining() > 0 && over() {
			return false
		}
	}
	for len(s.plugins) > 0 { // ask one plugin at a time, because each may visit all entities
		s.askPlugin(s.plugins[0])
		if s.plugins = s.plugins[1:]; over != nil && s.remaining() > 0 && over() {
			return false
		}
	}
	s.dropRefs()
	return true
}

// remaining returns the number of systems and recorded frames that must still be copied, plus the
// number of plugins that must still be asked.
func (s *Explainer) remaining() int { return len(s.uncopied) + len(s.graphs) + len(s.plugins) }

// mustBeMade panics if s was not created by NewExplainer.
func (s *Explainer) mustBeMade(method string) {
	if s == nil || s.builder == nil {
		panic(fmt.Errorf("system: Explainer.%s: the explainer is the zero Explainer: make it with NewExplainer: %w", method, ecs.ErrState))
	}
}

// Report returns the report. The report describes the world as it was when Continue copied it. Any
// goroutine may call Report, but only once, and only after Continue has returned true. Otherwise Report
// panics.
func (s *Explainer) Report() *Report {
	s.mustBeMade("Report")
	switch {
	case s.reported:
		panic(fmt.Errorf("system: Explainer.Report: it was called already: keep its report, or make another explainer: %w", ecs.ErrState))
	case s.remaining() > 0:
		panic(fmt.Errorf("system: Explainer.Report: not all is copied yet: call Continue until it says so: %w", ecs.ErrState))
	}
	s.reported = true
	x := s.builder
	for _, p := range x.steps {
		x.placeCount[p.in]++
	}
	for _, p := range x.steps {
		x.out.Order = append(x.out.Order, x.describeStep(p))
	}
	for _, in := range x.instances {
		if x.placeCount[in] == 0 {
			x.out.Ungrouped = append(x.out.Ungrouped, x.describeStep(placedSystem{in: in}))
		}
	}
	x.copyMeasurements()
	x.findWaits()
	if x.measure != nil && x.measure.frameCount == 0 { // without measured frames, the measurements would say that all systems can run at the same time
		x.addAdvice("Measure is on, and no frame has been measured yet: the waits are those of what systems declare; update the world and ask again")
	} else {
		x.findParallel()
	}
	x.findCritical()
	x.predict()
	x.adviseAll()
	return x.out
}

// copier copies instances and the accesses that several instances share. copier copies each of them
// only once, so the copies share accesses in the same way as the originals.
type copier struct {
	instances map[*Instance]*Instance
	accesses  map[*access.Access]*access.Access
}

// explainNow copies everything in one call.
func explainNow(call string, w *ecs.World) *Explainer {
	s := &Explainer{world: w}
	s.listSystems(call)
	s.Continue(nil)
	return s
}

// listSystems lists the systems that must be copied.
func (s *Explainer) listSystems(call string) {
	r := attachmentFor(call, s.world)
	r.mustBeOpen("explain")
	s.builder = &reportBuilder{
		attachment: r, out: &Report{World: s.world.Name()}, placeCount: make(map[*Instance]int),
		hadFrame: r.scope != nil, neverMatched: make(map[*Instance][]string),
	}
	s.copier = &copier{make(map[*Instance]*Instance), make(map[*access.Access]*access.Access)}
	s.changes, s.measure, s.steps, s.uncopied, s.plugins, s.graphs = r.changes, r.measure, nil, nil, nil, nil
	for _, t := range roots() {
		if in := r.findType(t); in != nil {
			if err := in.group.Sort(); err != nil { // the report contains advice about the cycle
				s.builder.addAdvice("%v", err)
			}
			s.walk(in, 0)
		}
	}
	s.uncopied = slices.Clone(r.instances)
	for _, p := range s.steps { // a group may contain systems of other worlds
		if s.builder.ofOtherWorld(p.in) {
			s.uncopied = append(s.uncopied, p.in)
		}
	}
	if len(s.uncopied) == 0 {
		s.copyWorldParts()
	}
}

// walk adds a system and all systems below it to the list.
func (s *Explainer) walk(in *Instance, depth int) {
	s.steps = append(s.steps, placedSystem{in, depth})
	if in.group == nil {
		return
	}
	for _, m := range in.group.runOrder {
		s.walk(m, depth+1)
	}
}

// copy copies one system.
func (s *Explainer) copy(in *Instance) {
	own := s.copier.copyInstance(in)
	if s.builder.ofOtherWorld(in) {
		return
	}
	s.builder.instances = append(s.builder.instances, own)
	if s.world.InTransaction() || in.typ.isLibraryType() {
		return
	}
	for _, q := range in.queries {
		if q.World() == s.world && q.NeverMatched() {
			s.builder.neverMatched[own] = append(s.builder.neverMatched[own], q.String())
		}
	}
}

// copyWorldParts copies the data that belongs to the whole world.
func (s *Explainer) copyWorldParts() {
	for _, p := range s.steps {
		s.builder.steps = append(s.builder.steps, placedSystem{s.copier.copyInstance(p.in), p.depth})
	}
	if m := s.builder.attachment.measure; m != nil {
		s.builder.measure = &measure{frameCount: m.frameCount, watched: m.watched, frameTime: m.frameTime, frameEndWaits: m.frameEndWaits.clone(), outsideSyncs: m.outsideSyncs.clone()}
		s.graphs = slices.DeleteFunc(slices.Clone(m.graphs.ring), func(g *frameGraph) bool { return g.length == 0 })
	}
	s.builder.warnings, s.builder.out.NotCreated = placementWarnings(s.builder.attachment), s.builder.attachment.notCreated()
	s.plugins = advisingPlugins(s.builder.attachment)
}

// askPlugin asks a plugin for advice about the entities, unless the world cannot be read at this
// time.
func (s *Explainer) askPlugin(p *Plugin) {
	if r := s.builder.attachment; !r.closed && !r.closing && !s.world.InTransaction() {
		s.builder.warnings = append(s.builder.warnings, p.advise(s.world)...)
	}
}

// dropRefs clears the references that only the copying needs.
func (s *Explainer) dropRefs() {
	s.copier, s.steps, s.world, s.measure, s.graphs = nil, nil, nil, nil, nil
}

// copyInstance returns a copy of an instance. The copy contains the fields that a report reads.
func (c *copier) copyInstance(in *Instance) *Instance {
	if own := c.instances[in]; own != nil {
		return own
	}
	own := &Instance{
		world: in.world, roster: in.roster, system: in.system, typ: in.typ, uniqueName: in.uniqueName, group: in.group,
		groups: slices.Clone(in.groups), lastVersion: in.lastVersion,
	}
	for _, a := range in.declaredAccesses() {
		own.accesses = append(own.accesses, c.copyAccess(a))
	}
	if t := in.timing(); t != nil {
		copied := t.clone(c)
		for _, name := range t.jobNames {
			copied.loopModes = append(copied.loopModes, in.world.Pool().LoopModes(name)...)
		}
		own.timer = copied
	}
	if in.roster.conservative {
		own.access = *own.accesses[0]
	}
	c.instances[in] = own
	return own
}

// copyAccess returns a copy of an access. A copy is needed because the access of a query grows when
// archetypes are created.
func (c *copier) copyAccess(a *access.Access) *access.Access {
	own := c.accesses[a]
	if own == nil {
		own = new(access.Access)
		assignAccess(own, a)
		c.accesses[a] = own
	}
	return own
}

// assignAccess makes an access equal to another one. The two share no memory.
func assignAccess(to, from *access.Access) {
	to.Read.Assign(&from.Read)
	to.Write.Assign(&from.Write)
	to.Where.Assign(&from.Where)
}

// clone returns a copy of the measurements of a system.
func (t *timing) clone(c *copier) *timing {
	own := &timing{in: t.in, updates: t.updates, updateTime: t.updateTime, memberTime: t.memberTime, syncWaits: t.syncWaits.clone(), jobWaits: t.jobWaits.clone(), jobCount: t.jobCount, jobTime: t.jobTime, jobSpan: t.jobSpan}
	if len(t.in.updateJobs) > 0 { // the times of these jobs have not been added yet
		own.jobTime = t.workUntil(now())
	}
	own.awaitedAccess = *c.copyAccess(&t.awaitedAccess)
	own.frameCount = t.measure.frameCount
	for _, a := range t.jobAccesses {
		own.jobAccesses = append(own.jobAccesses, c.copyAccess(a))
	}
	return own
}

// clone returns a copy of the waits.
func (w *waits) clone() waits {
	return waits{count: w.count, total: w.total, bySystem: slices.Clone(w.bySystem)}
}
