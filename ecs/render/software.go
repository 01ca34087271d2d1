package render

import (
	"cmp"
	"image"
	"image/color"
	"io"

	"github.com/lanewise/lanewise/internal/film"
	"github.com/lanewise/lanewise/internal/raster"
	"github.com/lanewise/lanewise/jobs"
)

// Software is a renderer that draws into an image. The world's workers do the drawing. Software
// needs no screen and no other library. Edges are smooth, and an opaque thing hides the things
// that are farther away. The pixels are the same on every machine and for any number of workers.
// In the steady state it allocates nothing.
//
//	r := &render.Software{Image: image.NewRGBA(image.Rect(0, 0, 1600, 1000))}
//	err := render.Install(w, render.Options{Renderer: r})
//
// In a perspective view, the parts of shapes that are nearer than the camera's Near are clipped.
// Far only excludes entities that are wholly beyond it. It does not clip shapes. Lines and
// points have the same width at every distance. Only one world at a time may use a Software.
type Software struct {
	// Image is target 0, which is the only target. A program may replace the image between two
	// frames, and the new image may have another size. If the image is nil or has no pixels,
	// nothing is drawn.
	Image *image.RGBA

	// Background is the color with which a picture begins.
	Background color.NRGBA

	// Smooth selects bilinear filtering of the materials' images. If Smooth is false, the nearest pixel
	// is used.
	Smooth bool

	// Sink receives the finished pictures, except those without pixels. If Sink is nil, the pictures
	// stay in Image. The program must close the sink.
	Sink Sink

	frame     *Frame
	canvas    raster.Canvas
	drawJob   listJob
	collector partCollector
	fillJob   fillRect
}

// Size returns the size of Image in pixels. For other targets it returns 0, 0.
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

// Draw draws the view of one camera.
func (s *Software) Draw(v *View) error {
	if v.Camera.Background.A > 0 {
		if err := s.paint(v.Viewport, v.Camera.Background); err != nil {
			return err
		}
	}
	s.collector.collectView(v, s.Smooth)
	f := &s.drawJob
	f.cutBlocks(v, &s.collector)
	if err := s.frame.Range(f, len(f.blockStarts), 1); err != nil {
		return err
	}
	return s.canvas.Draw(s.frame, s.Image, v.Viewport, f.lists)
}

// End passes the picture to the sink.
func (s *Software) End() error {
	s.frame = nil
	s.collector.release()
	if s.Sink == nil || s.Image == nil || s.Image.Rect.Empty() {
		return nil
	}
	return s.Sink.Picture(s.Image)
}

// paint fills a rectangle of the image with a color. The rectangle is relative to the image's upper
// left corner.
func (s *Software) paint(r image.Rectangle, c color.NRGBA) error {
	r = r.Intersect(image.Rectangle{Max: s.Image.Rect.Size()})
	if r.Empty() {
		return nil
	}
	s.fillJob = fillRect{s.Image, r, premultiplied(c)}
	return s.frame.Range(&s.fillJob, r.Dy(), 64)
}

// fillRect is a job that fills a rectangle, row by row.
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

// mulDiv255 returns a·b/255, rounded.
func mulDiv255(a, b uint8) uint8 {
	p := uint32(a)*uint32(b) + 128
	return uint8((p + p>>8) >> 8)
}

// tintColor returns the color multiplied by a tint.
func tintColor(c, t color.NRGBA) color.NRGBA {
	return color.NRGBA{mulDiv255(c.R, t.R), mulDiv255(c.G, t.G), mulDiv255(c.B, t.B), mulDiv255(c.A, t.A)}
}

func premultiplied(c color.NRGBA) color.RGBA {
	return color.RGBA{mulDiv255(c.R, c.A), mulDiv255(c.G, c.A), mulDiv255(c.B, c.A), c.A}
}

// blendColor converts the color to the form that a blend needs.
func blendColor(c color.NRGBA, b Blend) color.RGBA {
	if b == Opaque {
		c.A = 255
	}
	return premultiplied(c)
}

// partCollector lists the rows that a view draws, in the order of the batches.
type partCollector struct {
	pieces      []piece
	batchPaints []batchPaint
	allRows     bool             // every row of the batch's parts belongs to the batch
	addPartFunc func(*Part) bool // the method addPart, bound only once so that a frame does not allocate
}

