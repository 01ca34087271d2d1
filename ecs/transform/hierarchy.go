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

// HierarchyOf sets LocalToWorld to the parent's LocalToWorld × LocalToParent for every child, in
// parallel. HierarchyOf begins with the children of roots, then computes their children, and so
// on. For a child with LocalTransform, LocalTransform × PostTransformMatrix replaces
// LocalToParent. HierarchyOf skips a child if the child's local matrix and the parent's matrix
// have not changed, and no row was added to or removed from the child's chunk. If a child has no
// local matrix, or has an enabled component of another package in the write group of
// LocalToWorld, it keeps its matrix. The children of this child use that matrix.
//
// If entities are each other's ancestors, HierarchyOf skips them and all entities below them. The
// update that finds such a cycle returns a *[CycleError]. If there are several new cycles, their
// errors are joined. A cycle is reported once. It is reported again only if it was gone in some
// update and formed again later.
//
// The order of the work is planned only once. When entities with parents or children are added,
// removed, moved to another archetype or given another parent, the plan changes only for them and
// for the entities below them. If there are only a few such entities and nothing else has changed,
// their matrices are computed immediately, without jobs.
type HierarchyOf[T kernels.Float] struct {
	_ system.In[Group]
	_ system.After[TRSToLocalToWorldOf[T]]
	_ system.After[TRSToLocalToParentOf[T]]
	_ system.After[LocalTransformToWorldOf[T]]
	_ system.MatchingOnly

	roots               *ecs.Query // entities with children and without a parent
	nodes               *ecs.Query // entities with a parent
	localToParentNodes  *ecs.Query // nodes with LocalToParent whose matrix no other system computes
	localTransformNodes *ecs.Query // nodes with LocalTransform whose matrix no other system computes

	changedRoots *ecs.Query    // roots whose matrices have changed
	changedNodes *ecs.Query    // nodes whose matrices have changed
	claimChanged [2]*ecs.Query // the nodes of localToParentNodes and of localTransformNodes whose claimed rows may have changed

	stageAccess  access.Access // access of the stages: the access of the nodes, including the roots' archetypes
	instance     *system.Instance
	jobs         []jobs.Handle // jobs of the last update
	planQueries  planQueries   // the queries that are used to make the plan
	plan         plan[T]
	nodeComputer nodeComputer[T]
	updateJobs   updateJobs[T]

	// The next four fields are valid after a Restore, until the plan is made for the restored world: see
	// restoreHooks.
	needsReplan              bool
	staleNodes, claimedNodes []ecs.Entity
	relinkedNodes            []link       // nodes that got another parent after the last update, and their parents before
	plannedParents           []ecs.Entity // memory that parentsBefore reuses
	cycleErr                 error        // cycles that were found in the meantime
	loadMark                 loadMark
}

// planQueries holds the queries that find the roots and nodes of a world for planning. The queries read
// no matrix, so that they wait for no job.
type planQueries struct {
	roots        *ecs.Query // entities with children and without a parent
	nodes        *ecs.Query // entities with a parent
	changedRoots *ecs.Query // chunks of roots to which rows were added or from which rows were removed
	changedNodes *ecs.Query // chunks of nodes to which rows were added, from which rows were removed, or in which a row got another parent

	plannedEdition edition // the edition for which the plan was made
}

// updateJobs holds the jobs of an update in the order in which they run, except for the stages of the
// plan.
type updateJobs[T kernels.Float] struct {
	gatherRoots  gatherRoots[T]
	inspectNodes inspectNodes[T]
	computedRows computedRows[T]
	releasedRows releasedRows[T]
	markNodes    markNodes[T]
}

// edition identifies a set of nodes and roots. An edition counts how often nodes and roots were added
// or removed.
type edition struct{ nodes, roots uint32 }

