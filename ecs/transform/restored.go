package transform

import (
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// restores counts how often a world was put back where an image was taken. What a system remembers of rows
// is of a time that has not happened then, and filters do not tell: the rows have old versions.
type restores struct{ n uint32 }

// restoresKey is the key under which a world keeps the count.
type restoresKey struct{}

// restoresOf returns the count of a world.
func restoresOf(w *ecs.World) *restores {
	if r, ok := w.Plumbing().Attached(restoresKey{}).(*restores); ok {
		return r
	}
	r := &restores{}
	w.Plumbing().Attach(restoresKey{}, r)
	ecs.OnRestore(w, func(*ecs.Image) { r.n++ })
	return r
}

// keep keeps with an image who stays.
func (s *staying) keep(key any, m *ecs.Image) {
	kept := slices.DeleteFunc(slices.Clone(s.list), func(e ecs.Entity) bool { return !s.has(e) })
	if len(kept) > 0 {
		m.Keep(key, kept)
	}
}

// restore makes those stay who did when an image was taken.
func (s *staying) restore(key any, m *ecs.Image) {
	for _, e := range s.list {
		s.versions[e.Index] = 0
	}
	kept, _ := m.Kept(key).([]ecs.Entity)
	s.list, s.count, s.divided = s.list[:0], 0, true
	for _, e := range kept {
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
