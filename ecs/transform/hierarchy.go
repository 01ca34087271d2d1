package transform

import (
	"bytes"
	"errors"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform/internal/trees"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/jobs/access"
	"github.com/lanewise/lanewise/kernels"
)

// HierarchyOf sets LocalToWorld = the parent's LocalToWorld × LocalToParent for
// every child, in parallel: first for the children of roots, then for theirs,
// and so on. A child with LocalTransform has that, × PostTransformMatrix, in the
// place of LocalToParent. A child is left alone while its local matrix and its
// parent's matrix stay as they are, and no row comes to its chunk or goes from it. One that has none, or a component in the
// write group of LocalToWorld that is on and not of this package, keeps its matrix
// and passes it on to its own children.
//
// Entities that are each other's ancestors, and those below them, are left out.
// The update that finds such a circle returns a *[CycleError], joined with those
// of other new circles. Each is reported once, and again only if it was resolved
// in an update and has come back.
//
// The work is planned once. Where entities with parents or children come, go, move to
// another archetype or get another parent, the plan is changed for them, and what is
// below them. If nothing else has changed, and they are few, they are computed at once,
// without jobs.
type HierarchyOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[TRSToLocalToWorldOf[T]]
	_ system.After[TRSToLocalToParentOf[T]]
	_ system.After[LocalTransformToWorldOf[T]]
	_ system.MatchingOnly

	roots *ecs.Query // with children, in no list of children
	nodes *ecs.Query // with a parent
	chain *ecs.Query // the nodes with LocalToParent whose matrix nothing else makes
	local *ecs.Query // the nodes with LocalTransform whose matrix nothing else makes

	given  *ecs.Query    // roots whose matrix has changed
	moved  *ecs.Query    // nodes whose matrices have changed
	turned [2]*ecs.Query // those of chain and local where others have been given rows, or gave some back

	reach access.Access // of the stages: the nodes', in the roots' archetypes as well
	in    *system.Instance
	jobs  []jobs.Handle // of the last update
	trees watched       // what the plan is made of
	plan  plan[T]
	one   single[T]
	work  works[T]

	// These hold from a Restore until the plan is made for the restored world. See restored.go.
	back        bool
	stale, lent []ecs.Entity
	circles     error // found meanwhile
	loaded      loaded
}

// watched is the roots and nodes of a world, as planning looks at them: at no matrix.
type watched struct {
	roots   *ecs.Query // with children, in no list of children
	nodes   *ecs.Query // with a parent
	altered *ecs.Query // of roots the chunks where rows came or went
	joined  *ecs.Query // of nodes those, and the ones where some have another parent

	planned edition // what the plan was made for
}

// works are the jobs of an update, in their order except for the stages.
type works[T kernels.Float] struct {
	gather gatherRoots[T]
	look   lookNodes[T]
	own    ownRows[T]
	again  lentRows[T]
	mark   markNodes[T]
}

// edition tells one set of nodes and roots from another: it counts those that
// came or went.
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

// Update plans if it must, and schedules the work: the chunks of roots and nodes
// are looked at, the stages of the plan done one after the other, and the chunks
// that were written marked as changed.
func (s *HierarchyOf[T]) Update(f *system.Frame) error {
	since, p := f.Instance().LastVersion(), &s.plan
	p.end(since)
	s.rewind()
	err := errors.Join(s.circles, s.replan())
	s.circles = nil
	if s.nodes.EmptyUnfiltered() {
		p.Done() // nothing is in a segment
		return err
	}
	if !p.fresh && plumbing.Quiet(s.given) && plumbing.Quiet(s.moved) && (p.Divided == 0 || plumbing.Quiet(s.turned[0]) && plumbing.Quiet(s.turned[1])) {
		if !p.Pending() {
			p.Done()
			return err
		}
		if done, wrong := s.few(f.World()); done || wrong != nil {
			return errors.Join(err, wrong)
		}
	}
	p.begin(since, f.World().Pool().Workers())
	s.schedule(f)
	return err
}

// StopRunning lets go of the memory of chunks that have ended, if all trees are gone. The
// last of them went in a structural change, behind the jobs.
func (s *HierarchyOf[T]) StopRunning(*system.Frame) error {
	if s.nodes.EmptyUnfiltered() && s.trees.roots.EmptyUnfiltered() {
		s.plan.rest()
	}
	return nil
}

// schedule schedules the jobs of an update.
func (s *HierarchyOf[T]) schedule(f *system.Frame) {
	p := &s.plan
	s.reach.Read.Assign(&plumbing.Access(s.nodes).Read)
	s.reach.Write.Assign(&plumbing.Access(s.nodes).Write)
	s.reach.Where.Assign(&plumbing.Access(s.nodes).Where)
	s.reach.Where.Union(&plumbing.Access(s.roots).Where)
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
		// The slices that gather and look have taken of the chunks are good until
		// mark is done: a structural change waits for it.
		st := &p.stages[i]
		after = then(f.ParallelRange(st, len(st.bounds)-1, 1, &s.reach, after))
	}
	then(f.ParallelFor(s.nodes, &s.work.mark, after))
}

