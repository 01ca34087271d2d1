package render

import (
	"fmt"
	"image/color"

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