// piece is a range of rows of a part.
type piece struct {
	part       Part // copy, because a batch reuses its Part
	allRows    bool // all rows are drawn, whatever Mask says
	paintIndex int32
	firstRow   int
	rowCount   int
}

// batchPaint holds the look of a batch in the form that drawing needs.
type batchPaint struct {
	shape    *Shape
	material *Material
	textured bool
	texture  raster.Texture
}

// drawBlockRows is the approximate number of entities that are drawn as one block.
const drawBlockRows = 256

// collectView lists all rows of a view, batch by batch.
func (c *partCollector) collectView(v *View, smooth bool) {
	if c.addPartFunc == nil {
		c.addPartFunc = c.addPart
	}
	c.pieces, c.batchPaints = c.pieces[:0], c.batchPaints[:0]
	for i := range v.Batches {
		b := &v.Batches[i]
		p := batchPaint{shape: b.Shape, material: b.Material}
		if m := b.Material.Image; m != nil && (b.Shape.Kind == Sprite || b.Shape.Texcoords != nil) {
			p.textured, p.texture = true, raster.Texture{Image: m, Part: b.Material.Cell(0), Smooth: smooth}
		}
		c.batchPaints, c.allRows = append(c.batchPaints, p), b.sorted
		b.eachPart(c.addPartFunc)
	}
}

// addPart cuts a part into pieces.
func (c *partCollector) addPart(p *Part) bool {
	for first := 0; first < len(p.Matrices); first += drawBlockRows {
		rows := min(len(p.Matrices)-first, drawBlockRows)
		c.pieces = append(c.pieces, piece{part: *p, allRows: c.allRows, paintIndex: int32(len(c.batchPaints) - 1), firstRow: first, rowCount: rows})
	}
	return true
}

// release removes the references to the world's memory.
func (c *partCollector) release() {
	clear(c.pieces)
	clear(c.batchPaints)
}

// listJob draws the pieces of a partCollector. listJob converts each block of pieces to a
// list of primitives. Neither the blocks nor the order of the lists depend on the workers,
// so the picture does not depend on them either.
type listJob struct {
	collector   *partCollector
	matrix      [16]float32 // matrix from the world to homogeneous pixels
	near        float32
	blockStarts []int // index of the first piece of each block
	lists       []*raster.List
	drawStates  []drawState // one for each block
}

// cutBlocks divides the pieces into blocks.
func (f *listJob) cutBlocks(v *View, put *partCollector) {
	f.collector, f.matrix, f.near = put, toPixels(v), 0
	if v.Camera.FOV > 0 {
		f.near = cmp.Or(v.Camera.Near, 0.1)
	}
	f.blockStarts = f.blockStarts[:0]
	rows := 0
	for i := range put.pieces {
		if i == 0 || rows+put.pieces[i].rowCount > drawBlockRows {
			f.blockStarts, rows = append(f.blockStarts, i), 0
		}
		rows += put.pieces[i].rowCount
	}
	for len(f.drawStates) < len(f.blockStarts) {
		f.drawStates = append(f.drawStates, drawState{list: &raster.List{}})
	}
	f.lists = f.lists[:0]
	for i := range f.blockStarts {
		f.lists = append(f.lists, f.drawStates[i].list)
	}
}

// toPixels returns the matrix from the world to pixels of the target. The results x (to the right)
// and y (down) are multiplied by w. The results z and w are those of clip space.
func toPixels(v *View) (m [16]float32) {
	r := v.Viewport
	sx, sy := float32(float32(r.Dx())/2), float32(float32(r.Dy())/2)
	ox, oy := float32(r.Min.X)+sx, float32(r.Min.Y)+sy
	for k := 0; k < 16; k += 4 {
		x, y, z, w := v.Matrix[k], v.Matrix[k+1], v.Matrix[k+2], v.Matrix[k+3]
		m[k] = float32(x*sx) + float32(w*ox)
		m[k+1] = float32(w*oy) - float32(y*sy)
		m[k+2], m[k+3] = z, w
	}
	return m
}

