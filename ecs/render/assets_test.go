package render

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// Shapes and materials that cannot be drawn are refused with the reason, and nothing changes.
func TestAssetsRefuse(t *testing.T) {
	a := NewAssets()
	three := [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}
	a.Shape(Shape{Name: "boat", Positions: three})
	a.Material(Material{Name: "paint"})
	for _, c := range []struct {
		shape Shape
		texts []string
	}{
		{Shape{}, []string{"the shape has no name"}},
		{Shape{Name: "boat", Positions: three}, []string{`there is a shape "boat" already`}},
		{Shape{Name: "s", Kind: 4}, []string{`shape "s"`, "there is no Kind 4: the last one is Sprite, 3"}},
		{Shape{Name: "s", Kind: Sprite, Positions: three}, []string{"a Sprite has Width and Height, and no positions"}},
		{Shape{Name: "s", Kind: Sprite, Width: -1}, []string{"Width is -1 and Height 0"}},
		{Shape{Name: "s", Kind: Sprite, Height: nan}, []string{"Height NaN"}},
		{Shape{Name: "s", Positions: three, Texcoords: make([][2]float32, 2)}, []string{"len(Texcoords) is 2, len(Positions) is 3"}},
		{Shape{Name: "s", Positions: three, Colors: make([]color.NRGBA, 4)}, []string{"len(Colors) is 4, len(Positions) is 3"}},
		{Shape{Name: "s", Positions: three, Bounds: &Bounds{X: nan}}, []string{"Bounds are"}},
		{Shape{Name: "s", Positions: [][3]float32{{}, {0, inf, 0}, {}}}, []string{"position 1 is [0 +Inf 0]"}},
		{Shape{Name: "s", Positions: three, Indices: []uint32{0, 1, 3}}, []string{"index 2 is 3, there are 3 positions"}},
		{Shape{Name: "s", Positions: three, Indices: []uint32{0, 1}}, []string{"there are 2 indices, Triangles have 3 each"}},
		{Shape{Name: "s", Kind: Lines, Positions: three}, []string{"there are 3 positions, Lines have 2 each"}},
	} {
		id, err := a.AddShape(c.shape)
		wantError(t, err, ecs.ErrArgument, append(c.texts, "render: Assets.AddShape: ")...)
		if id != 0 || a.FindShape(ShapeNamed("s")) != nil {
			t.Errorf("%+v was registered", c.shape)
		}
		wantPanic(t, func() { a.Shape(c.shape) }, c.texts...)
	}
	for _, c := range []struct {
		material Material
		text     string
	}{
		{Material{}, "the material has no name"},
		{Material{Name: "paint"}, `there is a material "paint" already`},
		{Material{Name: "m", Blend: 3}, `material "m": there is no Blend 3: the last one is Add, 2`},
		{Material{Name: "m", Size: -1}, "Size is -1"},
		{Material{Name: "m", Size: inf}, "Size is +Inf"},
		{Material{Name: "m", Size: nan}, "Size is NaN"},
	} {
		id, err := a.AddMaterial(c.material)
		wantError(t, err, ecs.ErrArgument, c.text, "render: Assets.AddMaterial: ")
		if id != 0 || a.FindMaterial(MaterialNamed("m")) != nil {
			t.Errorf("%+v was registered", c.material)
		}
		wantPanic(t, func() { a.Material(c.material) }, c.text)
	}
	// The test puts two names under one id, because no two real names with the same id are known.
	a.shapes[ShapeNamed("ship")], a.materials[MaterialNamed("tar")] = a.shapes[ShapeNamed("boat")], a.materials[MaterialNamed("paint")]
	_, err := a.AddShape(Shape{Name: "ship"})
	wantError(t, err, ecs.ErrArgument, `the names of the shapes "boat" and "ship" make the same id, `+ShapeNamed("ship").String(), "rename one of them")
	_, err = a.AddMaterial(Material{Name: "tar"})
	wantError(t, err, ecs.ErrArgument, `the names of the materials "paint" and "tar" make the same id`)
}

// Missing values mean the documented defaults, and bounds contain all positions.
func TestAssetsDefaults(t *testing.T) {
	a := NewAssets()
	if m := a.FindMaterial(a.Material(Material{Name: "m"})); m.Color != white || m.Size != 1 {
		t.Errorf("an empty material is %+v", m)
	}
	if s := a.FindShape(a.Shape(Shape{Name: "sprite", Kind: Sprite, Height: 3})); s.Width != 1 || *s.Bounds != (Bounds{HX: 0.5, HY: 1.5}) {
		t.Errorf("a sprite is %+v in %v", s, s.Bounds)
	}
	if s := a.FindShape(a.Shape(Shape{Name: "tiny", Kind: Sprite, Height: math.SmallestNonzeroFloat32})); s.Bounds.HY == 0 {
		t.Errorf("the smallest sprite has bounds %v", s.Bounds)
	}
	if s := a.FindShape(a.Shape(Shape{Name: "nothing"})); *s.Bounds != (Bounds{HX: -1, HY: -1, HZ: -1}) {
		t.Errorf("nothing has bounds %v", s.Bounds)
	}
	own := &Bounds{HX: inf}
	s := a.FindShape(a.Shape(Shape{Name: "own", Bounds: own}))
	if own.HX = 7; s.Bounds.HX != inf {
		t.Error("bounds of one's own are not copied")
	}
	if a.FindShape(1) != nil || a.FindMaterial(1) != nil {
		t.Error("something is found under 1")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for k := range 300 {
		list := make([][3]float32, 1+r.IntN(4))
		for i := range list {
			for j := range list[i] {
				list[i][j] = float32(math.Ldexp(r.Float64()*2-1, r.IntN(254)-126))
			}
		}
		b := *a.FindShape(a.Shape(Shape{Name: fmt.Sprint("random ", k), Kind: Points, Positions: list})).Bounds
		for _, p := range list {
			for j, d := range [3][2]float32{{b.X, b.HX}, {b.Y, b.HY}, {b.Z, b.HZ}} {
				if math.Abs(float64(p[j])-float64(d[0])) > float64(d[1]) {
					t.Fatalf("bounds %v do not hold %v", b, p)
				}
			}
		}
	}
}

// Several goroutines may register and look up at the same time.
func TestAssetsShared(t *testing.T) {
	a := NewAssets()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for k := range 50 {
				id := a.Shape(Shape{Name: fmt.Sprint(g, k)})
				a.Material(Material{Name: fmt.Sprint(g, k)})
				if a.FindShape(id) == nil || a.version.Load() == 0 {
					t.Error("a shape is not found")
				}
			}
		})
	}
	wg.Wait()
	if n := a.version.Load(); n != 400 {
		t.Errorf("version %d after 400 registrations", n)
	}
}
