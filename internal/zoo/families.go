package zoo

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Plant copies trees that are linked groups, sometimes by the job of a transaction. It copies leaves without their
// parent, which then has two more children. It destroys copies if there are many.
type Plant struct {
	_ system.Before[transform.Group]
	reader
	roots, leaves *ecs.Query
}

// Create makes the queries.
func (s *Plant) Create(u *system.Setup) error {
	s.roots = u.Query(ecs.With[Sway](), ecs.With[ecs.LinkedGroup](), ecs.Without[transform.Parent]())
	s.leaves = u.Query(ecs.With[Joint](), ecs.With[transform.Parent]())
	return nil
}

// Update copies or destroys.
func (s *Plant) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	w, leaves := f.World(), s.leaves.AppendEntities(nil)
	roots := slices.DeleteFunc(s.roots.AppendEntities(nil), func(e ecs.Entity) bool { return !whole(w, e) })
	switch {
	case len(roots) == 0 || len(leaves) == 0:
		return nil
	case s.Tick%4 == 1 && len(roots) < 2+len(leaves)/8:
		_, err := w.Instantiate(roots[0], 1)
		return err
	case s.Tick%4 == 3 && len(roots) < 4+len(leaves)/8:
		return plantLater(w, roots[int(s.Tick)%len(roots)])
	case s.Tick%8 == 2 && len(leaves) < 500:
		_, err := w.InstantiateAll(leaves[len(leaves)-1:])
		return err
	case s.Tick%8 == 5 && len(roots) > 2:
		return w.Destroy(roots[len(roots)-1])
	}
	return nil
}

// whole reports whether all entities of a linked group exist.
func whole(w *ecs.World, root ecs.Entity) bool {
	group, err := ecs.Get[ecs.LinkedGroup](w, root)
	return err == nil && !slices.ContainsFunc(group.Slice(), func(l ecs.Linked) bool { return !w.Exists(l.Entity) })
}

// plantLater copies a tree in a transaction.
func plantLater(w *ecs.World, root ecs.Entity) error {
	t, err := ecs.BeginTransaction(w)
	if err != nil {
		return err
	}
	t.Schedule(ecs.TransactionFunc(func(w *ecs.World) error {
		_, err := w.Instantiate(root, 1)
		return err
	}))
	return t.End()
}

// Clan is a singleton with the number of lists of children, and the number of children in them.
type Clan struct{ Lists, Children uint32 }

// Gather checks that each child is in the list of exactly one parent, and counts.
type Gather struct {
	_                   system.After[transform.Group]
	parents, kids, clan *ecs.Query
	listOwner           *ecs.Lookup[transform.PreviousParent]
}

// Create makes the queries.
func (s *Gather) Create(u *system.Setup) error {
	s.parents = u.Query(ecs.Read[transform.Children](), ecs.Anywhere(ecs.Read[transform.PreviousParent]()), ecs.IncludeHidden())
	s.kids = u.Query(ecs.With[transform.PreviousParent](), ecs.IncludeHidden())
	s.clan = u.Query(ecs.Write[Clan]())
	s.listOwner = ecs.NewLookup[transform.PreviousParent](s.parents)
	u.Require(s.clan)
	return nil
}

// Update checks and counts.
func (s *Gather) Update(*system.Frame) error {
	v, seen := Clan{}, map[ecs.Entity]bool{}
	for c := range s.parents.Chunks() {
		lists := ecs.ReadColumn[transform.Children](c)
		for i, e := range c.Entities() {
			v.Lists++
			for _, child := range lists.At(i).Slice() {
				if of, _ := s.listOwner.Get(child.Entity); of.Entity != e || seen[child.Entity] {
					return fmt.Errorf("zoo: Gather: entity %v is in the list of %v, in another list: %v, and its PreviousParent is %v", child.Entity, e, seen[child.Entity], of.Entity)
				}
				seen[child.Entity] = true
			}
		}
	}
	if v.Children = uint32(len(seen)); s.kids.Count() != len(seen) {
		return fmt.Errorf("zoo: Gather: %d entities have a PreviousParent, and %d are in the list of one", s.kids.Count(), len(seen))
	}
	return ecs.SetSingleton(s.clan, v)
}
