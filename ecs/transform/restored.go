package transform

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform/internal/trees"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

// Between two updates, the systems remember facts about entities that no component stores.
// These facts are part of an image: [Parents] and [HierarchyOf] are Savers. If the last update
// left no work for the next update, [Parents] and [HierarchyOf] append no bytes. A Restore
// takes these steps, in this order:
//
//	LoadState          of the systems, with the saved bytes of the image
//	restored           of the systems, by ecs.Hooks.OnRestore: for an image without their bytes
//	Parents.Update     has the hierarchies plan for the trees of the image, before it changes these
//	HierarchyOf.Update changes the plan for the changes of Parents, as it did the first time
//
// The hierarchies must plan for the trees of the image before Parents changes a link. HierarchyOf recognizes
// a moved node by a parent that differs from the node's parent in the plan. The old plan, which belongs to
// the time after the image, may already contain the parent that the node will get.

// restoreHooks holds the functions of a world's systems that are called during a Restore.
type restoreHooks struct {
	onRestore [3]func() // functions of Parents and of the hierarchies of both widths, called after the world was restored
	planHooks [3]func() // functions of the hierarchies, which plan for the trees of the image unless they have already done so
}

// These are the indices of the systems in restoreHooks.
const (
	parentsHook = iota
	hierarchy32Hook
	hierarchy64Hook
)

// hookIndexOf returns the index of the hierarchy of a width.
func hookIndexOf[T kernels.Float]() int {
	if widthSuffix[T]() == "" {
		return hierarchy32Hook
	}
	return hierarchy64Hook
}

// restoreHooksKey is the key for the restoreHooks of a world.
type restoreHooksKey struct{}

// restoreHooksOf returns the restoreHooks of a world.
func restoreHooksOf(w *ecs.World) *restoreHooks {
	if r, ok := w.Hooks().Attached(restoreHooksKey{}).(*restoreHooks); ok {
		return r
	}
	r := &restoreHooks{}
	w.Hooks().Attach(restoreHooksKey{}, r)
	w.Hooks().OnRestore(func(*ecs.Image) {
		for _, f := range r.onRestore {
			if f != nil {
				f()
			}
		}
	})
	return r
}

// replan makes the hierarchies plan for the trees of the restored image.
func (r *restoreHooks) replan() {
	for _, f := range r.planHooks {
		if f != nil {
			f()
		}
	}
}

// loadMark records whether LoadState of a system was called during the current Restore.
type loadMark struct{ version uint32 } // the version of the world at that call; 0 if there was none

// record records the call.
func (l *loadMark) record(w *ecs.World) { l.version = w.Version() }

// isCurrent reports whether LoadState was called during the current Restore. The comparison of versions
// works because every Restore increments the version of the world.
func (l *loadMark) isCurrent(w *ecs.World) bool { return l.version == w.Version() }

// AppendState implements system.Saver. It appends the links that must still be removed because an
// update has failed, and the roots that stay at their places without their parents.
func (s *Parents) AppendState(out []byte) []byte {
	var flags byte
	if s.unfinished {
		flags |= 1
	}
	if s.countCrossings() != s.crossingCount {
		flags |= 2
	}
	narrow, wide := s.staying32.currentRoots(), s.staying64.currentRoots()
	if int(flags)+s.remainingLeaves+len(narrow)+len(wide) == 0 {
		return out
	}
	out = append(out, flags)
	var owed []ecs.Entity
	for _, l := range s.leaves[:s.remainingLeaves] {
		owed = append(owed, l.parent, l.child)
	}
	return appendEntities(appendSortedEntities(appendSortedEntities(out, narrow), wide), owed)
}

// LoadState implements system.Saver.
func (s *Parents) LoadState(in []byte) error {
	var flags byte
	var lists [3][]ecs.Entity // narrow, wide, owed
	if len(in) > 0 {
		flags, in = in[0], in[1:]
		for i := range lists {
			var ok bool
			if lists[i], in, ok = decodeEntities(in); !ok {
				return stateError("Parents")
			}
		}
	}
	if flags > 3 || len(in) > 0 || len(lists[2])%2 != 0 {
		return stateError("Parents")
	}
	s.unfinished, s.crossingCount = flags&1 != 0, s.countCrossings()
	if flags&2 != 0 {
		s.crossingCount--
	}
	s.leaves, s.remainingLeaves = s.leaves[:0], len(lists[2])/2
	for i := range s.remainingLeaves {
		s.leaves = append(s.leaves, link{lists[2][2*i], lists[2][2*i+1]})
	}
	s.staying32.restore(lists[0])
	s.staying64.restore(lists[1])
	s.loadMark.record(s.changedChildren.World())
	return nil
}

