// Package screen draws what cameras see with Ebitengine: it is a render.Renderer whose
// targets are images of the graphics card.
//
//	r := screen.New()
//	err := render.Install(w, render.Options{Renderer: r, Assets: assets})
//	r.SetTarget(0, picture) // an *ebiten.Image, of any size, another one whenever you like
//
// Sprites of a camera without FOV go the short way: eight numbers a sprite from its
// matrix, written by all workers, and one call of DrawTriangles for 16,000 of them.
// Everything else becomes triangles one entity after the other. Ebitengine has no depth
// buffer: what is drawn later covers what was drawn before, in the order of the batches.
// A Renderer belongs to the goroutine that updates its world.
package screen

import (
	"image"
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/lanewise/lanewise/ecs/render"
)

// Renderer draws the views of a world.
type Renderer struct {
	Calls int // of DrawTriangles, in the last frame

	targets map[int32]*ebiten.Image
	parts   map[image.Rectangle]*ebiten.Image // of cameras, in the target that they are for
	of      *ebiten.Image                     // that target
	images  map[*render.Material]*ebiten.Image
	meshes  map[*render.Shape]*mesh
	sprites map[key]*sprites
	white   *ebiten.Image
	options ebiten.DrawTrianglesOptions

	list   []ebiten.Vertex // of what is no sprite
	corner []uint16
}

// key tells buffers of sprites apart: what is in them besides places depends on it.
type key struct {
	shape    *render.Shape
	material *render.Material
}

// New returns a Renderer without a target. It draws nothing until it has one.
func New() *Renderer {
	white := ebiten.NewImage(3, 3) // a border around the pixel that is used: its neighbours are white too
	white.Fill(color.White)
	return &Renderer{
		targets: map[int32]*ebiten.Image{}, parts: map[image.Rectangle]*ebiten.Image{},
		images: map[*render.Material]*ebiten.Image{}, meshes: map[*render.Shape]*mesh{}, sprites: map[key]*sprites{},
		white: white.SubImage(image.Rect(1, 1, 2, 2)).(*ebiten.Image),
	}
}

// SetTarget says which image the cameras of a target draw on; nil takes it away.
func (r *Renderer) SetTarget(target int32, picture *ebiten.Image) {
	r.targets[target] = picture
	clear(r.parts)
	r.of = nil
}

// Size is the size of a target in pixels, 0 and 0 if there is none.
func (r *Renderer) Size(target int32) (width, height int) {
	if t := r.targets[target]; t != nil {
		width, height = t.Bounds().Dx(), t.Bounds().Dy()
	}
	return width, height
}

// Begin begins a frame.
func (r *Renderer) Begin(*render.Frame) error {
	r.Calls = 0
	return nil
}

// End ends it. Ebitengine draws later, when the window needs it.
func (r *Renderer) End() error { return nil }

// Draw draws what one camera sees.
func (r *Renderer) Draw(v *render.View) error {
	dst := r.part(v)
	if c := v.Camera.Background; c.A != 0 {
		dst.Fill(c)
	}
	p := project(v, dst.Bounds().Min)
	for i := range v.Batches {
		b := &v.Batches[i]
		r.options.Blend = blends[b.Material.Blend]
		if b.Shape.Kind == render.Sprite && p.flat {
			if err := r.drawSprites(dst, v, b, &p); err != nil {
				return err
			}
			continue
		}
		r.drawMesh(dst, v, b, &p)
	}
	return nil
}

// part is a camera's part of its target: what is drawn on it stays inside of it.
func (r *Renderer) part(v *render.View) *ebiten.Image {
	target := r.targets[v.Camera.Target]
	if v.Viewport == target.Bounds() {
		return target
	}
	if r.of != target {
		clear(r.parts)
		r.of = target
	}
	p := r.parts[v.Viewport]
	if p == nil {
		p = target.SubImage(v.Viewport.Add(target.Bounds().Min)).(*ebiten.Image)
		r.parts[v.Viewport] = p
	}
	return p
}

// image returns what a material shows, as the graphics card has it.
func (r *Renderer) image(m *render.Material) *ebiten.Image {
	if m.Image == nil {
		return r.white
	}
	e := r.images[m]
	if e == nil {
		e = ebiten.NewImageFromImage(m.Image)
		r.images[m] = e
	}
	return e
}

// flush draws triangles.
func (r *Renderer) flush(dst *ebiten.Image, vertices []ebiten.Vertex, corners []uint16, source *ebiten.Image) {
	if len(corners) == 0 {
		return
	}
	r.Calls++
	dst.DrawTriangles(vertices, corners, source, &r.options)
}

// blends are Ebitengine's words for the ways to blend, whose colours are multiplied with
// their alpha. What is opaque leaves the target's alpha alone.
var blends = [...]ebiten.Blend{
	render.Opaque: {
		BlendFactorSourceRGB: ebiten.BlendFactorOne, BlendFactorDestinationRGB: ebiten.BlendFactorZero,
		BlendFactorSourceAlpha: ebiten.BlendFactorZero, BlendFactorDestinationAlpha: ebiten.BlendFactorOne,
		BlendOperationRGB: ebiten.BlendOperationAdd, BlendOperationAlpha: ebiten.BlendOperationAdd,
	},
	render.Over: ebiten.BlendSourceOver,
	render.Add:  ebiten.BlendLighter,
}
