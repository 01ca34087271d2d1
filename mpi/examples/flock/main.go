// Command flock is the flock of examples/flock on any number of ranks: the same birds, whatever that number is.
//
//	mpirun -n 4 flock -birds 100000 -size 100
package main

import (
	"flag"
	"fmt"
	"reflect"

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
	mpi.Main(func(c *mpi.Comm) error {
		w, err := m.Make("flock", nil, 1)
		if err != nil {
			return err
		}
		d, err := mpi.NewDomain(c, w, mpi.Split[float32]{
			Space: m.Space(), Reach: m.View,
			ID: reflect.TypeFor[model.ID](), Place: reflect.TypeFor[model.Place](),
			Halo: []reflect.Type{reflect.TypeFor[model.Heading]()},
		})
		if err != nil {
			return err
		}
		if err := d.Keep(); err != nil {
			return err
		}
		m.Spread(w, d)
		for tick := range *ticks {
			if err := m.Tick(tick); err != nil {
				return err
			}
		}
		hash, err := d.Hash()
		if c.Rank() == 0 {
			fmt.Printf("%016x\n", hash)
		}
		return err
	})
}
