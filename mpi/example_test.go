package mpi_test

import (
	"github.com/lanewise/lanewise/examples/flock/model"
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