// RunRange converts some blocks to lists.
func (f *listJob) RunRange(_ *jobs.Task, lo, hi int) {
	for k := lo; k < hi; k++ {
		p, last := &f.drawStates[k], len(f.collector.pieces)
		if k+1 < len(f.blockStarts) {
			last = f.blockStarts[k+1]
		}
		p.list.Reset()
		p.list.Near = f.near
		for i := f.blockStarts[k]; i < last; i++ {
			piece := &f.collector.pieces[i]
			p.look = &f.collector.batchPaints[piece.paintIndex]
			p.drawPiece(&f.matrix, piece)
		}
	}
}

// drawState draws the pieces of a block into its list.
type drawState struct {
	list        *raster.List
	look        *batchPaint
	rasterPaint raster.Paint
	texture     raster.Texture // texture of the row
	corners     [3]color.RGBA  // colors of the triangle's corners, if they differ
	color       color.NRGBA    // color of the row
	points      []raster.Vertex
}

// drawPiece draws the visible rows of a piece.
func (p *drawState) drawPiece(toPixels *[16]float32, r *piece) {
	p.rasterPaint = raster.Paint{Blend: raster.Blend(p.look.material.Blend)}
	if p.look.textured {
		p.texture = p.look.texture
		p.rasterPaint.Texture = &p.texture
	}
	for i := r.firstRow; i < r.firstRow+r.rowCount; i++ {
		if !r.allRows && r.part.Mask[i/64]>>(i%64)&1 == 0 {
			continue
		}
		p.color = p.look.material.Color
		if r.part.Tints != nil {
			p.color = tintColor(p.color, r.part.Tints[i])
		}
		if p.look.textured && r.part.Cells != nil {
			p.texture.Part = p.look.material.Cell(int(r.part.Cells[i]))
		}
		p.rasterPaint.Color = blendColor(p.color, p.look.material.Blend)
		m := multiplyMatrices(toPixels, &r.part.Matrices[i])
		p.drawRow(&m)
	}
}

// drawRow draws one entity.
func (p *drawState) drawRow(m *[16]float32) {
	s, size := p.look.shape, p.look.material.Size
	p.placeVertices(m)
	n := len(s.Indices)
	if s.Indices == nil {
		n = len(p.points)
	}
	at := func(i int) int {
		if s.Indices != nil {
			return int(s.Indices[i])
		}
		return i
	}
	switch s.Kind {
	case Sprite:
		p.list.Triangle(&[3]raster.Vertex{p.points[0], p.points[1], p.points[2]}, &p.rasterPaint)
		p.list.Triangle(&[3]raster.Vertex{p.points[0], p.points[2], p.points[3]}, &p.rasterPaint)
	case Triangles:
		for i := 0; i+2 < n; i += 3 {
			a, b, c := at(i), at(i+1), at(i+2)
			p.setCorners(s, a, b, c)
			p.list.Triangle(&[3]raster.Vertex{p.points[a], p.points[b], p.points[c]}, &p.rasterPaint)
		}
	case Lines:
		for i := 0; i+1 < n; i += 2 {
			a, b := at(i), at(i+1)
			p.setCorners(s, a, a, a)
			p.list.Line(&[2]raster.Vertex{p.points[a], p.points[b]}, size, &p.rasterPaint)
		}
	case Points:
		for i := range n {
			a := at(i)
			p.setCorners(s, a, a, a)
			p.list.Point(&p.points[a], size, &p.rasterPaint)
		}
	}
}

// setCorners sets the colors of the corners. A line gets the color of its first position.
func (p *drawState) setCorners(s *Shape, a, b, c int) {
	if s.Colors == nil {
		return
	}
	blend := p.look.material.Blend
	p.rasterPaint.Color, p.rasterPaint.Corners = blendColor(tintColor(p.color, s.Colors[a]), blend), nil
	if s.Colors[a] != s.Colors[b] || s.Colors[a] != s.Colors[c] {
		p.corners = [3]color.RGBA{p.rasterPaint.Color, blendColor(tintColor(p.color, s.Colors[b]), blend), blendColor(tintColor(p.color, s.Colors[c]), blend)}
		p.rasterPaint.Corners = &p.corners
	}
}

