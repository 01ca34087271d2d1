package transform_test

import (
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// newWorld makes a world with the systems of package transform.
func newWorld() *ecs.World {
	w, err := system.NewWorld("guide")
	if err != nil {
		log.Fatal(err)
	}
	return w
}

// step runs one frame and prints the places of entities.
func step(w *ecs.World, entities ...ecs.Entity) {
	if err := system.Update(w); err != nil {
		fmt.Println(err)
	}
	for _, e := range entities {
		l, err := ecs.Get[transform.LocalToWorld](w, e)
		exitOnError(err)
		x, y, z := l.Position()
		fmt.Printf("(%.1f %.1f %.1f)\n", x, y, z)
	}
}

// exitOnError ends an example if err is not nil.
func exitOnError(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The example moves, turns and scales a box.
func Example_box() {
	w := newWorld()
	const half = math.Sqrt2 / 2 // sine and cosine of half of a quarter turn
	box := w.Spawn(
		transform.Translation{X: 10},
		transform.Rotation{Z: half, W: half}, // X turns to Y
		transform.NonUniformScale{X: 2, Y: 1, Z: 1},
		transform.LocalToWorld{},
	)
	exitOnError(system.Update(w))

	l, err := ecs.Get[transform.LocalToWorld](w, box)
	exitOnError(err)
	x, y, z := l.Point(1, 0, 0) // a corner of the box
	fmt.Printf("%.1f %.1f %.1f\n", x, y, z)
	at, turned, scale := l.Decompose()
	fmt.Printf("%.1f %.3f %.1f\n", at.X, turned.Z, scale.X)
	lid := l.Turn(transform.Rotation{Z: half, W: half}) // a quarter more
	fmt.Printf("%.1f\n", lid.Z)
	// Output:
	// 10.0 2.0 0.0
	// 10.0 0.707 2.0
	// 1.0
}

// LocalTransform holds position, rotation and a uniform scale in one component.
func Example_localTransform() {
	w := newWorld()
	ship := w.Spawn(transform.LocalTransform{X: 3, Scale: 2, QW: 1}, transform.LocalToWorld{})
	gun := w.Spawn(transform.At[float32](0, 1, 0), transform.Parent{Entity: ship}, transform.LocalToWorld{})
	step(w, gun)
	// Output:
	// (3.0 2.0 0.0)
}

// ComputeLocalToWorld returns the matrix of an entity before the systems have run.
func Example_computeLocalToWorld() {
	w := newWorld()
	ship := w.Spawn(transform.LocalTransform{X: 3, Scale: 2, QW: 1}, transform.LocalToWorld{})
	gun := w.Spawn(transform.At[float32](0, 1, 0), transform.Parent{Entity: ship}, transform.LocalToWorld{})

	l, err := transform.ComputeLocalToWorld[float32](w, gun)
	exitOnError(err)
	fmt.Println(l.Position())
	// Output:
	// 3 2 0
}

// Orbit makes the matrices of entities that have it.
type Orbit struct{ Radius, Angle float32 }

// WriteGroups makes this program compute LocalToWorld, in place of package transform.
func (Orbit) WriteGroups() []ecs.Term { return []ecs.Term{ecs.With[transform.LocalToWorld]()} }

// Column shows a column of orbits as two lanes.
func (Orbit) Column() (c struct{ Radius, Angle []float32 }) { return }

// Orbits writes the matrices of all orbits.
type Orbits struct {
	_      system.In[transform.Group]
	_      system.Before[transform.HierarchyOf[float32]]
	orbits *ecs.Query
}

// Create makes the query and declares the components that the system reads and writes.
func (s *Orbits) Create(u *system.Setup) error {
	s.orbits = u.Query(ecs.Write[transform.LocalToWorld](), ecs.Read[Orbit](), ecs.Changed[Orbit]())
	return nil
}

// Update schedules the work.
func (s *Orbits) Update(f *system.Frame) error {
	f.ParallelFor(s.orbits, s)
	return nil
}

// Chunk puts the entities of one chunk on their orbits.
func (s *Orbits) Chunk(c *ecs.Chunk) {
	orbit, n := ecs.Column[Orbit](c), c.Len()
	world, radius, angle := ecs.Column[transform.LocalToWorld](c).M[:n], orbit.Radius[:n], orbit.Angle[:n]
	var sin, cos [1]float32
	for i := range n {
		kernels.Sincos(sin[:], cos[:], angle[i:i+1]) // math.Sincos has other bits on other CPUs
		world[i] = transform.IdentityMatrix[float32]()
		world[i][12], world[i][14] = radius[i]*cos[0], radius[i]*sin[0]
	}
}

func Example_writeGroup() {
	w := newWorld()
	orbits, err := system.Create[Orbits](w)
	exitOnError(err)
	exitOnError(system.Find[transform.Group](w).Add(orbits))

	moon := w.Spawn(Orbit{Radius: 4}, transform.Translation{X: 99}, transform.LocalToWorld{})
	flag := w.Spawn(transform.Parent{Entity: moon}, transform.Translation{Y: 1}, transform.LocalToParent{}, transform.LocalToWorld{})
	step(w, moon, flag)
	// Output:
	// (4.0 0.0 0.0)
	// (4.0 1.0 0.0)
}

// A program sets, changes and removes a parent by one component.
func Example_parents() {
	w := newWorld()
	crane := w.Spawn(transform.Translation{X: 10}, transform.LocalToWorld{})
	truck := w.Spawn(transform.Translation{X: 20}, transform.LocalToWorld{})
	crate := w.Spawn(
		transform.Parent{Entity: crane},
		transform.Translation{Y: -3}, // below its parent
		transform.LocalToParent{},
		transform.LocalToWorld{},
	)
	step(w, crate)

	exitOnError(ecs.Set(w, crate, transform.Parent{Entity: truck}))
	step(w, crate)

	err := ecs.RemoveTypes(w, ecs.One(crate), ecs.With[transform.Parent](), ecs.With[transform.LocalToParent]())
	exitOnError(err)
	step(w, crate) // a root, whose translation is in the world now

	children, err := ecs.Get[transform.Children](w, truck)
	fmt.Println(children.Len(), errors.Is(err, ecs.ErrArgument)) // the empty list was removed
	// Output:
	// (10.0 -3.0 0.0)
	// (20.0 -3.0 0.0)
	// (0.0 -3.0 0.0)
	// 0 true
}

// Depth is the number of entities above an entity. It is a shared component, so entities of one
// depth share chunks.
type Depth struct {
	ecs.Shared
	Above int32
}

// spawnArm makes one arm and returns its hand.
func spawnArm(w *ecs.World, x float32) ecs.Entity {
	shoulder := w.Spawn(transform.At(x, 0, 0), transform.LocalToWorld{})
	elbow := w.Spawn(transform.At[float32](0, 1, 0), transform.Parent{Entity: shoulder}, transform.LocalToWorld{}, Depth{Above: 1})
	hand := w.Spawn(transform.At[float32](0, 1, 0), transform.Parent{Entity: elbow}, transform.LocalToWorld{}, Depth{Above: 2})
	return hand
}

// The example creates arms one after the other. Entities of the same depth share chunks.
func Example_depth() {
	w := newWorld()
	for x := range 3 {
		step(w, spawnArm(w, float32(x)))
	}
	for c := range w.Query(ecs.With[transform.LocalToWorld](), ecs.With[Depth]()).Chunks() {
		fmt.Println(ecs.SharedValue[Depth](c).Above, c.Len())
	}
	// Output:
	// (0.0 2.0 0.0)
	// (1.0 2.0 0.0)
	// (2.0 2.0 0.0)
	// 2 3
	// 1 3
}

// Two entities that are each other's parents are reported once and skipped.
func Example_circle() {
	w := newWorld()
	child := []any{transform.LocalToParent{}, transform.LocalToWorld{}, transform.Translation{}}
	a := w.Spawn(append(child, transform.Parent{})...)
	b := w.Spawn(append(child, transform.Parent{Entity: a})...)
	exitOnError(ecs.Set(w, a, transform.Parent{Entity: b}))

	var circle *transform.CycleError
	if err := system.Update(w); errors.As(err, &circle) {
		fmt.Println(circle.Entities)
	}
	fmt.Println(system.Update(w))
	// Output:
	// [0:1 1:1]
	// <nil>
}

// In float64, a distance of a quarter of a metre is still exact at the distance of the Sun.
func Example_float64() {
	w := newWorld()
	sun := w.Spawn(transform.Translation64{X: 149_597_870_700}, transform.LocalToWorld64{}) // metres
	probe := w.Spawn(
		transform.Parent{Entity: sun},
		transform.Translation64{X: 0.25},
		transform.LocalToParent64{},
		transform.LocalToWorld64{},
	)
	exitOnError(system.Update(w))
	l, err := ecs.Get[transform.LocalToWorld64](w, probe)
	exitOnError(err)
	x, _, _ := l.Position()
	fmt.Printf("%.2f\n", x)
	fmt.Printf("%.2f\n", float32(x)) // the result in float32
	// Output:
	// 149597870700.25
	// 149597863936.00
}