// Create creates the queries.
func (s *HierarchyOf[T]) Create(u *system.Setup) error {
	s.roots = u.Query(ecs.Read[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent]())
	s.planQueries.roots = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent]())
	s.nodes = u.Query(ecs.Write[LocalToWorldOf[T]](), ecs.Read[PreviousParent](), ecs.With[Parent](),
		ecs.Optional(ecs.Read[LocalToParentOf[T]](), ecs.Read[LocalTransformOf[T]](), ecs.Read[PostTransformMatrixOf[T]]()))
	s.planQueries.nodes = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.Read[PreviousParent](), ecs.With[Parent]())
	s.planQueries.changedRoots = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent](), ecs.OrderChanged())
	s.planQueries.changedNodes = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.Read[PreviousParent](), ecs.With[Parent](),
		ecs.Changed[PreviousParent](), ecs.OrderChanged())
	s.localToParentNodes = u.Query(inheritedTerms[T]()...)
	s.localTransformNodes = u.Query(localNodeTerms[T]()...)
	s.changedRoots = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[Children](), ecs.Without[PreviousParent](), ecs.Changed[LocalToWorldOf[T]]())
	s.changedNodes = u.Query(ecs.With[LocalToWorldOf[T]](), ecs.With[PreviousParent](), ecs.With[Parent](),
		ecs.ChangedAny(ecs.With[LocalToWorldOf[T]](), ecs.With[LocalToParentOf[T]](),
			ecs.With[LocalTransformOf[T]](), ecs.With[PostTransformMatrixOf[T]]()))
	s.claimChanged[0] = u.Query(append(inheritedTerms[T](), ecs.Changed[LocalToParentOf[T]]())...)
	s.claimChanged[1] = u.Query(append(localNodeTerms[T](), ecs.Changed[LocalTransformOf[T]]())...)
	s.instance = u.Instance()
	r := restoreHooksOf(u.World())
	r.onRestore[hookIndexOf[T]()], r.planHooks[hookIndexOf[T]()] = s.resetAfterRestore, s.planAfterRestore
	s.updateJobs = updateJobs[T]{gatherRoots[T]{&s.plan}, inspectNodes[T]{&s.plan}, computedRows[T]{&s.plan}, releasedRows[T]{&s.plan}, markNodes[T]{&s.plan}}
	return nil
}

// Update changes the plan if necessary, and schedules the work. The jobs inspect the chunks of
// roots and nodes, compute the stages of the plan one after the other, and mark the written chunks
// as changed.
func (s *HierarchyOf[T]) Update(f *system.Frame) error {
	since, p := f.Instance().LastVersion(), &s.plan
	p.checkLastUpdate(since)
	s.planAfterRestore()
	err := errors.Join(s.cycleErr, s.replan())
	s.cycleErr = nil
	if s.nodes.EmptyUnfiltered() {
		p.MarkComputed() // no node is in a segment
		return err
	}
	if !p.rowsUnknown && s.changedRoots.Unchanged() && s.changedNodes.Unchanged() && (p.Divided == 0 || s.claimChanged[0].Unchanged() && s.claimChanged[1].Unchanged()) {
		if !p.Pending() {
			p.MarkComputed()
			return err
		}
		if done, wrong := s.computeSerially(f.World()); done || wrong != nil {
			return errors.Join(err, wrong)
		}
	}
	p.begin(since, f.World().Pool().Workers())
	s.schedule(f)
	return err
}

// StopRunning releases the memory of freed chunks, which the plan still refers to, after all trees were
// removed. No job reads this memory any more, because the structural change that removed the last tree
// waited for the jobs.
func (s *HierarchyOf[T]) StopRunning(*system.Frame) error {
	if s.nodes.EmptyUnfiltered() && s.planQueries.roots.EmptyUnfiltered() {
		s.plan.dropAllColumns()
	}
	return nil
}

// schedule schedules the jobs of an update.
func (s *HierarchyOf[T]) schedule(f *system.Frame) {
	p := &s.plan
	s.stageAccess.Read.Assign(&s.nodes.Access().Read)
	s.stageAccess.Write.Assign(&s.nodes.Access().Write)
	s.stageAccess.Where.Assign(&s.nodes.Access().Where)
	s.stageAccess.Where.Union(&s.roots.Access().Where)
	s.jobs = s.jobs[:0]
	then := func(h jobs.Handle) jobs.Handle {
		s.jobs = append(s.jobs, h)
		return h
	}
	after := then(f.ParallelFor(s.roots, &s.updateJobs.gatherRoots))
	after = then(f.ParallelFor(s.nodes, &s.updateJobs.inspectNodes, after))
	if p.Divided > 0 {
		after = then(f.ParallelFor(s.localToParentNodes, &s.updateJobs.computedRows, after))
		after = then(f.ParallelFor(s.localTransformNodes, &s.updateJobs.computedRows, after))
		after = then(f.ParallelFor(s.claimChanged[0], &s.updateJobs.releasedRows, after))
		after = then(f.ParallelFor(s.claimChanged[1], &s.updateJobs.releasedRows, after))
	}
	for i := range p.stages {
		// The slices that gatherRoots and inspectNodes have stored stay valid until markNodes has finished, because
		// a structural change would wait for markNodes.
		st := &p.stages[i]
		after = then(f.ParallelRange(st, len(st.blockBounds)-1, 1, &s.stageAccess, after))
	}
	then(f.ParallelFor(s.nodes, &s.updateJobs.markNodes, after))
}

