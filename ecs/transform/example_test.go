package transform_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// A wheel with a lamp is turned by a quarter turn, and the lamp moves with it.
func Example() {
	w, err := system.NewWorld("wheel")
	if err != nil {
		fmt.Println(err)
	}
	wheel := w.Spawn(transform.Translation{Y: 5}, transform.Identity, transform.LocalToWorld{})
	lamp := w.Spawn(transform.Translation{X: 2}, transform.Parent{Entity: wheel}, transform.LocalToParent{}, transform.LocalToWorld{})

	show := func() {
		if err := system.Update(w); err != nil {
			fmt.Println(err)
		}
		l, err := ecs.Get[transform.LocalToWorld](w, lamp)
		if err != nil {
			fmt.Println(err)
		}
		x, y, z := l.Position()
		fmt.Printf("%.3f %.3f %.3f\n", x, y, z)
	}
	show()
	const half = math.Sqrt2 / 2 // sine and cosine of half of a quarter turn, about Z
	if err := ecs.Set(w, wheel, transform.Rotation{Z: half, W: half}); err != nil {
		fmt.Println(err)
	}
	show()
	if _, err := ecs.Remove[transform.Parent](w, lamp); err != nil {
		fmt.Println(err)
	}
	if _, err := ecs.Remove[transform.LocalToParent](w, lamp); err != nil {
		fmt.Println(err)
	}
	show()
	// Output:
	// 2.000 5.000 0.000
	// 0.000 7.000 0.000
	// 2.000 0.000 0.000
}
