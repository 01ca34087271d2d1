// Command cavity simulates a fluid in a square box whose lid moves, by the lattice Boltzmann method, on all cores. It prints the
// speed of the fluid on the vertical center line beside the values of U. Ghia, K. N. Ghia and C. T. Shin, Journal of
// Computational Physics 48 (1982), 387, table I, and a hash of the fluid, which is the same on every machine.
//
//	cavity -cells 128 -steps 40000 -png cavity.png
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"log"

	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
)

func main() {
	cells := flag.Int("cells", 64, "how many `cells` the box has along a side")
	steps := flag.Int("steps", 20000, "how many `steps`")
	name := flag.String("png", "", "draw the speeds to a `file`")
	flag.Parse()
	if *cells < 4 {
		log.Fatal("-cells must be at least 4")
	}
	b := newBox(jobs.Default(), *cells, 100)
	for range *steps {
		if err := b.step(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("height   speed    Ghia")
	for _, row := range ghia {
		fmt.Printf("%.4f  %7.4f  %7.4f\n", row.height, b.middle(row.height), row.speed)
	}
	fmt.Printf("hash %016x\n", b.hash())
	if *name != "" {
		if err := pngfile.Save(*name, b.picture()); err != nil {
			log.Fatal(err)
		}
	}
}

// lid is the speed of the lid, in cells per step. The error of the method is proportional to the square of this speed.
const lid = 0.05

// Each population of a cell moves to one neighbour. The table holds its direction, the index of the population in the opposite
// direction, and its weight in a fluid at rest.
var flows = [9]struct {
	x, y, back int
	weight     float64
}{
	{0, 0, 0, 4.0 / 9},
	{1, 0, 3, 1.0 / 9}, {0, 1, 4, 1.0 / 9}, {-1, 0, 1, 1.0 / 9}, {0, -1, 2, 1.0 / 9},
	{1, 1, 7, 1.0 / 36}, {-1, 1, 8, 1.0 / 36}, {-1, -1, 5, 1.0 / 36}, {1, -1, 6, 1.0 / 36},
}

// A box has a fluid. Each step computes one buffer of populations from the other.
type box struct {
	pool      *jobs.Pool
	now, next [9]*grid.Field[float64]
	omega     float64 // how much of a deviation from equilibrium decays in a step
}

// newBox returns a box of fluid at rest. The Reynolds number is the speed of the lid × the side / the viscosity.
func newBox(pool *jobs.Pool, cells int, reynolds float64) *box {
	viscosity := lid * float64(cells) / reynolds
	b := &box{pool: pool, omega: 1 / (0.5 + float64(3*viscosity))}
	for i, flow := range flows {
		b.now[i], b.next[i] = grid.New[float64](grid.Shape{X: cells, Y: cells, Margin: 1}), grid.New[float64](grid.Shape{X: cells, Y: cells, Margin: 1})
		for y := range cells {
			for x := range cells {
				b.now[i].Set(x, y, 0, flow.weight)
			}
		}
	}
	return b
}

// step moves the populations to the neighbouring cells, where they collide.
func (b *box) step() error {
	b.reflect()
	err := b.now[0].ForRows(b.pool, func(y, _ int) {
		var f, n [9][]float64
		for i, flow := range flows {
			f[i], n[i] = b.now[i].Shifted(-flow.x, y-flow.y, 0), b.next[i].Row(y, 0)
		}
		Collide(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], b.omega)
	})
	if err == nil {
		b.now, b.next = b.next, b.now
	}
	return err
}

// reflect writes to the margins the populations that flow into the box. The walls reflect the populations that flow out of
// a cell back into the cell, and the lid speeds them up.
func (b *box) reflect() {
	n := b.now[0].Shape().X
	for i, flow := range flows {
		in, out := b.now[i], b.now[flow.back]
		for y := range n {
			switch flow.x {
			case 1:
				in.Set(-1, y-flow.y, 0, out.At(0, y, 0))
			case -1:
				in.Set(n, y-flow.y, 0, out.At(n-1, y, 0))
			}
		}
		switch flow.y {
		case 1:
			copy(in.Shifted(-flow.x, -1, 0), out.Row(0, 0))
		case -1:
			push := float64(6 * flow.weight * float64(flow.x) * lid)
			for x, v := range out.Row(n-1, 0) {
				in.Set(x-flow.x, n, 0, v+push)
			}
		}
	}
}

// velocity returns the velocity in a cell, in units of the speed of the lid.
func (b *box) velocity(x, y int) (u, v float64) {
	var rho float64
	for i, flow := range flows {
		f := b.now[i].At(x, y, 0)
		rho, u, v = rho+f, u+float64(f*float64(flow.x)), v+float64(f*float64(flow.y))
	}
	return u / rho / lid, v / rho / lid
}

// hash returns a hash of the populations.
func (b *box) hash() uint64 {
	h := fnv.New64a()
	for _, f := range b.now {
		for y := range f.Shape().Y {
			_ = binary.Write(h, binary.LittleEndian, f.Row(y, 0)) // a hash never fails
		}
	}
	return h.Sum64()
}
