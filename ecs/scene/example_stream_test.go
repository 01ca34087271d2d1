package scene_test

import (
	"fmt"
	"testing/fstest"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/system"
)

// Crane is a component of the examples: the load that a crane lifts, and its ship.
type Crane struct {
	Tonnes float32
	Ship   ecs.Entity
}

func init() { ecs.RegisterComponent[Crane]() }

// quay returns a directory with one scene; os.DirFS, an embed.FS or a zip file would do too.
func quay() fstest.MapFS {
	return fstest.MapFS{"quay.scene": {Data: []byte(`{"entities": {
		"ship":  {"Crane": {}},
		"north": {"Crane": {"Tonnes": 40, "Ship": "@ship"}},
		"south": {"Crane": {"Tonnes": 25, "Ship": "@ship"}},
	}}`), ModTime: time.Unix(1, 0)}}
}

func ExampleLoad() {
	w, err := system.NewWorld("harbour")
	if err != nil {
		fmt.Println(err)
	}
	defer w.Close()
	scene.Configure(w, scene.Config{Files: quay(), Budget: 2, Delay: 1})
	e := scene.Load(w, "quay.scene", 0)
	for range 5 {
		system.Update(w) // Streaming is one of its systems
		status, _ := ecs.Get[scene.Status](w, e)
		fmt.Println(status.Phase, status.Came, "of", status.Rows)
	}
	crane, _ := ecs.Get[Crane](w, scene.Find(w, e, "north"))
	fmt.Println(crane.Ship == scene.Find(w, e, "ship"), scene.Failure(w, e))
	// Output:
	// requested 0 of 0
	// coming 2 of 3
	// loaded 3 of 3
	// loaded 3 of 3
	// loaded 3 of 3
	// true <nil>
}

func ExampleRequest() {
	w, err := system.NewWorld("harbour")
	if err != nil {
		fmt.Println(err)
	}
	defer w.Close()
	scene.Configure(w, scene.Config{Files: quay()})
	e := scene.Load(w, "quay.scene", 0)
	fmt.Println(scene.Wait(w), w.Len())
	mine, _ := w.Instantiate(scene.Find(w, e, "south"), 2) // created by the program

	ecs.SetEnabled[scene.Request](w, e, false)
	fmt.Println(scene.Wait(w), w.Len(), w.Exists(mine[0]))
	ecs.SetEnabled[scene.Request](w, e, true)
	fmt.Println(scene.Wait(w), w.Len())
	// Output:
	// <nil> 4
	// <nil> 3 true
	// <nil> 6
}

func ExampleRefresh() {
	files := quay()
	w, err := system.NewWorld("harbour")
	if err != nil {
		fmt.Println(err)
	}
	defer w.Close()
	scene.Configure(w, scene.Config{Files: files, Live: true, Notice: func(n scene.Notice) {
		if n.Err != nil {
			fmt.Println(n.Err)
		}
	}})
	e := scene.Load(w, "quay.scene", 0)
	fmt.Println(scene.Wait(w))
	north := scene.Find(w, e, "north")
	ecs.Set(w, north, Crane{Tonnes: 41}) // the program changes it

	text := string(files["quay.scene"].Data)
	files["quay.scene"].Data = []byte(text[:len(text)-4] + `
		"west":  {"Crane": {"Tonnes": 10, "Ship": "@ship"}},
	}}`) // a person saves the file
	fmt.Println(scene.Refresh(w), !scene.Find(w, e, "west").IsZero(), scene.Find(w, e, "north") == north)
	crane, _ := ecs.Get[Crane](w, north)
	fmt.Println(crane.Tonnes)
	// Output:
	// <nil>
	// <nil> true true
	// 41
}

func ExampleOpen() {
	defer app.Shutdown()
	defer scene.ForgetOpened()
	w, e, err := scene.Open(quay(), "quay.scene") // a tool, without a running game
	fmt.Println(w.Name(), w.Len(), scene.Find(w, e, "ship").IsZero(), err)
	w, err = app.Play("harbour")
	fmt.Println(w.Name(), scene.Wait(w), w.Len(), err)
	// Output:
	// Editor World 4 false <nil>
	// harbour <nil> 4 <nil>
}
