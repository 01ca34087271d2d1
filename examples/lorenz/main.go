// Command lorenz computes many Lorenz systems with the classical method of Runge and Kutta, on all cores. A Lorenz system is a
// model of air that is heated from below. Each system has its own heat. It prints how many systems have come to rest, and a
// hash of their states, which is the same on every machine. In the picture, the heat increases from left to right, and the z of
// a system from bottom to top.
//
//	lorenz -systems 1000000 -steps 4000 -png lorenz.png
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"log"

	"github.com/lanewise/lanewise/examples/internal/pngfile"
	"github.com/lanewise/lanewise/integrate"
	"github.com/lanewise/lanewise/jobs"
)

func main() {
	n := flag.Int("systems", 20_000, "how many `systems`")
	steps := flag.Int("steps", 4_000, "how many `steps` of 1/200")
	name := flag.String("png", "", "draw the systems to a `file`")
	flag.Parse()
	a := newAir(jobs.Default(), *n)
	if err := a.advance(*steps); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d at rest\n", a.countStill(), *n)
	fmt.Printf("hash %016x\n", a.hash())
	if *name != "" {
		if err := pngfile.Save(*name, a.picture(600, 400)); err != nil {
			log.Fatal(err)
		}
	}
}

// An air holds the states of all systems, in the lanes x, y and z.
type air struct {
	state [][]float32
	heat  []float32 // of each system, from 0 to hottest
	ode   integrate.ODE[float32]
	steps int
}

const (
	dt      = 1.0 / 200
	hottest = 50
)

// newAir returns systems that have just begun to move.
func newAir(pool *jobs.Pool, n int) *air {
	a := &air{heat: make([]float32, n), state: [][]float32{make([]float32, n), make([]float32, n), make([]float32, n)}}
	for i := range n {
		a.heat[i] = hottest * float32(i) / float32(n)
		a.state[0][i], a.state[1][i] = 0.1, 0.1
	}
	a.ode = integrate.ODE[float32]{Pool: pool, Rate: a.rate}
	return a
}

// rate computes the derivatives of a block of systems.
func (a *air) rate(dst, x [][]float32, b integrate.Block[float32]) error {
	Slopes(dst[0], dst[1], dst[2], x[0], x[1], x[2], a.heat[b.Lo:b.Hi])
	return nil
}

// advance does some steps.
func (a *air) advance(steps int) error {
	err := a.ode.RK4(a.state, float64(float64(a.steps)*dt), dt, steps)
	a.steps += steps
	return err
}

// countStill counts the systems that nearly rest.
func (a *air) countStill() (n int) {
	x, y := a.state[0], a.state[1]
	for i := range x {
		if d := y[i] - x[i]; d*d < 1e-6 {
			n++
		}
	}
	return n
}

// hash returns a hash of all states.
func (a *air) hash() uint64 {
	h := fnv.New64a()
	for _, lane := range a.state {
		_ = binary.Write(h, binary.LittleEndian, lane) // a hash never fails
	}
	return h.Sum64()
}

// picture draws a point for each system. The systems that have come to rest form a line.
func (a *air) picture(wide, high int) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, wide, high))
	for i, z := range a.state[2] {
		x, y := int(a.heat[i]/hottest*float32(wide)), high-1-int(z/(1.6*hottest)*float32(high))
		m.SetGray(x, y, color.Gray{min(m.GrayAt(x, y).Y, 180) + 75})
	}
	return m
}
