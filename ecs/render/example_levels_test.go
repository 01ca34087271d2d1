package render_test

import (
	"fmt"
	"log"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// A ship is drawn with its planks when it is near, as a hull when it is farther away, and not at
// all when it is far away.
func ExampleLevels() {
	assets := render.NewAssets()
	planks := assets.Shape(render.Shape{Name: "planks", Kind: render.Lines, Positions: [][3]float32{{0, 1, 0}, {0, -1, 0}}})
	hull := assets.Shape(render.Shape{Name: "hull", Positions: [][3]float32{{0, 1, 0}, {-0.4, -1, 0}, {0.4, -1, 0}}})
	paint := assets.Material(render.Material{Name: "paint"})
	w, err := system.NewWorld("levels", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		log.Fatal(err)
	}
	if err := render.Install(w, render.Options{Assets: assets}); err != nil {
		log.Fatal(err)
	}

	ship := w.Spawn(transform.Translation{}, transform.LocalToWorld{},
		render.Levels{Distances: [8]float32{50, 500}, Hysteresis: 0.1})
	w.Spawn(render.Look{Shape: planks, Material: paint}, transform.Translation{}, transform.LocalToWorld{}, render.Level{Group: ship})
	w.Spawn(render.Look{Shape: hull, Material: paint}, transform.Translation{}, transform.LocalToWorld{}, render.Level{Group: ship, Min: 1})

	camera := w.Spawn(render.Camera{FOV: 0.5}, transform.Translation{}, transform.LocalToWorld{})
	for _, z := range []float32{40, 52, 56, 52, 48, 600} {
		if err := ecs.Set(w, camera, transform.Translation{Z: z}); err != nil {
			log.Fatal(err)
		}
		update(w)
		what := "nothing"
		for _, b := range render.ViewsOf(w)[0].Batches {
			what = b.Shape.Name
		}
		fmt.Printf("%v away: %s\n", z, what)
	}
	// Output:
	// 40 away: planks
	// 52 away: planks
	// 56 away: hull
	// 52 away: hull
	// 48 away: planks
	// 600 away: nothing
}

// An entity moves ten times a second, and is drawn more often.
func ExamplePrevious() {
	w, err := system.NewWorld("smooth", system.Only(), system.WithPlugins(transform.Systems()))
	if err != nil {
		log.Fatal(err)
	}
	if err := render.Install(w, render.Options{}); err != nil {
		log.Fatal(err)
	}
	system.GetOrCreate[system.FixedStep](w).SetRate(system.CatchUpRate(1.0 / 10))
	move := system.GetOrCreate[March](w)
	if err := system.GetOrCreate[system.FixedStep](w).Add(move); err != nil {
		log.Fatal(err)
	}
	e := w.Spawn(transform.Translation{}, transform.LocalToWorld{}, render.Previous{})
	for _, at := range []float64{0, 0.1, 0.125, 0.15, 0.2} {
		system.ClockOf(w).SetNow(system.Time{Elapsed: at})
		update(w)
		now, err := ecs.Get[transform.LocalToWorld](w, e)
		if err != nil {
			log.Fatal(err)
		}
		drawn, err := ecs.Get[render.Drawn](w, e)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("at %.3f s: is at %v, drawn at %v\n", at, now.M[12], drawn.M[12])
	}
	// Output:
	// at 0.000 s: is at 1, drawn at 1
	// at 0.100 s: is at 2, drawn at 1
	// at 0.125 s: is at 2, drawn at 1.25
	// at 0.150 s: is at 2, drawn at 1.5
	// at 0.200 s: is at 3, drawn at 2
}

// March moves everything by a metre in each step.
type March struct{ all *ecs.Query }

// Create makes the query.
func (m *March) Create(s *system.Setup) error {
	m.all = s.Query(ecs.Write[transform.Translation]())
	return nil
}

// Update schedules the work.
func (m *March) Update(f *system.Frame) error {
	f.ParallelFor(m.all, m)
	return nil
}

// Chunk moves the entities of a chunk.
func (m *March) Chunk(c *ecs.Chunk) {
	x := ecs.Column[transform.Translation](c).X
	for i := range x {
		x[i]++
	}
}

// A presentation world draws a frame of the harbour while the harbour's own world simulates the next
// frame.
func ExampleExtract() {
	game := harbour(render.Options{})
	game.Spawn(render.Camera{Height: 10}, transform.Translation{X: 20}, transform.LocalToWorld{})
	march := system.GetOrCreate[March](game)
	if err := system.GetOrCreate[system.Simulation](game).Add(march); err != nil {
		log.Fatal(err)
	}

	show, err := system.NewWorld("show", system.Only())
	if err != nil {
		log.Fatal(err)
	}
	if err := render.Install(show, render.Options{Assets: render.AssetsOf(game), Renderer: Printer{}}); err != nil {
		log.Fatal(err)
	}
	drawn := make(chan error, 1)
	drawn <- nil
	for range 2 {
		update(game)
		if err := <-drawn; err != nil { // of the frame before
			log.Fatal(err)
		}
		if err := render.Extract(game, show); err != nil {
			log.Fatal(err)
		}
		go func() { drawn <- system.Update(show) }()
	}
	if err := <-drawn; err != nil {
		log.Fatal(err)
	}
	// Output:
	// frame 1, (0,0)-(320,200): 34 seen
	//   17 × boat in paint
	//   17 × buoy in glow
	// frame 2, (0,0)-(320,200): 34 seen
	//   17 × boat in paint
	//   17 × buoy in glow
}

// The entity under the mouse.
func ExamplePick() {
	w := harbour(render.Options{Width: 320, Height: 200})
	camera := w.Spawn(render.Camera{Height: 10}, transform.Translation{X: 20}, transform.LocalToWorld{})
	update(w)
	boat, err := render.Pick(w, camera, 160, 100) // the middle
	if err != nil {
		log.Fatal(err)
	}
	at, err := ecs.Get[transform.Translation](w, boat)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the boat at", at.X)
	sea, err := render.Pick(w, camera, 160, 0)
	fmt.Println(sea.IsZero(), err)
	// Output:
	// the boat at 20
	// true <nil>
}
