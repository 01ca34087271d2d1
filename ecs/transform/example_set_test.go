package transform_test

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Wind carries everything along.
type Wind struct {
	_   system.Before[transform.Group]
	all *ecs.Query
}

func (s *Wind) Create(u *system.Setup) error {
	s.all = u.Query(ecs.Write[transform.Translation]())
	return nil
}

func (s *Wind) Update(f *system.Frame) error { return f.Each(s.all, s) }

func (s *Wind) Chunk(c *ecs.Chunk) {
	x := ecs.Column[transform.Translation](c).X
	for i := range x {
		x[i]++
	}
}

// A world of a test has its system and those of transforms, and no others.
func Example_set() {
	w, err := system.NewWorld("test", system.Only(system.Of[Wind]()), system.With(transform.Systems()))
	leaf := w.Spawn(transform.Translation{}, transform.LocalToWorld{})
	fmt.Println(err, system.Update(w))
	l, err := ecs.Get[transform.LocalToWorld](w, leaf)
	fmt.Println(l.M[12], err)
	// Output:
	// <nil> <nil>
	// 1 <nil>
}

// What everybody forgets once.
func Example_advice() {
	w, err := system.NewWorld("test", system.Only(), system.With(transform.Systems()))
	done(err)
	mast := w.Spawn(transform.Translation{Y: 9}, transform.LocalToWorld{})
	w.Spawn(transform.Translation{X: 1}, transform.Parent{Entity: mast}, transform.LocalToWorld{})
	for _, text := range system.Warnings(w) {
		fmt.Println(text)
	}
	// Output:
	// transform: the LocalToWorld of entity 1v1 stays as it is: Translation and Parent, but no LocalToParent
}
