package transform

import (
	"bytes"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// HierarchyOf sets LocalToWorld = the parent's LocalToWorld × LocalToParent for
// every child, in parallel: first for the children of roots, then for theirs,
// and so on. A child with LocalTransform has that, × PostTransformMatrix, in the
// place of LocalToParent. A child is left alone while its local matrix and its
// parent's matrix stay as they are. One that has none, or a component in the
// write group of LocalToWorld that is on and not of this package, keeps its matrix
// and passes it on to its own children.
//
// Entities that are each other's ancestors, and those below them, are left out.
// The update that finds such a circle returns a *[CycleError], joined with those
// of other new circles. Each is reported once, and again only if it was resolved
// in an update and has come back.
//
// The work is planned once. The plan is kept until entities with parents or
// children come, go, move to another archetype or get another parent.
type HierarchyOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[TRSToLocalToWorldOf[T]]
	_ system.After[TRSToLocalToParentOf[T]]
	_ system.After[LocalTransformToWorldOf[T]]
	_ system.MatchingOnly

	roots *ecs.Query // with children, in no list of children
	nodes *ecs.Query // with a parent
	tops  *ecs.Query // the roots again, for planning, which looks at no matrix
	links *ecs.Query // the nodes again, for planning
	chain *ecs.Query // the nodes with LocalToParent whose matrix nobody else makes
	local *ecs.Query // the nodes with LocalTransform whose matrix nobody else makes

	given  *ecs.Query    // roots whose matrix has changed
	moved  *ecs.Query    // nodes whose matrices have changed
	raised *ecs.Query    // nodes that have another parent than before
	turned [2]*ecs.Query // those of chain and local where somebody has been given rows, or gave some back

	reach   jobs.Access // of the stages: the nodes', in the roots' archetypes as well
	planned edition     // what the plan was made for
	plan    plan[T]
	gather  gatherRoots[T]
	look    lookNodes[T]
	mark    markNodes[T]
	own     ownRows[T]
	again   lentRows[T]
}

// edition tells one set of nodes and roots from another: it counts those that
// came or went.
type edition struct{ nodes, roots uint32 }

// Create makes the queries.
func (s *HierarchyOf[T]) Create(u *system.Setup) error {
	s.roots = u.Query(ecs.Read[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent]())
	s.tops = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent]())
	s.nodes = u.Query(ecs.Write[LocalToWorldOf[T]](), ecs.Read[PreviousParent](), ecs.With[Parent](),
		ecs.Optional(ecs.Read[LocalToParentOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.Read[PostTransformMatrixOf[T]]()))
	s.links = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.Read[PreviousParent](), ecs.With[Parent]())
	s.chain = u.Query(inherited[T]()...)
	s.local = u.Query(localNodes[T]()...)
	s.given = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent](), ecs.Changed[LocalToWorldOf[T]]())
	s.moved = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[PreviousParent](), ecs.With[Parent](),
		ecs.ChangedAny(ecs.With[LocalToWorldOf[T]](), ecs.With[PreviousParent](), ecs.With[LocalToParentOf[T]](),
			ecs.With[LocalTransformOf[T]](), ecs.With[PostTransformMatrixOf[T]]()))
	s.raised = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[PreviousParent](), ecs.With[Parent](), ecs.Changed[PreviousParent]())
	s.turned[0] = u.Query(ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalToParentOf[T]](), ecs.With[Parent](),
		ecs.Changed[LocalToParentOf[T]](), ecs.FilterWriteGroup())
	s.turned[1] = u.Query(ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.With[Parent](),
		ecs.Optional(ecs.Read[PostTransformMatrixOf[T]]()), presentOrNot[LocalToParentOf[T]](), ecs.Changed[LocalTransformOf[T]](),
		ecs.FilterWriteGroup())
	s.gather.plan, s.look.plan, s.mark.plan, s.own.plan, s.again.plan = &s.plan, &s.plan, &s.plan, &s.plan, &s.plan
	return nil
}

// inherited and localNodes are the terms of the nodes whose matrices are made from
// LocalToParent and from LocalTransform.
func inherited[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalToParentOf[T]](), ecs.With[Parent](), ecs.FilterWriteGroup(),
	}
}

