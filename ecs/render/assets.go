package render

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"sync"
	"sync/atomic"

	"github.com/lanewise/lanewise/ecs"
)

// Kind says which primitives a shape consists of, for example triangles.
type Kind uint8

// These are the kinds of shapes.
const (
	Triangles Kind = iota // each triangle has three indices
	Lines                 // each line has two indices
	Points                // each point has one index
	Sprite                // a rectangle around the origin of the XY plane, which shows the image of its material or a cell of that image
	kindCount
)

var kindNames = [kindCount]string{"Triangles", "Lines", "Points", "Sprite"}

// indicesPerPrimitive holds the number of indices of one triangle, line or point.
var indicesPerPrimitive = [kindCount]int{Triangles: 3, Lines: 2, Points: 1}

// String returns the name of the kind.
func (k Kind) String() string { return nameOrNumber(kindNames[:], int(k)) }

// Blend says how a material is combined with the picture below it.
type Blend uint8

// These are the ways to blend. In each layer, opaque shapes are drawn first. The shapes with
// another Blend follow in the order of [Camera.Sort].
const (
	Opaque Blend = iota // covers the picture below it, whatever the A of the color is
	Over                // covers the picture below it in proportion to A, and completely if A is 255
	Add                 // adds its light to the picture below it
	blendCount
)

var blendNames = [blendCount]string{"Opaque", "Over", "Add"}

// String returns the name of the blend.
func (b Blend) String() string { return nameOrNumber(blendNames[:], int(b)) }

func nameOrNumber(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprint(i)
}

// Shape is the geometry of entities, in the space of the entity and in units of the world. A Shape
// must not change after it is registered, because renderers may keep data that they have computed
// from it.
type Shape struct {
	Name      string
	Kind      Kind
	Positions [][3]float32
	Indices   []uint32      // indices of Positions; if empty, the positions are used in order
	Texcoords [][2]float32  // for each position, a point in its material's image, or in a cell of it: (0, 0) is the upper left corner, (1, 1) is the lower right corner; may be empty
	Colors    []color.NRGBA // for each position, a color that is multiplied with the color of the material; may be empty
	Width     float32       // width of a Sprite; 0 means 1
	Height    float32       // height of a Sprite; 0 means 1
	Bounds    *Bounds       // box around the shape; if nil, it is computed
}

// Material is the color, image and blending of shapes. A Material must not change after it is
// registered.
type Material struct {
	Name    string
	Color   color.NRGBA // the zero color means white
	Image   *image.RGBA // the image for Texcoords and sprites; its colors are multiplied with Color
	Columns int         // number of columns of the grid of cells in Image; each entity shows one cell, see Flipbook and Label; 0 means 1
	Rows    int         // number of rows of the grid; 0 means 1
	Blend   Blend
	Size    float32 // size of points and width of lines, in pixels; 0 means 1
	Adapter any     // data for a renderer that the program implements
}

// Assets maps names to shapes and materials. Several worlds may share one Assets, even if different
// goroutines update these worlds.
type Assets struct {
	mu        sync.RWMutex
	shapes    map[ShapeID]*Shape
	materials map[MaterialID]*Material
	version   atomic.Uint64 // number of registrations: written under mu, read without the lock
}

// NewAssets returns empty Assets.
func NewAssets() *Assets {
	return &Assets{shapes: map[ShapeID]*Shape{}, materials: map[MaterialID]*Material{}}
}

// Shape registers a shape and returns its id. Shape panics if [Assets.AddShape] returns an error.
// For shapes from files, use AddShape.
func (a *Assets) Shape(s Shape) ShapeID { return must(a.AddShape(s)) }

