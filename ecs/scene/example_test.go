package scene_test

import (
	"fmt"
	"os"
	"testing/fstest"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/scene"
)

// Place is the place of an entity.
type Place struct{ X, Y float32 }

// Glow is the light of a lamp.
type Glow struct {
	ecs.Enableable
	Lumen uint32
}

// Hangs names the entity from which a lamp hangs.
type Hangs struct{ From ecs.Entity }

func init() {
	ecs.RegisterComponent[Place]()
	ecs.RegisterComponent[Glow]()
	ecs.RegisterComponent[Hangs]()
}

const street = `{
	"prefabs": {
		"lamp": {"Place": {"Y": 4}, "Glow": {"Lumen": 800}},
	},
	"entities": {
		"pole": {"Place": {"X": 10}},
		"lamp/1": {"of": "lamp", "Place": {"X": 10}, "Hangs": {"From": "@pole"}}, // Y is the prefab's
		"lamp/2": {"of": "lamp", "disabled": ["Glow"]},
	},
}`

func Example() {
	files := fstest.MapFS{"street.scene": {Data: []byte(street)}}
	s, err := scene.ReadFile(files, "street.scene")
	if err != nil {
		fmt.Println(err)
		return
	}
	w, _ := ecs.Fork(s.Image(), "street")
	lamp, _ := s.Find("lamp/1")
	place, _ := ecs.Get[Place](w, lamp)
	hangs, _ := ecs.Get[Hangs](w, lamp)
	fmt.Println(w.EntityName(lamp), place, "from", w.EntityName(hangs.From))

	model, _ := s.Find("lamp") // a prefab, from which more are created
	more, _ := w.Instantiate(model, 3)
	fmt.Println(len(more), "more,", w.Query(ecs.With[Glow]()).Count(), "glow")
	// Output:
	// lamp/1 {10 4} from pole
	// 3 more, 4 glow
}

// An error contains the position of the fault and a remedy.
func ExampleParse() {
	_, err := scene.Parse("street.scene", []byte(`{
	"entities": {
		"pole": {"Plaec": {"X": 10}},
	},
}`))
	fmt.Println(err)
	// Output:
	// street.scene:3:12: no component "Plaec" is registered: there is "Place"
}

// The canonical form of a text keeps its comments.
func ExampleFormat() {
	text, err := scene.Format("street.scene", []byte(`{"entities":{"pole":{"Place":{"X":10}} // in the corner
}}`))
	fmt.Print(string(text), err)
	// Output:
	// {
	// 	"entities": {
	// 		"pole": {"Place": {"X": 10}}, // in the corner
	// 	},
	// }
	// <nil>
}

// A project has its own command, which knows the components of the packages that it imports.
func ExampleMain() {
	code := scene.Main("scenes", []string{"check"}, os.Stdout, os.Stdout)
	fmt.Println("exit", code)
	// Output:
	// usage: scenes check FILE...       say what is wrong with texts of scenes
	//        scenes bake  FILE...       write FILE.baked beside each text, if it is not that of the text
	//        scenes fmt   [-d] FILE...  put texts in their one form; -d only says which are not
	//        scenes schema              write a JSON schema for editors
	// exit 2
}
