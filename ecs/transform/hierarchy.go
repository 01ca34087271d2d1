package transform

import (
	"errors"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform/internal/trees"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
	"github.com/lanewise/lanewise/kernels"
)

// HierarchyOf sets LocalToWorld = the parent's LocalToWorld × LocalToParent for every child, in
// parallel: first for the children of roots, then for theirs, and so on. For a child with
// LocalTransform, LocalTransform × PostTransformMatrix replaces LocalToParent. It skips a child
// while its local matrix and its parent's matrix do not change, and no row comes to its chunk or
// leaves it. A child without a local matrix, or with a component of another package in the write
// group of LocalToWorld that is on, keeps its matrix; its own children use that.
//
// Entities that are each other's ancestors, and those below them, are skipped. The update that
// finds such a cycle returns a *[CycleError], joined with those of other new cycles. A cycle is
// reported once, and again only if it was gone in some update and has come back.
//
// The order of the work is planned once. When entities with parents or children come, go, move to
// another archetype or get another parent, the plan is changed only for them and those below them.
// If they are few and nothing else has changed, they are computed at once, without jobs.
type HierarchyOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[TRSToLocalToWorldOf[T]]
	_ system.After[TRSToLocalToParentOf[T]]
	_ system.After[LocalTransformToWorldOf[T]]
	_ system.MatchingOnly

	roots *ecs.Query // have children and no parent
	nodes *ecs.Query // have a parent
	chain *ecs.Query // nodes with LocalToParent whose matrix no other system computes
	local *ecs.Query // nodes with LocalTransform whose matrix no other system computes

	given  *ecs.Query    // roots whose matrix has changed
	moved  *ecs.Query    // nodes whose matrices have changed
	turned [2]*ecs.Query // those of chain and local in which claimed rows may have changed

	reach access.Access // of the stages: the access of the nodes, in the roots' archetypes too
	in    *system.Instance
	jobs  []jobs.Handle // of the last update
	trees watched       // the queries from which the plan is made
	plan  plan[T]
	one   nodeComputer[T]
	work  works[T]

	// The next two are valid from a Restore until the plan is made for the restored world: see
	// restores.
	back        bool
	stale, lent []ecs.Entity
	circles     error // that were found meanwhile
	loaded      loaded
}

// watched holds the queries for planning, which find the roots and nodes of a world. They read no
// matrix, so that they wait for no job.
type watched struct {
	roots   *ecs.Query // have children and no parent
	nodes   *ecs.Query // have a parent
	altered *ecs.Query // chunks of roots in which rows came or went
	joined  *ecs.Query // chunks of nodes in which rows came or went, or some got another parent

	planned edition // the edition for which the plan was made
}

// works holds the jobs of an update, in order, except for the stages.
type works[T kernels.Float] struct {
	gather gatherRoots[T]
	look   lookNodes[T]
	own    ownRows[T]
	again  lentRows[T]
	mark   markNodes[T]
}

// edition identifies a set of nodes and roots by the number of nodes and roots that came or went.
type edition struct{ nodes, roots uint32 }