// replan changes the plan if roots or nodes have changed since the last update. The error joins the
// errors of the new cycles.
func (s *HierarchyOf[T]) replan() error {
	now := edition{s.planQueries.nodes.OrderCount(), s.planQueries.roots.OrderCount()}
	if now == s.planQueries.plannedEdition && s.planQueries.changedNodes.Unchanged() {
		return nil
	}
	if s.planQueries.plannedEdition == (edition{}) { // the last replan was not finished, so the filters do not cover the time before it
		s.planQueries.changedRoots.SetSince(0)
		s.planQueries.changedNodes.SetSince(0)
	}
	s.planQueries.plannedEdition = edition{} // an unfinished plan is invalid
	p := &s.plan
	for c := range s.planQueries.changedRoots.Chunks() {
		p.Put(trees.Rows{ID: c.ID(), Capacity: c.Archetype().Capacity(), Roots: true, Entities: c.Entities()})
	}
	var of ecs.Archetype
	rows := trees.Rows{}
	for c := range s.planQueries.changedNodes.Chunks() {
		if a := c.Archetype(); a != of {
			of = a
			rows.Capacity = a.Capacity()
			rows.Source, rows.Divided = s.classify(a)
		}
		rows.ID, rows.Entities, rows.Parents = c.ID(), c.Entities(), *ecs.Column[PreviousParent](c)
		if len(s.relinkedNodes) > 0 {
			rows.Parents = s.parentsBefore(rows.Entities, rows.Parents)
		}
		p.Put(rows)
	}
	if p.Rows(true) != s.planQueries.roots.CountUnfiltered() || p.Rows(false) != s.planQueries.nodes.CountUnfiltered() {
		s.dropEndedChunks() // some chunks were freed
	}
	err := joinCycles(p.End())
	s.planQueries.plannedEdition = now
	return err
}

// dropEndedChunks removes the chunks that were freed from the plan.
func (s *HierarchyOf[T]) dropEndedChunks() {
	s.plan.BeginSweep()
	for c := range s.planQueries.roots.Chunks() {
		s.plan.Keep(c.ID())
	}
	for c := range s.planQueries.nodes.Chunks() {
		s.plan.Keep(c.ID())
	}
	s.plan.Sweep()
	s.plan.dropEndedColumns()
}

// classify returns from which components the matrices of an archetype of nodes are computed. It also
// returns whether another component may claim some of its rows.
func (s *HierarchyOf[T]) classify(a ecs.Archetype) (from uint8, divides bool) {
	switch {
	case s.localToParentNodes.MatchesArchetype(a):
		from = uint8(fromLocalToParent)
	case s.localTransformNodes.MatchesArchetype(a):
		from = uint8(fromLocalTransform)
	}
	return from, s.localToParentNodes.FiltersRows(a) || s.localTransformNodes.FiltersRows(a)
}

// gatherRoots stores the columns of the roots' matrices, and records which roots have changed.
type gatherRoots[T kernels.Float] struct{ plan *plan[T] }

// Chunk gathers the matrices of one chunk.
func (g *gatherRoots[T]) Chunk(c *ecs.Chunk) {
	p := g.plan
	h := p.Forest.Chunk(c.ID())
	at := &p.Chunks[h]
	changed := ecs.ChangedSince[LocalToWorldOf[T]](c, p.lastVersion)
	world := ecs.Column[LocalToWorldOf[T]](c).M
	p.worldMatrices[h].M = world
	if at.CopySlot >= 0 && (changed || p.copiesInvalid || at.Stale) {
		copy(p.matrixCopies.M[p.CopiesAt(at.CopySlot, 0):], world)
	}
	if changed {
		p.anyChanged.Store(true)
		first := p.Place(h, 0)
		fillBytes(p.placeChanged[first:first+len(world)], 1)
	}
}

// inspectNodes stores the columns of the nodes' matrices, and records which chunks have changed.
type inspectNodes[T kernels.Float] struct{ plan *plan[T] }

