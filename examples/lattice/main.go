// Command lattice simulates a magnet, the Ising model on a square lattice, by the Monte Carlo method. Without a command,
// it does one run. It prints the mean magnetisation and energy of a spin with their standard errors, and a hash of the spins,
// which is the same on every machine. With a command, it does a study of many runs.
//
//	lattice -temperature 2.3 -png spins.png
//	lattice sweep -out curve temperature=1.5:3.5:0.1 -seeds 4
//	lattice table -out curve >curve.csv
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/random"
	"github.com/lanewise/lanewise/stats"
	"github.com/lanewise/lanewise/study"
)

func main() {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		study.Main[*Ising]() // does not return
	}
	m := Ising{}
	flag.IntVar(&m.Side, "side", 128, "how many `spins` a side of the lattice has")
	flag.Float64Var(&m.Temperature, "temperature", 2, "in units of the coupling; the critical one is 2.2692")
	flag.IntVar(&m.Sweeps, "sweeps", 500, "how many `sweeps`")
	name := flag.String("png", "", "draw the spins to a `file`")
	flag.Parse()
	if err := m.begin(); err != nil {
		log.Fatal(err)
	}
	for sweep := range m.Sweeps {
		if err := m.sweep(jobs.Default(), random.Key{Seed: 1, Tick: uint32(sweep)}, sweep); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("magnetisation %v, energy %v\nhash %016x\n", &m.magnetisation, &m.energy, m.lattice.hash())
	if *name != "" {
		if err := pngfile.Save(*name, m.lattice.picture()); err != nil {
			log.Fatal(err)
		}
	}
}

// Ising is the model of the study. Its exported fields are the parameters.
type Ising struct {
	Side        int     `default:"128" range:"4..4096" unit:"spins" help:"on a side of the lattice"`
	Temperature float64 `default:"2" range:"0.1..100" help:"in units of the coupling"`
	Sweeps      int     `default:"500" range:"2..1000000" help:"of which the second half is measured"`

	lattice               *lattice
	magnetisation, energy stats.Series // of the sweeps that are measured
}

// Means is the result of a run. It holds means over the second half of the run's
// sweeps.
type Means struct {
	Magnetisation, Energy float64
}

// Setup begins a run. It returns no world, because the model has no entities.
func (m *Ising) Setup(*study.Run) (*ecs.World, error) { return nil, m.begin() }

// Step does one sweep.
func (m *Ising) Step(r *study.Run) (more bool, err error) {
	return r.Tick+1 < m.Sweeps, m.sweep(r.Pool(), r.Key(0), r.Tick)
}

// Result returns the means.
func (m *Ising) Result(*study.Run) Means { return Means{m.magnetisation.Mean(), m.energy.Mean()} }

// begin makes the lattice.
func (m *Ising) begin() error {
	if m.Side%2 != 0 {
		return fmt.Errorf("a side of %d spins: a periodic chess-board needs an even number", m.Side)
	}
	m.lattice = newLattice(m.Side)
	return nil
}

// sweep does one sweep. In the second half of the run, it also measures.
func (m *Ising) sweep(pool *jobs.Pool, key random.Key, sweep int) error {
	if err := m.lattice.sweep(pool, key, float32(1/m.Temperature)); err != nil {
		return err
	}
	if sweep >= m.Sweeps/2 {
		magnetisation, energy := m.lattice.measure()
		m.magnetisation.Add(magnetisation)
		m.energy.Add(energy)
	}
	return nil
}