// replan makes the plan fit the trees, if they are not those of the last update. Its
// error is the circles that were not there then, joined.
func (s *HierarchyOf[T]) replan() error {
	now := edition{plumbing.OrderCount(s.trees.nodes), plumbing.OrderCount(s.trees.roots)}
	if now == s.trees.planned && plumbing.Quiet(s.trees.joined) {
		return nil
	}
	if s.trees.planned == (edition{}) { // the last one was not finished, and filters know of nothing before
		s.trees.altered.SetSince(0)
		s.trees.joined.SetSince(0)
	}
	s.trees.planned = edition{} // a plan that is not finished is none
	p := &s.plan
	for c := range s.trees.altered.Chunks() {
		p.Put(trees.Rows{ID: plumbing.ChunkID(c), Capacity: c.Archetype().Capacity(), Roots: true, Entities: c.Entities()})
	}
	var of ecs.Archetype
	rows := trees.Rows{}
	for c := range s.trees.joined.Chunks() {
		if a := c.Archetype(); a != of {
			of = a
			rows.Capacity = a.Capacity()
			rows.Source, rows.Divided = s.classify(a)
		}
		rows.ID, rows.Entities, rows.Parents = plumbing.ChunkID(c), c.Entities(), *ecs.Column[PreviousParent](c)
		p.Put(rows)
	}
	if p.Rows(true) != s.trees.roots.CountUnfiltered() || p.Rows(false) != s.trees.nodes.CountUnfiltered() {
		s.sweep() // chunks that have ended
	}
	err := cycles(p.End())
	s.trees.planned = now
	return err
}

// sweep has the plan forget the chunks that are no more.
func (s *HierarchyOf[T]) sweep() {
	s.plan.Count()
	for c := range s.trees.roots.Chunks() {
		s.plan.Keep(plumbing.ChunkID(c))
	}
	for c := range s.trees.nodes.Chunks() {
		s.plan.Keep(plumbing.ChunkID(c))
	}
	s.plan.Sweep()
	s.plan.release()
}

// classify finds out where the matrices of an archetype of nodes come from, and
// whether others may make those of some rows.
func (s *HierarchyOf[T]) classify(a ecs.Archetype) (from uint8, divides bool) {
	switch {
	case plumbing.Takes(s.chain, a):
		from = uint8(fromLocalToParent)
	case plumbing.Takes(s.local, a):
		from = uint8(fromLocalTransform)
	}
	return from, plumbing.TakesRows(s.chain, a) || plumbing.TakesRows(s.local, a)
}

// gatherRoots notes where the matrices of the roots are, and which have changed.
type gatherRoots[T kernels.Float] struct{ plan *plan[T] }

// Chunk gathers the matrices of one chunk.
func (g *gatherRoots[T]) Chunk(c *ecs.Chunk) {
	p := g.plan
	h := p.Forest.Chunk(plumbing.ChunkID(c))
	at := &p.Chunks[h]
	changed := ecs.DidChange[LocalToWorldOf[T]](c, p.since)
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

// lookNodes notes where the matrices of the nodes are, and which have changed.
type lookNodes[T kernels.Float] struct{ plan *plan[T] }

// Chunk looks at one chunk. It writes to the nodes and matrices of that chunk alone, so chunks are
// looked at side by side, and says in anything that it has found a change: where it does not, no
// stage is run. A chunk counts as given (its matrices were written by others) only if its rows are
// not all computed anyway, for then what wrote them does not matter.
func (l *lookNodes[T]) Chunk(c *ecs.Chunk) {
	p := l.plan
	h := p.Forest.Chunk(plumbing.ChunkID(c))
	at, n := &p.Chunks[h], p.chunks[h]
	n.world, n.moved = ecs.Peek[LocalToWorldOf[T]](c).M, false
	n.fresh, n.arrived = p.fresh || at.Stale, at.Arrivals > 0
	p.worlds[h].M = n.world
	switch n.source = source(at.Source); n.source {
	case fromLocalToParent:
		n.local = ecs.Peek[LocalToParentOf[T]](c).M
		n.moved = ecs.DidChange[LocalToParentOf[T]](c, p.since)
	case fromLocalTransform:
		n.trs, n.post = *ecs.Peek[LocalTransformOf[T]](c), nil
		n.moved = ecs.DidChange[LocalTransformOf[T]](c, p.since)
		if ecs.Has[PostTransformMatrixOf[T]](c) {
			n.post = ecs.Peek[PostTransformMatrixOf[T]](c).M
			n.moved = n.moved || ecs.DidChange[PostTransformMatrixOf[T]](c, p.since)
		}
	}
	n.moved = n.moved || n.source != byOthers && c.OrderDidChange(p.since) // a row may have been without its matrix, or with a PostTransformMatrix, until now
	n.divided = at.Divided
	whole := n.moved && !n.divided && n.source != byOthers // all rows are computed, whatever wrote them
	n.given = !whole && ecs.DidChange[LocalToWorldOf[T]](c, p.since)
	n.written.Store(false)
	if n.composed = whole && at.Short && n.source == fromLocalTransform; n.composed {
		n.trs.composeTo(&kernels.Mat4s[T]{M: n.world}, n.postOf(0, len(n.world)))
	}
	if n.divided {
		if n.had = n.own; p.forgot {
			n.had = rowSet{}
		}
		n.own = rowSet{} // unless ownRows says something else
	}
	if n.moved || n.given || n.fresh || n.arrived {
		p.anything.Store(true)
	}
}

// ownRows notes which rows of divided chunks the hierarchy makes.
type ownRows[T kernels.Float] struct{ plan *plan[T] }

// Chunk looks at one chunk. It is computed anew if others have given rows back.
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

// lentRows notes the divided chunks of which rows may have been others'
// since the last update, and be the hierarchy's again: what makes them was written,
// or what makes them was switched.
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
	if h := p.Forest.Chunk(plumbing.ChunkID(c)); h >= 0 && p.Chunks[h].Rows > 0 && p.chunks[h].divided {
		return p.chunks[h]
	}
	return nil // not linked to their parents yet
}

