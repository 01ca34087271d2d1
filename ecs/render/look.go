package render

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Look says with what an entity is drawn: a shape, a material and a layer. It is plain
// data: ids are made from names, so that a Look that one program has saved means the
// same in another one, in whatever order that registers its [Assets]. Entities with an
// equal Look share chunks, and what they look like is one batch.
//
// An entity needs LocalToWorld to be drawn. If the shape or the material is not
// registered it is drawn as nothing, and that is reported once, with the entity.
type Look struct {
	ecs.Shared
	Shape    ShapeID
	Material MaterialID
	Layer    int32 // 0 to 31: layers are drawn in this order, each by the cameras whose Layers have it
}

// ShapeID is the id of the shape of a name; 0 is no shape.
type ShapeID uint64

// MaterialID is the id of the material of a name; 0 is no material.
type MaterialID uint64

// ShapeNamed returns the id of the shape of a name: the same in every program. The
// empty name has none, 0.
func ShapeNamed(name string) ShapeID { return ShapeID(idOf(name)) }

// MaterialNamed returns the id of the material of a name: the same in every program. The
// empty name has none, 0.
func MaterialNamed(name string) MaterialID { return MaterialID(idOf(name)) }

// String returns the id in hexadecimal.
func (id ShapeID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// String returns the id in hexadecimal.
func (id MaterialID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// idOf is the FNV-1a hash of a name (RFC 9923, 64 bits), except for 0, which is no id. It is
// kept in files: it must not change.
func idOf(name string) uint64 {
	if name == "" {
		return 0
	}
	h := uint64(0xcbf29ce484222325)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return max(h, 1)
}

// layers is how many layers there are.
const layers = 32

// Tint is a colour that the material's is multiplied with, for entities that have one.
// The zero Tint makes an entity black and, where the material's Blend heeds A, not to be
// seen.
type Tint struct{ Color color.NRGBA }

// Column shows a column of tints.
func (Tint) Column() (c struct{ Color []color.NRGBA }) { return }

// white is the colour of entities that have no Tint.
var white = color.NRGBA{255, 255, 255, 255}

// Hidden keeps an entity from being drawn while it is on, without a structural change:
// ecs.SetEnabled turns it on and off. It is on when an entity gets it.
type Hidden struct{ ecs.Enableable }

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

// sortSlots finds the looks of the slots and puts the slots into the order of their batches.
// It depends on what the slots hold, never on what was there before.
func (l *looks) sortSlots(t *slots) {
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

// reportLook returns an error for a look that cannot be drawn, and for the second time
// nil.
func (s *scene) reportLook(l Look, e ecs.Entity) error {
	if s.unseen[l] {
		return nil
	}
	s.unseen[l] = true
	what := fmt.Sprintf("layer %d: layers go from 0 to %d", l.Layer, layers-1)
	if lacking := s.unregistered(l); lacking != "" {
		what = fmt.Sprintf("shape %v and material %v, of which %s not registered: register what it names in the Assets of world %q", l.Shape, l.Material, lacking, s.world.Name())
	}
	return fmt.Errorf("render: entity %v, and all that look like it, are not drawn: the Look has %s: %w", e, what, ecs.ErrState)
}

// unregistered says which of a look's two ids nothing is registered under, or "".
func (s *scene) unregistered(l Look) string {
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
