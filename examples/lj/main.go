// Command lj melts a crystal of Lennard-Jones atoms in a periodic box. It is molecular dynamics with a cutoff, a cluster pair list and the
// velocity Verlet integrator, on all cores. It prints the temperature, the pressure and the energies per atom
// every 100 steps. At the end it prints a hash of the positions, which is the same on every machine.
//
//	lj -cells 10 -steps 1000 -png melt.png -frames melt.xyz
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"

	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/examples/lj/model"
	"github.com/lanewise/lanewise/jobs"
)

func main() {
	cells := flag.Int("cells", 8, "how many `cells` the crystal has along a side; a cell has 4 atoms")
	steps := flag.Int("steps", 500, "how many `steps`")
	name := flag.String("png", "", "draw the atoms to a `file`")
	frames := flag.String("frames", "", "write the atoms every 100 steps to a `file` for OVITO, such as melt.xyz, or to files for ParaView, such as melt-%03d.vtp")
	flag.Parse()
	g, err := model.New(jobs.Default(), *cells, 1.44)
	if err != nil {
		log.Fatal(err)
	}
	film, err := newFilm(*frames)
	if err != nil {
		log.Fatal(err)
	}
	for step := 0; ; step++ {
		if step%100 == 0 {
			kinetic, potential, pressure, err := g.Observe()
			if err := errors.Join(err, film.add(g, step)); err != nil {
				log.Fatal(err)
			}
			fmt.Printf("step %5d  temperature %.4f  pressure %7.4f  potential %.5f  total %.5f\n", step, kinetic/1.5, pressure, potential, kinetic+potential)
		}
		if step == *steps {
			break
		}
		if err := g.Step(); err != nil {
			log.Fatal(err)
		}
	}
	if err := film.close(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("hash %016x\n", g.Hash())
	if *name != "" {
		if err := pngfile.Save(*name, picture(g, 600)); err != nil {
			log.Fatal(err)
		}
	}
}
