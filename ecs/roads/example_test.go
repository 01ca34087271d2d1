package roads_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// Ball is a ball in the air.
type Ball struct{ Height, Speed float64 }

// Balls is the view of a column of balls.
type Balls struct{ Height, Speed []float64 }

// Column returns the view of a column.
func (Ball) Column() (c Balls) { return }

// Drop lets balls fall and bounce.
type Drop struct{ balls *ecs.Query }

// Create says what the system reads and writes.
func (d *Drop) Create(s *system.Setup) error {
	d.balls = s.Query(ecs.Write[Ball]())
	return nil
}

// Update moves the balls by a step.
func (d *Drop) Update(f *system.Frame) error {
	for c := range d.balls.Chunks() {
		b := ecs.Column[Ball](c)
		height, speed := b.Height, b.Speed[:len(b.Height)]
		for i := range height {
			speed[i] -= float64(9.81 * f.Delta())
			height[i] += float64(speed[i] * f.Delta())
			if height[i] < 0 {
				height[i], speed[i] = 0, -speed[i]
			}
		}
	}
	return nil
}

// newGame makes the world of the game, with more systems.
func newGame(pool *jobs.Pool, more ...*system.Type) (*ecs.World, error) {
	w, err := system.NewWorld("game", system.OnPool(pool), system.Only(append(more, system.Of[Drop]())...))
	if err == nil {
		for i := range 100 {
			w.Spawn(Ball{Height: float64(i)})
		}
	}
	return w, err
}

func TestGame(t *testing.T) {
	roads.Test(t, roads.Subject{
		New: func(pool *jobs.Pool) (*ecs.World, error) { return newGame(pool) },
	}, roads.Options{})
}

// Gust blows in every eighth tick. It has a fault, because it counts the ticks in a field.
type Gust struct {
	balls *ecs.Query
	ticks int
}

// Create says what the system reads and writes.
func (g *Gust) Create(s *system.Setup) error {
	g.balls = s.Query(ecs.Write[Ball]())
	return nil
}

// Update lets the balls fly up in every eighth tick.
func (g *Gust) Update(*system.Frame) error {
	if g.ticks++; g.ticks%8 != 0 {
		return nil
	}
	for c := range g.balls.Chunks() {
		for i := range ecs.Column[Ball](c).Speed {
			ecs.Column[Ball](c).Speed[i] = 5
		}
	}
	return nil
}

// printer is a test that prints its failure.
type printer struct{ testing.TB }

func (printer) Helper()        {}
func (printer) Cleanup(func()) {}
func (printer) Name() string   { return "TestGust" }

// Fatal prints the message with short names of types, and without a flag that tests may have.
func (p printer) Fatal(args ...any) {
	short := strings.NewReplacer("github.com/lanewise/lanewise/ecs/roads_test.", "", " -test.short=true", "")
	fmt.Println(short.Replace(fmt.Sprint(args...)))
	panic(p)
}

// A system that keeps a count in a field fails the test. In a test function, t is its argument.
func ExampleTest() {
	defer func() { _ = recover() }() // the panic of Fatal
	t := printer{}
	roads.Test(t, roads.Subject{
		New: func(pool *jobs.Pool) (*ecs.World, error) { return newGame(pool, system.Of[Gust]()) },
	}, roads.Options{Only: []string{"restore"}})
	// Output:
	// roads: Test: a world with roads differs from one without:
	// after tick 5: the hash is 0ba7f683818c7ee8, and 6b739991d3f20b67 without the road
	// the program, shrunk from 1 road to 1:
	//   workers 1, GOMAXPROCS 1, path generic
	//   0 ticks, then road restore
	//   20 ticks
	// the first difference, with the values at the first time, and after a Restore:
	//   tick 4: Gust: entity 0:1: roads_test.Ball.Speed is 0 and 5 (archetype 0, chunk 0, row 0)
	// the cause: the system keeps state outside of the world: a tick that runs again after a Restore has another result; move the state to a component, or make the system a system.Saver
	// run it again: go test -run '^TestGust$' -roads.program='workers=1 procs=1 path=generic: 0 restore#13b0ac0b'
}