// resetAfterRestore resets the system after a Restore of an image that contains no state of the
// system.
func (s *Parents) resetAfterRestore() {
	if !s.loadMark.isCurrent(s.changedChildren.World()) {
		_ = s.LoadState(nil)
	}
}

// AppendState implements system.Saver. It appends the nodes that the next update must compute
// although no component or version shows that they have changed. It also appends the nodes in
// divided chunks whose matrices other systems have computed in the last update, and the nodes that
// got another parent after the last update.
func (s *HierarchyOf[T]) AppendState(out []byte) []byte {
	stale, lent, relinked := s.staleNodes, s.claimedNodes, s.relinkedNodes
	if !s.needsReplan { // otherwise the plan belongs to the time after the image
		p := &s.plan
		failed := p.rowsUnknown
		if p.outcomeUnknown { // end finds out whether the update failed
			failed = s.lastUpdateFailed()
		}
		stale, lent = p.Stale(nil, p.outcomeUnknown && !failed), p.claimedNodes(failed)
		relinked = s.findRelinked()
	}
	if len(stale)+len(lent)+len(relinked) == 0 {
		return out
	}
	out = appendSortedEntities(appendSortedEntities(out, stale), lent)
	if len(relinked) == 0 {
		return out
	}
	var pairs []ecs.Entity
	for _, l := range relinked {
		pairs = append(pairs, l.parent, l.child)
	}
	return appendEntities(out, pairs)
}

// findRelinked returns the nodes that got another parent after the plan was made, sorted, with their
// parents in the plan. A node may have changed its parent in an update in which the hierarchy did not
// run. If it gets its old parent back before the next update, the next update must not compute it.
func (s *HierarchyOf[T]) findRelinked() (list []link) {
	if s.planQueries.changedNodes.Unchanged() {
		return nil
	}
	for c := range s.planQueries.changedNodes.Chunks() {
		parents := *ecs.Column[PreviousParent](c)
		for i, e := range c.Entities() {
			if above, ok := s.plan.ParentOf(e); ok && above != parents[i] {
				list = append(list, link{above, e})
			}
		}
	}
	slices.SortFunc(list, compareChildren)
	return list
}

// compareChildren orders links by their children.
func compareChildren(a, b link) int { return a.child.Compare(b.child) }

// parentsBefore returns the parents of rows, where the nodes of relinkedNodes have their parents from
// before they got another one. The result is valid until the next call.
func (s *HierarchyOf[T]) parentsBefore(rows, parents []ecs.Entity) []ecs.Entity {
	s.plannedParents = append(s.plannedParents[:0], parents...)
	for i, e := range rows {
		if at, ok := slices.BinarySearchFunc(s.relinkedNodes, link{child: e}, compareChildren); ok {
			s.plannedParents[i] = s.relinkedNodes[at].parent
		}
	}
	return s.plannedParents
}

// lastUpdateFailed reports whether a job of the last update has failed.
func (s *HierarchyOf[T]) lastUpdateFailed() bool {
	return s.instance.LastVersion() == s.plan.lastVersion || slices.ContainsFunc(s.jobs, func(h jobs.Handle) bool { return h.Done() && h.Wait() != nil })
}

// claimedNodes returns the entities in divided chunks whose matrices were claimed in the last update. If
// unknown is set, it returns all entities in divided chunks.
func (p *plan[T]) claimedNodes(unknown bool) (list []ecs.Entity) {
	if p.Divided == 0 {
		return nil
	}
	for h := range p.Chunks {
		c := &p.Chunks[h]
		for row := 0; c.ID != trees.None && c.Divided && row < int(c.Rows); row++ {
			if unknown || h >= len(p.chunks) || !p.chunks[h].divided || !p.chunks[h].computedRows.has(row) {
				list = append(list, p.Entity(p.Place(int32(h), row)))
			}
		}
	}
	return list
}

