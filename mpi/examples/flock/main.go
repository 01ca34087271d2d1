// Command flock simulates the flock of examples/flock on any number of ranks. The birds are
// the same for every number of ranks.
//
//	mpirun -n 4 flock -birds 100000 -size 100
package main

import (
	"flag"

	"github.com/lanewise/lanewise/examples/flock/model"
	"github.com/lanewise/lanewise/mpi"
)

func main() {
	m := &model.Flock{View: 1, Pace: 0.1, Noise: 0.4}
	flag.IntVar(&m.Birds, "birds", 20_000, "in the square")
	size := flag.Float64("size", 60, "of the square's sides, in metres")
	ticks := flag.Int("ticks", 100, "to fly")
	flag.Parse()
	m.Size = float32(*size)
	mpi.Main(mpi.Run(m, *ticks))
}
