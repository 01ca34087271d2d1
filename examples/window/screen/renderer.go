// Package screen draws the views of cameras with Ebitengine. It is a render.Renderer whose
// targets are images of the graphics card.
//
//	r := screen.New()
//	err := render.Install(w, render.Options{Renderer: r, Assets: assets})
//	r.SetTarget(0, picture) // an *ebiten.Image, of any size, another one whenever you like
//
// If a camera has no FOV, its sprites are drawn fast: all workers compute eight numbers
// per sprite from its matrix, and one call of DrawTriangles draws 16,000 sprites. Other
// shapes become triangles, one entity after the other. Ebitengine has no depth buffer,
// so later batches cover earlier batches. A Renderer belongs to the goroutine that
// updates its world.
package screen

import (
	"image"
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/lanewise/lanewise/ecs/render"
)

// Renderer draws the views of a world.
type Renderer struct {
	Calls int // calls of DrawTriangles in the last frame

	targets map[int32]*ebiten.Image
	parts   map[image.Rectangle]*ebiten.Image // parts of cameras in the current target
	of      *ebiten.Image                     // that target
	images  map[*render.Material]*ebiten.Image
	meshes  map[*render.Shape]*mesh
	sprites map[key]*sprites
	white   *ebiten.Image
	options ebiten.DrawTrianglesOptions

	list   []ebiten.Vertex // corners of triangles that are not sprites
	corner []uint16
}

// key identifies a buffer of sprites. All contents of the buffer, except the positions of the sprites,
// depend on these values.
type key struct {
	shape    *render.Shape
	material *render.Material
}

// New returns a Renderer without a target. It draws nothing until it has a target.
func New() *Renderer {
	white := ebiten.NewImage(3, 3) // the used pixel has a border, so that its neighbours are white too
	white.Fill(color.White)
	return &Renderer{
		targets: map[int32]*ebiten.Image{}, parts: map[image.Rectangle]*ebiten.Image{},
		images: map[*render.Material]*ebiten.Image{}, meshes: map[*render.Shape]*mesh{}, sprites: map[key]*sprites{},
		white: white.SubImage(image.Rect(1, 1, 2, 2)).(*ebiten.Image),
	}
}

// SetTarget sets the image on which the cameras of a target draw. A nil image removes the target.
func (r *Renderer) SetTarget(target int32, picture *ebiten.Image) {
	r.targets[target] = picture
	clear(r.parts)
	r.of = nil
}

// Size returns the size of a target in pixels, or 0 and 0 if there is none.
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

// End ends the frame. It does nothing, because Ebitengine draws later, when the window
// needs the picture.
func (r *Renderer) End() error { return nil }

// Draw draws the view of one camera.
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

// part returns a camera's part of its target. Drawing is clipped to it.
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

// image returns the image of a material on the graphics card.
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

// blends maps the blend modes to Ebitengine's blends, for colours that are multiplied with their
// alpha. Opaque drawing leaves the target's alpha unchanged.
var blends = [...]ebiten.Blend{
	render.Opaque: {
		BlendFactorSourceRGB: ebiten.BlendFactorOne, BlendFactorDestinationRGB: ebiten.BlendFactorZero,
		BlendFactorSourceAlpha: ebiten.BlendFactorZero, BlendFactorDestinationAlpha: ebiten.BlendFactorOne,
		BlendOperationRGB: ebiten.BlendOperationAdd, BlendOperationAlpha: ebiten.BlendOperationAdd,
	},
	render.Over: ebiten.BlendSourceOver,
	render.Add:  ebiten.BlendLighter,
}
