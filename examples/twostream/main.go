// Command twostream simulates two beams of electrons that flow through each other, by the particle-in-cell method. The beams
// are unstable: waves grow on them, and finally roll up the beams into a vortex. The program prints the measured and the
// exact growth rate of the waves, and a hash of the particles, which is the same on every machine.
//
// Times are in units of 1/ω, where ω is the plasma frequency. The exact growth rate of the fastest wave is 1/(2√2). See
// C. K. Birdsall and A. B. Langdon, Plasma Physics via Computer Simulation (1985), chapter 5.
//
//	twostream -particles 100000 -time 45 -png vortex.png
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"log"
	"math"

	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

func main() {
	particles := flag.Int("particles", 20000, "how many `particles` both beams have together")
	end := flag.Float64("time", 45, "how much `time` passes")
	name := flag.String("png", "", "draw positions and velocities to a `file`")
	flag.Parse()
	if *particles < 2 {
		log.Fatal("-particles must be at least 2")
	}
	p := newPlasma(jobs.Default(), 64, *particles)
	var grown growth
	for step := 0; float64(step)*dt < *end; step++ {
		if err := p.step(); err != nil {
			log.Fatal(err)
		}
		grown.add(float64(step)*dt, p.wave())
	}
	if grown.to == 0 {
		log.Fatal("the waves have not grown enough to measure their growth: use a longer -time")
	}
	fmt.Printf("growth rate %.4f, exact %.4f\n", grown.rate(), 1/math.Sqrt(8))
	fmt.Printf("hash %016x\n", p.hash())
	if *name != "" {
		if err := pngfile.Save(*name, p.picture(600, 400)); err != nil {
			log.Fatal(err)
		}
	}
}

const (
	side  = 2 * math.Pi        // the length of the line, which is the length of the fastest wave
	speed = 0.6123724356957945 // of the beams: the wave with k = 1 is the fastest if k·v is √3/(2√2)
	dt    = 0.05
)

// A plasma has electrons on a periodic line, and ions that do not move. All electrons together have the charge -side.
type plasma struct {
	mesh          grid.Mesh[float64]
	sums          *grid.Sums
	charge, field *grid.Field[float64]
	x, v, e       []float64 // of the electrons: position, velocity, electric field
}

// newPlasma returns two beams with a small wave.
func newPlasma(pool *jobs.Pool, cells, particles int) *plasma {
	shape := grid.Shape{X: cells, Margin: 1}
	p := &plasma{
		mesh: grid.Mesh[float64]{Width: side / float64(cells), Order: grid.Linear, Periodic: [3]bool{true}, Pool: pool},
		sums: grid.NewSums(shape, 0x1p-40), charge: grid.New[float64](shape), field: grid.New[float64](shape),
		x: make([]float64, particles), v: make([]float64, particles), e: make([]float64, particles),
	}
	for i := range p.x {
		x := side * (float64(i) + 0.5) / float64(particles)
		p.x[i] = x - float64(1e-6*kernels.SinOf(x))
		p.v[i] = speed * float64(1-2*(i%2))
	}
	return p
}

// step computes the plasma after dt. Positions and velocities are known at times that differ by half a step (leapfrog).
func (p *plasma) step() error {
	kernels.AddScaled(p.x, p.x, p.v, dt)
	at := grid.Points[float64]{X: p.x}
	p.sums.Reset()
	if err := p.mesh.Deposit(p.sums, at, nil); err != nil {
		return err
	}
	p.sums.FoldMargins(grid.Periodic, grid.Fixed, grid.Fixed)
	grid.CopyTo(p.charge, p.sums)
	p.solve()
	p.field.FillMargins(grid.Edges[float64]{X: grid.Edge[float64]{Rule: grid.Periodic}})
	if err := p.mesh.Gather(p.e, p.field, at); err != nil {
		return err
	}
	kernels.AddScaled(p.v, p.v, p.e, -dt)
	return nil
}

// solve computes the electric field. The slope of the field is the density of charge: 1 for the ions, minus the density
// of the electrons.
func (p *plasma) solve() {
	n, e := p.charge.Row(0, 0), p.field.Row(0, 0)
	mean := float64(len(p.x)) / float64(len(n)) // electrons in a cell without a wave
	width, wall := p.mesh.Width, 0.0            // the field at the right edge of the cell
	for i, count := range n {
		rise := float64((1 - count/mean) * width)
		e[i] = wall + float64(0.5*rise)
		wall += rise
	}
	kernels.AddConst(e, e, -kernels.Mean(e))
}

// wave returns the amplitude of the field's longest wave.
func (p *plasma) wave() float64 {
	var s, c float64
	for i, e := range p.field.Row(0, 0) {
		sin, cos := kernels.SincosOf((float64(i) + 0.5) * p.mesh.Width)
		s, c = s+float64(e*sin), c+float64(e*cos)
	}
	return 2 * math.Sqrt(float64(s*s)+float64(c*c)) / float64(p.field.Shape().X)
}

// hash returns a hash of the positions and velocities.
func (p *plasma) hash() uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, p.x) // a hash never fails
	_ = binary.Write(h, binary.LittleEndian, p.v)
	return h.Sum64()
}

// A growth measures how fast a wave grows between two times: when its amplitude exceeds 1e-4, and when it exceeds 1e-2.
type growth struct {
	from, to, first, last float64 // times, and amplitudes
}

func (g *growth) add(time, wave float64) {
	if g.from == 0 && wave > 1e-4 {
		g.from, g.first = time, wave
	}
	if g.to == 0 && wave > 1e-2 {
		g.to, g.last = time, wave
	}
}

func (g *growth) rate() float64 { return kernels.LogOf(g.last/g.first) / (g.to - g.from) }