// markNodes marks the chunks that were written as changed.
type markNodes[T kernels.Float] struct{ plan *plan[T] }

// Chunk marks one chunk.
func (m *markNodes[T]) Chunk(c *ecs.Chunk) {
	p := m.plan
	if p.chunks[p.Forest.Chunk(plumbing.ChunkID(c))].written.Load() {
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
func (p *plan[T]) do(s *trees.Segment) {
	n := p.chunks[s.Chunk]
	switch {
	case n.source == byOthers:
		p.keep(n, s, s.Lo, s.Hi)
	case !n.divided:
		p.renew(n, s, s.Lo, s.Hi)
	default:
		for lo := s.Lo; lo < s.Hi; {
			own, hi := n.own.has(int(lo)), lo+1
			for hi < s.Hi && n.own.has(int(hi)) == own {
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
func (p *plan[T]) renew(n *nodes[T], s *trees.Segment, lo, end int32) {
	if n.moved {
		p.compute(n, s, lo, end)
		return
	}
	if !n.arrived && p.still(s) { // no version tells what an entity was while it was apart
		p.keep(n, s, lo, end)
		return
	}
	first := p.Place(s.Chunk, 0)
	up, arrived := p.Up[first:][:end], p.Arrived[first:][:end]
	for lo < end {
		changed, hi := arrived[lo] || p.changed[up[lo]] != 0, lo+1
		for hi < end && (arrived[hi] || p.changed[up[hi]] != 0) == changed {
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
func (p *plan[T]) still(s *trees.Segment) bool {
	return s.Most-s.Least < 4*(s.Hi-s.Lo) && bytes.IndexByte(p.changed[s.Least:s.Most+1], 1) < 0
}

// compute sets the matrices of the segment's rows [lo, hi).
func (p *plan[T]) compute(n *nodes[T], s *trees.Segment, lo, hi int32) {
	world := kernels.Mat4s[T]{M: n.world[lo:hi]}
	local := world // composed in place
	if n.source == fromLocalToParent {
		local.M = n.local[lo:hi]
	} else if !n.composed {
		n.composeLocal(&local, int(lo), int(hi))
	}
	from := p.From[p.Place(s.Chunk, int(lo)):][:hi-lo]
	if s.From == trees.Spread {
		world.MulAffineByParent(&p.matrices, from, &local)
	} else {
		world.MulAffineByParent(&p.worlds[s.From], from, &local)
	}
	if !n.written.Load() {
		n.written.Store(true)
	}
	p.pass(n, s, lo, hi, 1)
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
func (p *plan[T]) keep(n *nodes[T], s *trees.Segment, lo, hi int32) {
	switch {
	case n.given:
		p.pass(n, s, lo, hi, 1)
	case n.fresh:
		p.pass(n, s, lo, hi, 0)
	}
}

// pass tells the children of the segment's rows [lo, hi) what the matrices of
// these are, and whether they have changed.
func (p *plan[T]) pass(n *nodes[T], s *trees.Segment, lo, hi int32, changed byte) {
	if !s.Inner {
		return
	}
	first := p.Place(s.Chunk, int(lo))
	fill(p.changed[first:first+int(hi-lo)], changed)
	if slot := p.Chunks[s.Chunk].Copies; slot >= 0 {
		copy(p.matrices.M[p.CopiesAt(slot, int(lo)):], n.world[lo:hi])
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
