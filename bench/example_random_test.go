package bench

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/random"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// gonum has distributions that package random lacks. It can draw from a source for one id. The results
// of package math, which gonum uses, may differ in the last bit between CPUs.
func Example_gonumDistributions() {
	key := random.Key{Seed: 2026, Tick: 3, Stream: 1}
	var src random.Source
	visits := distuv.Poisson{Lambda: 4, Src: &src}
	count := make([]float64, 5)
	for id := range count {
		src.Reset(key.ID(uint64(id)))
		count[id] = visits.Rand()
	}
	fmt.Println(count)

	// Both libraries draw from the same distribution: gonum draws one number at a time, and package
	// random fills whole lanes.
	x := make([]float64, 10_000)
	random.Normal(x, key.Rows(0), 5, 2)
	mean, deviation := stat.MeanStdDev(x, nil)
	fmt.Printf("%.1f %.1f\n", mean, deviation)

	src.Reset(key.ID(0))
	normal := distuv.Normal{Mu: 5, Sigma: 2, Src: &src}
	for i := range x {
		x[i] = normal.Rand()
	}
	mean, deviation = stat.MeanStdDev(x, nil)
	fmt.Printf("%.1f %.1f\n", mean, deviation)
	// Output:
	// [3 8 1 7 3]
	// 5.0 2.0
	// 5.0 2.0
}

// Draught is the motion of a leaf.
type Draught struct{ Speed float32 }

// Column returns a lane of numbers, which package random fills.
func (Draught) Column() (c struct{ Speed []float32 }) { return }

// Blow draws a number for each leaf by its id. It draws 256 numbers at once, so that the ids need no
// heap memory.
type Blow struct{ key random.Key }

// Chunk draws the numbers for the rows of one chunk.
func (b *Blow) Chunk(c *ecs.Chunk) {
	draught, leaves := ecs.Column[Draught](c), c.Entities()
	var ids [256]uint64
	for lo := 0; lo < len(leaves); lo += len(ids) {
		hi := min(lo+len(ids), len(leaves))
		random.Range(draught.Speed[lo:hi], b.key.IDs(random.AppendIDs(ids[:0], leaves[lo:hi])), -1, 1)
	}
}

// In a parallel job, numbers that are drawn by id are the same as those of the scalar function.
func Example_randomByIDInAJob() {
	w := ecs.NewWorld("wood")
	defer w.Close()
	var last ecs.Entity
	for range 1000 {
		last = w.Spawn(Draught{})
	}
	blow := &Blow{random.Key{Seed: 2026, Tick: 12}}
	err := w.Query(ecs.Write[Draught]()).ParallelFor(blow).Wait()
	v, _ := ecs.Get[Draught](w, last)
	fmt.Println(err, v.Speed == random.RangeOf[float32](blow.key.ID(random.EntityID(last)), -1, 1))
	// Output: <nil> true
}
