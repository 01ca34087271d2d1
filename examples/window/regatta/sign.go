package main

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/regatta"
	"github.com/lanewise/lanewise/examples/window/letters"
)

// layer is the layer of the sign. Only the chase camera shows this layer.
const layer = 5

// sign shows the speed of the followed boat.
type sign struct{ id ecs.Entity }

// putUp puts a sign into the upper left corner of the chase camera's picture.
func putUp(r *regatta.Race) sign {
	look := render.Look{Shape: r.Assets.Shape(letters.Shape("letter", 1)), Material: r.Assets.Material(letters.Material("letters")), Layer: layer}
	const high = 14 // lines
	r.World.Spawn(render.Camera{Height: high, Layers: 1 << layer, Order: 9, X: 0.69, Y: 0.035, W: 0.29, H: 0.34},
		transform.LocalToWorld{M: transform.IdentityMatrix[float32]()})
	at := transform.IdentityMatrix[float32]()
	at[12], at[13] = -10.5, high/2-1
	return sign{r.World.Spawn(look, render.Label{}, transform.LocalToWorld{M: at})}
}

// write updates the text of the sign.
func (s sign) write(r *regatta.Race) error {
	h, err := ecs.Get[regatta.Helm](r.World, r.Boat)
	if err != nil {
		return err
	}
	label, err := render.LabelOf(fmt.Sprintf("boat %d: %.1f kn", r.Boat.Index, h.Speed*3600/1852), render.ASCII)
	if err != nil {
		return err
	}
	label.Anchor = 1
	return ecs.Set(r.World, s.id, label)
}
