package transform

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// Parents keeps the lists of children consistent with [Parent]. One update handles three kinds of
// changes, in this order:
//
//  1. A parent was destroyed, or lost LocalToWorld. Its children lose
//     Parent and LocalToParent and are roots from then on.
//  2. A child was destroyed, or lost Parent. It leaves the list of
//     its former parent.
//  3. A child is new, or has another parent than before. It
//     joins the end of its parent's list. Such children join in the order of their ids. A child whose parent
//     does not exist, or has no LocalToWorld of the child's width, becomes a
//     root, because there is no matrix to multiply its LocalToParent by.
//
// An update without changes costs almost nothing.
type Parents struct {
	_ system.In[Group]
	_ system.MatchingOnly

	formerParents    *ecs.Query // entities with children but without the components of a parent
	leavingChildren  *ecs.Query // entities in a list that no longer have a Parent
	newChildren      *ecs.Query // entities with a Parent that are in no list
	newLocalChildren *ecs.Query // entities of newChildren with LocalTransform
	changedChildren  *ecs.Query // entities whose parent may no longer be the owner of their list
	listedChildren   *ecs.Query // entities in a list, active or not
	listOwners       *ecs.Query // entities with a list, active or not

	parentOf    *ecs.Lookup[Parent]
	listOwnerOf *ecs.Lookup[PreviousParent]
	lists       *ecs.Lookup[Children]

	staying32, staying64 *stayingRoots
	todo
	childSet      entitySet // the children of one parent, or of all parents
	unfinished    bool      // the last update failed, or the current one has not finished
	retrying      bool      // the current update repeats the work of the last one
	crossingCount uint32    // number of crossings at the last successful update
	loadMark      loadMark
	restoreHooks  *restoreHooks
	rejected      rejectedChildren
}

// todo holds the changes that an update must make.
type todo struct {
	joins, leaves   []link
	orphans         []ecs.Entity // children that must become roots
	leftChildren    []ecs.Entity // children that were in a list and no longer have a Parent
	listChanges     []ecs.Entity // entities that must gain or lose their list
	remainingLeaves int          // number of leaves from the last update that must still be processed, because no row shows them any more
}

// link contains a child, and the parent whose list the child is in or will join.
type link struct{ parent, child ecs.Entity }

// rejectedChildren counts the children that became roots because their parents had no matrix.
type rejectedChildren struct {
	count       int
	lastLink    link
	updateLinks []link // links of this update, which may still fail
}

// Create creates the queries.
func (s *Parents) Create(u *system.Setup) error {
	s.formerParents = u.Query(ecs.Read[Children](), ecs.Without[LocalToWorld](), ecs.Without[LocalToWorld64]())
	s.leavingChildren = u.Query(ecs.Read[PreviousParent](), ecs.Without[Parent]())
	s.newChildren = u.Query(ecs.With[Parent](), ecs.Without[PreviousParent](),
		ecs.AnyOf(ecs.With[LocalToWorld](), ecs.With[LocalToWorld64]()),
		ecs.AnyOf(ecs.With[LocalToParent](), ecs.With[LocalToParent64]()))
	s.newLocalChildren = u.Query(ecs.With[Parent](), ecs.Without[PreviousParent](),
		ecs.AnyOf(ecs.With[LocalTransform](), ecs.With[LocalTransform64]()))
	s.changedChildren = u.Query(ecs.Read[Parent](), ecs.Write[PreviousParent](), ecs.Changed[Parent](), ecs.Changed[PreviousParent](),
		ecs.OrderChanged()) // includes entities that become active again
	s.listedChildren = u.Query(ecs.With[PreviousParent](), ecs.IncludeHidden())
	s.listOwners = u.Query(ecs.Read[Children](), ecs.IncludeHidden())
	s.listOwnerOf = ecs.NewWorldLookup[PreviousParent](u.World())
	s.parentOf = ecs.NewWorldLookup[Parent](u.World())
	s.lists = ecs.NewWorldLookup[Children](u.World())
	s.staying32, s.staying64 = stayingRootsOf[float32](u.World()), stayingRootsOf[float64](u.World())
	s.restoreHooks = restoreHooksOf(u.World())
	s.restoreHooks.onRestore[parentsHook] = s.resetAfterRestore
	return nil
}

