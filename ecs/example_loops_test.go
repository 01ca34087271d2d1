package ecs_test

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/kernels"
)

// A Body is pulled to the origin; its column is a view of three slices.
type (
	Body struct{ X, Y, Angle float32 }
	Path struct{ X, Y, Angle []float32 }
)

func (Body) Column() (c Path) { return }

// Drag slows entities down and moves them.
type Drag struct{ Step, Loss float32 }

// Chunk moves the entities of one chunk, in a plain loop.
func (d *Drag) Chunk(c *ecs.Chunk) {
	at, speed, n := ecs.Column[Place](c), ecs.Column[Speed](c), c.Len()
	x, y, vx, vy := at.X[:n], at.Y[:n], speed.X[:n], speed.Y[:n]
	for i := range n {
		vx[i] -= float32(vx[i] * d.Loss)
		vy[i] -= float32(vy[i] * d.Loss)
		x[i] += float32(vx[i] * d.Step)
		y[i] += float32(vy[i] * d.Step)
	}
}

// Centre sets each coordinate to the middle between a low and a high coordinate.
func Centre(at, low, high []float32) {
	low, high = low[:len(at)], high[:len(at)]
	for i := range at {
		at[i] = low[i] + float32((high[i]-low[i])/2)
	}
}

// Circle puts entities on circles.
type Circle struct{ Radius float32 }

// Chunk uses a sine that is the same on every machine, for 64 rows at a time.
func (o *Circle) Chunk(c *ecs.Chunk) {
	b := ecs.Column[Body](c)
	var sin, cos [64]float32
	for lo := 0; lo < c.Len(); lo += len(sin) {
		hi := min(lo+len(sin), c.Len())
		n := hi - lo
		kernels.Sincos(sin[:n], cos[:n], b.Angle[lo:hi])
		kernels.Scale(b.X[lo:hi], cos[:n], o.Radius)
		kernels.Scale(b.Y[lo:hi], sin[:n], o.Radius)
	}
}

// Decay is e^-t for 0 ≤ t ≤ 1, with an error of a few millionths: a polynomial in which each product
// is rounded.
func Decay(t float64) float64 {
	sum := 1.0
	for _, n := range []float64{9, 8, 7, 6, 5, 4, 3, 2, 1} {
		sum = 1 - float64(t*sum)/n
	}
	return sum
}

func Example_loops() {
	w := ecs.NewWorld("loops")
	defer w.Close()
	for i := range 200 {
		w.Spawn(Place{X: float32(i)}, Speed{X: 0.1, Y: 0.3})
		w.Spawn(Body{Angle: float32(i)})
	}
	w.Query(ecs.Write[Place](), ecs.Write[Speed]()).ParallelFor(&Drag{Step: 1.0 / 60, Loss: 0.01})
	w.Query(ecs.Write[Body]()).ParallelFor(&Circle{Radius: 3})
	fmt.Printf("%x\n", w.Hash()) // the same on every machine
	// Output: 824bbe7c635ecb4e
}

func Example_mapOrder() {
	gold := map[string]float64{"dwarves": 0.1, "elves": 0.2, "trolls": 0.3}
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(gold)) {
		sum += gold[name]
	}
	fmt.Println(sum)
	// Output: 0.6000000000000001
}

func Example_decay() {
	fmt.Printf("%.4f %.4f\n", Decay(0.5), math.Sqrt(Decay(1)))
	// Output: 0.6065 0.6065
}
