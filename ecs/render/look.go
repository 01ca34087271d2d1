package render

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Look names the shape, the material and the layer that an entity is drawn with. It is plain data:
// an id is a hash of a name. Therefore a Look that one program has saved means the same in another
// program, in whatever order that one registers its [Assets]. Entities with an equal Look share
// chunks and are drawn in one batch.
//
// An entity needs LocalToWorld to be drawn. If the shape or the material is not registered, the
// entity is not drawn, and the frame returns an error that names the entity, once for each Look.
type Look struct {
	ecs.Shared
	Shape    ShapeID
	Material MaterialID
	Layer    int32 // from 0 to 31: layers are drawn in this order, each by the cameras whose Layers include it
}

// ShapeID is the id of a shape; 0 means no shape.
type ShapeID uint64

// MaterialID is the id of a material; 0 means no material.
type MaterialID uint64

// ShapeNamed returns the id of the shape with the given name, which is the same in every program.
// It is 0 for the empty name.
func ShapeNamed(name string) ShapeID { return ShapeID(idOf(name)) }

// MaterialNamed returns the id of the material with the given name, which is the same in every
// program. It is 0 for the empty name.
func MaterialNamed(name string) MaterialID { return MaterialID(idOf(name)) }

// String returns the id in hexadecimal.
func (id ShapeID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// String returns the id in hexadecimal.
func (id MaterialID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// idOf returns the FNV-1a hash of a name (RFC 9923, 64 bits), but never 0, which means no id. Files
// contain these numbers, so the function must not change.
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

// layerCount is the number of layers.
const layerCount = 32

// Tint is a color that the material's color is multiplied with. With the zero Tint an entity is
// black, or invisible if the material's Blend uses A.
type Tint struct{ Color color.NRGBA }

// Column shows a column of tints.
func (Tint) Column() (c struct{ Color []color.NRGBA }) { return }

// white is the color of entities without a Tint.
var white = color.NRGBA{255, 255, 255, 255}

// Hidden hides an entity while it is on. ecs.SetEnabled turns it on and off without a structural
// change. A new Hidden is on.
type Hidden struct{ ecs.Enableable }

// looks lists the Looks of chunks, each with its shape and material.
type looks struct {
	all           []look
	indexByLook   map[Look]int32
	drawOrder     []int32 // indices of list: by layer, then opaque ones first, then by material and shape
	assetsVersion uint64  // of the assets that the looks were resolved with
	usedCount     int     // number of looks in list that had chunks at the last sort
}

// look is a Look with its shape and material.
type look struct {
	Look
	shape       *Shape // nil if the shape or the material is not registered
	material    *Material
	notOpaque   bool    // drawn after the opaque ones
	hasLabels   bool    // some rows are labels
	slotIndices []int32 // slots, in order
}

// sortSlots finds the looks of the slots and puts the slots into the order of their batches. The
// order depends only on the contents of the slots and not on earlier frames, so that a restored
// world draws the same batches.
func (l *looks) sortSlots(t *slots) {
	if l.indexByLook == nil {
		l.indexByLook = map[Look]int32{}
	}
	if len(l.all) > 2*l.usedCount+64 { // most looks are not used any more
		l.all, l.assetsVersion = nil, 0
		clear(l.indexByLook)
	}
	for i := range l.all {
		l.all[i].slotIndices, l.all[i].hasLabels = l.all[i].slotIndices[:0], false
	}
	l.usedCount = 0
	last := int32(-1)
	for i := range t.list {
		value := t.lanes[i].look
		if last < 0 || l.all[last].Look != value {
			k, ok := l.indexByLook[value]
			if !ok {
				k = int32(len(l.all))
				l.all = append(l.all, look{Look: value})
				l.indexByLook[value] = k
				l.assetsVersion = 0
			}
			last = k
		}
		t.list[i].lookIndex = last
		if len(l.all[last].slotIndices) == 0 {
			l.usedCount++
		}
		l.all[last].slotIndices = append(l.all[last].slotIndices, int32(i))
		l.all[last].hasLabels = l.all[last].hasLabels || t.list[i].hasLabel
	}
}

// resolve looks up shapes and materials and ranks the looks, if a look is new or the assets have
// changed. It reports whether it did.
func (l *looks) resolve(a *Assets) bool {
	version := a.version.Load() + 1 // 0 is the version of looks that are not ranked
	if version == l.assetsVersion {
		return false
	}
	l.assetsVersion = version
	l.drawOrder = l.drawOrder[:0]
	for i := range l.all {
		k := &l.all[i]
		k.shape, k.material = a.FindShape(k.Shape), a.FindMaterial(k.Material)
		if k.shape == nil || k.material == nil {
			k.shape, k.material = nil, nil
		}
		k.notOpaque = k.material != nil && k.material.Blend != Opaque
		l.drawOrder = append(l.drawOrder, int32(i))
	}
	slices.SortFunc(l.drawOrder, func(i, j int32) int {
		a, b := &l.all[i], &l.all[j]
		order := cmp.Compare(a.Layer, b.Layer)
		if order == 0 && a.notOpaque != b.notOpaque {
			if order = -1; a.notOpaque {
				order = 1
			}
		}
		return cmp.Or(order, cmp.Compare(a.Material, b.Material), cmp.Compare(a.Shape, b.Shape))
	})
	return true
}

// reportLook returns an error for a look that cannot be drawn, and nil when it was reported before.
func (s *scene) reportLook(l Look, e ecs.Entity) error {
	if s.unregisteredLooks[l] {
		return nil
	}
	s.unregisteredLooks[l] = true
	what := fmt.Sprintf("layer %d: layers go from 0 to %d", l.Layer, layerCount-1)
	if lacking := s.unregistered(l); lacking != "" {
		what = fmt.Sprintf("shape %v and material %v, of which %s not registered: register what it names in the Assets of world %q", l.Shape, l.Material, lacking, s.world.Name())
	}
	return fmt.Errorf("render: entity %v, and all that look like it, are not drawn: the Look has %s: %w", e, what, ecs.ErrState)
}

// unregistered names the id of a look that is not registered, or returns "".
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