// Update makes the lists of children consistent. If an error prevents changes, the next update
// repeats them.
func (s *Parents) Update(f *system.Frame) error {
	w := f.World()
	s.restoreHooks.replan()
	s.joins, s.leaves, s.orphans, s.listChanges = s.joins[:0], s.leaves[:s.remainingLeaves], s.orphans[:0], s.listChanges[:0]
	s.leftChildren, s.rejected.updateLinks = s.leftChildren[:0], s.rejected.updateLinks[:0]
	crossed := s.countCrossings()
	torn := crossed != s.crossingCount
	s.retrying, s.unfinished = s.unfinished || torn, true // if a job has failed, it ends the update by a panic
	if s.retrying {
		s.changedChildren.SetSince(0)
	}
	var err error
	if torn {
		err = s.prune(w)
	}
	err = errors.Join(err, s.findFormerParents(w), s.findLeavingChildren(w), s.findNewParents(w))
	if len(s.joins)+len(s.leaves)+len(s.orphans)+len(s.listChanges) > 0 {
		err = errors.Join(err, s.relink(w))
	}
	if err == nil {
		s.unfinished, s.crossingCount = false, crossed
		if n := len(s.rejected.updateLinks); n > 0 {
			s.rejected.count, s.rejected.lastLink = s.rejected.count+n, s.rejected.updateLinks[n-1]
		}
	}
	return err
}

// countCrossings counts how often an entity moved to or from another world while it had a list or was
// in a list. Comparing the number of such entities is not enough, because one may arrive when another
// leaves.
func (s *Parents) countCrossings() uint32 {
	return s.listedChildren.MoveCount() + s.listOwners.MoveCount()
}

// prune removes an entity from a list if the owner of the list is not the entity's PreviousParent. An
// entity's PreviousParent may differ because the entity or the owner moved to another world. If an
// entity and its parent moved to another world and came back, the entity is in no list. prune clears
// its PreviousParent, so that it joins the list like an entity with a new parent.
func (s *Parents) prune(w *ecs.World) error {
	if err := errors.Join(s.lists.Refresh(), s.listOwnerOf.Refresh()); err != nil {
		return err
	}
	for c := range s.listOwners.Chunks() {
		s.listChanges = append(s.listChanges, c.Entities()...)
	}
	s.childSet.clear()
	s.listChanges = slices.DeleteFunc(s.listChanges, func(p ecs.Entity) bool {
		list, _ := s.lists.Get(p)
		kept := slices.DeleteFunc(list.Slice(), func(c Child) bool {
			was, ok := s.listOwnerOf.Get(c.Entity)
			return !ok || was.Entity != p
		})
		if len(kept) < list.Len() {
			list.Resize(len(kept))
		}
		for _, c := range kept {
			s.childSet.add(c.Entity)
		}
		return len(kept) > 0
	})
	for c := range s.listedChildren.Chunks() {
		for _, e := range c.Entities() {
			if was, _ := s.listOwnerOf.Get(e); !s.childSet.has(e) && w.Exists(was.Entity) {
				s.listOwnerOf.Set(e, PreviousParent{})
			}
		}
	}
	err := ecs.RemoveTypes(w, ecs.Entities(s.listChanges), ecs.With[Children]())
	s.listChanges = s.listChanges[:0]
	return err
}

// relink makes the changes that todo lists. It changes the lists and PreviousParent together, after
// all steps that can fail. Therefore the lists and PreviousParent are consistent even after an error.
func (s *Parents) relink(w *ecs.World) error {
	slices.SortFunc(s.joins, compareLinks)
	if err := s.makeLists(w); err != nil {
		return err
	}
	if err := s.lists.Refresh(); err != nil {
		return err
	}
	if err := s.makeRoots(w); err != nil {
		return err
	}
	if err := errors.Join(s.lists.Refresh(), s.listOwnerOf.Refresh()); err != nil { // makeRoots has waited for all jobs
		return err
	}
	s.remainingLeaves = 0
	s.removeFromLists()
	s.appendToLists()
	s.setPreviousParents()
	return s.dropLists(w)
}

