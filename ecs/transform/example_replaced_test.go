package transform_test

import (
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Turned is the angles of an entity about its X, Y and Z axis, in radians.
type Turned struct{ X, Y, Z float32 }

// Column shows a column of angles as three lanes.
func (Turned) Column() (c kernels.Vec3s[float32]) { return }

// TurnByAngles sets Rotation where angles were written.
type TurnByAngles struct {
	_      system.Before[transform.Group]
	turned *ecs.Query
}

// Create makes the query and declares the components that the system reads and writes.
func (s *TurnByAngles) Create(u *system.Setup) error {
	s.turned = u.Query(ecs.Write[transform.Rotation](), ecs.Read[Turned](), ecs.Changed[Turned](), ecs.OrderChanged())
	return nil
}

// Update schedules the work.
func (s *TurnByAngles) Update(f *system.Frame) error {
	f.ParallelFor(s.turned, s)
	return nil
}

// Chunk turns the angles of one chunk into rotations, about the X axis first.
func (s *TurnByAngles) Chunk(c *ecs.Chunk) {
	ecs.Column[transform.Rotation](c).FromEuler(ecs.Column[Turned](c), kernels.OrderXYZ)
}

// A component of the program holds the angles, and a system computes the rotation from them.
func Example_angles() {
	w, err := system.NewWorld("guide", system.Only(system.Of[TurnByAngles]()), system.WithPlugins(transform.Systems()))
	exitOnError(err)
	crane := w.Spawn(Turned{Y: -math.Pi / 2}, transform.Rotation{}, transform.LocalToWorld{})
	hook := w.Spawn(transform.Translation{X: 1, Y: 2, Z: 3}, transform.Parent{Entity: crane}, transform.LocalToParent{}, transform.LocalToWorld{})
	step(w, hook)

	exitOnError(ecs.Set(w, crane, Turned{Y: -math.Pi / 2, Z: math.Pi / 2}))
	step(w, hook)
	// Output:
	// (-3.0 2.0 1.0)
	// (-2.0 -3.0 1.0)
}

// A door turns about its hinge, which is half a metre to the left of the door's centre. The hinge is
// the door's parent.
func Example_door() {
	w := newWorld()
	const half = math.Sqrt2 / 2 // sine and cosine of half of a quarter turn
	hinge := w.Spawn(transform.LocalTransform{X: -0.5, Scale: 1, QY: -half, QW: half}, transform.LocalToWorld{})
	door := w.Spawn(transform.At[float32](0.5, 0, 0), transform.Parent{Entity: hinge}, transform.LocalToWorld{})
	step(w, door)
	// Output:
	// (-0.5 0.0 0.5)
}

// A plant is scaled about a pivot. The plant grows from its foot, which is one metre below its centre.
func Example_scalePivot() {
	w := newWorld()
	const grown, foot = 3, -1
	tall := transform.PostTransformMatrix{M: [16]float32{0: 1, 5: grown, 10: 1, 13: foot - grown*foot, 15: 1}} // foot − scale × foot
	plant := w.Spawn(transform.At[float32](5, 1, 0), tall, transform.LocalToWorld{})
	exitOnError(system.Update(w))

	l, err := ecs.Get[transform.LocalToWorld](w, plant)
	exitOnError(err)
	fmt.Println(l.Point(0, foot, 0))
	fmt.Println(l.Point(0, 1, 0))
	// Output:
	// 5 0 0
	// 5 6 0
}

// The example applies a second rotation before the rotation of an entity.
func Example_postRotation() {
	const half = math.Sqrt2 / 2
	ship := transform.LocalTransform{Scale: 1, QY: half, QW: half}
	nod := transform.Rotation{X: half, W: half}
	q := ship.Turn(nod) // Rotation × PostRotation
	ship.QX, ship.QY, ship.QZ, ship.QW = q.X, q.Y, q.Z, q.W
	x, y, z := ship.Direction(0, 0, 1) // first down, then to the side, which has no effect any more
	fmt.Printf("%.0f %.0f %.0f\n", x, y, z)
	// Output:
	// 0 -1 0
}

// A child must not get the scale of its parent. Therefore the scale belongs to a sibling of the child,
// which shows the parent.
func Example_parentScaleInverse() {
	w := newWorld()
	balloon := w.Spawn(transform.At[float32](0, 10, 0), transform.LocalToWorld{}) // where it is
	skin := w.Spawn(transform.LocalTransform{Scale: 5, QW: 1}, transform.Parent{Entity: balloon}, transform.LocalToWorld{})
	label := w.Spawn(transform.At[float32](5, 0, 0), transform.Parent{Entity: balloon}, transform.LocalToWorld{})
	exitOnError(system.Update(w))
	for _, e := range []ecs.Entity{skin, label} {
		l, err := ecs.Get[transform.LocalToWorld](w, e)
		exitOnError(err)
		at, _, scale := l.Decompose()
		fmt.Printf("%.0f %.0f, scale %.0f\n", at.X, at.Y, scale.X)
	}
	// Output:
	// 0 10, scale 5
	// 5 10, scale 1
}

// The example converts a point of the world to the space of an entity.
func Example_inverse() {
	w := newWorld()
	turret := w.Spawn(transform.Translation{X: 10}, transform.Scale{Value: 2}, transform.LocalToWorld{})
	step(w, turret)

	l, err := ecs.Get[transform.LocalToWorld](w, turret)
	exitOnError(err)
	back := l.Inverse()
	fmt.Println(back.Point(14, 0, 0))
	// Output:
	// (10.0 0.0 0.0)
	// 2 0 0
}

// WorldToLocal is the inverse of an entity's LocalToWorld.
type WorldToLocal struct{ M [16]float32 }

// Column shows a column of matrices.
func (WorldToLocal) Column() (c kernels.Mat4s[float32]) { return }

// InvertMatrices sets WorldToLocal where LocalToWorld was written.
type InvertMatrices struct {
	_     system.After[transform.Group]
	moved *ecs.Query
}

// Create makes the query and declares the components that the system reads and writes.
func (s *InvertMatrices) Create(u *system.Setup) error {
	s.moved = u.Query(ecs.Write[WorldToLocal](), ecs.Read[transform.LocalToWorld](), ecs.Changed[transform.LocalToWorld](), ecs.OrderChanged())
	return nil
}

// Update schedules the work.
func (s *InvertMatrices) Update(f *system.Frame) error {
	f.ParallelFor(s.moved, s)
	return nil
}

// Chunk inverts the matrices of one chunk.
func (s *InvertMatrices) Chunk(c *ecs.Chunk) {
	ecs.Column[WorldToLocal](c).Inverse(ecs.Column[transform.LocalToWorld](c))
}

// A system computes the inverse matrices of many entities.
func Example_worldToLocal() {
	w, err := system.NewWorld("guide", system.Only(system.Of[InvertMatrices]()), system.WithPlugins(transform.Systems()))
	exitOnError(err)
	eye := w.Spawn(transform.At[float32](10, 0, 0), transform.LocalToWorld{}, WorldToLocal{})
	exitOnError(system.Update(w))

	m, err := ecs.Get[WorldToLocal](w, eye)
	exitOnError(err)
	fmt.Println(m.M[12])
	// Output:
	// -10
}