// Chunk inspects one chunk. Chunk writes only to the data of that chunk, so that chunks can be
// inspected concurrently. If it finds a change, it sets anyChanged. If no chunk has changed, no stage
// runs. A chunk whose matrices another system has written counts as given, unless this update
// computes all of its rows.
func (l *inspectNodes[T]) Chunk(c *ecs.Chunk) {
	p := l.plan
	h := p.Forest.Chunk(c.ID())
	at, n := &p.Chunks[h], p.chunks[h]
	n.worldMatrices, n.localChanged = ecs.ReadColumn[LocalToWorldOf[T]](c).M, false
	n.copiesInvalid, n.rowsArrived = p.copiesInvalid || at.Stale, at.Arrivals > 0
	p.worldMatrices[h].M = n.worldMatrices
	switch n.source = matrixSource(at.Source); n.source {
	case fromLocalToParent:
		n.localMatrices = ecs.ReadColumn[LocalToParentOf[T]](c).M
		n.localChanged = ecs.ChangedSince[LocalToParentOf[T]](c, p.lastVersion)
	case fromLocalTransform:
		n.localTransforms, n.postMatrices = *ecs.ReadColumn[LocalTransformOf[T]](c), nil
		n.localChanged = ecs.ChangedSince[LocalTransformOf[T]](c, p.lastVersion)
		if ecs.HasColumn[PostTransformMatrixOf[T]](c) {
			n.postMatrices = ecs.ReadColumn[PostTransformMatrixOf[T]](c).M
			n.localChanged = n.localChanged || ecs.ChangedSince[PostTransformMatrixOf[T]](c, p.lastVersion)
		}
	}
	n.localChanged = n.localChanged || n.source != fromOtherSystems && c.OrderChangedSince(p.lastVersion) // until now the row may have had no matrix, or a PostTransformMatrix
	n.divided = at.Divided
	whole := n.localChanged && !n.divided && n.source != fromOtherSystems // all rows are computed, even if another system has written them
	n.worldWritten = !whole && ecs.ChangedSince[LocalToWorldOf[T]](c, p.lastVersion)
	n.blockWrote.Store(false)
	if n.holdsLocal = whole && at.ShortSegments && n.source == fromLocalTransform; n.holdsLocal {
		n.localTransforms.composeTo(&kernels.Mat4s[T]{M: n.worldMatrices}, n.postColumn(0, len(n.worldMatrices)))
	}
	if n.divided {
		if n.lastComputedRows = n.computedRows; p.rowsUnknown {
			n.lastComputedRows = rowSet{}
		}
		n.computedRows = rowSet{} // empty unless computedRows sets it
	}
	if n.localChanged || n.worldWritten || n.copiesInvalid || n.rowsArrived {
		p.anyChanged.Store(true)
	}
}

// computedRows records which rows of divided chunks the hierarchy computes.
type computedRows[T kernels.Float] struct{ plan *plan[T] }

// Chunk inspects one chunk. If a row was claimed at the last update and is not claimed now, Chunk marks the
// chunk as changed. The hierarchy then computes all rows of the chunk that are not claimed.
func (o *computedRows[T]) Chunk(c *ecs.Chunk) {
	p := o.plan
	n := p.dividedChunk(c)
	if n == nil {
		return
	}
	copy(n.computedRows[:], c.Mask())
	for i, rows := range n.computedRows {
		if rows&^n.lastComputedRows[i] != 0 {
			n.localChanged = true
			p.anyChanged.Store(true)
		}
	}
}

// releasedRows records the divided chunks whose claimed rows may have changed. A row is no longer
// claimed if its local matrix was written, or if a claiming component was enabled or disabled.
type releasedRows[T kernels.Float] struct{ plan *plan[T] }

// Chunk records one chunk, so that all its rows are computed.
func (l *releasedRows[T]) Chunk(c *ecs.Chunk) {
	if n := l.plan.dividedChunk(c); n != nil {
		n.localChanged = true
		l.plan.anyChanged.Store(true)
	}
}

// dividedChunk returns the data of a divided chunk, or nil if the chunk is not divided.
func (p *plan[T]) dividedChunk(c *ecs.Chunk) *nodeChunk[T] {
	if h := p.Forest.Chunk(c.ID()); h >= 0 && p.Chunks[h].Rows > 0 && p.chunks[h].divided {
		return p.chunks[h]
	}
	return nil // the nodes are not linked to their parents yet
}

// markNodes marks the chunks that were written as changed.
type markNodes[T kernels.Float] struct{ plan *plan[T] }

// Chunk marks one chunk.
func (m *markNodes[T]) Chunk(c *ecs.Chunk) {
	p := m.plan
	if p.chunks[p.Forest.Chunk(c.ID())].blockWrote.Load() {
		ecs.Column[LocalToWorldOf[T]](c)
	}
}