// Create makes the queries.
func (s *HierarchyOf[T]) Create(u *system.Setup) error {
	s.roots = u.Query(ecs.Read[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent]())
	s.trees.roots = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent]())
	s.nodes = u.Query(ecs.Write[LocalToWorldOf[T]](), ecs.Read[PreviousParent](), ecs.With[Parent](),
		ecs.Optional(ecs.Read[LocalToParentOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.Read[PostTransformMatrixOf[T]]()))
	s.trees.nodes = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.Read[PreviousParent](), ecs.With[Parent]())
	s.trees.altered = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent](), ecs.OrderChanged())
	s.trees.joined = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.Read[PreviousParent](), ecs.With[Parent](),
		ecs.Changed[PreviousParent](), ecs.OrderChanged())
	s.chain = u.Query(inherited[T]()...)
	s.local = u.Query(localNodes[T]()...)
	s.given = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent](), ecs.Changed[LocalToWorldOf[T]]())
	s.moved = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[PreviousParent](), ecs.With[Parent](),
		ecs.ChangedAny(ecs.With[LocalToWorldOf[T]](), ecs.With[LocalToParentOf[T]](),
			ecs.With[LocalTransformOf[T]](), ecs.With[PostTransformMatrixOf[T]]()))
	s.turned[0] = u.Query(append(inherited[T](), ecs.Changed[LocalToParentOf[T]]())...)
	s.turned[1] = u.Query(append(localNodes[T](), ecs.Changed[LocalTransformOf[T]]())...)
	s.in = u.Instance()
	r := restoresOf(u.World())
	r.back[placeOf[T]()], r.plans[placeOf[T]()] = s.restored, s.rewind
	s.work = works[T]{gatherRoots[T]{&s.plan}, lookNodes[T]{&s.plan}, ownRows[T]{&s.plan}, lentRows[T]{&s.plan}, markNodes[T]{&s.plan}}
	return nil
}

// Update changes the plan if necessary, and schedules the work: jobs look at the chunks of roots
// and nodes, compute the stages of the plan one after the other, and mark the written chunks as
// changed.
func (s *HierarchyOf[T]) Update(f *system.Frame) error {
	since, p := f.Instance().LastVersion(), &s.plan
	p.end(since)
	s.rewind()
	err := errors.Join(s.circles, s.replan())
	s.circles = nil
	if s.nodes.EmptyUnfiltered() {
		p.Done() // no node is in a segment
		return err
	}
	if !p.fresh && s.given.Unchanged() && s.moved.Unchanged() && (p.Divided == 0 || s.turned[0].Unchanged() && s.turned[1].Unchanged()) {
		if !p.Pending() {
			p.Done()
			return err
		}
		if done, wrong := s.computeFew(f.World()); done || wrong != nil {
			return errors.Join(err, wrong)
		}
	}
	p.begin(since, f.World().Pool().Workers())
	s.schedule(f)
	return err
}

// StopRunning releases the memory of chunks that have ended, if all trees are gone. No job reads
// them, because the structural change that removed the last tree waited for the jobs.
func (s *HierarchyOf[T]) StopRunning(*system.Frame) error {
	if s.nodes.EmptyUnfiltered() && s.trees.roots.EmptyUnfiltered() {
		s.plan.rest()
	}
	return nil
}

// schedule schedules the jobs of an update.
func (s *HierarchyOf[T]) schedule(f *system.Frame) {
	p := &s.plan
	s.reach.Read.Assign(&s.nodes.Access().Read)
	s.reach.Write.Assign(&s.nodes.Access().Write)
	s.reach.Where.Assign(&s.nodes.Access().Where)
	s.reach.Where.Union(&s.roots.Access().Where)
	s.jobs = s.jobs[:0]
	then := func(h jobs.Handle) jobs.Handle {
		s.jobs = append(s.jobs, h)
		return h
	}
	after := then(f.ParallelFor(s.roots, &s.work.gather))
	after = then(f.ParallelFor(s.nodes, &s.work.look, after))
	if p.Divided > 0 {
		after = then(f.ParallelFor(s.chain, &s.work.own, after))
		after = then(f.ParallelFor(s.local, &s.work.own, after))
		after = then(f.ParallelFor(s.turned[0], &s.work.again, after))
		after = then(f.ParallelFor(s.turned[1], &s.work.again, after))
	}
	for i := range p.stages {
		// The slices that gather and look have taken of the chunks stay valid until mark is done,
		// because a structural change waits for it.
		st := &p.stages[i]
		after = then(f.ParallelRange(st, len(st.bounds)-1, 1, &s.reach, after))
	}
	then(f.ParallelFor(s.nodes, &s.work.mark, after))
}