// placeVertices transforms the positions of the shape to pixels.
func (p *drawState) placeVertices(m *[16]float32) {
	s := p.look.shape
	p.points = p.points[:0]
	w, h := float32(0), float32(0)
	if p.look.textured {
		w, h = float32(p.look.texture.Part.Dx()), float32(p.look.texture.Part.Dy())
	}
	if s.Kind == Sprite {
		x, y := float32(s.Width/2), float32(s.Height/2)
		p.points = append(p.points, vertex(m, -x, y, 0, 0, 0), vertex(m, x, y, 0, w, 0), vertex(m, x, -y, 0, w, h), vertex(m, -x, -y, 0, 0, h))
		return
	}
	for i, at := range s.Positions {
		var u, v float32
		if p.look.textured {
			u, v = float32(s.Texcoords[i][0]*w), float32(s.Texcoords[i][1]*h)
		}
		p.points = append(p.points, vertex(m, at[0], at[1], at[2], u, v))
	}
}

func vertex(m *[16]float32, x, y, z, u, v float32) raster.Vertex {
	return raster.Vertex{
		X: float32(m[0]*x) + float32(m[4]*y) + float32(m[8]*z) + m[12],
		Y: float32(m[1]*x) + float32(m[5]*y) + float32(m[9]*z) + m[13],
		Z: float32(m[2]*x) + float32(m[6]*y) + float32(m[10]*z) + m[14],
		W: float32(m[3]*x) + float32(m[7]*y) + float32(m[11]*z) + m[15],
		U: u, V: v,
	}
}

// multiplyMatrices returns a times b. All matrices are in column-major order.
func multiplyMatrices(a, b *[16]float32) (m [16]float32) {
	for k := 0; k < 16; k += 4 {
		x, y, z, w := b[k], b[k+1], b[k+2], b[k+3]
		m[k] = float32(a[0]*x) + float32(a[4]*y) + float32(a[8]*z) + float32(a[12]*w)
		m[k+1] = float32(a[1]*x) + float32(a[5]*y) + float32(a[9]*z) + float32(a[13]*w)
		m[k+2] = float32(a[2]*x) + float32(a[6]*y) + float32(a[10]*z) + float32(a[14]*w)
		m[k+3] = float32(a[3]*x) + float32(a[7]*y) + float32(a[11]*z) + float32(a[15]*w)
	}
	return m
}

// Sink receives each picture of a [Software] renderer when it is finished. A Sink must read the
// picture before Picture returns. If Picture returns an error, the frame returns it, and the sink
// returns the same error for all later pictures. Close completes the film. The film is incomplete
// until Close has returned nil. Close does not close the writer to which the sink writes.
type Sink interface {
	Picture(m *image.RGBA) error
	Close() error
}

// PNGs returns a sink that writes each picture to its own file. The pattern and the number of the
// picture, which starts at 1, produce the file's name. For example, the pattern may be
// "out/frame-%04d.png". Only the last element of the path is a pattern, so directories may have any
// name. A file gets its name only when it is complete. PNGs panics if the pattern contains no verb
// for a number.
func PNGs(pattern string) Sink { return film.NewPNGs(pattern) }

// GIF returns a sink that writes an animated GIF with fps pictures a second. The animation repeats
// without end. All pictures share one palette of 255 colors, so that colors do not flicker. The
// palette is known only at the end, so the sink stores all pictures, compressed, until Close. GIF
// panics if fps is less than 1 or above 50.
func GIF(w io.Writer, fps int) Sink { return film.NewGIF(w, fps) }

// APNG returns a sink that writes an animated PNG with fps pictures a second. The animation is
// lossless and repeats without end. If w cannot seek, the sink stores all pictures, compressed,
// until Close. APNG panics if fps is less than 1 or above 1000.
func APNG(w io.Writer, fps int) Sink { return film.NewAPNG(w, fps) }

// Y4M returns a sink that writes raw pictures for a video encoder, with fps pictures a second. For
// example, w may be a pipe. The format is YUV4MPEG2 with three full planes (4:4:4) in BT.709,
// limited range. Y4M panics if fps is less than 1.
func Y4M(w io.Writer, fps int) Sink { return film.NewY4M(w, fps) }