// findFormerParents finds the children of entities that are no longer parents, and removes the lists of
// these entities. If such a child has another parent by now, it keeps the other parent.
func (s *Parents) findFormerParents(w *ecs.World) error {
	if s.formerParents.EmptyUnfiltered() {
		return nil
	}
	if err := s.parentOf.Refresh(); err != nil {
		return err
	}
	for c := range s.formerParents.Chunks() {
		lists := ecs.Column[Children](c)
		for i, e := range c.Entities() {
			s.listChanges = append(s.listChanges, e)
			for _, child := range lists.At(i).Slice() {
				if p, ok := s.parentOf.Get(child.Entity); ok && p.Entity == e {
					s.addOrphan(child.Entity, e)
				}
			}
		}
	}
	return ecs.RemoveTypes(w, ecs.Entities(s.listChanges), ecs.With[Children]())
}

// findLeavingChildren finds the children that no longer have a Parent. It also removes the PreviousParent of
// destroyed children.
func (s *Parents) findLeavingChildren(w *ecs.World) error {
	if s.leavingChildren.EmptyUnfiltered() {
		return nil
	}
	before, left := len(s.leaves), len(s.leftChildren)
	for c := range s.leavingChildren.Chunks() {
		was := *ecs.Column[PreviousParent](c)
		for i, e := range c.Entities() {
			s.leaves = append(s.leaves, link{was[i], e})
		}
		s.leftChildren = append(s.leftChildren, c.Entities()...)
	}
	if err := ecs.RemoveTypes(w, ecs.Matching(s.leavingChildren), ecs.With[PreviousParent]()); err != nil {
		s.leaves = s.leaves[:before] // the next update finds these children again
		return err
	}
	s.remainingLeaves = len(s.leaves)
	s.addStayingRoots(left)
	return nil
}

// addOrphan records a child that becomes a root, and the parent whose list contains the child.
func (s *Parents) addOrphan(child, was ecs.Entity) {
	s.orphans = append(s.orphans, child)
	if was != (ecs.Entity{}) {
		s.leftChildren = append(s.leftChildren, child)
	}
}

// addStayingRoots records the children that stay at their places without their parent. addStayingRoots
// processes the elements of leftChildren from index from on. The jobs that call removeRoots have
// finished, because a structural change has waited for them.
func (s *Parents) addStayingRoots(from int) {
	s.staying32.addRoots(s.leftChildren[from:])
	s.staying64.addRoots(s.leftChildren[from:])
	s.leftChildren = s.leftChildren[:from]
}

// findNewParents finds the children with a new parent.
//
// Invariant: if the former parent of a child still lists the child, leaves contains the child. If the
// child now has another parent, joins or orphans contains the child. Therefore a child leaves at most
// one list and joins at most one list.
func (s *Parents) findNewParents(w *ecs.World) error {
	for _, q := range [...]*ecs.Query{s.newChildren, s.newLocalChildren} {
		if q.EmptyUnfiltered() {
			continue
		}
		if err := ecs.AddTypes(w, ecs.Matching(q), ecs.With[PreviousParent]()); err != nil {
			return err
		}
	}
	for c := range s.changedChildren.Chunks() {
		is, was := *ecs.Column[Parent](c), *ecs.ReadColumn[PreviousParent](c)
		children, fits := c.Entities(), parentWidthsFor(c)
		for i, p := range is {
			if p == was[i] && p != (ecs.Entity{}) && (!s.retrying || ecs.Has[Children](w, p)) {
				continue
			}
			s.changeParent(w, fits, children[i], was[i], p)
		}
	}
	return nil
}

// changeParent records that a child leaves its former parent, if it had a parent, and joins the new
// parent, if that entity can be a parent.
func (s *Parents) changeParent(w *ecs.World, fits parentWidths, child, was, parent ecs.Entity) {
	if was != (ecs.Entity{}) {
		s.leaves = append(s.leaves, link{was, child})
	}
	if fits.allowsParent(w, parent) {
		s.joins = append(s.joins, link{parent, child})
		return
	}
	s.addOrphan(child, was)
	if w.Exists(parent) {
		s.rejected.updateLinks = append(s.rejected.updateLinks, link{parent, child})
	}
}

// parentWidths says whether an entity can be the parent of the entities in a chunk. If the entities of
// the chunk have LocalToWorld, the parent must have a LocalToWorld of the same width. If the entities
// of the chunk have no LocalToWorld, the parent may have any width.
type parentWidths struct{ width32, width64 bool }

func parentWidthsFor(c *ecs.Chunk) parentWidths {
	f := parentWidths{ecs.HasColumn[LocalToWorld](c), ecs.HasColumn[LocalToWorld64](c)}
	if f == (parentWidths{}) {
		return parentWidths{true, true}
	}
	return f
}

