package render_test

import (
	"fmt"
	"image"
	"image/color"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// spinningCoin returns an image of four cells: a coin that turns.
func spinningCoin() *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, 32, 8))
	for k, half := range []int{3, 2, 1, 2} {
		for y := 1; y < 7; y++ {
			for x := 4 - half; x < 4+half; x++ {
				m.SetRGBA(8*k+x, y, color.RGBA{255, 210, 60, 255})
			}
		}
	}
	return m
}

// A sprite shows one cell of its image, and shows other cells as time passes.
func ExampleFlipbook() {
	w, err := system.NewWorld("coins", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	assets := render.NewAssets()
	picture := image.NewRGBA(image.Rect(0, 0, 24, 8))
	if err := render.Install(w, render.Options{Renderer: &render.Software{Image: picture}, Assets: assets}); err != nil {
		fmt.Println(err)
		return
	}
	coin := render.Look{
		Shape:    assets.Shape(render.Shape{Name: "coin", Kind: render.Sprite, Width: 8, Height: 8}),
		Material: assets.Material(render.Material{Name: "coin", Image: spinningCoin(), Columns: 4}),
	}
	w.Spawn(coin, render.Flipbook{Rate: 10}, transform.Translation{X: -8}, transform.LocalToWorld{})
	w.Spawn(coin, render.Flipbook{Rate: 10, Start: 0.1}, transform.Translation{}, transform.LocalToWorld{}) // one cell late
	w.Spawn(coin, render.Flipbook{First: 2}, transform.Translation{X: 8}, transform.LocalToWorld{})         // does not turn
	w.Spawn(render.Camera{Height: 8})
	for _, step := range []float64{0, 0.1, 0.1} {
		system.ClockOf(w).Advance(step)
		if err := system.Update(w); err != nil {
			fmt.Println(err)
		}
		for x := range 24 {
			fmt.Print(string(".#"[picture.RGBAAt(x, 4).R/255]))
		}
		fmt.Println()
	}
	// Output:
	// .######...####.....##...
	// ..####...######....##...
	// ...##.....####.....##...
}

// A text is one entity, and its letters are cells of an image.
func ExampleLabelOf() {
	w, err := system.NewWorld("signs", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	assets := render.NewAssets()
	if err := render.Install(w, render.Options{Assets: assets, Width: 320, Height: 200}); err != nil {
		fmt.Println(err)
		return
	}
	letters := render.Look{
		Shape:    assets.Shape(render.Shape{Name: "letter", Kind: render.Sprite, Width: 0.5}),
		Material: assets.Material(render.Material{Name: "letters", Columns: 16, Rows: 6, Blend: render.Over}),
	}
	label, err := render.LabelOf("a b", render.ASCII)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := w.Spawn(letters, label, transform.Translation{X: 10}, transform.LocalToWorld{})
	w.Spawn(render.Camera{Height: 50})
	show := func() {
		if err := system.Update(w); err != nil {
			fmt.Println(err)
		}
		v := render.ViewsOf(w)[0]
		matrices, cells := make([][16]float32, v.Seen), make([]int32, v.Seen)
		if err := v.Gather(matrices, nil, cells); err != nil {
			fmt.Println(err)
		}
		for i, k := range cells {
			fmt.Printf("%q at %v\n", rune(' '+k), matrices[i][12])
		}
	}
	show()
	label, _ = render.LabelOf("xyz", render.ASCII)
	label.Anchor = 1 // begins at the entity
	if err := ecs.Set(w, e, label); err != nil {
		fmt.Println(err)
	}
	show()
	// Output:
	// 'a' at 9.5
	// 'b' at 10.5
	// 'x' at 10.25
	// 'y' at 10.75
	// 'z' at 11.25
}