// replan changes the plan if roots or nodes have changed since the last update. Its error joins the
// cycles that are new.
func (s *HierarchyOf[T]) replan() error {
	now := edition{s.trees.nodes.OrderCount(), s.trees.roots.OrderCount()}
	if now == s.trees.planned && s.trees.joined.Unchanged() {
		return nil
	}
	if s.trees.planned == (edition{}) { // the last replan was not finished, so the filters do not cover the time before it
		s.trees.altered.SetSince(0)
		s.trees.joined.SetSince(0)
	}
	s.trees.planned = edition{} // an unfinished plan is invalid
	p := &s.plan
	for c := range s.trees.altered.Chunks() {
		p.Put(trees.Rows{ID: c.ID(), Capacity: c.Archetype().Capacity(), Roots: true, Entities: c.Entities()})
	}
	var of ecs.Archetype
	rows := trees.Rows{}
	for c := range s.trees.joined.Chunks() {
		if a := c.Archetype(); a != of {
			of = a
			rows.Capacity = a.Capacity()
			rows.Source, rows.Divided = s.classify(a)
		}
		rows.ID, rows.Entities, rows.Parents = c.ID(), c.Entities(), *ecs.Column[PreviousParent](c)
		p.Put(rows)
	}
	if p.Rows(true) != s.trees.roots.CountUnfiltered() || p.Rows(false) != s.trees.nodes.CountUnfiltered() {
		s.sweep() // some chunks have ended
	}
	err := cycles(p.End())
	s.trees.planned = now
	return err
}

// sweep removes the chunks that have ended from the plan.
func (s *HierarchyOf[T]) sweep() {
	s.plan.Count()
	for c := range s.trees.roots.Chunks() {
		s.plan.Keep(c.ID())
	}
	for c := range s.trees.nodes.Chunks() {
		s.plan.Keep(c.ID())
	}
	s.plan.Sweep()
	s.plan.release()
}

// classify returns the source of the matrices of an archetype of nodes, and
// whether some rows can be claimed.
func (s *HierarchyOf[T]) classify(a ecs.Archetype) (from uint8, divides bool) {
	switch {
	case s.chain.MatchesArchetype(a):
		from = uint8(fromLocalToParent)
	case s.local.MatchesArchetype(a):
		from = uint8(fromLocalTransform)
	}
	return from, s.chain.FiltersRows(a) || s.local.FiltersRows(a)
}

// gatherRoots notes the columns of the matrices of the roots, and the roots that have changed.
type gatherRoots[T kernels.Float] struct{ plan *plan[T] }

// Chunk gathers the matrices of one chunk.
func (g *gatherRoots[T]) Chunk(c *ecs.Chunk) {
	p := g.plan
	h := p.Forest.Chunk(c.ID())
	at := &p.Chunks[h]
	changed := ecs.ChangedSince[LocalToWorldOf[T]](c, p.since)
	world := ecs.Column[LocalToWorldOf[T]](c).M
	p.worlds[h].M = world
	if at.Copies >= 0 && (changed || p.fresh || at.Stale) {
		copy(p.matrices.M[p.CopiesAt(at.Copies, 0):], world)
	}
	if changed {
		p.anything.Store(true)
		first := p.Place(h, 0)
		fill(p.changed[first:first+len(world)], 1)
	}
}

// lookNodes notes the columns of the matrices of the nodes, and the chunks that have changed.
type lookNodes[T kernels.Float] struct{ plan *plan[T] }

