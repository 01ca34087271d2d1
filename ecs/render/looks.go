package render

import (
	"cmp"
	"slices"
)

// looks are the Looks that chunks have had, each with what it draws with.
type looks struct {
	list    []look
	index   map[Look]int32
	ranked  []int32 // of the list: by layer, then opaque ones first, then by material and shape
	version uint64  // of the assets that they were found in
	used    int     // of the list, that had chunks at the last sort
}

// look is a Look and what its ids stand for.
type look struct {
	Look
	shape    *Shape // nil if one of the two is not registered
	material *Material
	sorted   bool    // drawn after what is opaque
	written  bool    // some are labels
	chunks   []int32 // slots, in order
}

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