func localNodes[T kernels.Float]() []ecs.Term {
	return []ecs.Term{
		ecs.Write[LocalToWorldOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.With[Parent](),
		ecs.Optional(ecs.Read[PostTransformMatrixOf[T]]()), presentOrNot[LocalToParentOf[T]](), ecs.FilterWriteGroup(),
	}
}

// Update plans if it must, and schedules the work: the chunks of roots and nodes
// are looked at, the stages of the plan done one after the other, and the chunks
// that were written marked as changed.
func (s *HierarchyOf[T]) Update(f *system.Frame) error {
	if s.nodes.EmptyUnfiltered() {
		s.plan.round++ // nobody is in a segment
		return nil
	}
	since := f.Instance().LastVersion()
	err := s.replan(since, f.World().Pool().Workers())
	p := &s.plan
	if !p.fresh && s.given.Quiet() && s.moved.Quiet() && (!p.divided || s.turned[0].Quiet() && s.turned[1].Quiet()) {
		return err
	}
	p.begin(since)
	s.reach.Read.Assign(&s.nodes.Access().Read)
	s.reach.Write.Assign(&s.nodes.Access().Write)
	s.reach.Where.Assign(&s.nodes.Access().Where)
	s.reach.Where.Union(&s.roots.Access().Where)
	after := f.ParallelFor(s.roots, &s.gather)
	after = f.ParallelFor(s.nodes, &s.look, after)
	if p.divided {
		after = f.ParallelFor(s.chain, &s.own, after)
		after = f.ParallelFor(s.local, &s.own, after)
		after = f.ParallelFor(s.turned[0], &s.again, after)
		after = f.ParallelFor(s.turned[1], &s.again, after)
	}
	for i := range p.stages {
		// The slices that gather and look have taken of the chunks are good until
		// mark is done: a structural change waits for it.
		st := &p.stages[i]
		after = f.ParallelRange(st, len(st.bounds)-1, 1, &s.reach, after)
	}
	f.ParallelFor(s.nodes, &s.mark, after)
	return err
}

// replan makes a new plan if the trees are not those of the old one. If since is
// what it was, the last update has failed and may have left places empty.
func (s *HierarchyOf[T]) replan(since uint32, workers int) error {
	p := &s.plan
	p.fresh = since == p.since
	if !p.fresh {
		p.done = p.round
	}
	now := edition{s.links.OrderCount(), s.tops.OrderCount()}
	if now == s.planned && s.raised.Quiet() {
		return nil
	}
	s.planned = edition{} // a plan that is not finished is none
	p.classify(s)
	err := p.make(s.tops, s.links, workers)
	s.planned = now
	return err
}

// gatherRoots notes where the matrices of the roots are, and which have changed.
type gatherRoots[T kernels.Float] struct{ plan *plan[T] }

// Chunk gathers the matrices of one chunk.
func (g *gatherRoots[T]) Chunk(c *ecs.Chunk) {
	p := g.plan
	changed := ecs.DidChange[LocalToWorldOf[T]](c, p.since)
	world, first := ecs.Column[LocalToWorldOf[T]](c).M, int(p.bases[c.Index()])
	p.worlds[c.Index()].M = world
	if p.shared[c.Index()] && (changed || p.fresh) {
		copy(p.matrices.M[first:], world)
	}
	if changed {
		p.anything.Store(true)
		fill(p.changed[first:first+len(world)], 1)
	}
}

// lookNodes notes where the matrices of the nodes are, and which have changed.
type lookNodes[T kernels.Float] struct{ plan *plan[T] }

// Chunk looks at one chunk.
func (l *lookNodes[T]) Chunk(c *ecs.Chunk) {
	p := l.plan
	n := &p.chunks[c.Index()]
	n.world, n.moved = ecs.Peek[LocalToWorldOf[T]](c).M, false
	p.worlds[len(p.bases)+c.Index()].M = n.world
	switch n.source = p.sources[c.Index()]; n.source {
	case fromLocalToParent:
		n.local = ecs.Peek[LocalToParentOf[T]](c).M
		n.moved = ecs.DidChange[LocalToParentOf[T]](c, p.since)
	case fromLocalTransform:
		n.trs, n.post = *ecs.Peek[LocalTransformOf[T]](c), nil
		n.moved = ecs.DidChange[LocalTransformOf[T]](c, p.since)
		if ecs.Has[PostTransformMatrixOf[T]](c) {
			n.post = ecs.Peek[PostTransformMatrixOf[T]](c).M
			n.moved = n.moved || ecs.DidChange[PostTransformMatrixOf[T]](c, p.since)
		} else if p.fresh {
			n.moved = n.moved || c.OrderDidChange(p.since) // a row may have had one until now
		}
	}
	n.moved = n.moved || ecs.DidChange[PreviousParent](c, p.since)
	n.divided = p.divides[c.Index()]
	whole := n.moved && !n.divided && n.source != byOthers // all rows are computed, whoever wrote them
	n.given = !whole && ecs.DidChange[LocalToWorldOf[T]](c, p.since)
	n.written.Store(false)
	if n.composed = whole && n.short && n.source == fromLocalTransform; n.composed {
		n.trs.composeTo(&kernels.Mat4s[T]{M: n.world}, n.postOf(0, len(n.world)))
	}
	if n.divided {
		if n.had = n.own; p.fresh {
			n.had = rowSet{}
		}
		n.own = rowSet{} // unless ownRows says something else
	}
	if n.moved || n.given {
		p.anything.Store(true)
	}
}

// ownRows notes which rows of divided chunks the hierarchy makes.
type ownRows[T kernels.Float] struct{ plan *plan[T] }

// rowSet is rows of a chunk, as bits.
type rowSet [(matrixRows + 63) / 64]uint64

// has reports whether a row is among them.
func (s *rowSet) has(row int) bool { return s[row>>6]>>(row&63)&1 != 0 }

// Chunk looks at one chunk. It is computed anew if somebody has given rows back.
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

// lentRows notes the divided chunks of which rows may have been somebody else's
// since the last update, and be the hierarchy's again: what makes them was written,
// or who makes them was switched.
type lentRows[T kernels.Float] struct{ plan *plan[T] }

// Chunk has one chunk computed anew.
func (l *lentRows[T]) Chunk(c *ecs.Chunk) {
	if n := l.plan.dividedNodes(c); n != nil {
		n.moved = true
		l.plan.anything.Store(true)
	}
}

// dividedNodes returns the nodes of a chunk if only some of its rows are the
// hierarchy's, or nil.
func (p *plan[T]) dividedNodes(c *ecs.Chunk) *nodes[T] {
	e := c.Entities()[0]
	if int(e.Index) >= len(p.ids) {
		return nil
	}
	id := p.ids[e.Index] - 1
	if id < p.roots() || p.all[id] != e {
		return nil // not linked to its parent yet
	}
	if n := &p.chunks[int(p.home[id])-len(p.bases)]; n.divided {
		return n
	}
	return nil
}

// markNodes marks the chunks that were written as changed.
type markNodes[T kernels.Float] struct{ plan *plan[T] }

// Chunk marks one chunk.
func (m *markNodes[T]) Chunk(c *ecs.Chunk) {
	if m.plan.chunks[c.Index()].written.Load() {
		ecs.Column[LocalToWorldOf[T]](c)
	}
}

// RunRange does blocks [lo, hi) of the stage.
func (s *stage[T]) RunRange(_ *jobs.Task, lo, hi int) {
	p := s.plan
	if !p.anything.Load() && !p.fresh {
		return
	}
	segments := p.segments[s.bounds[lo]:s.bounds[hi]]
	for i := range segments {
		p.do(&segments[i])
	}
}

// do computes the rows of one segment whose matrices can have changed.
func (p *plan[T]) do(s *segment) {
	n := &p.chunks[s.chunk]
	rows := int(s.hi - s.lo)
	switch {
	case n.source == byOthers:
		p.keep(n, s, 0, rows)
	case !n.divided:
		p.renew(n, s, 0, rows)
	default:
		for lo := 0; lo < rows; {
			own, hi := n.own.has(int(s.lo)+lo), lo+1
			for hi < rows && n.own.has(int(s.lo)+hi) == own {
				hi++
			}
			if own {
				p.renew(n, s, lo, hi)
			} else {
				p.keep(n, s, lo, hi)
			}
			lo = hi
		}
	}
}

// renew computes those of the segment's rows [lo, end) whose matrices can have
// changed, all of them from parents and a local matrix.
func (p *plan[T]) renew(n *nodes[T], s *segment, lo, end int) {
	if n.moved {
		p.compute(n, s, lo, end)
		return
	}
	news := s.fresh && p.fresh // no version tells what an entity was while it was apart
	if !news && p.still(s) {
		p.keep(n, s, lo, end)
		return
	}
	parents, arrived := p.parents[s.at:][:end], p.arrived[s.at:][:end]
	for lo < end {
		changed, hi := p.changed[parents[lo]] != 0 || news && arrived[lo], lo+1
		for hi < end && (p.changed[parents[hi]] != 0 || news && arrived[hi]) == changed {
			hi++
		}
		if changed {
			p.compute(n, s, lo, hi)
		} else {
			p.keep(n, s, lo, hi)
		}
		lo = hi
	}
}

// still reports whether no parent of the segment has changed, as far as a quick
// look tells.
func (p *plan[T]) still(s *segment) bool {
	return s.most-s.least < 4*(s.hi-s.lo) && bytes.IndexByte(p.changed[s.least:s.most+1], 1) < 0
}

// compute sets the matrices of the segment's rows [lo, hi).
func (p *plan[T]) compute(n *nodes[T], s *segment, lo, hi int) {
	first, end := int(s.lo)+lo, int(s.lo)+hi
	world := kernels.Mat4s[T]{M: n.world[first:end]}
	local := world // composed in place
	if n.source == fromLocalToParent {
		local.M = n.local[first:end]
	} else if !n.composed {
		n.composeLocal(&local, first, end)
	}
	if s.from == spread {
		world.MulByParent(&p.matrices, p.parents[int(s.at)+lo:int(s.at)+hi], &local)
	} else {
		world.MulByParent(&p.worlds[s.from], p.rows[int(s.at)+lo:int(s.at)+hi], &local)
	}
	if !n.written.Load() {
		n.written.Store(true)
	}
	p.pass(s, world.M, lo, hi, 1)
}

// composeLocal sets m to the local matrices of the chunk's rows [lo, hi).
func (n *nodes[T]) composeLocal(m *kernels.Mat4s[T], lo, hi int) {
	trs := n.trs.Slice(lo, hi)
	trs.composeTo(m, n.postOf(lo, hi))
}

// postOf returns what comes after the local transforms of the rows [lo, hi), or nil.
func (n *nodes[T]) postOf(lo, hi int) *kernels.Mat4s[T] {
	if n.post == nil {
		return nil
	}
	return &kernels.Mat4s[T]{M: n.post[lo:hi]}
}

// keep passes on the matrices of the segment's rows [lo, hi) as they are.
func (p *plan[T]) keep(n *nodes[T], s *segment, lo, hi int) {
	switch {
	case n.given:
		p.pass(s, n.world[int(s.lo)+lo:int(s.lo)+hi], lo, hi, 1)
	case p.fresh:
		p.pass(s, n.world[int(s.lo)+lo:int(s.lo)+hi], lo, hi, 0)
	}
}

// pass tells the children of the segment's rows [lo, hi) what the matrices of
// these are, and whether they have changed.
func (p *plan[T]) pass(s *segment, world [][16]T, lo, hi int, changed byte) {
	switch {
	case s.inner == 0:
	case !s.copied && int32(hi-lo) == s.hi-s.lo:
		fill(p.changed[s.place:s.place+s.inner], changed)
	default:
		for i, place := range p.places[int(s.at)+lo : int(s.at)+hi] {
			if place < 0 {
				continue
			}
			p.changed[place] = changed
			if s.copied {
				p.matrices.M[place] = world[i]
			}
		}
	}
}

// fill sets all of b to v, 0 or 1.
func fill(b []byte, v byte) {
	if v == 0 {
		clear(b)
		return
	}
	for len(b) > 0 {
		b = b[copy(b, manyOnes):]
	}
}

// manyOnes are to be copied from, faster than byte by byte.
var manyOnes = bytes.Repeat([]byte{1}, 256)