// Chunk looks at one chunk. It writes to the nodes and matrices of that chunk alone, so that chunks are
// looked at concurrently. It sets anything if it has found a change; if no chunk has, no
// stage is run. A chunk counts as given (another system has written its matrices) only if some rows are
// not computed in this update.
func (l *lookNodes[T]) Chunk(c *ecs.Chunk) {
	p := l.plan
	h := p.Forest.Chunk(c.ID())
	at, n := &p.Chunks[h], p.chunks[h]
	n.world, n.moved = ecs.ReadColumn[LocalToWorldOf[T]](c).M, false
	n.fresh, n.arrived = p.fresh || at.Stale, at.Arrivals > 0
	p.worlds[h].M = n.world
	switch n.source = source(at.Source); n.source {
	case fromLocalToParent:
		n.local = ecs.ReadColumn[LocalToParentOf[T]](c).M
		n.moved = ecs.ChangedSince[LocalToParentOf[T]](c, p.since)
	case fromLocalTransform:
		n.trs, n.post = *ecs.ReadColumn[LocalTransformOf[T]](c), nil
		n.moved = ecs.ChangedSince[LocalTransformOf[T]](c, p.since)
		if ecs.HasColumn[PostTransformMatrixOf[T]](c) {
			n.post = ecs.ReadColumn[PostTransformMatrixOf[T]](c).M
			n.moved = n.moved || ecs.ChangedSince[PostTransformMatrixOf[T]](c, p.since)
		}
	}
	n.moved = n.moved || n.source != byOthers && c.OrderChangedSince(p.since) // until now the row may have had no matrix, or a PostTransformMatrix
	n.divided = at.Divided
	whole := n.moved && !n.divided && n.source != byOthers // all rows are computed, whatever system has written them
	n.given = !whole && ecs.ChangedSince[LocalToWorldOf[T]](c, p.since)
	n.written.Store(false)
	if n.composed = whole && at.Short && n.source == fromLocalTransform; n.composed {
		n.trs.composeTo(&kernels.Mat4s[T]{M: n.world}, n.postOf(0, len(n.world)))
	}
	if n.divided {
		if n.had = n.own; p.forgot {
			n.had = rowSet{}
		}
		n.own = rowSet{} // unless ownRows sets it
	}
	if n.moved || n.given || n.fresh || n.arrived {
		p.anything.Store(true)
	}
}

// ownRows notes the rows of divided chunks that the hierarchy computes.
type ownRows[T kernels.Float] struct{ plan *plan[T] }

// Chunk looks at one chunk. If some rows are not claimed any more, all rows are computed.
func (o *ownRows[T]) Chunk(c *ecs.Chunk) {
	p := o.plan
	n := p.dividedNodes(c)
	if n == nil {
		return
	}
	copy(n.own[:], c.Mask())
	for i, rows := range n.own {
		if rows&^n.had[i] != 0 {
			n.moved = true
			p.anything.Store(true)
		}
	}
}

// lentRows notes the divided chunks with rows that may have been claimed in the last update and are
// not claimed any more: their local matrices were written, or a claiming component was switched.
type lentRows[T kernels.Float] struct{ plan *plan[T] }

// Chunk notes one chunk, so that all its rows are computed.
func (l *lentRows[T]) Chunk(c *ecs.Chunk) {
	if n := l.plan.dividedNodes(c); n != nil {
		n.moved = true
		l.plan.anything.Store(true)
	}
}

// dividedNodes returns the nodes of a chunk if it is divided, or nil.
func (p *plan[T]) dividedNodes(c *ecs.Chunk) *nodes[T] {
	if h := p.Forest.Chunk(c.ID()); h >= 0 && p.Chunks[h].Rows > 0 && p.chunks[h].divided {
		return p.chunks[h]
	}
	return nil // not linked to their parents yet
}

// markNodes marks the chunks that were written as changed.
type markNodes[T kernels.Float] struct{ plan *plan[T] }

// Chunk marks one chunk.
func (m *markNodes[T]) Chunk(c *ecs.Chunk) {
	p := m.plan
	if p.chunks[p.Forest.Chunk(c.ID())].written.Load() {
		ecs.Column[LocalToWorldOf[T]](c)
	}
}

