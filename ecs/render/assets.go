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

// Kind is what a shape consists of.
type Kind uint8

// The kinds of shapes.
const (
	Triangles Kind = iota // three indices each
	Lines                 // two indices each
	Points                // one index each
	Sprite                // a rectangle around the origin of the XY plane, with the image of its material, or a cell of that
	kinds
)

var kindNames = [kinds]string{"Triangles", "Lines", "Points", "Sprite"}

// perPart is how many indices make one triangle, line or point.
var perPart = [kinds]int{Triangles: 3, Lines: 2, Points: 1}

// String returns the kind's name.
func (k Kind) String() string { return nameOf(kindNames[:], int(k)) }

// Blend is how a material mixes with what was drawn before.
type Blend uint8

// The ways to blend. What is not opaque is drawn after what is, in each layer, in the
// order of [Camera.Sort].
const (
	Opaque Blend = iota // covers what is behind it, whatever its A
	Over                // lets through as much of it as A lacks
	Add                 // adds light to it
	blends
)

var blendNames = [blends]string{"Opaque", "Over", "Add"}

// String returns the blend's name.
func (b Blend) String() string { return nameOf(blendNames[:], int(b)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprint(i)
}

// Shape is what an entity consists of, in its own space. It is not changed once it is
// registered: renderers may keep what they have made of it.
type Shape struct {
	Name      string
	Kind      Kind
	Positions [][3]float32
	Indices   []uint32      // into Positions; without them positions are taken in order
	Texcoords [][2]float32  // of each position, in its material's image, or its cell: (0, 0) the upper left corner, (1, 1) the lower right; or none
	Colors    []color.NRGBA // of each position, which the material's is multiplied with; or none
	Width     float32       // of a Sprite; 0 counts as 1
	Height    float32       // of a Sprite; 0 counts as 1
	Bounds    *Bounds       // of what is drawn; nil computes them
}

// Material is how a shape is coloured. It is not changed once it is registered.
type Material struct {
	Name    string
	Color   color.NRGBA // the zero color counts as white
	Image   *image.RGBA // what Texcoords and sprites show; its colours are multiplied with Color
	Columns int         // of the grid of cells that Image is: each entity shows one of them, see Flipbook and Label; 0 counts as 1
	Rows    int         // of the grid; 0 counts as 1
	Blend   Blend
	Size    float32 // of points and the width of lines, in pixels; 0 counts as 1
	Adapter any     // whatever a renderer of one's own wants to know
}

// Assets are shapes and materials by name. Worlds may share them, also those that are
// updated by different goroutines.
type Assets struct {
	mu        sync.RWMutex
	shapes    map[ShapeID]*Shape
	materials map[MaterialID]*Material
	version   atomic.Uint64 // counts registrations: written under mu, read without
}

// NewAssets returns Assets without anything.
func NewAssets() *Assets {
	return &Assets{shapes: map[ShapeID]*Shape{}, materials: map[MaterialID]*Material{}}
}

// Shape registers a shape that the source knows, and returns its id. It panics with an
// error where [Assets.AddShape] returns one.
func (a *Assets) Shape(s Shape) ShapeID { return must(a.AddShape(s)) }

// Material registers a material that the source knows, and returns its id. It panics
// where [Assets.AddMaterial] returns an error.
func (a *Assets) Material(m Material) MaterialID { return must(a.AddMaterial(m)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// AddShape registers a shape, as one that was read from a file, and returns its id. Its
// slices are kept, not copied. The error is of category ecs.ErrArgument, and nothing was
// registered, if the shape has no name, or that of another one, positions or bounds that
// are no numbers, indices out of range, or lengths that do not fit.
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

// AddMaterial registers a material and returns its id. The error is of category
// ecs.ErrArgument, and nothing was registered, if the material has no name, or that of
// another one, a Blend or Size that there is not, or a grid into which its image cannot be
// divided.
func (a *Assets) AddMaterial(m Material) (MaterialID, error) {
	const op = "Assets.AddMaterial"
	switch {
	case m.Name == "":
		return 0, argumentError(op, "the material has no name: give it one, from which its id is made")
	case m.Blend >= blends: // those that there are count up from 0
		return 0, argumentError(op, "material %q: there is no Blend %d: the last one is %v, %d", m.Name, m.Blend, blends-1, blends-1)
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

// maxCells is how many cells a grid may have.
const maxCells = 1 << 15

// Cells returns how many cells the material's image has.
func (m *Material) Cells() int { return max(m.Columns, 1) * max(m.Rows, 1) }

// Cell returns the part of Image that is a cell, in Image's own coordinates: they are
// numbered from 0, row by row from the upper left corner. It is empty if there is no
// Image, and Cell panics if there is no such cell.
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

// FindShape returns the shape of an id; nil if none is registered.
func (a *Assets) FindShape(id ShapeID) *Shape {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.shapes[id]
}

// FindMaterial returns the material of an id; nil if none is registered.
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

// invalid says what is wrong with a shape, or "".
func (s *Shape) invalid() string {
	n := len(s.Positions)
	switch {
	case s.Kind >= kinds: // those that there are count up from 0
		return fmt.Sprintf("there is no Kind %d: the last one is %v, %d", s.Kind, kinds-1, kinds-1)
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

// invalidParts says what is wrong with positions and indices that are as many as they can be, or "".
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
	if k := perPart[s.Kind]; k > 0 {
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

// bounds are the smallest ones that hold all positions; empty if there are none.
func (s *Shape) bounds() Bounds {
	if s.Kind == Sprite {
		return Bounds{HX: half(s.Width), HY: half(s.Height)}
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
	b.X, b.HX = middleOf(lo[0], hi[0])
	b.Y, b.HY = middleOf(lo[1], hi[1])
	b.Z, b.HZ = middleOf(lo[2], hi[2])
	return b
}

// half is half of v, not less.
func half(v float32) float32 {
	h := float32(v / 2)
	if h+h < v {
		h = math.Nextafter32(h, math.MaxFloat32)
	}
	return h
}

// middleOf is the middle of lo and hi and a half size that reaches both.
func middleOf(lo, hi float32) (x, h float32) {
	x = float32((float64(lo) + float64(hi)) / 2)
	d := max(float64(hi)-float64(x), float64(x)-float64(lo)) // exact, or rounded to 53 bits
	h = float32(d)
	if float64(h) < d {
		h = math.Nextafter32(h, math.MaxFloat32)
	}
	return x, h
}
