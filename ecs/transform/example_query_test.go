package transform_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
)

// PostTransformMatrix holds a non-uniform scale, which LocalTransform cannot hold. It is applied
// first.
func Example_postTransformMatrix() {
	w := newWorld()
	flat := transform.PostTransformMatrix{M: [16]float32{0: 3, 5: 1, 10: 3, 15: 1}}
	table := w.Spawn(transform.At[float32](5, 0, 0), flat, transform.LocalToWorld{})
	step(w, table)

	l, err := ecs.Get[transform.LocalToWorld](w, table)
	exitOnError(err)
	fmt.Println(l.Point(1, 1, 0))
	// Output:
	// (5.0 0.0 0.0)
	// 8 1 0
}

// A query with FilterWriteGroup skips entities that have another component of the write group, unless
// the query names that component.
func Example_filterWriteGroup() {
	w := newWorld()
	w.Spawn(transform.Translation{X: 1}, transform.LocalToWorld{})
	w.Spawn(transform.Translation{X: 2}, transform.LocalToWorld{}, Orbit{Radius: 4})

	all := w.Query(ecs.Write[transform.LocalToWorld](), ecs.Read[transform.Translation]())
	ours := w.Query(ecs.Write[transform.LocalToWorld](), ecs.Read[transform.Translation](), ecs.FilterWriteGroup())
	fmt.Println(all.Count(), ours.Count())
	// Output:
	// 2 1
}
