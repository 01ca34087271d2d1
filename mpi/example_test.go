package mpi_test

import (
	"fmt"

	"github.com/lanewise/lanewise/examples/flock/model"
	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/mpi"
)

// A model becomes a program for mpirun by one line. This process was started without mpirun, so it is the
// only rank. With mpirun -n 4 each rank has a quarter of the birds, and rank 0 prints the same hash.
func Example() {
	m := &model.Flock{Birds: 2000, Size: 20, View: 1, Pace: 0.1, Noise: 0.4}
	mpi.Main(mpi.Run(m, 20))
	// Output:
	// d9f949748522efe7
}

// A program that does more than print a hash calls Hold and contains the loop. Here all ranks save
// their birds after each hundred ticks.
func ExampleHold() {
	run := func(c *mpi.Comm) error {
		m := &model.Flock{Birds: 100_000, Size: 100, View: 1, Pace: 0.1, Noise: 0.4}
		d, err := mpi.Hold(c, m, mpi.Split[float32]{})
		if err != nil {
			return err
		}
		for tick := range 1000 {
			if err := m.Tick(tick); err != nil {
				return err
			}
			if tick%100 == 99 {
				if err := d.Save("birds"); err != nil {
					return err
				}
			}
		}
		return nil
	}
	mpi.Main(run) // the only line of func main
}

// Each rank has some rows of a plate, and computes one step of the heat equation after the other. The bits are the same on
// any number of ranks.
func ExampleSlab() {
	run := func(c *mpi.Comm) error {
		s, err := mpi.NewSlab(c, grid.Shape{X: 400, Y: 400, Margin: 1})
		if err != nil {
			return err
		}
		now, next := grid.New[float64](s.Shape()), grid.New[float64](s.Shape())
		if y := 200 - s.First(); y >= 0 && y < s.Shape().Y { // the rank that has row 200 of the plate
			now.Set(200, y, 0, 1000)
		}
		for c.Tick = range 100 {
			err := mpi.FillMargins(s, now, grid.Edges[float64]{X: grid.Edge[float64]{Rule: grid.Periodic}}) // Y: fixed at 0
			if err != nil {
				return err
			}
			err = now.ForRows(nil, func(y, _ int) {
				here, left, right, up, down := now.Row(y, 0), now.Shifted(-1, y, 0), now.Shifted(1, y, 0), now.Row(y-1, 0), now.Row(y+1, 0)
				for i := range here {
					next.Row(y, 0)[i] = here[i] + float64(0.2*(((left[i]+right[i])+(up[i]+down[i]))-float64(4*here[i])))
				}
			})
			if err != nil {
				return err
			}
			now.Swap(next)
		}
		plate, err := mpi.GatherField(s, now, 0)
		if plate != nil { // on rank 0
			fmt.Println(plate.At(200, 200, 0))
		}
		return err
	}
	mpi.Main(run) // the only line of func main
}
