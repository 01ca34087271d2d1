package render_test

import (
	"errors"
	"fmt"
	"image/color"
	"log"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Printer is a renderer that prints its batches.
type Printer struct{}

// Size returns the size of the target in pixels.
func (Printer) Size(target int32) (width, height int) { return 320, 200 }

// Begin and End are called at the beginning and the end of each frame.
func (Printer) Begin(f *render.Frame) error { return nil }
func (Printer) End() error                  { return nil }

// Draw prints the batches of one camera.
func (Printer) Draw(v *render.View) error {
	fmt.Printf("frame %d, %v: %d seen\n", v.Frame.Number, v.Viewport, v.Seen)
	for i := range v.Batches {
		b := &v.Batches[i]
		fmt.Printf("  %d × %s in %s\n", b.Count, b.Shape.Name, b.Material.Name)
	}
	return nil
}

// harbour makes a world of boats in a row, a metre apart, and buoys between them.
func harbour(o render.Options) *ecs.World {
	assets := render.NewAssets()
	boat := assets.Shape(render.Shape{Name: "boat", Positions: [][3]float32{{0, 1, 0}, {-0.4, -1, 0}, {0.4, -1, 0}}})
	buoy := assets.Shape(render.Shape{Name: "buoy", Kind: render.Sprite, Width: 0.5, Height: 0.5})
	paint := assets.Material(render.Material{Name: "paint", Color: color.NRGBA{200, 40, 30, 255}})
	glow := assets.Material(render.Material{Name: "glow", Blend: render.Over})

	w, err := system.NewWorld("harbour", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		log.Fatal(err)
	}
	o.Assets = assets
	if err := render.Install(w, o); err != nil {
		log.Fatal(err)
	}
	for x := range 100 {
		w.Spawn(render.Look{Shape: boat, Material: paint}, transform.Translation{X: float32(x)}, transform.LocalToWorld{})
		w.Spawn(render.Look{Shape: buoy, Material: glow, Layer: 1}, transform.Translation{X: float32(x), Y: 2}, transform.LocalToWorld{})
	}
	return w
}

func update(w *ecs.World) {
	if err := system.Update(w); err != nil {
		log.Fatal(err)
	}
}

// The program draws entities with a Look, and a camera sees some of them.
func Example() {
	assets := render.NewAssets()
	boat := assets.Shape(render.Shape{
		Name:      "boat",
		Positions: [][3]float32{{0, 1, 0}, {-0.4, -1, 0}, {0.4, -1, 0}},
	})
	paint := assets.Material(render.Material{Name: "paint", Color: color.NRGBA{200, 40, 30, 255}})

	w, err := system.NewWorld("harbour", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	if err := render.Install(w, render.Options{Renderer: Printer{}, Assets: assets}); err != nil {
		log.Fatal(err)
	}

	for x := range 100 {
		w.Spawn(render.Look{Shape: boat, Material: paint}, transform.Translation{X: float32(x)}, transform.LocalToWorld{})
	}
	w.Spawn(render.Camera{Height: 10}) // sees ten metres in height; its width follows from the target
	update(w)
	// Output:
	// frame 1, (0,0)-(320,200): 9 seen
	//   9 × boat in paint
}

// Several cameras draw one after the other: the lowest Order first.
func ExampleCamera() {
	w := harbour(render.Options{Renderer: Printer{}})
	defer w.Close()

	w.Spawn(render.Camera{Height: 10})
	w.Spawn(render.Camera{
		Height: 200, // a map
		X:      0.75, W: 0.25, H: 0.25,
		Order:      1,
		Layers:     1 << 0, // without the buoys, which are in layer 1
		Background: color.NRGBA{10, 30, 60, 255},
	}, transform.Translation{X: 50}, transform.LocalToWorld{})
	update(w)
	// Output:
	// frame 1, (0,0)-(320,200): 18 seen
	//   9 × boat in paint
	//   9 × buoy in glow
	// frame 1, (240,0)-(320,50): 100 seen
	//   100 × boat in paint
}

// A camera in perspective looks along its -Z axis.
func ExampleCamera_ToScreen() {
	camera := render.Camera{FOV: 1, Near: 1, Far: 100}
	place := transform.At[float32](0, 0, 10).Matrix()

	x, y, depth, ok := camera.ToScreen(&place, 320, 200, 0, 1, 0)
	fmt.Printf("at %.0f, %.0f, %.0f before the camera: %v\n", x, y, depth, ok)
	wx, wy, wz, _ := camera.ToWorld(&place, 320, 200, x, y, depth)
	fmt.Printf("which is %.2f, %.2f, %.2f in the world\n", wx+0, wy, wz+0)
	_, n := camera.Planes(&place, 1.6)
	fmt.Println("between", n, "planes")
	// Output:
	// at 160, 82, 10 before the camera: true
	// which is 0.00, 1.00, 0.00 in the world
	// between 6 planes
}

// A hidden entity keeps its place in the world: a component is switched on, and nothing else
// changes.
func ExampleHidden() {
	w := harbour(render.Options{Renderer: Printer{}})
	defer w.Close()
	w.Spawn(render.Camera{Height: 10, Layers: 1 << 0})

	q := w.Query(ecs.With[render.Look](), ecs.WithShared(render.Look{Shape: render.ShapeNamed("boat"), Material: render.MaterialNamed("paint")}))
	if err := ecs.AddAll(w, ecs.Matching(q), render.Hidden{}); err != nil { // it is on now
		log.Fatal(err)
	}
	update(w)
	for _, e := range q.AppendEntities(nil)[:3] {
		if err := ecs.SetEnabled[render.Hidden](w, e, false); err != nil {
			log.Fatal(err)
		}
	}
	update(w)
	// Output:
	// frame 1, (0,0)-(320,200): 0 seen
	// frame 2, (0,0)-(320,200): 3 seen
	//   3 × boat in paint
}

// Entities have the bounds of their shape, or those that the program sets.
func ExampleBounds() {
	w := harbour(render.Options{})
	defer w.Close()

	look := render.Look{Shape: render.ShapeNamed("boat"), Material: render.MaterialNamed("paint")}
	boat := w.Spawn(look, transform.Translation{X: 7}, transform.LocalToWorld{})
	smoky := w.Spawn(look, transform.Translation{X: 7}, transform.LocalToWorld{}, render.Bounds{Y: 10, HX: 2, HY: 11, HZ: 2})
	update(w)
	for _, e := range []ecs.Entity{boat, smoky} {
		local, err := ecs.Get[render.Bounds](w, e)
		if err != nil {
			log.Fatal(err)
		}
		world, err := ecs.Get[render.WorldBounds](w, e)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(local, "in the world", world)
	}
	// Output:
	// {0 0 0 0.4 1 0} in the world {7 0 0 0.4 1 0}
	// {0 10 0 2 11 2} in the world {7 10 0 2 11 2}
}

// The package computes the views even if there is no renderer.
func ExampleViewsOf() {
	w := harbour(render.Options{Width: 160, Height: 100})
	defer w.Close()
	w.Spawn(render.Camera{Height: 10, Sort: render.SortY})
	update(w)
	for _, v := range render.ViewsOf(w) {
		fmt.Println(v.Seen, "of", v.Seen+v.Culled)
		for i := range v.Batches {
			b := &v.Batches[i]

			// chunk by chunk, without copies
			for p := range b.Parts() {
				for k, m := range p.Matrices {
					if p.Mask[k/64]>>(k%64)&1 != 0 && m[12] == 3 {
						fmt.Println(b.Shape.Name, "at", m[12], m[13])
					}
				}
			}
		}

		// all rows in one slice, for a buffer of an engine
		matrices, tints := make([][16]float32, v.Seen), make([]color.NRGBA, v.Seen)
		if err := v.Gather(matrices, tints, nil); err != nil {
			log.Fatal(err)
		}
		last := v.Batches[len(v.Batches)-1]
		fmt.Println(last.Material.Name, "begins at", last.First, "of", len(matrices))
	}
	// Output:
	// 18 of 200
	// boat at 3 0
	// buoy at 3 2
	// glow begins at 9 of 18
}

// Torn is a renderer that cannot draw.
type Torn struct{ Printer }

// Draw fails.
func (Torn) Draw(v *render.View) error {
	for range v.Batches[0].Parts() {
		panic("the paper is torn")
	}
	return nil
}

// A fault of a renderer is an error of the frame.
func ExampleDrawError() {
	w := harbour(render.Options{Renderer: Torn{}})
	defer w.Close()
	w.Spawn(render.Camera{Height: 10})

	err := system.Update(w)
	var failed *render.DrawError
	if errors.As(err, &failed) {
		fmt.Println("camera", failed.Camera, "batch", failed.Batch, "of layer", failed.Look.Layer)
	}
	var p *render.PanicError
	if errors.As(err, &p) {
		fmt.Println(p.Value)
	}

	// A look that is not registered causes an error too, but only in one frame.
	w.Spawn(render.Look{Shape: render.ShapeNamed("bota")}, transform.LocalToWorld{})
	fmt.Println(errors.Is(system.Update(w), ecs.ErrState))
	// Output:
	// camera 200:1 batch 0 of layer 0
	// the paper is torn
	// true
}

// Shapes and materials from files are checked.
func ExampleAssets_AddShape() {
	a := render.NewAssets()
	id, err := a.AddShape(render.Shape{
		Name:      "hull",
		Kind:      render.Lines,
		Positions: [][3]float32{{0, 0, 0}, {1, 0, 0}},
		Indices:   []uint32{0, 1, 1, 2},
	})
	fmt.Println(id, err)
	m, err := a.AddMaterial(render.Material{Name: "chalk", Size: 2})
	fmt.Println(m == render.MaterialNamed("chalk"), a.FindMaterial(m).Size, err)
	// Output:
	// 0000000000000000 render: Assets.AddShape: shape "hull": index 3 is 2, there are 2 positions: invalid argument
	// true 2 <nil>
}