// nodeComputer computes matrices one after the other, without jobs. nodeComputer uses the same kernels
// as the jobs.
type nodeComputer[T kernels.Float] struct {
	worldLookup *ecs.Lookup[LocalToWorldOf[T]]
	localLookup *ecs.Lookup[LocalToParentOf[T]]
	trsLookup   *ecs.Lookup[LocalTransformOf[T]]
	postLookup  *ecs.Lookup[PostTransformMatrixOf[T]]

	parentMatrix, localMatrix kernels.Mat4s[T] // columns of one row each
	stepIndex                 []int32          // for each place, 1 + the index of its step
}

// maxSerialNodes is the largest number of nodes that are computed without jobs. This limit increases
// by one for every maxSerialNodes nodes of the world, because inspecting all chunks costs as much as
// computing some nodes.
const maxSerialNodes = 64

// computeSerially computes the nodes that have arrived, and all nodes below them, if there are only
// a few. computeSerially reports whether it has computed them. The caller must call it only if
// nothing else has changed since the last update.
func (s *HierarchyOf[T]) computeSerially(w *ecs.World) (bool, error) {
	p := &s.plan
	var ok bool
	p.serialSteps, ok = p.StepsIfFew(p.serialSteps[:0], maxSerialNodes+p.Rows(false)/maxSerialNodes)
	if !ok {
		return false, nil
	}
	for i := range p.serialSteps {
		if p.Chunks[p.serialSteps[i].Chunk].Divided {
			return false, nil // only the jobs know which rows are claimed
		}
	}
	if err := s.nodeComputer.refresh(w); err != nil {
		return false, err
	}
	s.nodeComputer.computeSteps(p, p.serialSteps)
	p.MarkComputed()
	return true, nil
}

// refresh updates the look-ups. refresh waits for the jobs that use the components of the nodes.
func (o *nodeComputer[T]) refresh(w *ecs.World) error {
	if o.postLookup == nil {
		o.parentMatrix.M, o.localMatrix.M = make([][16]T, 1), make([][16]T, 1)
		o.worldLookup, o.localLookup = ecs.NewWorldLookup[LocalToWorldOf[T]](w), ecs.NewWorldLookup[LocalToParentOf[T]](w)
		o.trsLookup, o.postLookup = ecs.NewWorldLookup[LocalTransformOf[T]](w), ecs.NewWorldLookup[PostTransformMatrixOf[T]](w)
		return nil
	}
	return errors.Join(o.worldLookup.Refresh(), o.localLookup.Refresh(), o.trsLookup.Refresh(), o.postLookup.Refresh())
}

// computeSteps computes each step whose node has arrived or whose parent was computed by an earlier
// step.
func (o *nodeComputer[T]) computeSteps(p *plan[T], steps []trees.Step) {
	o.stepIndex = resizeKeeping(o.stepIndex, p.Places())
	for i := range steps {
		st := &steps[i]
		if up := o.stepIndex[st.ParentPlace]; !st.Arrived && up == 0 {
			continue // the matrix of an ancestor is given
		}
		from := matrixSource(p.Chunks[st.Chunk].Source)
		if from == fromOtherSystems {
			continue
		}
		o.compute(st, from)
		o.stepIndex[st.Place] = 1
		if p.Chunks[st.Chunk].CopySlot >= 0 {
			p.MarkCopiesStale(st.Chunk)
		}
	}
	for i := range steps {
		o.stepIndex[steps[i].Place] = 0
	}
}

// compute sets the matrix of one node.
func (o *nodeComputer[T]) compute(st *trees.Step, from matrixSource) {
	above, _ := o.worldLookup.Get(st.Parent)
	o.parentMatrix.M[0] = above.M
	if from == fromLocalToParent {
		l, _ := o.localLookup.Get(st.Entity)
		o.localMatrix.M[0] = l.M
	} else {
		o.compose(st.Entity)
	}
	world := kernels.Mat4s[T]{M: o.localMatrix.M}
	world.MulAffineByParent(&o.parentMatrix, rowZero, &o.localMatrix)
	o.worldLookup.Set(st.Entity, LocalToWorldOf[T]{world.M[0]})
}

// rowZero holds the index of a single row.
var rowZero = []int32{0}

// compose sets local to the matrix of the LocalTransform of a node.
func (o *nodeComputer[T]) compose(e ecs.Entity) {
	v, _ := o.trsLookup.Get(e)
	o.localMatrix.M[0] = v.Matrix()
	if post, ok := o.postLookup.Get(e); ok {
		multiply(&o.localMatrix.M[0], &o.localMatrix.M[0], &post.M)
	}
}
