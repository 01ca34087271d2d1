package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// sort finds the looks of the slots and puts the slots into the order of their batches.
// It depends on what the slots hold, never on what was there before.
func (l *looks) sort(t *slots) {
	if l.index == nil {
		l.index = map[Look]int32{}
	}
	if len(l.list) > 2*l.used+64 { // most are of the past
		l.list, l.version = nil, 0
		clear(l.index)
	}
	for i := range l.list {
		l.list[i].chunks, l.list[i].written = l.list[i].chunks[:0], false
	}
	l.used = 0
	last := int32(-1)
	for i := range t.list {
		value := t.lanes[i].look
		if last < 0 || l.list[last].Look != value {
			k, ok := l.index[value]
			if !ok {
				k = int32(len(l.list))
				l.list = append(l.list, look{Look: value})
				l.index[value] = k
				l.version = 0
			}
			last = k
		}
		t.list[i].look = last
		if len(l.list[last].chunks) == 0 {
			l.used++
		}
		l.list[last].chunks = append(l.list[last].chunks, int32(i))
		l.list[last].written = l.list[last].written || t.list[i].label
	}
}

// resolve finds what the looks draw with and ranks them, if there are others than there
// were, or other assets. It reports whether it did.
func (l *looks) resolve(a *Assets) bool {
	version := a.version.Load() + 1 // 0 is that of looks that are not ranked
	if version == l.version {
		return false
	}
	l.version = version
	l.ranked = l.ranked[:0]
	for i := range l.list {
		k := &l.list[i]
		k.shape, k.material = a.FindShape(k.Shape), a.FindMaterial(k.Material)
		if k.shape == nil || k.material == nil {
			k.shape, k.material = nil, nil
		}
		k.sorted = k.material != nil && k.material.Blend != Opaque
		l.ranked = append(l.ranked, int32(i))
	}
	slices.SortFunc(l.ranked, func(i, j int32) int {
		a, b := &l.list[i], &l.list[j]
		order := cmp.Compare(a.Layer, b.Layer)
		if order == 0 && a.sorted != b.sorted {
			if order = -1; a.sorted {
				order = 1
			}
		}
		return cmp.Or(order, cmp.Compare(a.Material, b.Material), cmp.Compare(a.Shape, b.Shape))
	})
	return true
}

// complain returns an error for a look that cannot be drawn, and for the second time
// nil.
func (s *scene) complain(l Look, e ecs.Entity) error {
	if s.unseen[l] {
		return nil
	}
	s.unseen[l] = true
	what := fmt.Sprintf("layer %d: layers go from 0 to %d", l.Layer, layers-1)
	if lacking := s.lacking(l); lacking != "" {
		what = fmt.Sprintf("shape %v and material %v, of which %s not registered: register what it names in the Assets of world %q", l.Shape, l.Material, lacking, s.world.Name())
	}
	return fmt.Errorf("render: entity %v, and all that look like it, are not drawn: the Look has %s: %w", e, what, ecs.ErrState)
}

// lacking says which of a look's two ids nothing is registered under, or "".
func (s *scene) lacking(l Look) string {
	shape, material := s.assets.FindShape(l.Shape) == nil, s.assets.FindMaterial(l.Material) == nil
	switch {
	case shape && material:
		return "both are"
	case shape:
		return "the shape is"
	case material:
		return "the material is"
	}
	return ""
}
