// Command dam simulates the water of examples/dam on any number of ranks. The drops are the
// same for every number of ranks.
//
//	mpirun -n 4 dam -drops 100000
package main

import (
	"flag"

	"github.com/lanewise/lanewise/examples/dam/model"
	"github.com/lanewise/lanewise/mpi"
)

func main() {
	m := &model.Dam{}
	flag.IntVar(&m.Drops, "drops", 3_000, "how `many`")
	ticks := flag.Int("ticks", 100, "to flow")
	flag.Parse()
	mpi.Main(mpi.Run(m, *ticks))
}