// Material registers a material and returns its id. Material panics if [Assets.AddMaterial] returns
// an error. For materials from files, use AddMaterial.
func (a *Assets) Material(m Material) MaterialID { return must(a.AddMaterial(m)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// AddShape registers a shape and returns its id. AddShape keeps the slices of s and does not copy
// them. AddShape returns an error of category ecs.ErrArgument, and registers nothing, in five
// cases: the shape has no name; another shape has the same name; positions or bounds are not
// finite; indices are out of range; or slices differ in length.
func (a *Assets) AddShape(s Shape) (ShapeID, error) {
	const op = "Assets.AddShape"
	if s.Name == "" {
		return 0, argumentError(op, "the shape has no name: give it one, from which its id is made")
	}
	if text := s.invalid(); text != "" {
		return 0, argumentError(op, "shape %q: %s", s.Name, text)
	}
	if s.Kind == Sprite {
		s.Width, s.Height = cmp.Or(s.Width, 1), cmp.Or(s.Height, 1)
	}
	if s.Bounds == nil {
		b := s.bounds()
		s.Bounds = &b
	} else {
		b := *s.Bounds
		s.Bounds = &b
	}
	id := ShapeNamed(s.Name)
	a.mu.Lock()
	defer a.mu.Unlock()
	if had := a.shapes[id]; had != nil {
		return 0, duplicateError(op, "shape", had.Name, s.Name, uint64(id))
	}
	a.shapes[id] = &s
	a.version.Add(1)
	return id, nil
}

// AddMaterial registers a material and returns its id. AddMaterial returns an error of category
// ecs.ErrArgument, and registers nothing, in five cases: the material has no name; another
// material has the same name; Blend is unknown; Size is invalid; or the grid does not divide
// the image.
func (a *Assets) AddMaterial(m Material) (MaterialID, error) {
	const op = "Assets.AddMaterial"
	switch {
	case m.Name == "":
		return 0, argumentError(op, "the material has no name: give it one, from which its id is made")
	case m.Blend >= blendCount: // Blend is unsigned, so it is never below 0
		return 0, argumentError(op, "material %q: there is no Blend %d: the last one is %v, %d", m.Name, m.Blend, blendCount-1, blendCount-1)
	case !(m.Size >= 0) || math.IsInf(float64(m.Size), 1):
		return 0, argumentError(op, "material %q: Size is %v: it is a number of pixels", m.Name, m.Size)
	case m.Columns < 0 || m.Rows < 0 || m.Columns > maxCells || m.Rows > maxCells || max(m.Columns, 1)*max(m.Rows, 1) > maxCells:
		return 0, argumentError(op, "material %q: Columns is %d and Rows %d: a grid has up to %d cells", m.Name, m.Columns, m.Rows, maxCells)
	}
	m.Columns, m.Rows = cmp.Or(m.Columns, 1), cmp.Or(m.Rows, 1)
	if m.Image != nil && (m.Image.Rect.Dx()%m.Columns != 0 || m.Image.Rect.Dy()%m.Rows != 0) {
		return 0, argumentError(op, "material %q: an Image of %d × %d pixels cannot be divided into %d columns and %d rows: cells are equally large, and of whole pixels", m.Name, m.Image.Rect.Dx(), m.Image.Rect.Dy(), m.Columns, m.Rows)
	}
	m.Color = cmp.Or(m.Color, white)
	m.Size = cmp.Or(m.Size, 1)
	id := MaterialNamed(m.Name)
	a.mu.Lock()
	defer a.mu.Unlock()
	if had := a.materials[id]; had != nil {
		return 0, duplicateError(op, "material", had.Name, m.Name, uint64(id))
	}
	a.materials[id] = &m
	a.version.Add(1)
	return id, nil
}

// maxCells is the largest number of cells that a grid may have.
const maxCells = 1 << 15

// Cells returns the number of cells of the material's image.
func (m *Material) Cells() int { return max(m.Columns, 1) * max(m.Rows, 1) }

// Cell returns the rectangle of cell k in the coordinates of Image. Cells are numbered from 0, row
// by row from the upper left corner. The rectangle is empty if Image is nil. Cell panics if k is
// out of range.
func (m *Material) Cell(k int) image.Rectangle {
	if k < 0 || k >= m.Cells() {
		panic(fmt.Sprintf("render: Material.Cell: material %q: there is no cell %d: it has %d, from 0", m.Name, k, m.Cells()))
	}
	if m.Image == nil {
		return image.Rectangle{}
	}
	columns, r := max(m.Columns, 1), m.Image.Rect
	w, h := r.Dx()/columns, r.Dy()/max(m.Rows, 1)
	at := r.Min.Add(image.Pt(k%columns*w, k/columns*h))
	return image.Rectangle{at, at.Add(image.Pt(w, h))}
}

// FindShape returns the shape with the given id, or nil if none is registered.
func (a *Assets) FindShape(id ShapeID) *Shape {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.shapes[id]
}

// FindMaterial returns the material with the given id, or nil if none is registered.
func (a *Assets) FindMaterial(id MaterialID) *Material {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.materials[id]
}

func argumentError(op, format string, args ...any) error {
	return fmt.Errorf("render: %s: %s: %w", op, fmt.Sprintf(format, args...), ecs.ErrArgument)
}

func duplicateError(op, what, had, name string, id uint64) error {
	if had == name {
		return argumentError(op, "there is a %s %q already: register it once, or give this one another name", what, name)
	}
	return argumentError(op, "the names of the %ss %q and %q make the same id, %016x: rename one of them", what, had, name, id)
}

// invalid describes the first fault of a shape. It returns "" if the shape is valid.
func (s *Shape) invalid() string {
	n := len(s.Positions)
	switch {
	case s.Kind >= kindCount: // Kind is unsigned, so it is never below 0
		return fmt.Sprintf("there is no Kind %d: the last one is %v, %d", s.Kind, kindCount-1, kindCount-1)
	case s.Kind == Sprite && n+len(s.Indices)+len(s.Texcoords)+len(s.Colors) > 0:
		return "a Sprite has Width and Height, and no positions"
	case s.Kind == Sprite && !(s.Width >= 0 && s.Height >= 0 && finite(s.Width) && finite(s.Height)):
		return fmt.Sprintf("Width is %v and Height %v: they are lengths", s.Width, s.Height)
	case s.Texcoords != nil && len(s.Texcoords) != n:
		return fmt.Sprintf("len(Texcoords) is %d, len(Positions) is %d", len(s.Texcoords), n)
	case s.Colors != nil && len(s.Colors) != n:
		return fmt.Sprintf("len(Colors) is %d, len(Positions) is %d", len(s.Colors), n)
	case uint64(n) > math.MaxUint32:
		return fmt.Sprintf("len(Positions) is %d, which is more than indices can tell", n)
	}
	if b := s.Bounds; b != nil && (b.X != b.X || b.Y != b.Y || b.Z != b.Z || b.HX != b.HX || b.HY != b.HY || b.HZ != b.HZ) {
		return fmt.Sprintf("Bounds are %v: they are numbers", *b)
	}
	return s.invalidParts()
}

// invalidParts describes the first fault in the elements of positions and indices. It returns "" if
// there is none. The lengths of the slices must be valid.
func (s *Shape) invalidParts() string {
	n := len(s.Positions)
	for i, p := range s.Positions {
		if !finite(p[0]) || !finite(p[1]) || !finite(p[2]) {
			return fmt.Sprintf("position %d is %v: positions are finite numbers", i, p)
		}
	}
	for i, k := range s.Indices {
		if int(k) >= n {
			return fmt.Sprintf("index %d is %d, there are %d positions", i, k, n)
		}
	}
	if k := indicesPerPrimitive[s.Kind]; k > 0 {
		what, many := "positions", n
		if s.Indices != nil {
			what, many = "indices", len(s.Indices)
		}
		if many%k != 0 {
			return fmt.Sprintf("there are %d %s, %v have %d each", many, what, s.Kind, k)
		}
	}
	return ""
}

func finite(x float32) bool { return x-x == 0 }

// bounds returns the smallest box around all positions. The box is empty if there are no positions.
func (s *Shape) bounds() Bounds {
	if s.Kind == Sprite {
		return Bounds{HX: halfUp(s.Width), HY: halfUp(s.Height)}
	}
	if len(s.Positions) == 0 {
		return Bounds{HX: -1, HY: -1, HZ: -1}
	}
	lo, hi := s.Positions[0], s.Positions[0]
	for _, p := range s.Positions {
		for k, v := range p {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	var b Bounds
	b.X, b.HX = boxCenter(lo[0], hi[0])
	b.Y, b.HY = boxCenter(lo[1], hi[1])
	b.Z, b.HZ = boxCenter(lo[2], hi[2])
	return b
}

// halfUp returns half of v, rounded up.
func halfUp(v float32) float32 {
	h := float32(v / 2)
	if h+h < v {
		h = math.Nextafter32(h, math.MaxFloat32)
	}
	return h
}

// boxCenter returns the middle of lo and hi, and a half size. The half size is rounded up, so that the
// box from x - h to x + h contains both lo and hi.
func boxCenter(lo, hi float32) (x, h float32) {
	x = float32((float64(lo) + float64(hi)) / 2)
	d := max(float64(hi)-float64(x), float64(x)-float64(lo)) // the differences are exact, or rounded to 53 bits
	h = float32(d)
	if float64(h) < d {
		h = math.Nextafter32(h, math.MaxFloat32)
	}
	return x, h
}
