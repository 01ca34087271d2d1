package transform_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// Wind moves all entities.
type Wind struct {
	_   system.Before[transform.Group]
	all *ecs.Query
}

func (s *Wind) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Write[transform.Translation]())
	return nil
}

func (s *Wind) Update(f *system.Frame) error { return f.Run(s.all, s) }

func (s *Wind) Chunk(c *ecs.Chunk) {
	x := ecs.Column[transform.Translation](c).X
	for i := range x {
		x[i]++
	}
}

// The world has the system of the test and the systems of package transform, and no others.
func Example_plugin() {
	w, err := system.NewWorld("test", system.Only(system.Of[Wind]()), system.WithPlugins(transform.Systems()))
	leaf := w.Spawn(transform.Translation{}, transform.LocalToWorld{})
	fmt.Println(err, system.Update(w))
	l, err := ecs.Get[transform.LocalToWorld](w, leaf)
	fmt.Println(l.M[12], err)
	// Output:
	// <nil> <nil>
	// 1 <nil>
}

// A program forgets a component, and the advice reports it.
func Example_advice() {
	w, err := system.NewWorld("test", system.Only(), system.WithPlugins(transform.Systems()))
	exitOnError(err)
	mast := w.Spawn(transform.Translation{Y: 9}, transform.LocalToWorld{})
	w.Spawn(transform.Translation{X: 1}, transform.Parent{Entity: mast}, transform.LocalToWorld{})
	for _, text := range system.Warnings(w) {
		fmt.Println(text)
	}
	// Output:
	// transform: the LocalToWorld of entity 1:1 stays as it is: Translation and Parent, but no LocalToParent
}

// The example prints which element of the array belongs to which place of the matrix.
func ExampleLocalToWorldOf() {
	var l transform.LocalToWorld
	for i := range l.M {
		l.M[i] = float32(i)
	}
	var rows [3][4]float32
	for column, of := range []func() (x, y, z float32){l.Right, l.Up, l.Forward, l.Position} {
		rows[0][column], rows[1][column], rows[2][column] = of()
	}
	fmt.Println("   Right  Up  Forward  Position")
	for i, r := range rows {
		fmt.Printf("%c%7v%4v%9v%10v\n", "xyz"[i], r[0], r[1], r[2], r[3])
	}
	// Output:
	//    Right  Up  Forward  Position
	// x      0   4        8        12
	// y      1   5        9        13
	// z      2   6       10        14
}

// Lift raises the vectors of a column of either width.
func Lift[T kernels.Float](v *kernels.Vec3s[T], by T) {
	y := v.Y
	for i := range y {
		y[i] += by
	}
}

func Example_eitherWidth() {
	near, far := &kernels.Vec3s[float32]{Y: []float32{1}}, &kernels.Vec3s[float64]{Y: []float64{1e9}}
	Lift(near, 2)
	Lift(far, 2)
	fmt.Println(near.Y, far.Y)
	// Output: [3] [1.000000002e+09]
}
