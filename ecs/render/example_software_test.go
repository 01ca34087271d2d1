package render_test

import (
	"fmt"
	"image"
	"image/color"
	"os"

	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// A world is drawn to an image, without a screen.
func ExampleSoftware() {
	w, err := system.NewWorld("picture", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	picture := image.NewRGBA(image.Rect(0, 0, 24, 8))
	assets := render.NewAssets()
	r := &render.Software{Image: picture, Background: color.NRGBA{0, 0, 60, 255}}
	if err := render.Install(w, render.Options{Renderer: r, Assets: assets}); err != nil {
		fmt.Println(err)
		return
	}
	boat := assets.Shape(render.Shape{Name: "boat", Positions: [][3]float32{{3, 0, 0}, {-2, 2, 0}, {-2, -2, 0}}})
	paint := assets.Material(render.Material{Name: "paint", Color: color.NRGBA{255, 200, 40, 255}})
	w.Spawn(render.Camera{Height: 8})
	w.Spawn(render.Look{Shape: boat, Material: paint}, transform.Translation{X: -5}, transform.LocalToWorld{})
	w.Spawn(render.Look{Shape: boat, Material: paint}, transform.Translation{X: 4}, transform.LocalToWorld{})
	if err := system.Update(w); err != nil {
		fmt.Println(err)
	}
	for y := range 8 {
		for x := range 24 {
			fmt.Print(string(".:+#"[picture.RGBAAt(x, y).R/64]))
		}
		fmt.Println()
	}
	// Output:
	// ........................
	// ........................
	// .....#+.......#+........
	// .....###+.....###+......
	// .....###+.....###+......
	// .....#:.......#:........
	// ........................
	// ........................
}

// A sink gets the finished pictures. The sink of this example writes a GIF, which is complete when
// Close returns nil.
func ExampleGIF() {
	w, err := system.NewWorld("film", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	file, err := os.CreateTemp("", "*.gif")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(file.Name())
	defer file.Close()
	sink := render.GIF(file, 25)
	r := &render.Software{Image: image.NewRGBA(image.Rect(0, 0, 32, 16)), Sink: sink}
	if err := render.Install(w, render.Options{Renderer: r}); err != nil {
		fmt.Println(err)
		return
	}
	w.Spawn(render.Camera{Height: 8})
	for range 3 {
		if err := system.Update(w); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(sink.Close())
	// Output: <nil>
}
