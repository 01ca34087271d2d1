package main

import (
	"image"
	"image/color"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/examples/cloth/model"
	"github.com/lanewise/lanewise/kernels"
)

type vec [3]float32

func (a vec) sub(b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func (a vec) cross(b vec) vec {
	return vec{
		float32(a[1]*b[2]) - float32(a[2]*b[1]),
		float32(a[2]*b[0]) - float32(a[0]*b[2]),
		float32(a[0]*b[1]) - float32(a[1]*b[0]),
	}
}

// litColor returns how a colour looks on a surface with the normal n. The light comes from above, from
// the left and from the front.
func litColor(c color.NRGBA, n vec) color.NRGBA {
	long := float32(math.Sqrt(float64((float32(n[0]*n[0]) + float32(n[1]*n[1])) + float32(n[2]*n[2]))))
	light := float32(1)
	if long > 0 {
		light = 0.55 + float32(0.45*((float32(-0.5*n[0])+float32(0.75*n[1]))+float32(0.43*n[2]))/long)
	}
	part := func(x uint8) uint8 { return uint8(max(0, min(255, float32(float32(x)*light)))) }
	return color.NRGBA{part(c.R), part(c.G), part(c.B), 255}
}

// picture draws the sheet and the ball from the front and slightly from above.
func picture(w *ecs.World, s *model.Sheet, width, height int) (*image.RGBA, error) {
	assets, target := render.NewAssets(), image.NewRGBA(image.Rect(0, 0, width, height))
	r := &render.Software{Image: target, Background: color.NRGBA{236, 234, 228, 255}}
	if err := render.Install(w, render.Options{Renderer: r, Assets: assets}); err != nil {
		return nil, err
	}
	plain := assets.Material(render.Material{Name: "plain"})
	for _, shape := range []render.Shape{sheetShape(s), ball(48)} {
		w.Spawn(render.Look{Shape: assets.Shape(shape), Material: plain}, transform.LocalToWorld{}, transform.Translation{})
	}
	const tilt = -0.5
	back := transform.Rotation{X: kernels.SinOf[float32](tilt / 2), W: kernels.CosOf[float32](tilt / 2)}
	w.Spawn(render.Camera{FOV: 0.55}, transform.Translation{Y: 1.3, Z: 2.9}, back, transform.LocalToWorld{})
	return target, system.Update(w)
}

// sheetShape returns the sheet as triangles in a chequered pattern. Both sides are lit equally.
func sheetShape(s *model.Sheet) render.Shape {
	n := s.Side
	p := make([][3]float32, 0, n*n)
	for c := range s.Knots.Chunks() {
		pos, n := ecs.ReadColumn[transform.Translation](c), c.Len()
		x, y, z := pos.X[:n], pos.Y[:n], pos.Z[:n]
		for i := range n {
			p = append(p, [3]float32{x[i], y[i], z[i]})
		}
	}
	shape := render.Shape{Name: "sheet", Positions: p, Colors: make([]color.NRGBA, n*n)}
	for k := range p {
		x, y := k%n, k/n
		across := vec(p[y*n+min(x+1, n-1)]).sub(vec(p[y*n+max(x-1, 0)]))
		along := vec(p[min(y+1, n-1)*n+x]).sub(vec(p[max(y-1, 0)*n+x]))
		c := color.NRGBA{196, 52, 56, 255}
		if (x*10/n+y*10/n)%2 == 0 {
			c = color.NRGBA{240, 222, 190, 255}
		}
		shape.Colors[k] = litColor(c, along.cross(across))
	}
	for y := range n - 1 {
		for x := range n - 1 {
			a := uint32(y*n + x)
			b, c, d := a+1, a+uint32(n), a+uint32(n)+1
			shape.Indices = append(shape.Indices, a, c, b, b, c, d)
		}
	}
	return shape
}

// ball returns the ball as triangles. The ball is slightly smaller than in the simulation, so that it
// does not hide the sheet that lies on it.
func ball(rings int) render.Shape {
	shape := render.Shape{Name: "ball"}
	for y := range rings + 1 {
		for x := range 2*rings + 1 {
			up, round := math.Pi*float32(y)/float32(rings), math.Pi*float32(x)/float32(rings)
			out := kernels.SinOf(up)
			n := vec{out * kernels.CosOf(round), kernels.CosOf(up), out * kernels.SinOf(round)}
			const size = 0.98 * model.Radius
			shape.Positions = append(shape.Positions, [3]float32{size * n[0], size * n[1], size * n[2]})
			shape.Colors = append(shape.Colors, litColor(color.NRGBA{90, 110, 140, 255}, n))
		}
	}
	row := uint32(2*rings + 1)
	for y := range uint32(rings) {
		for x := range row - 1 {
			a := y*row + x
			shape.Indices = append(shape.Indices, a, a+row, a+1, a+1, a+row, a+row+1)
		}
	}
	return shape
}
