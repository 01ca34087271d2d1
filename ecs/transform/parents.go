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

// Parents keeps the lists of children consistent with [Parent]. In one update it handles
//
//  1. parents that were destroyed, or lost LocalToWorld: their children lose
//     Parent and LocalToParent and are roots from then on;
//  2. children that were destroyed, or lost Parent: they leave the list of
//     their former parent;
//  3. new children, and children with another parent than before: they
//     join the end of its list, in the order of their ids. A child whose parent
//     does not exist, or has no LocalToWorld of the child's width, becomes a
//     root, because there is no matrix to multiply its LocalToParent by.
//
// It is the first system of [Group], so that the matrices of the same update use the new lists.
// While nothing changes, an update costs almost nothing.
type Parents struct {
	_ system.In[Group]
	_ system.MatchingOnly

	former  *ecs.Query // have children and lack the components of a parent
	leaving *ecs.Query // are in a list and have no Parent any more
	fresh   *ecs.Query // have a Parent and are in no list
	local   *ecs.Query // the same, with LocalTransform
	changed *ecs.Query // may have another parent than the owner of their list
	members *ecs.Query // are in a list, active or not
	listing *ecs.Query // have a list, active or not

	parentOf *ecs.Lookup[Parent]
	listedBy *ecs.Lookup[PreviousParent]
	lists    *ecs.Lookup[Children]

	narrow, wide *stayingRoots
	todo
	marked   marks  // the children of one parent
	behind   bool   // the last update has failed, or the current one has not ended
	again    bool   // the current update repeats the work of the last one
	crossed  uint32 // number of crossings at the last successful update
	loaded   loaded
	restores *restores
	unplaced unplaced
}

// todo holds the changes that an update has found to be necessary.
type todo struct {
	joins, leaves []link
	orphans       []ecs.Entity // children to be made roots
	left          []ecs.Entity // children that were in a list and have no Parent any more
	parents       []ecs.Entity // entities that gain or lose their list
	owed          int          // number of the last update's leaves that are still to be done; no row shows them any more
}

// link is a child together with the parent whose list it is in, or joins.
type link struct{ parent, child ecs.Entity }

// unplaced counts the children that became roots because their parents have no matrix.
type unplaced struct {
	count int
	last  link
	now   []link // in this update, which may fail
}

// Create makes the queries.
func (s *Parents) Create(u *system.Setup) error {
	s.former = u.Query(ecs.Read[Children](), ecs.Without[LocalToWorld](), ecs.Without[LocalToWorld64]())
	s.leaving = u.Query(ecs.Read[PreviousParent](), ecs.Without[Parent]())
	s.fresh = u.Query(ecs.With[Parent](), ecs.Without[PreviousParent](),
		ecs.AnyOf(ecs.With[LocalToWorld](), ecs.With[LocalToWorld64]()),
		ecs.AnyOf(ecs.With[LocalToParent](), ecs.With[LocalToParent64]()))
	s.local = u.Query(ecs.With[Parent](), ecs.Without[PreviousParent](),
		ecs.AnyOf(ecs.With[LocalTransform](), ecs.With[LocalTransform64]()))
	s.changed = u.Query(ecs.Read[Parent](), ecs.Write[PreviousParent](), ecs.Changed[Parent](), ecs.Changed[PreviousParent](),
		ecs.OrderChanged()) // includes entities that become active again
	s.members = u.Query(ecs.With[PreviousParent](), ecs.IncludeHidden())
	s.listing = u.Query(ecs.Read[Children](), ecs.IncludeHidden())
	s.listedBy = ecs.NewWorldLookup[PreviousParent](u.World())
	s.parentOf = ecs.NewWorldLookup[Parent](u.World())
	s.lists = ecs.NewWorldLookup[Children](u.World())
	s.narrow, s.wide = stayingRootsOf[float32](u.World()), stayingRootsOf[float64](u.World())
	s.restores = restoresOf(u.World())
	s.restores.back[ofParents] = s.restored
	return nil
}

