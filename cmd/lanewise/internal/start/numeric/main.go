// This program computes waves on a pond, after a drop has fallen into it. Replace the equation by your own
// equation.
//
// It prints a hash of all heights, which is the same on every machine and for any number of workers.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"

	"github.com/lanewise/lanewise/grid"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

func main() {
	cells := flag.Int("cells", 300, "how many `cells` the pond has along a side")
	steps := flag.Int("steps", 250, "how many `steps`")
	name := flag.String("png", "", "draw the pond to a `file`")
	flag.Parse()
	if *cells < 1 {
		log.Fatal("-cells must be at least 1")
	}
	p := newPond(jobs.Default(), *cells)
	for range *steps {
		if err := p.step(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("highest wave %.5f\n", kernels.Max(p.now.Cells()))
	fmt.Printf("hash %016x\n", p.hash())
	if *name != "" {
		if err := p.draw(*name); err != nil {
			log.Fatal(err)
		}
	}
}

// courant is (wave speed · time step / width of a cell)². The method is stable up to 1/2.
const courant = 0.25

// A pond has the height of the water in each cell, at two times. The water does not flow through its edges.
type pond struct {
	pool        *jobs.Pool
	now, before *grid.Field[float32]
}

// newPond returns a pond with a drop to the left of the middle.
func newPond(pool *jobs.Pool, cells int) *pond {
	shape := grid.Shape{X: cells, Y: cells, Margin: 1}
	p := &pond{pool: pool, now: grid.New[float32](shape), before: grid.New[float32](shape)}
	for y := range cells {
		for x := range cells {
			dx, dy := float32(x-cells/3), float32(y-cells/2)
			height := kernels.ExpOf(-(float32(dx*dx) + float32(dy*dy)) / 40)
			p.now.Set(x, y, 0, height)
			p.before.Set(x, y, 0, height)
		}
	}
	return p
}

// step computes the heights after a time step, in the memory of those before.
//
// The conversions such as float32(4*here[i]) round each product, so that no CPU fuses it with a sum: the bits stay the same.
// To make this loop several times as fast, let lanec compile it: see docs/guide/lanec.md.
func (p *pond) step() error {
	edge := grid.Edge[float32]{Rule: grid.Mirrored}
	p.now.FillMargins(grid.Edges[float32]{X: edge, Y: edge})
	err := p.now.ForRows(p.pool, func(y, _ int) {
		next, here := p.before.Row(y, 0), p.now.Row(y, 0)
		left, right, up, down := p.now.Shifted(-1, y, 0), p.now.Shifted(1, y, 0), p.now.Row(y-1, 0), p.now.Row(y+1, 0)
		for i := range next {
			pull := ((left[i] + right[i]) + (up[i] + down[i])) - float32(4*here[i])
			next[i] = (float32(2*here[i]) - next[i]) + float32(courant*pull)
		}
	})
	if err == nil {
		p.now.Swap(p.before)
	}
	return err
}

// hash returns a hash of the heights.
func (p *pond) hash() uint64 {
	h := fnv.New64a()
	for y := range p.now.Shape().Y {
		_ = binary.Write(h, binary.LittleEndian, p.now.Row(y, 0)) // a hash never fails
	}
	return h.Sum64()
}

// draw writes a picture: white is high, and dark blue is low.
func (p *pond) draw(name string) error {
	n := p.now.Shape().X
	m := image.NewRGBA(image.Rect(0, 0, n, n))
	for y := range n {
		for x, height := range p.now.Row(y, 0) {
			light := uint8(max(0, min(255, 130+float32(1500*height))))
			m.SetRGBA(x, y, color.RGBA{light, 60 + light/4*3, 120 + light/2, 255})
		}
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		return err
	}
	return f.Close()
}
