package render

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"github.com/lanewise/lanewise/ecs"
)

// Look identifies the shape, the material and the layer with which an entity is drawn. A Look is
// plain data: the ids are hashes of names. Therefore a Look that one program has saved has the same
// meaning in another program. The order in which the programs register their [Assets] does not
// matter. Entities with an equal Look share chunks and are drawn in one batch.
//
// An entity needs LocalToWorld to be drawn. If the shape or the material is not registered, the
// entity is not drawn. The frame then returns an error that names the entity, once for each Look.
type Look struct {
	ecs.Shared
	Shape    ShapeID
	Material MaterialID
	Layer    int32 // from 0 to 31; layers are drawn in this order, and a camera draws the layers in its Layers
}

// ShapeID is the id of a shape; 0 means no shape.
type ShapeID uint64

// MaterialID is the id of a material; 0 means no material.
type MaterialID uint64

// ShapeNamed returns the id of the shape with the given name, which is the same in every program.
// The id for the empty name is 0.
func ShapeNamed(name string) ShapeID { return ShapeID(idOf(name)) }

// MaterialNamed returns the id of the material with the given name, which is the same in every
// program. The id for the empty name is 0.
func MaterialNamed(name string) MaterialID { return MaterialID(idOf(name)) }

// String returns the id in hexadecimal.
func (id ShapeID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// String returns the id in hexadecimal.
func (id MaterialID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// idOf returns the FNV-1a hash of a name (RFC 9923, 64 bits). It never returns 0, because 0 means
// no id. Files contain these numbers, so the function must not change.
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

// Tint is a color that multiplies the material's color. An entity with the zero Tint is black. If
// the material's Blend uses A, the entity is invisible.
type Tint struct{ Color color.NRGBA }

// Column returns the lanes of a column of tints.
func (Tint) Column() (c struct{ Color []color.NRGBA }) { return }

// white is the color of entities without a Tint.
var white = color.NRGBA{255, 255, 255, 255}

// Hidden hides its entity while the component is enabled. ecs.SetEnabled enables and disables it
// without a structural change. A new Hidden is enabled.
type Hidden struct{ ecs.Enableable }

// looks contains the Looks of all chunks, each with its shape and material.
type looks struct {
	all           []look
	indexByLook   map[Look]int32
	drawOrder     []int32 // indices of looks: by layer, then opaque looks first, then by material and shape
	assetsVersion uint64  // version of the assets in which the shapes and materials were looked up
	usedCount     int     // number of looks that had chunks at the last sort
}

// look is a Look with its shape and material.
type look struct {
	Look
	shape       *Shape // nil if the shape or the material is not registered
	material    *Material
	notOpaque   bool    // drawn after the opaque looks
	hasLabels   bool    // some rows are labels
	slotIndices []int32 // indices of its slots, in order
}

// sortSlots finds the look of each slot and sorts the slots by the batches that they belong to. The
// order depends only on the contents of the slots, and not on earlier frames. Therefore a restored
// world produces the same batches.
func (l *looks) sortSlots(t *slots) {
	if l.indexByLook == nil {
		l.indexByLook = map[Look]int32{}
	}
	if len(l.all) > 2*l.usedCount+64 { // most looks are no longer used
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

// resolve looks up shapes and materials and sorts the looks, if a look is new or the assets have
// changed. The result says whether it has sorted them.
func (l *looks) resolve(a *Assets) bool {
	version := a.version.Load() + 1 // version 0 marks looks that have not been sorted
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

// reportLook returns an error for a look that cannot be drawn, or nil if the look was reported
// before.
func (s *scene) reportLook(l Look, e ecs.Entity) error {
	if s.unregisteredLooks[l] {
		return nil
	}
	s.unregisteredLooks[l] = true
	what := fmt.Sprintf("layer %d: layers go from 0 to %d", l.Layer, layerCount-1)
	if lacking := s.unregisteredText(l); lacking != "" {
		what = fmt.Sprintf("shape %v and material %v, of which %s not registered: register what it names in the Assets of world %q", l.Shape, l.Material, lacking, s.world.Name())
	}
	return fmt.Errorf("render: entity %v, and all that look like it, are not drawn: the Look has %s: %w", e, what, ecs.ErrState)
}

// unregisteredText returns a text with the id that is not registered, or "" if both ids are.
func (s *scene) unregisteredText(l Look) string {
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
