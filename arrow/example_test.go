package arrow_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/lanewise/lanewise/arrow"
	"github.com/lanewise/lanewise/arrow/parquet"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/inspect"
	"github.com/lanewise/lanewise/kernels"
)

// Position is a place in metres.
type Position struct{ X, Y, Z float32 }

func (Position) Column() (c kernels.Vec3s[float32]) { return }

// Velocity is the distance that an entity moves per second.
type Velocity struct{ X, Y, Z float32 }

func (Velocity) Column() (c kernels.Vec3s[float32]) { return }

// Team is a shared value: its members share one copy.
type Team struct {
	ecs.Shared
	Name string
}

func Example() {
	w := ecs.NewWorld("field")
	w.Spawn(Position{X: 1}, Velocity{Y: 2}, Team{Name: "red"})
	w.Spawn(Position{X: 3}, Team{Name: "blue"})

	s, err := arrow.New(w, ecs.Read[Position](), ecs.Optional(ecs.Read[Velocity]()), ecs.With[Team]())
	if err != nil {
		panic(err)
	}
	for _, f := range s.Schema().Fields() {
		fmt.Println(f.Name, f.Type)
	}
	for b := range s.Gathered(arrow.BatchRows) {
		fmt.Println(b.Column(1), b.Column(5), b.Column(7))
	}
	// Output:
	// entity int64
	// Position.X float32
	// Position.Y float32
	// Position.Z float32
	// Velocity.X float32
	// Velocity.Y float32
	// Velocity.Z float32
	// Team.Name utf8
	// [1 3] [2 (null)] ["red" "blue"]
}

func ExampleSource_Views() {
	w := ecs.NewWorld("field")
	w.Create(w.Archetype(ecs.With[Position]()), 10_000)
	s, err := arrow.New(w, ecs.Read[Position]())
	if err != nil {
		panic(err)
	}
	views, err := s.Views()
	if err != nil {
		panic(err) // a column has another form in chunks than in Arrow
	}
	rows := int64(0)
	for v := range views {
		b, err := v.Batch()
		if err != nil {
			panic(err)
		}
		rows += b.NumRows()
	}
	fmt.Println(rows)
	// Output: 10000
}

func ExampleRead() {
	w := ecs.NewWorld("field")
	w.Spawn(Position{X: 1}, Velocity{Y: 2})
	s, err := arrow.New(w, ecs.Read[Position](), ecs.Read[Velocity]())
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	if err := s.WriteStream(&file); err != nil {
		panic(err)
	}

	copied := ecs.NewWorld("copy")
	ids, err := arrow.Read(copied, &file, ecs.Read[Position](), ecs.Read[Velocity]())
	if err != nil {
		panic(err)
	}
	fmt.Println(copied.Hash() == w.Hash(), len(ids), "entities have other ids")
	// Output: true 0 entities have other ids
}

func Example_parquet() {
	w := ecs.NewWorld("field")
	w.Create(w.Archetype(ecs.With[Position]()), 1000)
	s, err := arrow.New(w, ecs.Read[Position]())
	if err != nil {
		panic(err)
	}
	f, err := os.Create("field.parquet")
	if err != nil {
		panic(err)
	}
	if err := parquet.Write(f, s, parquet.Snappy); err != nil {
		panic(err)
	}
	if err := f.Close(); err != nil {
		panic(err)
	}
	fmt.Println(os.Remove("field.parquet"))
	// Output: <nil>
}

// The inspector serves tables to clients with the token. This example is compiled but not
// run.
func Example_inspector() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go inspect.Serve(ctx, "localhost:6060", os.Stderr,
		inspect.Tables("arrow", arrow.MediaType, arrow.Take))
}
