// Command heat solves the heat equation on a square plate whose edges are kept at 0. It uses a stencil
// of five points on two buffers and spreads the rows of the plate over all cores. The plate begins
// with a sine wave, because its exact decay is known. The program prints the measured and the exact
// decay rate, and a hash of the temperatures, which is the same on every machine.
//
//	heat -cells 400 -steps 4000 -png heat.png
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
	cells := flag.Int("cells", 200, "how many `cells` a side of the plate has")
	steps := flag.Int("steps", 1000, "how many `steps`")
	name := flag.String("png", "", "draw the plate to a `file`")
	flag.Parse()
	if *cells < 1 || *steps < 1 {
		log.Fatal("-cells and -steps must be at least 1")
	}
	p := newPlate(jobs.Default(), *cells)
	p.wave(3, 2)
	before := kernels.Norm(p.now.Cells())
	for range *steps {
		if err := p.step(); err != nil {
			log.Fatal(err)
		}
	}
	rate := kernels.LogOf(before/kernels.Norm(p.now.Cells())) / (float64(*steps) * p.dt())
	fmt.Printf("decay rate %.4f, exact %.4f\n", rate, (3*3+2*2)*math.Pi*math.Pi)
	fmt.Printf("hash %016x\n", p.hash())
	if *name != "" {
		if err := pngfile.Save(*name, p.picture()); err != nil {
			log.Fatal(err)
		}
	}
}

// A plate is a square of side 1. Its temperatures are in two buffers. Each step computes one buffer from the other.
type plate struct {
	pool      *jobs.Pool
	now, next *grid.Field[float64] // their margins are the edges, which stay 0
}

// newPlate returns a plate that is cold everywhere.
func newPlate(pool *jobs.Pool, cells int) *plate {
	shape := grid.Shape{X: cells, Y: cells, Margin: 1}
	return &plate{pool: pool, now: grid.New[float64](shape), next: grid.New[float64](shape)}
}

// r is D·dt/h², where D is the diffusivity and h is the width of a cell. The method is stable if r is
// at most 1/4.
const r = 0.2

// dt returns the time of a step if the diffusivity D is 1.
func (p *plate) dt() float64 {
	h := 1 / float64(p.now.Shape().X+1)
	return r * h * h
}

// step computes the temperatures after dt.
func (p *plate) step() error {
	now := p.now
	err := now.ForRows(p.pool, func(y, _ int) {
		Diffuse64(p.next.Row(y, 0), now.Row(y, 0), now.Shifted(-1, y, 0), now.Shifted(1, y, 0), now.Row(y-1, 0), now.Row(y+1, 0), r)
	})
	if err == nil {
		p.now.Swap(p.next)
	}
	return err
}

// wave sets the temperatures to a product of sines, with the given numbers of half waves across and
// down.
func (p *plate) wave(across, down int) {
	cells := p.now.Shape().X
	for y := range cells {
		for x := range cells {
			p.now.Set(x, y, 0, p.sine(across*(x+1))*p.sine(down*(y+1)))
		}
	}
}

// sine returns the height of a half wave, which spans the plate, at the given number of cells from the edge.
func (p *plate) sine(cells int) float64 {
	return kernels.SinOf(math.Pi * float64(cells) / float64(p.now.Shape().X+1))
}

// hash returns a hash of the temperatures.
func (p *plate) hash() uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, p.now.Cells()) // a hash never fails
	return h.Sum64()
}