// LoadState implements system.Saver.
func (s *HierarchyOf[T]) LoadState(in []byte) error {
	var lists [3][]ecs.Entity // stale, claimed, relinked: parent, child, parent, child …
	for i := 0; len(in) > 0; i++ {
		var ok bool
		if i == len(lists) {
			return stateError("HierarchyOf")
		}
		if lists[i], in, ok = decodeEntities(in); !ok {
			return stateError("HierarchyOf")
		}
	}
	if len(lists[2])%2 != 0 {
		return stateError("HierarchyOf")
	}
	s.needsReplan, s.staleNodes, s.claimedNodes, s.relinkedNodes = true, lists[0], lists[1], nil
	for pair := range slices.Chunk(lists[2], 2) {
		s.relinkedNodes = append(s.relinkedNodes, link{pair[0], pair[1]})
	}
	slices.SortFunc(s.relinkedNodes, compareChildren)
	s.loadMark.record(s.nodes.World())
	return nil
}

// resetAfterRestore resets the system after a Restore of an image that contains no state of the
// system.
func (s *HierarchyOf[T]) resetAfterRestore() {
	if !s.loadMark.isCurrent(s.nodes.World()) {
		_ = s.LoadState(nil)
	}
}

// planAfterRestore makes the plan for the trees of the restored image, unless this was already done
// since the Restore.
func (s *HierarchyOf[T]) planAfterRestore() {
	if !s.needsReplan {
		return
	}
	p := &s.plan
	p.outcomeUnknown, p.copiesInvalid, p.rowsUnknown, s.planQueries.plannedEdition = false, true, false, edition{}
	first := p.Edition == 0
	if err := s.replan(); first { // otherwise the cycles were reported before the image was taken
		s.cycleErr = err
	}
	p.Restored(s.staleNodes)
	lent := make(map[ecs.Entity]bool, len(s.claimedNodes))
	for _, e := range s.claimedNodes {
		lent[e] = true
	}
	p.growChunks()
	for h := range p.Chunks {
		n, c := p.chunks[h], &p.Chunks[h]
		n.divided, n.computedRows = c.Divided, rowSet{}
		for row := 0; c.ID != trees.None && c.Divided && row < int(c.Rows); row++ {
			if !lent[p.Entity(p.Place(int32(h), row))] {
				n.computedRows.add(row)
			}
		}
	}
	s.needsReplan, s.staleNodes, s.claimedNodes, s.relinkedNodes = false, nil, nil, nil
}

// stateError is the error for a state that no system of this package has saved.
func stateError(of string) error {
	return fmt.Errorf("transform: %s: LoadState: the state is not one of this version of the package: restore the image with the program that has written it: %w", of, ecs.ErrArgument)
}

// appendSortedEntities appends a set of entities in sorted order, so that the bytes do not depend
// on the order of the set.
func appendSortedEntities(out []byte, set []ecs.Entity) []byte {
	slices.SortFunc(set, ecs.Entity.Compare)
	return appendEntities(out, slices.Compact(set))
}

// appendEntities appends the number of entities, and then each entity.
func appendEntities(out []byte, list []ecs.Entity) []byte {
	out = binary.AppendUvarint(out, uint64(len(list)))
	for _, e := range list {
		out = binary.LittleEndian.AppendUint32(out, uint32(e.Index))
		out = binary.LittleEndian.AppendUint32(out, uint32(e.Version))
	}
	return out
}

// decodeEntities decodes the entities at the beginning of in. It returns the entities and the
// remaining bytes.
func decodeEntities(in []byte) (list []ecs.Entity, rest []byte, ok bool) {
	count, n := binary.Uvarint(in)
	if n <= 0 || count > uint64(len(in)-n)/8 {
		return nil, nil, false
	}
	in = in[n:]
	for range count {
		list = append(list, ecs.Entity{Index: int32(binary.LittleEndian.Uint32(in)), Version: int32(binary.LittleEndian.Uint32(in[4:]))})
		in = in[8:]
	}
	return list, in, true
}
