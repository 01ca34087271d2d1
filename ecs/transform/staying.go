package transform

import (
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/kernels"
)

// staying is which roots have lost their parent, and stay where they were in the
// world until their LocalTransform is written. [Parents] notes them, the system
// that composes the matrices of one width forgets them.
type staying struct {
	roots    *ecs.Query // whose matrices that system makes
	versions []int32    // by entity index: the version of one that stays, or 0
	list     []ecs.Entity
	count    uint32 // of those that came to the roots, or went, at the last sweep
	divided  bool   // then: some of them are in archetypes where rows can be others'
}

// stayingKey is the key under which a world keeps those that stay in one width.
type stayingKey[T kernels.Float] struct{}

// stayingIn returns those that stay in one width, of which a world has one list.
func stayingIn[T kernels.Float](w *ecs.World) *staying {
	if s, ok := plumbing.Attached(w, stayingKey[T]{}).(*staying); ok {
		return s
	}
	s := &staying{roots: w.Query(append(localRoots[T](), ecs.IncludeHidden())...)}
	plumbing.Attach(w, stayingKey[T]{}, s)
	return s
}

// note notes those of the entities that are roots of this width. It sweeps before,
// as nothing else does while the system that forgets is off.
func (s *staying) note(entities []ecs.Entity) {
	s.sweep()
	for _, e := range entities {
		if s.has(e) || !s.roots.MatchesUnfiltered(e) {
			continue // the matrix it has is not one that a parent has left it
		}
		s.add(e)
	}
}

// sweep forgets what is no such root any more: others make its matrix, and
// leave another one. That is not called while jobs forget.
func (s *staying) sweep() {
	if len(s.list) == 0 || s.count == plumbing.OrderCount(s.roots) && !s.divided {
		return
	}
	s.count, s.divided = plumbing.OrderCount(s.roots), false
	s.list = slices.DeleteFunc(s.list, func(e ecs.Entity) bool {
		if !s.has(e) {
			return true
		}
		s.divided = s.divided || plumbing.TakesRows(s.roots, s.roots.World().ArchetypeOf(e))
		if s.roots.Matches(e) {
			return false
		}
		s.versions[e.Index] = 0
		return true
	})
}

// forget forgets entities. It may be called for different ones at a time.
func (s *staying) forget(entities []ecs.Entity) {
	if len(s.list) == 0 {
		return
	}
	for _, e := range entities {
		if int(e.Index) < len(s.versions) {
			s.versions[e.Index] = 0
		}
	}
}

// has reports whether e stays.
func (s *staying) has(e ecs.Entity) bool {
	return int(e.Index) < len(s.versions) && s.versions[e.Index] == e.Version
}

// now returns those that stay.
func (s *staying) now() []ecs.Entity {
	return slices.DeleteFunc(slices.Clone(s.list), func(e ecs.Entity) bool { return !s.has(e) })
}

// restore makes those stay that did when an image was taken.
func (s *staying) restore(list []ecs.Entity) {
	for _, e := range s.list {
		s.versions[e.Index] = 0
	}
	s.list, s.count, s.divided = s.list[:0], 0, true
	for _, e := range list {
		s.add(e)
	}
}

// add notes an entity.
func (s *staying) add(e ecs.Entity) {
	if n := int(e.Index) + 1 - len(s.versions); n > 0 {
		s.versions = append(s.versions, make([]int32, n)...)
	}
	s.versions[e.Index] = e.Version
	s.list = append(s.list, e)
}