// Update makes the lists of children consistent. If an error prevents changes, the next update
// repeats them.
func (s *Parents) Update(f *system.Frame) error {
	w := f.World()
	s.restores.replan()
	s.joins, s.leaves, s.orphans, s.parents = s.joins[:0], s.leaves[:s.owed], s.orphans[:0], s.parents[:0]
	s.left, s.unplaced.now = s.left[:0], s.unplaced.now[:0]
	crossed := s.crossings()
	torn := crossed != s.crossed
	s.again, s.behind = s.behind || torn, true // a failed job ends the update by a panic
	if s.again {
		s.changed.SetSince(0)
	}
	var err error
	if torn {
		err = s.prune(w)
	}
	err = errors.Join(err, s.release(w), s.dismiss(w), s.admit(w))
	if len(s.joins)+len(s.leaves)+len(s.orphans)+len(s.parents) > 0 {
		err = errors.Join(err, s.relink(w))
	}
	if err == nil {
		s.behind, s.crossed = false, crossed
		if n := len(s.unplaced.now); n > 0 {
			s.unplaced.count, s.unplaced.last = s.unplaced.count+n, s.unplaced.now[n-1]
		}
	}
	return err
}

// crossings counts the entities in lists, or with a list, that went to another world or came from
// one. Comparing the number of such entities is not enough, because one may come when another goes.
func (s *Parents) crossings() uint32 {
	return s.members.MoveCount() + s.listing.MoveCount()
}

// prune removes entities from all lists if their PreviousParent is not the owner of the list,
// because they or the owner went to another world.
func (s *Parents) prune(w *ecs.World) error {
	if err := errors.Join(s.lists.Refresh(), s.listedBy.Refresh()); err != nil {
		return err
	}
	for c := range s.listing.Chunks() {
		s.parents = append(s.parents, c.Entities()...)
	}
	s.parents = slices.DeleteFunc(s.parents, func(p ecs.Entity) bool {
		list, _ := s.lists.Get(p)
		kept := slices.DeleteFunc(list.Slice(), func(c Child) bool {
			was, ok := s.listedBy.Get(c.Entity)
			return !ok || was.Entity != p
		})
		if len(kept) < list.Len() {
			list.Resize(len(kept))
		}
		return len(kept) > 0
	})
	err := ecs.RemoveTypes(w, ecs.Entities(s.parents), ecs.With[Children]())
	s.parents = s.parents[:0]
	return err
}

// relink makes the changes of todo. It changes the lists and PreviousParent together, after all
// steps that can fail, so that an error leaves both consistent.
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
	if err := errors.Join(s.lists.Refresh(), s.listedBy.Refresh()); err != nil { // makeRoots has waited for all jobs
		return err
	}
	s.owed = 0
	s.leave()
	s.join()
	s.settle()
	return s.dropLists(w)
}

// release finds the children of entities that are no parents any more, and removes the lists of
// these. A child that has another parent meanwhile keeps that.
func (s *Parents) release(w *ecs.World) error {
	if s.former.EmptyUnfiltered() {
		return nil
	}
	if err := s.parentOf.Refresh(); err != nil {
		return err
	}
	for c := range s.former.Chunks() {
		lists := ecs.Column[Children](c)
		for i, e := range c.Entities() {
			s.parents = append(s.parents, e)
			for _, child := range lists.At(i).Slice() {
				if p, ok := s.parentOf.Get(child.Entity); ok && p.Entity == e {
					s.lose(child.Entity, e)
				}
			}
		}
	}
	return ecs.RemoveTypes(w, ecs.Entities(s.parents), ecs.With[Children]())
}

// dismiss finds the children that have no Parent any more. It also removes the PreviousParent of
// destroyed ones.
func (s *Parents) dismiss(w *ecs.World) error {
	if s.leaving.EmptyUnfiltered() {
		return nil
	}
	before, left := len(s.leaves), len(s.left)
	for c := range s.leaving.Chunks() {
		was := *ecs.Column[PreviousParent](c)
		for i, e := range c.Entities() {
			s.leaves = append(s.leaves, link{was[i], e})
		}
		s.left = append(s.left, c.Entities()...)
	}
	if err := ecs.RemoveTypes(w, ecs.Matching(s.leaving), ecs.With[PreviousParent]()); err != nil {
		s.leaves = s.leaves[:before] // they are found again
		return err
	}
	s.owed = len(s.leaves)
	s.noteLeft(left)
	return nil
}

// lose notes a child that becomes a root, and the parent whose list it is in.
func (s *Parents) lose(child, was ecs.Entity) {
	s.orphans = append(s.orphans, child)
	if was != (ecs.Entity{}) {
		s.left = append(s.left, child)
	}
}

// noteLeft notes the children, from index from of the list on, that stay at their places without
// their parent. The jobs that forget are done, because a structural change has waited for them.
func (s *Parents) noteLeft(from int) {
	s.narrow.note(s.left[from:])
	s.wide.note(s.left[from:])
	s.left = s.left[:from]
}

