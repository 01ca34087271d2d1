// Command grayscott lets two chemicals react and diffuse on a periodic plane until they form a pattern, by the model of Gray and
// Scott, on all cores. It prints the mean concentrations, and a hash of all cells, which is the same on every machine. See
// J. E. Pearson, Science 261 (1993), 189.
//
//	grayscott -cells 256 -steps 8000 -feed 0.0367 -kill 0.0649 -png spots.png
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
	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
	"github.com/lanewise/lanewise/random"
)

func main() {
	cells := flag.Int("cells", 128, "how many `cells` the plane has along a side")
	steps := flag.Int("steps", 3000, "how many `steps`")
	feed := flag.Float64("feed", 0.0545, "the `rate` at which U is fed")
	kill := flag.Float64("kill", 0.062, "the `rate` at which V decays")
	name := flag.String("png", "", "draw V to a `file`")
	flag.Parse()
	if *cells < 10 {
		log.Fatal("-cells must be at least 10")
	}
	d := newDish(jobs.Default(), *cells)
	for range *steps {
		if err := d.step(float32(*feed), float32(*kill)); err != nil {
			log.Fatal(err)
		}
	}
	u, v := d.mean()
	fmt.Printf("mean U %.4f, mean V %.4f\n", u, v)
	fmt.Printf("hash %016x\n", d.hash())
	if *name != "" {
		if err := pngfile.Save(*name, d.picture()); err != nil {
			log.Fatal(err)
		}
	}
}

// A dish has the concentrations of U and V in a plane. Each step computes one buffer from the other.
type dish struct {
	pool               *jobs.Pool
	u, v, nextU, nextV *grid.Field[float32]
}

// newDish returns a dish full of U, with drops of V in random places.
func newDish(pool *jobs.Pool, cells int) *dish {
	field := func() *grid.Field[float32] {
		return grid.New[float32](grid.Shape{X: cells, Y: cells, Margin: 1})
	}
	d := &dish{pool, field(), field(), field(), field()}
	kernels.Fill(d.u.Cells(), 1)
	for drop := range uint64(1 + cells*cells/1500) {
		left := random.BelowOf(random.Key{Seed: 1, Stream: 0}.Row(drop), cells)
		top := random.BelowOf(random.Key{Seed: 1, Stream: 1}.Row(drop), cells)
		for y := range 10 {
			for x := range 10 {
				d.u.Set((left+x)%cells, (top+y)%cells, 0, 0.5)
				d.v.Set((left+x)%cells, (top+y)%cells, 0, 0.5)
			}
		}
	}
	return d
}

// step computes the concentrations after a step.
func (d *dish) step(feed, kill float32) error {
	around := grid.Edge[float32]{Rule: grid.Periodic}
	for _, f := range []*grid.Field[float32]{d.u, d.v} {
		f.FillMargins(grid.Edges[float32]{X: around, Y: around})
	}
	err := d.u.ForRows(d.pool, func(y, _ int) {
		u, v := d.u.Shifted, d.v.Shifted
		React(d.nextU.Row(y, 0), d.nextV.Row(y, 0),
			u(0, y, 0), u(-1, y, 0), u(1, y, 0), u(0, y-1, 0), u(0, y+1, 0), u(-1, y-1, 0), u(1, y-1, 0), u(-1, y+1, 0), u(1, y+1, 0),
			v(0, y, 0), v(-1, y, 0), v(1, y, 0), v(0, y-1, 0), v(0, y+1, 0), v(-1, y-1, 0), v(1, y-1, 0), v(-1, y+1, 0), v(1, y+1, 0),
			feed, kill)
	})
	if err == nil {
		d.u.Swap(d.nextU)
		d.v.Swap(d.nextV)
	}
	return err
}

// mean returns the mean concentrations.
func (d *dish) mean() (u, v float32) {
	n := d.u.Shape().Y
	for y := range n {
		u, v = u+kernels.Mean(d.u.Row(y, 0)), v+kernels.Mean(d.v.Row(y, 0))
	}
	return u / float32(n), v / float32(n)
}

// hash returns a hash of the concentrations.
func (d *dish) hash() uint64 {
	h := fnv.New64a()
	for y := range d.u.Shape().Y {
		_ = binary.Write(h, binary.LittleEndian, d.u.Row(y, 0)) // a hash never fails
		_ = binary.Write(h, binary.LittleEndian, d.v.Row(y, 0))
	}
	return h.Sum64()
}

// picture draws a square of two by two pixels for each cell, from white for no V to green.
func (d *dish) picture() *image.RGBA {
	n := d.u.Shape().X
	m := image.NewRGBA(image.Rect(0, 0, 2*n, 2*n))
	for y := range 2 * n {
		for x := range 2 * n {
			pale := uint8(255 - float32(255*min(1, max(0, 2.6*d.v.At(x/2, y/2, 0)))))
			m.SetRGBA(x, y, color.RGBA{pale, 110 + uint8(float32(pale)*0.56), pale, 255})
		}
	}
	return m
}
