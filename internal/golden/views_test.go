package golden

import (
	"image/color"
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// viewsRow draws a randomly changing world with cameras of all kinds, and hashes the entities
// that each camera sees, in order.
func viewsRow(t *testing.T, pool *jobs.Pool) uint64 {
	d, s := draw(6), newSum()
	w, err := system.NewWorld("golden", system.Only(), system.WithPlugins(transform.Systems()), system.OnPool(pool))
	ok(t, err)
	defer func() { ok(t, w.Close()) }()
	a := render.NewAssets()
	ok(t, render.Install(w, render.Options{Assets: a, Width: 300, Height: 200}))
	shapes := []render.ShapeID{
		a.Shape(render.Shape{Name: "box", Kind: render.Lines, Positions: [][3]float32{{-1, -1, -1}, {1, 2, 0.3}}}),
		a.Shape(render.Shape{Name: "sprite", Kind: render.Sprite, Width: 3}),
	}
	materials := []render.MaterialID{
		a.Material(render.Material{Name: "solid"}),
		a.Material(render.Material{Name: "glass", Blend: render.Over}),
		a.Material(render.Material{Name: "light", Blend: render.Add}),
	}
	place := func() transform.LocalTransform {
		l := transform.At(30*number[float32](&d), 30*number[float32](&d), 30*number[float32](&d))
		l.Scale = 1 + number[float32](&d)/4
		return l
	}
	var things []ecs.Entity
	for range 500 {
		values := []any{render.Look{Shape: shapes[d.intBelow(2)], Material: materials[d.intBelow(3)], Layer: int32(d.intBelow(2))}, place(), transform.LocalToWorld{}}
		if d.intBelow(3) == 0 {
			values = append(values, render.Tint{Color: color.NRGBA{R: uint8(d.intBelow(256))}})
		}
		if d.intBelow(4) == 0 {
			values = append(values, render.Hidden{})
		}
		things = append(things, w.Spawn(values...))
	}
	for k := range 4 {
		c := render.Camera{Height: 20, Order: int32(k), Sort: render.Sort(k % 3)}
		if k&1 != 0 {
			c.FOV, c.Far = 0.7, 80
		}
		w.Spawn(c, place(), transform.LocalToWorld{})
	}
	for range 4 {
		ok(t, system.Update(w))
		s.add(w.Hash())
		for _, v := range render.ViewsOf(w) {
			s.add(uint64(v.Seen)<<32 | uint64(v.Culled))
			for _, x := range v.Matrix {
				s.add(uint64(math.Float32bits(x)))
			}
			matrices, tints := make([][16]float32, v.Seen), make([]color.NRGBA, v.Seen)
			ok(t, v.Gather(matrices, tints, nil))
			for i := range matrices {
				for _, x := range matrices[i] {
					s.add(uint64(math.Float32bits(x)))
				}
				s.add(uint64(tints[i].R))
			}
			for i := range v.Batches {
				s.add(uint64(v.Batches[i].Look.Shape) ^ uint64(v.Batches[i].Look.Material))
			}
		}
		for range 40 {
			ok(t, ecs.Set(w, things[d.intBelow(len(things))], place()))
		}
	}
	return s.Sum64()
}