// admit finds the children with a new parent.
//
// Invariant: a child is in leaves if it is in the list of its former parent, and in one of joins
// and orphans if it has another parent now. Therefore it leaves at most one list and joins at most
// one.
func (s *Parents) admit(w *ecs.World) error {
	for _, q := range [...]*ecs.Query{s.fresh, s.local} {
		if q.EmptyUnfiltered() {
			continue
		}
		if err := ecs.AddTypes(w, ecs.Matching(q), ecs.With[PreviousParent]()); err != nil {
			return err
		}
	}
	for c := range s.changed.Chunks() {
		is, was := *ecs.Column[Parent](c), *ecs.ReadColumn[PreviousParent](c)
		children, fits := c.Entities(), fittingFor(c)
		for i, p := range is {
			if p == was[i] && p != (ecs.Entity{}) && (!s.again || ecs.Has[Children](w, p)) {
				continue
			}
			s.adopt(w, fits, children[i], was[i], p)
		}
	}
	return nil
}

// adopt notes that a child changes from its former parent, if it had one, to another, if that can
// be a parent.
func (s *Parents) adopt(w *ecs.World, fits fitting, child, was, parent ecs.Entity) {
	if was != (ecs.Entity{}) {
		s.leaves = append(s.leaves, link{was, child})
	}
	if fits.parent(w, parent) {
		s.joins = append(s.joins, link{parent, child})
		return
	}
	s.lose(child, was)
	if w.Exists(parent) {
		s.unplaced.now = append(s.unplaced.now, link{parent, child})
	}
}

// fitting says whether an entity can be the parent of the entities of a chunk: it needs
// LocalToWorld of a width that they have, or of any width if they have none.
type fitting struct{ narrow, wide bool }

func fittingFor(c *ecs.Chunk) fitting {
	f := fitting{ecs.HasColumn[LocalToWorld](c), ecs.HasColumn[LocalToWorld64](c)}
	if f == (fitting{}) {
		return fitting{true, true}
	}
	return f
}

func (f fitting) parent(w *ecs.World, p ecs.Entity) bool {
	return f.narrow && ecs.Has[LocalToWorld](w, p) || f.wide && ecs.Has[LocalToWorld64](w, p)
}

// makeRoots removes from orphans the components of children.
func (s *Parents) makeRoots(w *ecs.World) error {
	if len(s.orphans) == 0 {
		return nil
	}
	if err := ecs.RemoveTypes(w, ecs.Entities(s.orphans), ecs.With[Parent](), ecs.With[PreviousParent](), ecs.With[LocalToParent](), ecs.With[LocalToParent64]()); err != nil {
		return err
	}
	s.noteLeft(0)
	return nil
}

// makeLists gives a list to the entities that become parents.
func (s *Parents) makeLists(w *ecs.World) error {
	s.parents = s.parents[:0]
	for family := range families(s.joins) {
		if p := family[0].parent; !ecs.Has[Children](w, p) {
			s.parents = append(s.parents, p)
		}
	}
	return ecs.AddTypes(w, ecs.Entities(s.parents), ecs.With[Children]())
}

// leave removes children from lists. The lists of destroyed parents are gone already.
func (s *Parents) leave() {
	slices.SortFunc(s.leaves, compareLinks)
	s.parents = s.parents[:0]
	for family := range families(s.leaves) {
		p := family[0].parent
		list, ok := s.lists.Get(p)
		if !ok {
			continue
		}
		s.marked.mark(family)
		kept := list.Slice()[:0]
		for _, c := range list.Slice() {
			if !s.marked.has(c.Entity) {
				kept = append(kept, c)
			}
		}
		list.Resize(len(kept))
		if len(kept) == 0 {
			s.parents = append(s.parents, p)
		}
	}
}

// join appends children to their parents' lists.
func (s *Parents) join() {
	for family := range families(s.joins) {
		list, _ := s.lists.Get(family[0].parent)
		n := list.Len()
		list.Resize(n + len(family))
		for i, l := range family {
			list.Slice()[n+i].Entity = l.child
		}
	}
}

// fewJoins is the largest number of children that are looked up one by one. For more it is faster
// to go through all chunks.
const fewJoins = 256

// settle sets PreviousParent of the children that were moved.
func (s *Parents) settle() {
	if len(s.joins) <= fewJoins {
		for _, l := range s.joins {
			if was, _ := s.listedBy.Get(l.child); was.Entity != l.parent {
				s.listedBy.Set(l.child, PreviousParent{Entity: l.parent})
			}
		}
		return
	}
	for c := range s.changed.Chunks() {
		is, was := *ecs.Column[Parent](c), *ecs.ReadColumn[PreviousParent](c)
		if !slices.Equal(is, was) {
			copy(*ecs.Column[PreviousParent](c), is)
		}
	}
}

