package host_test

import (
	"errors"
	"fmt"
	"iter"
	"log"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/host"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Part is a node of a small scene graph, such as a renderer or a physics engine might have.
type Part struct {
	Name    string
	Matrix  [16]float32 // in the world
	Parts   []*Part
	Removed bool
}

// WorldMatrix, SetWorldMatrix and Alive make it an Object.
func (p *Part) WorldMatrix() [16]float32     { return p.Matrix }
func (p *Part) SetWorldMatrix(m [16]float32) { p.Matrix = m }
func (p *Part) Alive() bool                  { return !p.Removed }

// Children makes it a Node.
func (p *Part) Children() iter.Seq[host.Node] {
	return func(yield func(host.Node) bool) {
		for _, child := range p.Parts {
			if !yield(child) {
				return
			}
		}
	}
}

// NewPart makes a part at x metres.
func NewPart(name string, x float32, parts ...*Part) *Part {
	p := &Part{Name: name, Matrix: transform.IdentityMatrix[float32](), Parts: parts}
	p.Matrix[12] = x
	return p
}

// Convert creates entities for a tree of plain objects. Systems then move one of the entities, and
// its object follows.
func Example() {
	hand := NewPart("hand", 3)
	robot := NewPart("robot", 1, NewPart("arm", 2, hand))

	w, err := system.NewWorld("scene")
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	entities, err := host.Convert(w, host.Node(robot))
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range entities {
		o, _ := host.BoundTo[float32](w, e)
		fmt.Println(o.(*Part).Name, ecs.Has[transform.Parent](w, e))
	}

	// From now on the hand follows its entity, one metre from the arm.
	grip := entities[2]
	err = ecs.AddTypes(w, ecs.One(grip), ecs.With[transform.LocalToParent](), ecs.With[transform.Translation](), ecs.With[host.CopyTransformTo]())
	if err != nil {
		log.Fatal(err)
	}
	if err := ecs.Set(w, grip, transform.Translation{X: 1}); err != nil {
		log.Fatal(err)
	}
	if err := system.Update(w); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the hand is at", hand.Matrix[12])
	// Output:
	// robot false
	// arm true
	// hand true
	// the hand is at 3
}

// An entity follows an object that the application moves, and the entity's children follow
// the entity.
func Example_copyTransformFrom() {
	w, err := system.NewWorld("body")
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	body := NewPart("body", 5) // for example of a physics engine
	e := w.Spawn(host.CopyTransformFrom{}, transform.LocalToWorld{})
	if err := host.Bind(w, e, host.Object(body)); err != nil {
		log.Fatal(err)
	}
	lamp := w.Spawn(transform.Parent{Entity: e}, transform.Translation{Y: 2}, transform.LocalToParent{}, transform.LocalToWorld{})
	for range 2 {
		if err := system.Update(w); err != nil {
			log.Fatal(err)
		}
		l, err := ecs.Get[transform.LocalToWorld](w, lamp)
		if err != nil {
			log.Fatal(err)
		}
		x, y, z := l.Position()
		fmt.Println(x, y, z)
		body.Matrix[12] = 6
	}

	body.Removed = true
	var gone *host.GoneError
	fmt.Println(errors.As(system.Update(w), &gone), gone.Entities)
	fmt.Println(system.Update(w)) // reported once
	// Output:
	// 5 2 0
	// 6 2 0
	// true [0:1]
	// <nil>
}
