package render

import (
	"image"
	"image/color"

	"github.com/lanewise/lanewise/internal/raster"
	"github.com/lanewise/lanewise/jobs"
)

// Software is the renderer that comes with this package: it draws into an image, on the
// world's workers, and needs no screen and no library. Edges are smooth, opaque things
// cover each other by depth, and the pixels are the same on every machine and for any
// number of workers. In the steady state it allocates nothing.
//
//	r := &render.Software{Image: image.NewRGBA(image.Rect(0, 0, 1600, 1000))}
//	err := render.Install(w, render.Options{Renderer: r})
//
// In a perspective view what is nearer than the camera's Near is cut off; Far leaves out
// entities, not parts of them. Lines and points are as wide in the distance as before
// the eye. A Software is used by one world at a time.
type Software struct {
	// Image is the target 0, and the only one. A program may put another one here
	// between two frames, of another size too; nil, or one without pixels, draws
	// nothing.
	Image *image.RGBA

	// Background is what a picture begins with.
	Background color.NRGBA

	// Smooth mixes the pixels of materials' images; else the nearest is taken.
	Smooth bool

	// Sink takes the finished pictures; nil: they stay in Image. Images without
	// pixels are left out. Who made a sink closes it.
	Sink Sink

	frame  *Frame
	canvas raster.Canvas
	filled filling
	put    collecting
	fill   fillRect
}

// Size returns that of Image, and none for other targets.
func (s *Software) Size(target int32) (width, height int) {
	if target != 0 || s.Image == nil {
		return 0, 0
	}
	return s.Image.Rect.Dx(), s.Image.Rect.Dy()
}

// Begin fills the image with the background.
func (s *Software) Begin(f *Frame) error {
	s.frame = f
	if s.Image == nil {
		return nil
	}
	return s.paint(image.Rectangle{Max: s.Image.Rect.Size()}, s.Background)
}

// Draw draws what a camera sees.
func (s *Software) Draw(v *View) error {
	if v.Camera.Background.A > 0 {
		if err := s.paint(v.Viewport, v.Camera.Background); err != nil {
			return err
		}
	}
	s.put.collect(v, s.Smooth)
	f := &s.filled
	f.begin(v, &s.put)
	if err := s.frame.Range(f, len(f.blocks), 1); err != nil {
		return err
	}
	return s.canvas.Draw(s.frame, s.Image, v.Viewport, f.lists)
}

// End gives the picture to the sink.
func (s *Software) End() error {
	s.frame = nil
	s.put.forget()
	if s.Sink == nil || s.Image == nil || s.Image.Rect.Empty() {
		return nil
	}
	return s.Sink.Picture(s.Image)
}

// paint fills a part of the image, which counts from its corner, with a color.
func (s *Software) paint(r image.Rectangle, c color.NRGBA) error {
	r = r.Intersect(image.Rectangle{Max: s.Image.Rect.Size()})
	if r.Empty() {
		return nil
	}
	s.fill = fillRect{s.Image, r, premultiplied(c)}
	return s.frame.Range(&s.fill, r.Dy(), 64)
}

// fillRect is the job that fills rows.
type fillRect struct {
	image *image.RGBA
	rect  image.Rectangle
	color color.RGBA
}

func (f *fillRect) RunRange(_ *jobs.Task, lo, hi int) {
	first := f.row(lo)
	for i := 0; i < len(first); i += 4 {
		first[i], first[i+1], first[i+2], first[i+3] = f.color.R, f.color.G, f.color.B, f.color.A
	}
	for y := lo + 1; y < hi; y++ {
		copy(f.row(y), first)
	}
}

func (f *fillRect) row(y int) []byte {
	at := (f.rect.Min.Y+y)*f.image.Stride + 4*f.rect.Min.X
	return f.image.Pix[at : at+4*f.rect.Dx()]
}

// over is a product of two shares of 255, rounded.
func over(a, b uint8) uint8 {
	p := uint32(a)*uint32(b) + 128
	return uint8((p + p>>8) >> 8)
}

// tinted is a color under a tint.
func tinted(c, t color.NRGBA) color.NRGBA {
	return color.NRGBA{over(c.R, t.R), over(c.G, t.G), over(c.B, t.B), over(c.A, t.A)}
}

func premultiplied(c color.NRGBA) color.RGBA {
	return color.RGBA{over(c.R, c.A), over(c.G, c.A), over(c.B, c.A), c.A}
}

// blended is a color as a material with a blend has it.
func blended(c color.NRGBA, b Blend) color.RGBA {
	if b == Opaque {
		c.A = 255
	}
	return premultiplied(c)
}