// dropLists removes the lists that leave has emptied and join has not filled again.
func (s *Parents) dropLists(w *ecs.World) error {
	s.parents = slices.DeleteFunc(s.parents, func(p ecs.Entity) bool {
		list, _ := s.lists.Get(p)
		return list.Len() > 0
	})
	return ecs.RemoveTypes(w, ecs.Entities(s.parents), ecs.With[Children]())
}

// marks is a set of entities.
type marks struct {
	rounds []uint32 // by entity index: the round of its last mark
	round  uint32
}

// mark marks the children of a parent, and unmarks all others.
func (m *marks) mark(family []link) {
	m.round++
	for _, l := range family {
		if i := int(l.child.Index); i >= len(m.rounds) {
			m.rounds = append(m.rounds, make([]uint32, i+1-len(m.rounds))...)
		}
		m.rounds[l.child.Index] = m.round
	}
}

// has reports whether the last mark marked e.
func (m *marks) has(e ecs.Entity) bool {
	return int(e.Index) < len(m.rounds) && m.rounds[e.Index] == m.round
}

// families divides links, sorted by parent, into lists with one parent each.
func families(links []link) iter.Seq[[]link] {
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

// compareLinks orders links by parent, and links of one parent by child.
func compareLinks(a, b link) int {
	return cmp.Or(a.parent.Compare(b.parent), a.child.Compare(b.child))
}

// stayingRoots holds the roots that have lost their parent and stay at their places in the world
// until their LocalTransform is written. [Parents] adds them, and [LocalTransformToWorldOf] of one
// width removes them.
type stayingRoots struct {
	roots    *ecs.Query // all roots whose matrices that system computes
	versions []int32    // by entity index: the version of a staying root, or 0
	list     []ecs.Entity
	count    uint32 // number of roots that had come or gone at the last sweep
	divided  bool   // at the last sweep some of them were in archetypes with rows that can be claimed
}

// stayingKey is the key under which a world keeps its staying roots of one width.
type stayingKey[T kernels.Float] struct{}

// stayingRootsOf returns the staying roots of one width; a world has one list for each.
func stayingRootsOf[T kernels.Float](w *ecs.World) *stayingRoots {
	if s, ok := w.Hooks().Attached(stayingKey[T]{}).(*stayingRoots); ok {
		return s
	}
	s := &stayingRoots{roots: w.Query(append(localRoots[T](), ecs.IncludeHidden())...)}
	w.Hooks().Attach(stayingKey[T]{}, s)
	return s
}

// note adds those of the entities that are roots of this width. It sweeps first, because nothing
// else sweeps while the system that removes them is off.
func (s *stayingRoots) note(entities []ecs.Entity) {
	s.sweep()
	for _, e := range entities {
		if s.has(e) || !s.roots.MatchesUnfiltered(e) {
			continue // its matrix does not come from a parent
		}
		s.add(e)
	}
}

// sweep removes the entities that are no such roots any more, because another system computes their
// matrices. It must not be called while jobs remove entities.
func (s *stayingRoots) sweep() {
	if len(s.list) == 0 || s.count == s.roots.OrderCount() && !s.divided {
		return
	}
	s.count, s.divided = s.roots.OrderCount(), false
	s.list = slices.DeleteFunc(s.list, func(e ecs.Entity) bool {
		if !s.has(e) {
			return true
		}
		s.divided = s.divided || s.roots.FiltersRows(s.roots.World().ArchetypeOf(e))
		if s.roots.Matches(e) {
			return false
		}
		s.versions[e.Index] = 0
		return true
	})
}

// forget removes entities. Jobs may call it concurrently for different ones.
func (s *stayingRoots) forget(entities []ecs.Entity) {
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

// now returns the staying roots.
func (s *stayingRoots) now() []ecs.Entity {
	return slices.DeleteFunc(slices.Clone(s.list), func(e ecs.Entity) bool { return !s.has(e) })
}

// restore sets the staying roots to those of an image.
func (s *stayingRoots) restore(list []ecs.Entity) {
	for _, e := range s.list {
		s.versions[e.Index] = 0
	}
	s.list, s.count, s.divided = s.list[:0], 0, true
	for _, e := range list {
		s.add(e)
	}
}

// add adds one entity.
func (s *stayingRoots) add(e ecs.Entity) {
	if n := int(e.Index) + 1 - len(s.versions); n > 0 {
		s.versions = append(s.versions, make([]int32, n)...)
	}
	s.versions[e.Index] = e.Version
	s.list = append(s.list, e)
}
