package rows_test

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/rows"
)

// Place is where something is.
type Place struct{ X, Y, Z float32 }

// Follow refers to another entity.
type Follow struct{ Whom ecs.Entity }

func ExampleArrival() {
	far := ecs.NewWorld("far away") // or an image out of a file
	lamp := far.Spawn(Place{X: 1})
	for i := range 2500 {
		far.Spawn(Place{X: float32(i)}, Follow{Whom: lamp})
	}
	image, err := ecs.Capture(far, nil)

	w := ecs.NewWorld("here")
	a, err2 := rows.NewArrival(image) // as well on a worker
	err = errors.Join(err, err2, a.Begin(w))
	for a.Left() > 0 { // at each border of frames
		n, err := a.Admit(1000)
		fmt.Println(n, "come,", w.Len(), "are here", err)
	}
	follow, _ := ecs.Get[Follow](w, a.Entities()[7])
	fmt.Println(follow.Whom == a.Of(lamp), err)
	left, err := a.Withdraw(3000)
	fmt.Println(left, w.Len(), err)
	// Output:
	// 1000 come, 1000 are here <nil>
	// 1000 come, 2000 are here <nil>
	// 501 come, 2501 are here <nil>
	// true <nil>
	// 0 0 <nil>
}