func (f parentWidths) allowsParent(w *ecs.World, p ecs.Entity) bool {
	return f.width32 && ecs.Has[LocalToWorld](w, p) || f.width64 && ecs.Has[LocalToWorld64](w, p)
}

// makeRoots removes the components of children from the entities in orphans.
func (s *Parents) makeRoots(w *ecs.World) error {
	if len(s.orphans) == 0 {
		return nil
	}
	if err := ecs.RemoveTypes(w, ecs.Entities(s.orphans), ecs.With[Parent](), ecs.With[PreviousParent](), ecs.With[LocalToParent](), ecs.With[LocalToParent64]()); err != nil {
		return err
	}
	s.addStayingRoots(0)
	return nil
}

// makeLists adds a list to the entities that become parents.
func (s *Parents) makeLists(w *ecs.World) error {
	s.listChanges = s.listChanges[:0]
	for family := range linksByParent(s.joins) {
		if p := family[0].parent; !ecs.Has[Children](w, p) {
			s.listChanges = append(s.listChanges, p)
		}
	}
	return ecs.AddTypes(w, ecs.Entities(s.listChanges), ecs.With[Children]())
}

// removeFromLists removes children from lists. The lists of destroyed parents no longer exist.
func (s *Parents) removeFromLists() {
	slices.SortFunc(s.leaves, compareLinks)
	s.listChanges = s.listChanges[:0]
	for family := range linksByParent(s.leaves) {
		p := family[0].parent
		list, ok := s.lists.Get(p)
		if !ok {
			continue
		}
		s.childSet.setChildren(family)
		kept := list.Slice()[:0]
		for _, c := range list.Slice() {
			if !s.childSet.has(c.Entity) {
				kept = append(kept, c)
			}
		}
		list.Resize(len(kept))
		if len(kept) == 0 {
			s.listChanges = append(s.listChanges, p)
		}
	}
}

// appendToLists appends children to their parents' lists.
func (s *Parents) appendToLists() {
	for family := range linksByParent(s.joins) {
		list, _ := s.lists.Get(family[0].parent)
		n := list.Len()
		list.Resize(n + len(family))
		for i, l := range family {
			list.Slice()[n+i].Entity = l.child
		}
	}
}

// maxJoinLookups is the largest number of children that are looked up one by one. If there are more, it
// is faster to visit all chunks.
const maxJoinLookups = 256

// setPreviousParents sets PreviousParent of the children that were moved.
func (s *Parents) setPreviousParents() {
	if len(s.joins) <= maxJoinLookups {
		for _, l := range s.joins {
			if was, _ := s.listOwnerOf.Get(l.child); was.Entity != l.parent {
				s.listOwnerOf.Set(l.child, PreviousParent{Entity: l.parent})
			}
		}
		return
	}
	for c := range s.changedChildren.Chunks() {
		is, was := *ecs.Column[Parent](c), *ecs.ReadColumn[PreviousParent](c)
		if !slices.Equal(is, was) {
			copy(*ecs.Column[PreviousParent](c), is)
		}
	}
}

// dropLists removes the lists that removeFromLists has emptied and appendToLists has not filled again.
func (s *Parents) dropLists(w *ecs.World) error {
	s.listChanges = slices.DeleteFunc(s.listChanges, func(p ecs.Entity) bool {
		list, _ := s.lists.Get(p)
		return list.Len() > 0
	})
	return ecs.RemoveTypes(w, ecs.Entities(s.listChanges), ecs.With[Children]())
}

// entitySet is a set of entities.
type entitySet struct {
	markRounds []uint32 // for each entity index, the round in which the entity was last added
	round      uint32
}

// clear unmarks all entities.
func (m *entitySet) clear() { m.round++ }

// add marks an entity.
func (m *entitySet) add(e ecs.Entity) {
	if i := int(e.Index); i >= len(m.markRounds) {
		m.markRounds = append(m.markRounds, make([]uint32, i+1-len(m.markRounds))...)
	}
	m.markRounds[e.Index] = m.round
}

// setChildren marks the children of a parent, and unmarks all others.
func (m *entitySet) setChildren(family []link) {
	m.clear()
	for _, l := range family {
		m.add(l.child)
	}
}

// has reports whether e was added to the set since the last clear.
func (m *entitySet) has(e ecs.Entity) bool {
	return int(e.Index) < len(m.markRounds) && m.markRounds[e.Index] == m.round
}