// nodeComputer computes matrices one after the other, without jobs, with the same kernels as the
// jobs.
type nodeComputer[T kernels.Float] struct {
	worlds *ecs.Lookup[LocalToWorldOf[T]]
	locals *ecs.Lookup[LocalToParentOf[T]]
	trs    *ecs.Lookup[LocalTransformOf[T]]
	posts  *ecs.Lookup[PostTransformMatrixOf[T]]

	parent, local kernels.Mat4s[T] // one row each
	place         []int32          // by place: 1 + index of its step
}

// fewNodes is the largest number of nodes that are computed without jobs, plus one for every
// fewNodes of all nodes, because a look at all chunks costs as much as some nodes.
const fewNodes = 64

// computeFew computes the nodes that have arrived, and all below them, if they are few. It
// reports whether it has. Nothing else has changed since the last update.
func (s *HierarchyOf[T]) computeFew(w *ecs.World) (bool, error) {
	p := &s.plan
	var ok bool
	p.steps, ok = p.Few(p.steps[:0], fewNodes+p.Rows(false)/fewNodes)
	if !ok {
		return false, nil
	}
	for i := range p.steps {
		if p.Chunks[p.steps[i].Chunk].Divided {
			return false, nil // only the jobs know the claimed rows
		}
	}
	if err := s.one.refresh(w); err != nil {
		return false, err
	}
	s.one.computeSteps(p, p.steps)
	p.Done()
	return true, nil
}

// refresh makes the look-ups valid. It waits for jobs that use their components.
func (o *nodeComputer[T]) refresh(w *ecs.World) error {
	if o.posts == nil {
		o.parent.M, o.local.M = make([][16]T, 1), make([][16]T, 1)
		o.worlds, o.locals = ecs.NewWorldLookup[LocalToWorldOf[T]](w), ecs.NewWorldLookup[LocalToParentOf[T]](w)
		o.trs, o.posts = ecs.NewWorldLookup[LocalTransformOf[T]](w), ecs.NewWorldLookup[PostTransformMatrixOf[T]](w)
		return nil
	}
	return errors.Join(o.worlds.Refresh(), o.locals.Refresh(), o.trs.Refresh(), o.posts.Refresh())
}

// computeSteps computes the steps whose node has arrived, or whose parent was computed.
func (o *nodeComputer[T]) computeSteps(p *plan[T], steps []trees.Step) {
	o.place = enlarged(o.place, p.Places())
	for i := range steps {
		st := &steps[i]
		if up := o.place[st.Up]; !st.Arrived && up == 0 {
			continue // the matrix of a node above it is given
		}
		from := source(p.Chunks[st.Chunk].Source)
		if from == byOthers {
			continue
		}
		o.compute(st, from)
		o.place[st.Place] = 1
		if p.Chunks[st.Chunk].Copies >= 0 {
			p.Spoil(st.Chunk)
		}
	}
	for i := range steps {
		o.place[steps[i].Place] = 0
	}
}

// compute sets the matrix of one node.
func (o *nodeComputer[T]) compute(st *trees.Step, from source) {
	above, _ := o.worlds.Get(st.Parent)
	o.parent.M[0] = above.M
	if from == fromLocalToParent {
		l, _ := o.locals.Get(st.Entity)
		o.local.M[0] = l.M
	} else {
		o.compose(st.Entity)
	}
	world := kernels.Mat4s[T]{M: o.local.M}
	world.MulAffineByParent(&o.parent, first, &o.local)
	o.worlds.Set(st.Entity, LocalToWorldOf[T]{world.M[0]})
}

// first is the index of one row.
var first = []int32{0}

// compose sets local to the matrix of the LocalTransform of a node.
func (o *nodeComputer[T]) compose(e ecs.Entity) {
	v, _ := o.trs.Get(e)
	o.local.M[0] = v.Matrix()
	if post, ok := o.posts.Get(e); ok {
		multiply(&o.local.M[0], &o.local.M[0], &post.M)
	}
}