// linksByParent divides links, which are sorted by parent, into lists. All links of a list have the
// same parent.
func linksByParent(links []link) iter.Seq[[]link] {
	return func(yield func([]link) bool) {
		for len(links) > 0 {
			n := 1
			for n < len(links) && links[n].parent == links[0].parent {
				n++
			}
			if !yield(links[:n]) {
				return
			}
			links = links[n:]
		}
	}
}

// compareLinks orders links by parent. Links with the same parent are ordered by child.
func compareLinks(a, b link) int {
	return cmp.Or(a.parent.Compare(b.parent), a.child.Compare(b.child))
}

// stayingRoots holds the roots that have lost their parent and that stay at their places in the
// world until their LocalTransform is written. [Parents] adds roots, and the
// [LocalTransformToWorldOf] of the same width removes them.
type stayingRoots struct {
	roots        *ecs.Query // all roots whose matrices that system computes
	versions     []int32    // for each entity index, the version of a staying root, or 0
	list         []ecs.Entity
	sweptCount   uint32 // number of added or removed roots at the last sweep
	sweptDivided bool   // at the last sweep, some staying roots were in archetypes whose rows can be claimed
}

// stayingKey is the key for the staying roots of one width in a world.
type stayingKey[T kernels.Float] struct{}

// stayingRootsOf returns the staying roots of one width. A world has one list for each width.
func stayingRootsOf[T kernels.Float](w *ecs.World) *stayingRoots {
	if s, ok := w.Hooks().Attached(stayingKey[T]{}).(*stayingRoots); ok {
		return s
	}
	s := &stayingRoots{roots: w.Query(append(localRootTerms[T](), ecs.IncludeHidden())...)}
	w.Hooks().Attach(stayingKey[T]{}, s)
	return s
}

// addRoots adds those of the given entities that are roots of this width. It calls sweep first.
// Otherwise the list would grow without limit while the system that removes the roots is disabled.
func (s *stayingRoots) addRoots(entities []ecs.Entity) {
	s.sweep()
	for _, e := range entities {
		if s.has(e) || !s.roots.MatchesUnfiltered(e) {
			continue // its matrix does not come from a parent
		}
		s.addRoot(e)
	}
}

// sweep removes entities from the list that are no longer staying roots, for example because another
// system computes their matrices. It must not be called while jobs remove entities.
func (s *stayingRoots) sweep() {
	if len(s.list) == 0 || s.sweptCount == s.roots.OrderCount() && !s.sweptDivided {
		return
	}
	s.sweptCount, s.sweptDivided = s.roots.OrderCount(), false
	s.list = slices.DeleteFunc(s.list, func(e ecs.Entity) bool {
		if !s.has(e) {
			return true
		}
		s.sweptDivided = s.sweptDivided || s.roots.FiltersRows(s.roots.World().ArchetypeOf(e))
		if s.roots.Matches(e) {
			return false
		}
		s.versions[e.Index] = 0
		return true
	})
}

// removeRoots removes entities. Several jobs may call removeRoots at the same time for different
// entities.
func (s *stayingRoots) removeRoots(entities []ecs.Entity) {
	if len(s.list) == 0 {
		return
	}
	for _, e := range entities {
		if int(e.Index) < len(s.versions) {
			s.versions[e.Index] = 0
		}
	}
}

// has reports whether e is a staying root.
func (s *stayingRoots) has(e ecs.Entity) bool {
	return int(e.Index) < len(s.versions) && s.versions[e.Index] == e.Version
}

// currentRoots returns the staying roots.
func (s *stayingRoots) currentRoots() []ecs.Entity {
	return slices.DeleteFunc(slices.Clone(s.list), func(e ecs.Entity) bool { return !s.has(e) })
}

// restore sets the staying roots to those of an image.
func (s *stayingRoots) restore(list []ecs.Entity) {
	for _, e := range s.list {
		s.versions[e.Index] = 0
	}
	s.list, s.sweptCount, s.sweptDivided = s.list[:0], 0, true
	for _, e := range list {
		s.addRoot(e)
	}
}

// addRoot adds one entity.
func (s *stayingRoots) addRoot(e ecs.Entity) {
	if n := int(e.Index) + 1 - len(s.versions); n > 0 {
		s.versions = append(s.versions, make([]int32, n)...)
	}
	s.versions[e.Index] = e.Version
	s.list = append(s.list, e)
}
